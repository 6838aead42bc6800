// Events that are kept for a while, and moved on the way: their texts stay where they are.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// What the texts of an event are in.
using EventTexts = std::shared_ptr<const void>;

struct HeldEvent {
  EventView event;
  EventTexts texts;

  // Copies the texts, in one block of memory.
  static HeldEvent Copy(const EventView& event);
  // Takes them.
  static HeldEvent Take(Event&& event);
  // Takes them if they are so large that a copy would be expensive; otherwise, without `texts`, a view of `event`.
  static HeldEvent TakeLarge(Event& event);
};

// Copies of many events. Their texts lie together in blocks of memory: a block lives as long as one of its events.
class HeldEvents {
 public:
  HeldEvent Copy(const EventView& event);
  std::size_t bytes() const { return bytes_; }  // of memory for texts, so far

 private:
  std::shared_ptr<char[]> block_;
  std::span<char> left_;  // of the block
  std::size_t bytes_ = 0;
};

// Copies, which live as long as `memory` keeps them.
std::string_view CopyInto(std::pmr::memory_resource& memory, std::string_view text);
EventView CopyInto(std::pmr::memory_resource& memory, const EventView& event);

}  // namespace turnlog
