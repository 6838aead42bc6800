// An event as turnlog_event stores it, with a checksum over its contents, its identity and its state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/sql/conversation_head.h"

namespace turnlog {

// Longer payloads continue in turnlog_part, because not every engine takes long values.
inline constexpr std::size_t kPartBytes = std::size_t{1} << 20;

// Stored: never renumber.
enum class EventState : std::int16_t { kAppended = 0, kRedacted = 1, kErased = 2 };

struct EventRow {
  std::uint64_t seq = 0;
  EventKind kind = EventKind::kUnknown;
  EventState state = EventState::kAppended;
  std::uint64_t turn = 0;
  std::uint64_t checksum = 0;
  std::uint32_t parts = 0;   // rows of turnlog_part
  std::string_view payload;  // as read: the beginning of it, if there are parts
};

// `payload_hash`: Hash64 of the whole payload.
std::uint64_t EventChecksum(const ConversationKey& key, const EventRow& row, std::uint64_t payload_hash);

inline std::uint32_t PartsOf(std::size_t payload_bytes) {
  return payload_bytes <= kPartBytes ? 0 : static_cast<std::uint32_t>((payload_bytes - 1) / kPartBytes);
}

}  // namespace turnlog
