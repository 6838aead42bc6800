// Events validated and encoded before any lock is taken.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/wiped_memory.h"
#include "log/indexed_fields.h"
#include "turnlog/log.h"

namespace turnlog {

struct EncodedEvents {
  struct One {
    IndexedFields fields;
    std::string_view payload;  // lies at kPayloadAlignment
    std::uint64_t hash = 0;    // Hash64 of the payload
    AppendedEvent result;
  };

  // Fails with Validate's error for the first invalid event.
  static Result<EncodedEvents> Make(std::span<const EventView> events, std::uint64_t salt);

  // Whether they are refused, repeated or stored, nothing of them stays in memory afterwards.
  WipedMemory memory;
  std::vector<One> events;
};

}  // namespace turnlog
