// Keys and values of the index, described in docs/on_disk_format.md, "Index". The index can be rebuilt from the
// segments at any time, so a format change only needs a new kIndexVersion.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/index/conversation_projection.h"
#include "store/segments/segment_position.h"
#include "turnlog/types.h"

namespace turnlog {

inline constexpr std::uint64_t kIndexVersion = 7;

// First byte of every key. On disk: never renumber. 0x03 has been used.
enum class KeySpace : std::uint8_t {
  kMeta = 0x01,        //                           -> IndexMeta
  kName = 0x02,        // conversation id           -> ConversationEntry
  kOffsets = 0x04,     // number, block             -> offsets and turns of 16 events
  kTurn = 0x05,        // number, block             -> seqs of 16 turn_starts
  kInquiry = 0x06,     // number, hash of id        -> attempts
  kEventId = 0x07,     // number, hash of id        -> seq
  kPending = 0x08,     // number                    -> empty; exists if inquiries are open
  kRepairs = 0x09,     // number, block             -> 16 repairs
  kWatermark = 0x0A,   // number, consumer          -> Watermark
  kChanged = 0x0B,     // consumer, conversation id -> empty; exists if it has grown since the consumer's watermark
  kConsumer = 0x0C,    // consumer                  -> empty; exists if kChanged is kept for it
  kMarkedUpTo = 0x0D,  // consumer                  -> the last conversation id for which kChanged is kept for it
  kNames = 0x0E,       // block of numbers          -> ids of 16 conversations
};
inline constexpr std::array kAllKeySpaces{
    KeySpace::kMeta,     KeySpace::kName,       KeySpace::kOffsets, KeySpace::kTurn,      KeySpace::kInquiry,
    KeySpace::kEventId,  KeySpace::kPending,    KeySpace::kRepairs, KeySpace::kWatermark, KeySpace::kChanged,
    KeySpace::kConsumer, KeySpace::kMarkedUpTo, KeySpace::kNames};
consteval bool AllDistinct(auto values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}
static_assert(AllDistinct(kAllKeySpaces), "two key spaces share a prefix byte");
// Whether entries of the space follow from the log. Watermarks of consumers do not.
constexpr bool IsOfTheLog(KeySpace space) {
  return space != KeySpace::kWatermark && space != KeySpace::kChanged && space != KeySpace::kConsumer &&
         space != KeySpace::kMarkedUpTo;
}

// Conversations are numbered as they come, so that an entry has the ids of those that came one after the other: an
// entry for each would double what a checkpoint writes for short ones. Empty: none has the number.
using NameBlock = std::array<std::string_view, kBlockLength>;
inline std::size_t PlaceInNameBlock(std::uint32_t number) { return number % kBlockLength; }

struct IndexTotals {
  std::uint64_t conversations = 0, events = 0, payload_bytes = 0;
  std::uint64_t repairs = 0;  // `repair` events
  bool operator==(const IndexTotals&) const = default;
};

struct IndexMeta {
  std::uint64_t store_high = 0, store_low = 0;
  std::uint64_t checkpoint = 0;  // the index covers exactly the log before this position
  SegmentPosition tail;          // of the last record before the checkpoint
  std::uint32_t next_conversation = 1;
  IndexTotals totals;
};

std::string MetaKey();
std::string NameKey(std::string_view name);
std::string OffsetBlockKey(std::uint32_t number, std::uint64_t block);
std::string TurnKey(std::uint32_t number, std::uint64_t block);
std::string InquiryKeyOf(std::uint32_t number, const Hash128& id);
std::string EventIdKey(std::uint32_t number, const Hash128& id);
std::string PendingKey(std::uint32_t number);
std::string RepairsKey(std::uint32_t number, std::uint64_t block);
std::string WatermarkKey(std::uint32_t number, std::string_view consumer);
// Of a conversation that does not exist: number 0, which none has.
std::string AbsentWatermarkKey(std::string_view consumer, std::string_view name);
std::string ChangedPrefix(std::string_view consumer);
std::string ChangedKey(std::string_view consumer, std::string_view name);
std::string ConsumerKey(std::string_view consumer);
std::string MarkedUpToKey(std::string_view consumer);
std::string NamesKey(std::uint32_t number);  // of its block
std::string SpacePrefix(KeySpace space);

std::string EncodeMeta(const IndexMeta& meta);
std::string EncodeNumber(std::uint64_t value);
// Those of ConversationEntry.
struct IncompleteBlocks {
  std::span<const FrameRef> events;
  std::span<const std::uint64_t> turns;
  std::span<const RepairRange> repairs;
};
// Without the name, which is the key.
std::string EncodeConversation(const ConversationState& state, const IncompleteBlocks& incomplete);
std::string EncodeOffsetBlock(std::span<const FrameRef> refs);
std::string EncodeTurns(std::span<const std::uint64_t> starts);
// Values of the same key may be concatenated.
std::string EncodeInquiries(const std::vector<InquiryRef>& refs);
// One of its block. Values of the same key may be concatenated.
std::string EncodeName(std::uint32_t number, std::string_view name);
std::string EncodeRepairs(std::span<const RepairRange> repairs);
std::string EncodeWatermark(const Watermark& watermark);

// Nothing if the bytes are malformed.
std::optional<IndexMeta> DecodeMeta(std::string_view bytes);
std::optional<std::uint64_t> DecodeNumber(std::string_view bytes);
std::optional<ConversationEntry> DecodeConversation(std::string_view name, std::string_view bytes);
std::optional<std::vector<FrameRef>> DecodeOffsetBlock(std::string_view bytes);
std::optional<std::vector<std::uint64_t>> DecodeTurns(std::string_view bytes);
std::optional<std::vector<InquiryRef>> DecodeInquiries(std::string_view bytes);
std::optional<std::vector<RepairRange>> DecodeRepairs(std::string_view bytes);
std::optional<Watermark> DecodeWatermark(std::string_view bytes);
std::optional<NameBlock> DecodeNames(std::string_view bytes);
// The error for a missing or malformed entry.
std::unexpected<Error> IndexDamaged(std::string_view what);
// The number in a key of kPending or kWatermark.
std::uint32_t NumberOfKey(std::string_view key);
// The consumer in a key of kWatermark.
std::string ConsumerOfKey(std::string_view key);

}  // namespace turnlog
