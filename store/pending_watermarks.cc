#include "store/pending_watermarks.h"

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

constexpr std::size_t kEntryBytes = 128;  // of a map's node

std::size_t SizeOf(std::string_view name, const Watermark& watermark) {
  return kEntryBytes + name.size() + watermark.state.size();
}

}  // namespace

void PendingWatermarks::Set(const std::string& name, const Watermark& watermark) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, is_new] = live_.try_emplace(name);
  if (!is_new) bytes_ -= SizeOf(name, entry->second);
  entry->second = watermark;
  bytes_ += SizeOf(name, watermark);
}

std::optional<Watermark> PendingWatermarks::Find(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  for (const ByName* some : {&live_, frozen_.get()}) {
    if (some == nullptr) continue;
    if (const auto entry = some->find(name); entry != some->end()) return entry->second;
  }
  return std::nullopt;
}

std::vector<std::string> PendingWatermarks::Names(std::string_view after, std::size_t limit) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> names;
  for (const ByName* some : {&live_, frozen_.get()}) {
    if (some == nullptr) continue;
    std::size_t left = limit;
    for (auto entry = some->upper_bound(after); left > 0 && entry != some->end(); ++entry, --left) {
      names.push_back(entry->first);
    }
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  if (names.size() > limit) names.resize(limit);
  return names;
}

std::size_t PendingWatermarks::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

void PendingWatermarks::Freeze() {
  const std::scoped_lock lock(mutex_);
  frozen_ = std::make_shared<const ByName>(std::exchange(live_, {}));
  bytes_ = 0;
}

std::shared_ptr<const PendingWatermarks::ByName> PendingWatermarks::frozen() const {
  const std::scoped_lock lock(mutex_);
  return frozen_;
}

void PendingWatermarks::Written() {
  const std::scoped_lock lock(mutex_);
  frozen_ = nullptr;
}

}  // namespace turnlog
