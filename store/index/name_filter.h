// Which names certainly belong to no conversation: whoever creates many asks the disk for none of them. It knows all
// names of an index that began empty, as that of a new store does, and nothing of any other one. A name takes 8 to 16
// bytes, so it gives up at two million. Any thread may call any member.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace turnlog {

class NameFilter {
 public:
  explicit NameFilter(bool complete) : complete_(complete) {}

  void Add(std::string_view name) {
    if (!complete_) return;
    const std::scoped_lock lock(mutex_);
    if (size_ == kMostNames) return GiveUp();
    if (slots_.size() <= 2 * size_) Grow();
    std::uint32_t& slot = slots_[SlotOf(TagOf(name))];
    size_ += slot == kNone ? 1 : 0;
    slot = TagOf(name);
  }

  // False: there may be such a conversation.
  bool Excludes(std::string_view name) const {
    if (!complete_) return false;
    const std::shared_lock lock(mutex_);
    return complete_ && (slots_.empty() || slots_[SlotOf(TagOf(name))] == kNone);
  }

 private:
  static constexpr std::size_t kFirstSlots = 64, kMostNames = std::size_t{1} << 21;
  static constexpr std::uint32_t kNone = 0;

  // The low half of the hash chooses a shard (Index), so that it says less here.
  static std::uint32_t TagOf(std::string_view name) {
    const auto tag = static_cast<std::uint32_t>(Hash64(name) >> 32);
    return tag == kNone ? 1 : tag;
  }

  // Where the tag is, or belongs.
  std::size_t SlotOf(std::uint32_t tag) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = tag & mask;
    while (slots_[at] != kNone && slots_[at] != tag) at = (at + 1) & mask;
    return at;
  }

  void Grow() {
    const auto old =
        std::exchange(slots_, std::vector<std::uint32_t>(slots_.empty() ? kFirstSlots : 2 * slots_.size()));
    for (const std::uint32_t tag : old) {
      if (tag != kNone) slots_[SlotOf(tag)] = tag;
    }
  }

  void GiveUp() {
    complete_ = false;
    slots_ = {};
  }

  mutable std::shared_mutex mutex_;
  std::vector<std::uint32_t> slots_;  // a power of two of them, at most half are in use
  std::size_t size_ = 0;
  std::atomic<bool> complete_;  // becomes false with the mutex held
};

}  // namespace turnlog
