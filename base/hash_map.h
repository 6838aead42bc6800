// A hash table for keys that are hashes already: open addressing in one allocation, no nodes. For counting many small
// things; elements cannot be removed.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace turnlog {

// Values are moved when the table grows: references are valid until the next TryEmplace.
template <class Value>
class HashMap {
 public:
  std::size_t size() const { return size_; }

  // Null if there is none.
  Value* Find(Hash128 key) {
    if (slots_.empty()) return nullptr;
    Slot& slot = SlotOf(Storable(key));
    return slot.key == Hash128{} ? nullptr : &slot.value;
  }

  // The value of the key, and whether it was added as `value`.
  std::pair<Value&, bool> TryEmplace(Hash128 key, Value value = {}) {
    if (slots_.size() * kMaxLoad <= size_ * kLoadUnit) Grow();
    Slot& slot = SlotOf(Storable(key));
    const bool added = slot.key == Hash128{};
    if (added) {
      slot = {Storable(key), std::move(value)};
      ++size_;
    }
    return {slot.value, added};
  }

  template <class Visit>
  void ForEach(Visit&& visit) {
    for (Slot& slot : slots_) {
      if (slot.key != Hash128{}) visit(slot.value);
    }
  }
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.key != Hash128{}) visit(slot.value);
    }
  }

 private:
  struct Slot {
    Hash128 key;  // all zero: empty
    [[no_unique_address]] Value value{};
  };

  static constexpr std::size_t kFirstSlots = 16;
  static constexpr std::size_t kMaxLoad = 3, kLoadUnit = 4;  // at most three of four slots are in use

  // The hash of zeros, which marks empty slots, counts as another one.
  static Hash128 Storable(Hash128 key) { return key == Hash128{} ? Hash128{.low = 1} : key; }

  // The slot of the key, or the empty one where it belongs.
  Slot& SlotOf(Hash128 key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = key.low & mask;
    while (slots_[at].key != Hash128{} && slots_[at].key != key) at = (at + 1) & mask;
    return slots_[at];
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? kFirstSlots : 2 * slots_.size());
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.key != Hash128{}) SlotOf(slot.key) = std::move(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::size_t size_ = 0;
};

}  // namespace turnlog
