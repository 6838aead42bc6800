// A hash table for keys that are hashes already. For counting many small things: an element takes its size and 8 to 16
// bytes, growing copies no elements, and none can be removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/stable_vector.h"

namespace turnlog {

// References stay valid. REQUIRES: fewer than 2^31 elements.
template <class Value>
class HashMap {
 public:
  std::size_t size() const { return elements_.size(); }

  // Null if there is none.
  Value* Find(Hash128 key) { return const_cast<Value*>(std::as_const(*this).Find(key)); }
  const Value* Find(Hash128 key) const {
    const std::uint32_t number = NumberOf(key);
    return number == kNone ? nullptr : &elements_[number - 1].value;
  }
  // The same, cheaper for keys that mostly come as they were added, one after the other and often twice. `near`: 0 at
  // first, and then what the last call has left in it.
  Value* Find(Hash128 key, std::uint32_t& near) {
    const auto is_at = [&](std::size_t at) { return at < size() && elements_[at].key == key; };
    if (is_at(std::size_t{near} + 1)) {
      ++near;
    } else if (!is_at(near)) {
      const std::uint32_t number = NumberOf(key);
      if (number == kNone) return nullptr;
      near = number - 1;
    }
    return &elements_[near].value;
  }

  // The value of the key, and whether it was added as `value`.
  std::pair<Value&, bool> TryEmplace(Hash128 key, Value value = {}) {
    if (slots_.size() <= 2 * elements_.size()) Grow();
    std::uint32_t& slot = slots_[SlotOf(key)];
    const bool added = slot == kEmpty;
    if (added) {
      elements_.Add(Element{key, std::move(value)});
      slot = static_cast<std::uint32_t>(elements_.size()) | TagOf(key);
    }
    return {elements_[NumberIn(slot) - 1].value, added};
  }

  // In the order in which they were added.
  template <class Visit>
  void ForEach(Visit&& visit) {
    elements_.ForEach([&](Element& element) { visit(element.value); });
  }
  template <class Visit>
  void ForEach(Visit&& visit) const {
    elements_.ForEach([&](const Element& element) { visit(element.value); });
  }
  template <class Visit>
  void ForEachWithKey(Visit&& visit) const {
    elements_.ForEach([&](const Element& element) { visit(element.key, element.value); });
  }

 private:
  struct Element {
    Hash128 key;
    [[no_unique_address]] Value value{};
  };

  static constexpr std::size_t kFirstSlots = 16;
  static constexpr std::uint32_t kEmpty = 0;
  static constexpr std::uint32_t kNone = 0;  // the numbers of elements begin with 1

  // The bits of a slot that no number needs are a part of the key: most other keys are told from it without a look at
  // them.
  std::uint32_t NumberBits() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
  std::uint32_t NumberIn(std::uint32_t slot) const { return slot & NumberBits(); }
  std::uint32_t TagOf(Hash128 key) const { return static_cast<std::uint32_t>(key.high) & ~NumberBits(); }

  std::uint32_t NumberOf(Hash128 key) const { return slots_.empty() ? kNone : NumberIn(slots_[SlotOf(key)]); }

  // Where the key is, or belongs.
  std::size_t SlotOf(Hash128 key) const {
    const std::uint32_t tag = TagOf(key);
    const auto is_other = [&](std::uint32_t slot) {
      return (slot & ~NumberBits()) != tag || elements_[NumberIn(slot) - 1].key != key;
    };
    std::size_t at = FirstSlotOf(key);
    while (slots_[at] != kEmpty && is_other(slots_[at])) at = Next(at);
    return at;
  }
  std::size_t FirstSlotOf(Hash128 key) const { return key.low & (slots_.size() - 1); }
  std::size_t Next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  void Grow() {
    slots_.assign(slots_.empty() ? kFirstSlots : 2 * slots_.size(), kEmpty);
    std::uint32_t number = 0;
    elements_.ForEach([&](const Element& element) {
      std::size_t at = FirstSlotOf(element.key);
      while (slots_[at] != kEmpty) at = Next(at);
      slots_[at] = ++number | TagOf(element.key);
    });
  }

  std::vector<std::uint32_t> slots_;  // a power of two of them, at most half are in use
  StableVector<Element> elements_;
};

}  // namespace turnlog
