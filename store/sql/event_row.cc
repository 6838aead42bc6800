#include "store/sql/event_row.h"

#include <fmt/format.h>

#include <string>

#include "base/coding.h"

namespace turnlog {

Result<EventRow> EventRowIn(const SqlRows& rows, std::size_t row) {
  const std::uint64_t state = rows.Integer(row, 2);
  if (state > static_cast<std::uint64_t>(EventState::kErased)) {
    return std::unexpected(Error{ErrorCode::kUnsupportedVersion, "an event was written by a later version of turnlog"});
  }
  return EventRow{.seq = rows.Integer(row, 0),
                  .kind = static_cast<EventKind>(rows.Integer(row, 1)),
                  .state = static_cast<EventState>(state),
                  .turn = rows.Integer(row, 3),
                  .checksum = rows.Integer(row, 4),
                  .parts = static_cast<std::uint32_t>(rows.Integer(row, 5)),
                  .payload = rows.Bytes(row, 6)};
}

std::uint64_t EventChecksum(const ConversationKey& key, const EventRow& row, std::uint64_t payload_hash) {
  std::string identity;
  AppendBig(identity, key.lane);
  AppendHash(identity, key.conv);
  AppendBig(identity, row.seq);
  AppendBig(identity, static_cast<std::uint16_t>(row.kind));
  AppendBig(identity, static_cast<std::uint16_t>(row.state));
  AppendBig(identity, row.turn);
  AppendBig(identity, row.parts);
  AppendBig(identity, payload_hash);
  return Hash64(identity);
}

}  // namespace turnlog
