// Keys and values of the index. docs/on_disk_format.md, "Index", describes them; they can be made again from the
// segments at any time, so a change needs a new kIndexVersion and nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/conversation_fold.h"
#include "turnlog/types.h"

namespace turnlog {

inline constexpr std::uint64_t kIndexVersion = 1;

// First byte of every key. On disk: never renumber.
enum class KeySpace : std::uint8_t {
  kMeta = 0x01,          //                           -> IndexMeta
  kName = 0x02,          // conversation id           -> its number
  kConversation = 0x03,  // number                    -> ConversationState
  kRun = 0x04,           // number, run               -> places of up to 16 events
  kTurn = 0x05,          // number, turn              -> seq of its turn_start
  kInquiry = 0x06,       // number, hash of id        -> askings
  kEventId = 0x07,       // number, hash of id        -> seq
  kPending = 0x08,       // number                    -> nothing; there if inquiries are open
};
inline constexpr std::array kAllKeySpaces{KeySpace::kMeta,    KeySpace::kName,   KeySpace::kConversation,
                                          KeySpace::kRun,     KeySpace::kTurn,   KeySpace::kInquiry,
                                          KeySpace::kEventId, KeySpace::kPending};
consteval bool AllDistinct(auto values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}
static_assert(AllDistinct(kAllKeySpaces), "two key spaces share a prefix byte");

struct IndexTotals {
  std::uint64_t conversations = 0, events = 0, payload_bytes = 0;
  bool operator==(const IndexTotals&) const = default;
};

struct IndexMeta {
  std::uint64_t store_high = 0, store_low = 0;
  std::uint64_t checkpoint = 0;  // everything before this position is in the index, nothing behind it
  Position tail;                 // of the last record before the checkpoint
  std::uint32_t next_conversation = 1;
  IndexTotals totals;
};

std::string MetaKey();
std::string NameKey(std::string_view name);
std::string ConversationKey(std::uint32_t number);
std::string RunKey(std::uint32_t number, std::uint64_t run);
std::string TurnKey(std::uint32_t number, std::uint64_t turn);
std::string InquiryKeyOf(std::uint32_t number, const Hash128& id);
std::string EventIdKey(std::uint32_t number, const Hash128& id);
std::string PendingKey(std::uint32_t number);
std::string SpacePrefix(KeySpace space);

std::string EncodeMeta(const IndexMeta& meta);
std::string EncodeNumber(std::uint64_t value);
std::string EncodeState(const ConversationState& state);
std::string EncodeRun(const FrameRef* begin, const FrameRef* end);
std::string EncodeInquiries(const std::vector<InquiryRef>& refs);

// Nothing if the bytes are not what they should be.
std::optional<IndexMeta> DecodeMeta(std::string_view bytes);
std::optional<std::uint64_t> DecodeNumber(std::string_view bytes);
std::optional<ConversationState> DecodeState(std::uint32_t number, std::string_view bytes);
std::optional<std::vector<FrameRef>> DecodeRun(std::string_view bytes);
std::optional<std::vector<InquiryRef>> DecodeInquiries(std::string_view bytes);
// The number in a key of kConversation or kPending.
std::uint32_t NumberOfKey(std::string_view key);

}  // namespace turnlog
