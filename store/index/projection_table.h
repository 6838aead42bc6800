// Projections of many conversations by name. None can be removed; they are destroyed together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/stable_vector.h"
#include "store/index/conversation_projection.h"

namespace turnlog {

// References stay valid, also when the table is moved. REQUIRES: fewer than 2^31 conversations.
class ProjectionTable {
 public:
  // Null if there is none.
  ConversationProjection* Find(std::string_view name) {
    return const_cast<ConversationProjection*>(std::as_const(*this).Find(name));
  }
  const ConversationProjection* Find(std::string_view name) const {
    if (slots_.empty()) return nullptr;
    const std::uint32_t number = slots_[SlotOf(TagOf(name), name)].number;
    return number == kNone ? nullptr : &projections_[number - 1];
  }

  // REQUIRES: there is none of this name.
  ConversationProjection& Add(ConversationProjection projection) {
    if (slots_.size() <= 2 * projections_.size()) Grow();
    ConversationProjection& added = projections_.Add(std::move(projection));
    const std::string_view name = added.state().name;
    const std::uint32_t tag = TagOf(name);
    slots_[SlotOf(tag, name)] = {tag, static_cast<std::uint32_t>(projections_.size())};
    return added;
  }

  template <class Visit>
  void ForEach(Visit&& visit) const {
    projections_.ForEach(visit);
  }

 private:
  static constexpr std::size_t kFirstSlots = 16;
  static constexpr std::uint32_t kNone = 0;
  struct Slot {
    std::uint32_t tag = 0;  // of the name
    std::uint32_t number = kNone;
  };

  static std::uint32_t TagOf(std::string_view name) { return static_cast<std::uint32_t>(Hash64(name) >> 32); }

  // Where the conversation is, or belongs.
  std::size_t SlotOf(std::uint32_t tag, std::string_view name) const {
    std::size_t at = FirstSlotOf(tag);
    for (; slots_[at].number != kNone; at = Next(at)) {
      if (slots_[at].tag == tag && projections_[slots_[at].number - 1].state().name == name) break;
    }
    return at;
  }
  std::size_t FirstSlotOf(std::uint32_t tag) const { return tag & (slots_.size() - 1); }
  std::size_t Next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  void Grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kFirstSlots : 2 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.number == kNone) continue;
      std::size_t at = FirstSlotOf(slot.tag);
      while (slots_[at].number != kNone) at = Next(at);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, at most half are in use
  StableVector<ConversationProjection> projections_;
};

}  // namespace turnlog
