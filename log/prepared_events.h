// Events that are valid and encoded, with what engines index of them, before any lock is taken.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/wiped_memory.h"
#include "log/indexed_fields.h"
#include "schema/event/held_event.h"
#include "turnlog/log.h"

namespace turnlog {

struct PreparedEvents {
  struct One {
    IndexedFields fields;
    std::string_view payload;  // lies at kPayloadAlignment
    std::uint64_t hash = 0;    // Hash64 of the payload
    AppendedEvent result;
  };

  // Fails with Validate's error for the first invalid event.
  static Result<PreparedEvents> Make(std::span<const EventView> events, std::uint64_t salt);

  // Of events that are encoded: their payloads must outlive it.
  static PreparedEvents Of(std::span<const EncodedEvent> events, std::uint64_t salt);

  // Whether they are refused, repeated or stored, nothing of them stays in memory afterwards.
  WipedMemory memory;  // none: the payloads are elsewhere
  std::vector<One> events;
};

}  // namespace turnlog
