// Encoded events as frames of the log.
#pragma once

#include <cstdint>

#include "log/prepared_events.h"
#include "store/engine/stored_payloads.h"
#include "store/index/conversation_projection.h"
#include "store/segments/committer.h"

namespace turnlog {

// A frame of `type` for this event. REQUIRES: its seq is set.
inline PendingFrame FrameOf(const PreparedEvents::One& event, const StoredPayloads::One& stored,
                            std::uint32_t conversation, FrameType type = FrameType::kEvent) {
  return {.header = {.type = type,
                     .kind = event.fields.kind,
                     .conversation = conversation,
                     .seq = event.result.seq.value,
                     .codec = stored.codec},
          .payload = stored.payload,
          .payload_hash = stored.hash};
}

inline FrameRef RefAt(std::uint64_t position, std::uint64_t payload_length) {
  return {position, static_cast<std::uint32_t>(FrameBytes(payload_length) / kFrameAlignment)};
}

}  // namespace turnlog
