// A row of turnlog_event: one event, with a checksum over its contents, its identity and its state.
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
  std::string_view payload;  // the beginning of it, if there are parts
};

// The columns of EventRow in turnlog_event, in the order of EventRowIn.
inline constexpr std::string_view kEventColumns = "seq, kind, state, turn, checksum, parts, payload";
// Views into the rows. A state that this version does not know is kUnsupportedVersion.
Result<EventRow> EventRowIn(const SqlRows& rows, std::size_t row);

// `payload_hash`: Hash64 of the whole payload.
std::uint64_t EventChecksum(const ConversationKey& key, const EventRow& row, std::uint64_t payload_hash);

inline std::uint32_t PartsOf(std::size_t payload_bytes) {
  return payload_bytes <= kPartBytes ? 0 : static_cast<std::uint32_t>((payload_bytes - 1) / kPartBytes);
}

}  // namespace turnlog
