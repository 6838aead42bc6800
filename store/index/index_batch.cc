#include "store/index/index_batch.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>

#include "base/coding.h"

namespace turnlog {
namespace {

std::size_t SizeOfShared(std::string_view one, std::string_view other) {
  return static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
}

// What all keys of a key space begin with.
class SharedBeginnings {
 public:
  void Add(std::string_view key) {
    auto& shared = Of(key);
    if (!shared) shared = key;
    if (!key.starts_with(*shared)) shared = shared->substr(0, SizeOfShared(*shared, key));
  }
  std::string_view Rest(std::string_view key) { return key.substr(Of(key)->size()); }

 private:
  std::optional<std::string_view>& Of(std::string_view key) { return of_[static_cast<unsigned char>(key.front())]; }

  std::array<std::optional<std::string_view>, 256> of_;
};

}  // namespace

// From the first byte, and what follows the beginning that all keys with that byte share: names of conversations often
// begin alike.
void IndexBatch::SetOrders() {
  SharedBeginnings shared;
  for (const Entry& entry : entries_) shared.Add(KeyOf(entry));
  for (Entry& entry : entries_) {
    const std::string_view key = KeyOf(entry), rest = shared.Rest(key);
    char bytes[sizeof entry.order] = {key.front()};  // a shorter key ends with zeros
    std::memcpy(bytes + 1, rest.data(), std::min(rest.size(), sizeof bytes - 1));
    entry.order = LoadBig<std::uint64_t>(bytes);
  }
}

void IndexBatch::Sort() {
  SetOrders();
  std::ranges::sort(entries_, [this](const Entry& one, const Entry& other) {
    return one.order != other.order ? one.order < other.order : KeyOf(one) < KeyOf(other);
  });
}

}  // namespace turnlog
