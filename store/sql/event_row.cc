#include "store/sql/event_row.h"

#include <array>

#include "base/coding.h"

namespace turnlog {

std::uint64_t EventChecksum(const ConversationKey& key, const EventRow& row, std::uint64_t payload_hash) {
  std::array<char, 52> identity;
  StoreBig(identity.data(), key.lane);
  StoreBig(identity.data() + 4, key.conv.high);
  StoreBig(identity.data() + 12, key.conv.low);
  StoreBig(identity.data() + 20, row.seq);
  StoreBig(identity.data() + 28, static_cast<std::uint16_t>(row.kind));
  StoreBig(identity.data() + 30, static_cast<std::uint16_t>(row.state));
  StoreBig(identity.data() + 32, row.turn);
  StoreBig(identity.data() + 40, row.parts);
  StoreBig(identity.data() + 44, payload_hash);
  return Hash64({identity.data(), identity.size()});
}

}  // namespace turnlog
