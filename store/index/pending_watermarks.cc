#include "store/index/pending_watermarks.h"

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

constexpr std::size_t kEntryBytes = 128;  // of a map's node

std::size_t SizeOf(std::string_view name, const Watermark& watermark) {
  return kEntryBytes + name.size() + watermark.state.size();
}

// Nothing if the consumer has none.
const PendingWatermarks::ByName* Of(const PendingWatermarks::ByConsumer* some, std::string_view consumer) {
  if (some == nullptr) return nullptr;
  const auto entry = some->find(consumer);
  return entry == some->end() ? nullptr : &entry->second;
}

}  // namespace

void PendingWatermarks::Set(std::string_view consumer, const std::string& name, const Watermark& watermark) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, is_new] = live_[std::string(consumer)].try_emplace(name);
  if (!is_new) bytes_ -= SizeOf(name, entry->second);
  entry->second = watermark;
  bytes_ += SizeOf(name, watermark);
}

std::optional<Watermark> PendingWatermarks::Find(std::string_view consumer, std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  for (const ByName* some : {Of(&live_, consumer), Of(frozen_.get(), consumer)}) {
    if (some == nullptr) continue;
    if (const auto entry = some->find(name); entry != some->end()) return entry->second;
  }
  return std::nullopt;
}

std::vector<std::string> PendingWatermarks::Names(std::string_view consumer, std::string_view after,
                                                  std::size_t limit) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> names;
  for (const ByName* some : {Of(&live_, consumer), Of(frozen_.get(), consumer)}) {
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
  frozen_ = std::make_shared<const ByConsumer>(std::exchange(live_, {}));
  bytes_ = 0;
}

std::shared_ptr<const PendingWatermarks::ByConsumer> PendingWatermarks::frozen() const {
  const std::scoped_lock lock(mutex_);
  return frozen_;
}

void PendingWatermarks::Written() {
  const std::scoped_lock lock(mutex_);
  frozen_ = nullptr;
}

}  // namespace turnlog
