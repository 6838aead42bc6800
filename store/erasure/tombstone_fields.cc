#include "store/erasure/tombstone_fields.h"

#include "base/coding.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

// On disk: never renumber.
enum Field : std::uint8_t {
  kTime = 1,
  kEventId = 2,
  kInquiry = 4,
  kSecret = 8,
  kAnswered = 16,
  kRepair = 32,
  kReplaced = 64,
  kLength = 128,
};

// Of a seq, of a log offset in units of a frame (no log is longer than 2^50 bytes), and of a frame's length in them.
constexpr std::size_t kSeqBytes = 7;
constexpr std::size_t kOffsetBytes = 7;
constexpr std::size_t kLengthBytes = 4;

}  // namespace

std::string EncodeTombstoneFields(const IndexedFields& fields, const FrameRef& replacement, bool compressed) {
  unsigned which = 0;
  if (fields.time) which |= kTime;
  if (fields.event_id) which |= kEventId;
  if (fields.inquiry) which |= kInquiry;
  if (fields.secret) which |= kSecret;
  if (fields.answered) which |= kAnswered;
  if (fields.repair) which |= kRepair;
  if (!replacement.missing()) which |= kReplaced;
  if (compressed) which |= kLength;
  std::string out(1, static_cast<char>(which));
  if (fields.time) AppendBig(out, static_cast<std::uint64_t>(fields.time->nanos));
  if (fields.event_id) AppendHash(out, *fields.event_id);
  if (fields.inquiry) AppendHash(out, *fields.inquiry);
  if (fields.repair) {
    AppendVarint(out, fields.repair->first.value);
    AppendVarint(out, fields.repair->last.value);
  }
  if (!replacement.missing()) {
    AppendVarint(out, replacement.position / kFrameAlignment);
    AppendVarint(out, replacement.length_in_words);
  }
  if (compressed) AppendVarint(out, fields.bytes);
  return out;
}

std::size_t TombstoneFieldsBound(const IndexedFields& fields) {
  return 1 + (fields.time ? 8 : 0) + (fields.event_id ? 16 : 0) + (fields.inquiry ? 16 : 0) +
         (fields.repair ? 2 * kSeqBytes : 0) + kOffsetBytes + kLengthBytes + VarintBytes(fields.bytes);
}

std::optional<ErasedEvent> DecodeTombstone(const Frame& erased) {
  ErasedEvent event{.fields = {.kind = erased.header.kind, .bytes = erased.header.length}, .replacement = {}};
  if (erased.payload.empty()) return event;
  IndexedFields& fields = event.fields;
  const auto which = static_cast<std::uint8_t>(erased.payload.front());
  Decoder bytes{erased.payload.substr(1)};
  if ((which & kTime) != 0) fields.time = Timestamp{static_cast<std::int64_t>(bytes.Big())};
  if ((which & kEventId) != 0) fields.event_id = bytes.Hash();
  if ((which & kInquiry) != 0) fields.inquiry = bytes.Hash();
  fields.secret = (which & kSecret) != 0;
  fields.answered = (which & kAnswered) != 0;
  if ((which & kRepair) != 0) {
    fields.repair.emplace();
    fields.repair->first.value = bytes.Varint();
    fields.repair->last.value = bytes.Varint();
  }
  if ((which & kReplaced) != 0) {
    event.replacement.position = bytes.Varint() * kFrameAlignment;
    event.replacement.length_in_words = static_cast<std::uint32_t>(bytes.Varint());
    bytes.ok = bytes.ok && event.replacement.position > erased.position && !event.replacement.missing();
  }
  if ((which & kLength) != 0) fields.bytes = bytes.Varint();
  return bytes.ok && fields.bytes <= kMaxEventBytes ? std::optional(event) : std::nullopt;
}

}  // namespace turnlog
