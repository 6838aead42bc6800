// Events validated and encoded before any lock is taken.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "schema/event/codec.h"
#include "store/index/conversation_projection.h"
#include "store/segments/committer.h"
#include "turnlog/log.h"

namespace turnlog {

struct EncodedEvents {
  struct One {
    IndexedFields fields;
    std::size_t begin = 0, length = 0;  // in `bytes`
    // A large event is not copied there: its encoding stays with an encoder of its own.
    std::unique_ptr<EventEncoder> large;
    std::string_view large_payload;
    std::uint64_t hash = 0;
    AppendedEvent result;
  };

  EncodedEvents() = default;
  EncodedEvents(EncodedEvents&&) = default;
  EncodedEvents& operator=(EncodedEvents&&) = default;
  ~EncodedEvents() { Wipe(bytes); }  // whether refused, repeated or stored

  std::string bytes;
  std::vector<One> events;

  // Adds the event without its payload.
  One& Add(const EventView& event, std::string_view payload, std::uint64_t salt);
  // Fails with Validate's error for the first invalid event.
  static Result<EncodedEvents> Make(std::span<const EventView> events, std::uint64_t salt);

  std::string_view Payload(const One& one) const {
    if (one.large != nullptr) return one.large_payload;
    return std::string_view(bytes).substr(one.begin, one.length);
  }
  // A frame of `type` for this event. REQUIRES: its seq is set.
  PendingFrame ToFrame(const One& one, std::uint32_t conversation, FrameType type = FrameType::kEvent) const;
};

inline FrameRef RefAt(std::uint64_t position, std::uint64_t payload_length) {
  return {position, static_cast<std::uint32_t>(FrameBytes(payload_length) / kFrameAlignment)};
}

}  // namespace turnlog
