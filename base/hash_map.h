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

// References stay valid. REQUIRES: fewer than 2^32 elements.
template <class Value>
class HashMap {
 public:
  std::size_t size() const { return elements_.size(); }

  // Null if there is none.
  Value* Find(Hash128 key) { return const_cast<Value*>(std::as_const(*this).Find(key)); }
  const Value* Find(Hash128 key) const {
    if (slots_.empty()) return nullptr;
    const std::uint32_t slot = slots_[SlotOf(key)];
    return slot == kEmpty ? nullptr : &elements_[slot - 1].value;
  }

  // The value of the key, and whether it was added as `value`.
  std::pair<Value&, bool> TryEmplace(Hash128 key, Value value = {}) {
    if (slots_.size() <= 2 * elements_.size()) Grow();
    std::uint32_t& slot = slots_[SlotOf(key)];
    const bool added = slot == kEmpty;
    if (added) {
      elements_.Add(Element{key, std::move(value)});
      slot = static_cast<std::uint32_t>(elements_.size());
    }
    return {elements_[slot - 1].value, added};
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

  // Where the key is, or belongs.
  std::size_t SlotOf(Hash128 key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = key.low & mask;
    while (slots_[at] != kEmpty && elements_[slots_[at] - 1].key != key) at = (at + 1) & mask;
    return at;
  }

  void Grow() {
    slots_.assign(slots_.empty() ? kFirstSlots : 2 * slots_.size(), kEmpty);
    std::uint32_t number = 0;
    elements_.ForEach([&](const Element& element) { slots_[SlotOf(element.key)] = ++number; });
  }

  std::vector<std::uint32_t> slots_;  // a power of two of them: numbers of elements, from 1; at most half are in use
  StableVector<Element> elements_;
};

}  // namespace turnlog
