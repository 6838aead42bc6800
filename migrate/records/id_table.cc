#include "migrate/records/id_table.h"

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

constexpr std::size_t kLeast = 64;

}  // namespace

std::optional<std::uint32_t> IdTable::Insert(std::uint64_t id, std::uint32_t contents) {
  if (4 * (size_ + 1) > 3 * entries_.size()) Grow();
  id = std::max<std::uint64_t>(id, 1);
  Entry& entry = entries_[Find(id)];
  if (entry.low != 0 || entry.high != 0) return entry.contents;
  entry = {static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32), contents};
  ++size_;
  return std::nullopt;
}

void IdTable::Replace(std::uint64_t id, std::uint32_t contents) {
  entries_[Find(std::max<std::uint64_t>(id, 1))].contents = contents;
}

void IdTable::MarkEarlier() {
  for (Entry& entry : entries_) entry.contents = kEarlier;
}

// The entry of the id, or the one where it is to be kept.
std::size_t IdTable::Find(std::uint64_t id) const {
  auto at = static_cast<std::size_t>((id >> 32) * entries_.size() >> 32);
  const auto low = static_cast<std::uint32_t>(id), high = static_cast<std::uint32_t>(id >> 32);
  for (;; at = at + 1 == entries_.size() ? 0 : at + 1) {
    const Entry& entry = entries_[at];
    if ((entry.low == low && entry.high == high) || (entry.low == 0 && entry.high == 0)) return at;
  }
}

// By half only: the old entries stay until they are copied.
void IdTable::Grow() {
  const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(std::max(kLeast, entries_.size() * 3 / 2)));
  for (const Entry& entry : old) {
    const std::uint64_t id = std::uint64_t{entry.high} << 32 | entry.low;
    if (id != 0) entries_[Find(id)] = entry;
  }
}

}  // namespace turnlog
