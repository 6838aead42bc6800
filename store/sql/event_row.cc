#include "store/sql/event_row.h"

#include <string>

#include "base/coding.h"

namespace turnlog {

std::uint64_t EventChecksum(const ConversationKey& key, const EventRow& row, std::uint64_t payload_hash) {
  std::string identity;
  identity.reserve(64);
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
