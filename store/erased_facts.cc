#include "store/erased_facts.h"

#include "base/coding.h"

namespace turnlog {
namespace {

// On disk: never renumber.
enum Fact : std::uint8_t {
  kTime = 1,
  kEventId = 2,
  kInquiry = 4,
  kSecret = 8,
  kAnswered = 16,
  kRepair = 32,
  kReplaced = 64,
};
constexpr std::uint8_t kAllFacts = 127;

}  // namespace

std::string EncodeFacts(const EventFacts& facts, const FrameRef& replacement) {
  unsigned which = 0;
  if (facts.time) which |= kTime;
  if (facts.event_id) which |= kEventId;
  if (facts.inquiry) which |= kInquiry;
  if (facts.secret) which |= kSecret;
  if (facts.answered) which |= kAnswered;
  if (facts.repair) which |= kRepair;
  if (!replacement.missing()) which |= kReplaced;
  std::string out(1, static_cast<char>(which));
  if (facts.time) AppendBig(out, static_cast<std::uint64_t>(facts.time->nanos));
  if (facts.event_id) AppendHash(out, *facts.event_id);
  if (facts.inquiry) AppendHash(out, *facts.inquiry);
  if (facts.repair) {
    AppendVarint(out, facts.repair->from);
    AppendVarint(out, facts.repair->to);
  }
  if (!replacement.missing()) {
    AppendVarint(out, replacement.position / kFrameAlignment);
    AppendVarint(out, replacement.units);
  }
  return out;
}

std::optional<ErasedEvent> DecodeErased(const Frame& erased) {
  ErasedEvent event{.facts = {.kind = erased.header.kind, .bytes = erased.header.length}, .replacement = {}};
  if (erased.payload.empty()) return event;
  EventFacts& facts = event.facts;
  const auto which = static_cast<std::uint8_t>(erased.payload.front());
  Decoder bytes{erased.payload.substr(1)};
  if ((which & kTime) != 0) facts.time = Timestamp{static_cast<std::int64_t>(bytes.Big())};
  if ((which & kEventId) != 0) facts.event_id = bytes.Hash();
  if ((which & kInquiry) != 0) facts.inquiry = bytes.Hash();
  facts.secret = (which & kSecret) != 0;
  facts.answered = (which & kAnswered) != 0;
  if ((which & kRepair) != 0) {
    facts.repair.emplace();
    facts.repair->from = bytes.Varint();
    facts.repair->to = bytes.Varint();
  }
  if ((which & kReplaced) != 0) {
    event.replacement.position = bytes.Varint() * kFrameAlignment;
    event.replacement.units = static_cast<std::uint32_t>(bytes.Varint());
    bytes.ok = bytes.ok && event.replacement.position > erased.position && !event.replacement.missing();
  }
  return bytes.ok && which <= kAllFacts ? std::optional(event) : std::nullopt;
}

}  // namespace turnlog
