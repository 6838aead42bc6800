// Encoded events as frames of the log.
#pragma once

#include <cstdint>

#include "log/encoded_events.h"
#include "store/index/conversation_projection.h"
#include "store/segments/committer.h"

namespace turnlog {

// A frame of `type` for this event of `events`. REQUIRES: its seq is set.
inline PendingFrame FrameOf(const EncodedEvents& events, const EncodedEvents::One& one, std::uint32_t conversation,
                            FrameType type = FrameType::kEvent) {
  return {.header = {.type = type, .kind = one.fields.kind, .conversation = conversation, .seq = one.result.seq.value},
          .payload = events.Payload(one),
          .payload_hash = one.hash};
}

inline FrameRef RefAt(std::uint64_t position, std::uint64_t payload_length) {
  return {position, static_cast<std::uint32_t>(FrameBytes(payload_length) / kFrameAlignment)};
}

}  // namespace turnlog
