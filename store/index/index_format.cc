#include "store/index/index_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/coding.h"
#include "log/open_inquiries_coding.h"

namespace turnlog {
namespace {

constexpr std::size_t kLongestKey = 24;                    // of those without a text
constexpr std::size_t kUsualEntry = 80, kUsualOffset = 6;  // room for most, so that they grow once at most

std::string Key(KeySpace space, std::uint32_t number) {
  std::string key;
  key.reserve(kLongestKey);
  key.push_back(static_cast<char>(space));
  AppendBig(key, number);
  return key;
}

std::string Key(KeySpace space, std::uint32_t number, std::uint64_t ordinal) {
  std::string key = Key(space, number);
  AppendBig(key, ordinal);
  return key;
}

std::string Key(KeySpace space, std::uint32_t number, const Hash128& id) {
  std::string key = Key(space, number);
  AppendHash(key, id);
  return key;
}

void AppendTime(std::string& out, const std::optional<Timestamp>& time) {
  AppendVarint(out, time ? 1 : 0);
  if (time) AppendVarint(out, ZigZag(time->nanos));
}

std::optional<Timestamp> TakeTime(Decoder& in) {
  if (in.Varint() == 0) return std::nullopt;
  return Timestamp{UnZigZag(in.Varint())};
}

template <class T>
std::optional<T> Complete(const Decoder& in, T value) {
  if (!in.ok || !in.bytes.empty()) return std::nullopt;
  return value;
}

}  // namespace

std::unexpected<Error> IndexDamaged(std::string_view what) {
  return std::unexpected(
      Error{ErrorCode::kCorruption,
            fmt::format("index: {} is missing or damaged; `logctl reindex` rebuilds the index from the log", what)});
}

std::string SpacePrefix(KeySpace space) { return std::string(1, static_cast<char>(space)); }
std::string MetaKey() { return SpacePrefix(KeySpace::kMeta); }
std::string NameKey(std::string_view name) { return SpacePrefix(KeySpace::kName).append(name); }
std::string NamesKey(std::uint32_t number) {
  return Key(KeySpace::kNames, static_cast<std::uint32_t>(number / kBlockLength));
}
std::string PendingKey(std::uint32_t number) { return Key(KeySpace::kPending, number); }
std::string InquiryKeyOf(std::uint32_t number, const Hash128& id) { return Key(KeySpace::kInquiry, number, id); }
std::string EventIdKey(std::uint32_t number, const Hash128& id) { return Key(KeySpace::kEventId, number, id); }
std::string OffsetBlockKey(std::uint32_t number, std::uint64_t block) { return Key(KeySpace::kOffsets, number, block); }
std::string TurnKey(std::uint32_t number, std::uint64_t block) { return Key(KeySpace::kTurn, number, block); }
std::string RepairsKey(std::uint32_t number, std::uint64_t block) { return Key(KeySpace::kRepairs, number, block); }
std::string WatermarkKey(std::uint32_t number, std::string_view consumer) {
  return Key(KeySpace::kWatermark, number).append(consumer);
}
std::string AbsentWatermarkKey(std::string_view consumer, std::string_view name) {
  return WatermarkKey(0, consumer).append(1, '\0').append(name);
}
std::string ChangedPrefix(std::string_view consumer) {
  return SpacePrefix(KeySpace::kChanged).append(consumer).append(1, '\0');
}
std::string ChangedKey(std::string_view consumer, std::string_view name) {
  return ChangedPrefix(consumer).append(name);
}
std::string ConsumerKey(std::string_view consumer) { return SpacePrefix(KeySpace::kConsumer).append(consumer); }

std::string MarkedUpToKey(std::string_view consumer) { return SpacePrefix(KeySpace::kMarkedUpTo).append(consumer); }

std::uint32_t NumberOfKey(std::string_view key) { return key.size() < 5 ? 0 : LoadBig<std::uint32_t>(key.data() + 1); }

std::string ConsumerOfKey(std::string_view key) {
  const std::string_view rest = key.substr(std::min(key.size(), WatermarkKey(0, {}).size()));
  return std::string(rest.substr(0, rest.find('\0')));
}

std::string EncodeNumber(std::uint64_t value) {
  std::string out;
  AppendVarint(out, value);
  return out;
}

std::optional<std::uint64_t> DecodeNumber(std::string_view bytes) {
  Decoder in{bytes};
  const std::uint64_t value = in.Varint();
  return Complete(in, value);
}

std::string EncodeMeta(const IndexMeta& meta) {
  std::string out;
  for (const std::uint64_t value :
       {kIndexVersion, meta.store_high, meta.store_low, meta.checkpoint, meta.tail.offset, meta.tail.fingerprint,
        std::uint64_t{meta.next_conversation}, meta.totals.conversations, meta.totals.events, meta.totals.payload_bytes,
        meta.totals.repairs}) {
    AppendVarint(out, value);
  }
  return out;
}

std::optional<IndexMeta> DecodeMeta(std::string_view bytes) {
  Decoder in{bytes};
  if (in.Varint() != kIndexVersion) return std::nullopt;
  IndexMeta meta;
  meta.store_high = in.Varint();
  meta.store_low = in.Varint();
  meta.checkpoint = in.Varint();
  meta.tail.offset = in.Varint();
  meta.tail.fingerprint = in.Varint();
  meta.next_conversation = static_cast<std::uint32_t>(in.Varint());
  meta.totals.conversations = in.Varint();
  meta.totals.events = in.Varint();
  meta.totals.payload_bytes = in.Varint();
  meta.totals.repairs = in.Varint();
  return Complete(in, meta);
}

std::string EncodeConversation(const ConversationState& state, const IncompleteBlocks& incomplete) {
  std::string out;
  out.reserve(kUsualEntry + incomplete.events.size() * kUsualOffset);
  AppendVarint(out, state.number);
  AppendVarint(out, state.last_seq);
  AppendVarint(out, state.turns);
  AppendVarint(out, state.bytes);
  AppendTime(out, state.first_time);
  AppendTime(out, state.last_time);
  AppendOpenInquiries(out, state.open);
  AppendVarint(out, state.repairs);
  AppendText(out, EncodeOffsetBlock(incomplete.events));
  AppendText(out, EncodeTurns(incomplete.turns));
  return out.append(EncodeRepairs(incomplete.repairs));
}

std::optional<ConversationEntry> DecodeConversation(std::string_view name, std::string_view bytes) {
  Decoder in{bytes};
  ConversationEntry entry;
  ConversationState& state = entry.state;
  state.number = static_cast<std::uint32_t>(in.Varint());
  state.name = name;
  state.last_seq = in.Varint();
  state.turns = in.Varint();
  state.bytes = in.Varint();
  state.first_time = TakeTime(in);
  state.last_time = TakeTime(in);
  state.open = TakeOpenInquiries(in);
  state.repairs = in.Varint();
  auto last_block = DecodeOffsetBlock(in.Text());
  auto last_turns = DecodeTurns(in.Text());
  auto last_repairs = DecodeRepairs(in.bytes);
  if (!in.ok || !last_block || last_block->size() != state.last_seq % kBlockLength) return std::nullopt;
  if (!last_turns || last_turns->size() != state.turns % kBlockLength) return std::nullopt;
  if (!last_repairs || last_repairs->size() != state.repairs % kBlockLength) return std::nullopt;
  entry.last_block = *std::move(last_block);
  entry.last_turns = *std::move(last_turns);
  entry.last_repairs = *std::move(last_repairs);
  return entry;
}

// The turn of the first event. Then per event: length_in_words, with a flag whether it begins the next turn, then the
// distance from the end of the previous event (from 0 for the first), both in units of 8 bytes.
std::string EncodeOffsetBlock(std::span<const FrameRef> refs) {
  std::string out;
  out.reserve(kUsualOffset * (refs.size() + 1));
  std::uint64_t at = 0;
  std::uint32_t turn = refs.empty() ? 0 : refs.front().turn;
  AppendVarint(out, turn);
  for (const FrameRef& ref : refs) {
    AppendVarint(out, std::uint64_t{ref.length_in_words} << 1 | (ref.turn - turn));
    turn = ref.turn;
    if (ref.missing()) continue;
    AppendVarint(out, ZigZag(static_cast<std::int64_t>(ref.position / 8) - static_cast<std::int64_t>(at)));
    at = ref.end() / 8;
  }
  return out;
}

std::optional<std::vector<FrameRef>> DecodeOffsetBlock(std::string_view bytes) {
  Decoder in{bytes};
  std::vector<FrameRef> refs;
  refs.reserve(kBlockLength + 1);
  std::uint64_t at = 0;
  auto turn = static_cast<std::uint32_t>(in.Varint());
  while (in.ok && !in.bytes.empty() && refs.size() <= kBlockLength) {
    const std::uint64_t length_in_words = in.Varint();
    turn += static_cast<std::uint32_t>(length_in_words & 1);
    FrameRef ref{.length_in_words = static_cast<std::uint32_t>(length_in_words >> 1), .turn = turn};
    if (!ref.missing()) {
      ref.position = (at + static_cast<std::uint64_t>(UnZigZag(in.Varint()))) * 8;
      at = ref.end() / 8;
    }
    refs.push_back(ref);
  }
  if (refs.size() > kBlockLength) return std::nullopt;
  return Complete(in, std::move(refs));
}

// The first seq, then the distance of each from its predecessor.
std::string EncodeTurns(std::span<const std::uint64_t> starts) {
  std::string out;
  std::uint64_t last = 0;
  for (const std::uint64_t start : starts) AppendVarint(out, start - std::exchange(last, start));
  return out;
}

std::optional<std::vector<std::uint64_t>> DecodeTurns(std::string_view bytes) {
  Decoder in{bytes};
  std::vector<std::uint64_t> starts;
  std::uint64_t last = 0;
  while (in.ok && !in.bytes.empty() && starts.size() <= kBlockLength) {
    const std::uint64_t distance = in.Varint();
    if (distance == 0) return std::nullopt;
    starts.push_back(last += distance);
  }
  if (starts.size() > kBlockLength) return std::nullopt;
  return Complete(in, std::move(starts));
}

std::string EncodeInquiries(const std::vector<InquiryRef>& refs) {
  std::string out;
  for (const InquiryRef& ref : refs) {
    AppendVarint(out, ref.turn);
    AppendVarint(out, ref.request);
    AppendVarint(out, ref.response);
  }
  return out;
}

std::optional<std::vector<InquiryRef>> DecodeInquiries(std::string_view bytes) {
  Decoder in{bytes};
  std::vector<InquiryRef> refs;
  while (in.ok && !in.bytes.empty()) {
    InquiryRef ref;
    ref.turn = in.Varint();
    ref.request = in.Varint();
    ref.response = in.Varint();
    const auto known = std::ranges::lower_bound(refs, ref.first(), {}, &InquiryRef::first);
    const bool differs = known != refs.end() && known->first() == ref.first() &&
                         (known->turn != ref.turn || known->request != ref.request);  // two events of one seq
    in.ok = in.ok && ref.first() != 0 && (ref.response == 0 || ref.response > ref.request) && !differs;
    if (in.ok) MergeInquiries(refs, {&ref, 1});
  }
  return Complete(in, std::move(refs));
}

std::string EncodeName(std::uint32_t number, std::string_view name) {
  std::string out;
  AppendVarint(out, PlaceInNameBlock(number));
  AppendText(out, name);
  return out;
}

std::optional<NameBlock> DecodeNames(std::string_view bytes) {
  Decoder in{bytes};
  NameBlock names;
  while (in.ok && !in.bytes.empty()) {
    const std::uint64_t place = in.Varint();
    const std::string_view name = in.Text();
    if (!in.ok || place >= names.size()) return std::nullopt;
    if (!names[place].empty() && names[place] != name) return std::nullopt;  // a number has one name
    names[place] = name;
  }
  return Complete(in, names);
}

// For each the distance of its seq from that of its predecessor, and the range.
std::string EncodeRepairs(std::span<const RepairRange> repairs) {
  std::string out;
  std::uint64_t last = 0;
  for (const RepairRange& repair : repairs) {
    AppendVarint(out, repair.seq.value - std::exchange(last, repair.seq.value));
    AppendVarint(out, repair.from.value);
    AppendVarint(out, repair.to.value);
  }
  return out;
}

std::optional<std::vector<RepairRange>> DecodeRepairs(std::string_view bytes) {
  Decoder in{bytes};
  std::vector<RepairRange> repairs;
  std::uint64_t last = 0;
  while (in.ok && !in.bytes.empty() && repairs.size() <= kBlockLength) {
    const std::uint64_t distance = in.Varint();
    if (distance == 0) return std::nullopt;
    RepairRange repair{.seq = {last += distance}};
    repair.from.value = in.Varint();
    repair.to.value = in.Varint();
    repairs.push_back(repair);
  }
  if (repairs.size() > kBlockLength) return std::nullopt;
  return Complete(in, std::move(repairs));
}

std::string EncodeWatermark(const Watermark& watermark) {
  std::string out;
  AppendVarint(out, watermark.head.value);
  AppendText(out, watermark.state);
  return out;
}

std::optional<Watermark> DecodeWatermark(std::string_view bytes) {
  Decoder in{bytes};
  Watermark watermark{.head = {in.Varint()}, .state = {}};
  watermark.state = in.Text();
  return Complete(in, std::move(watermark));
}

}  // namespace turnlog
