// Deterministic conversations with realistic kinds and sizes of events. A turn has ten events, two of them an inquiry
// and its answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

enum class Mix : std::uint8_t {
  kSmall,  // 180 to 520 bytes of JSON, 247 on average
  kMixed,  // half of them as kSmall, the others up to 160 KB; 3.4 KB on average
};

inline constexpr std::size_t kTurnEvents = 10;
inline constexpr std::size_t kBlock = 20;  // consecutive events of one conversation before the next one's

std::string_view ToString(Mix mix);
// "conversation-00042"
std::string ConversationName(std::uint32_t conversation);
// Id of the inquiry in the turn that holds the writer's event `n`, counted from 0.
std::string InquiryIdText(std::uint32_t writer, std::uint64_t n);

// Some events of one conversation, in each form that an engine may need.
struct Batch {
  std::uint32_t conversation = 0;
  std::uint64_t first_seq = 1;
  std::span<const EventView> events;
  std::span<const std::string> payloads;  // encoded
  std::span<const std::string> lines;     // JSON with line break
};

// The events of one writer, in blocks that alternate between its conversations. Only the ids are made while measuring.
class Script {
 public:
  // Conversations writer * conversations + 0, 1, ...
  Script(Mix mix, std::uint32_t writer, std::uint32_t conversations);

  // The next events. REQUIRES: `count` divides kBlock or is a multiple of it, and is the same in all calls. The views
  // are valid for the next 2,000 events.
  Batch Take(std::size_t count);

  double json_bytes_per_event() const;

 private:
  void Stamp(std::size_t slot);

  std::uint32_t writer_;
  std::uint32_t conversations_;
  std::vector<Event> events_;
  std::vector<EventView> views_;
  std::vector<std::string> payloads_, lines_;
  std::uint64_t taken_ = 0;
};

}  // namespace turnlog
