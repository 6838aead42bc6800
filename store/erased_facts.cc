#include "store/erased_facts.h"

#include "base/coding.h"

namespace turnlog {
namespace {

// On disk: never renumber.
enum Fact : std::uint8_t { kTime = 1, kEventId = 2, kInquiry = 4, kSecret = 8, kAnswered = 16 };
constexpr std::uint8_t kAllFacts = 31;

}  // namespace

std::string EncodeFacts(const EventFacts& facts) {
  unsigned which = 0;
  if (facts.time) which |= kTime;
  if (facts.event_id) which |= kEventId;
  if (facts.inquiry) which |= kInquiry;
  if (facts.secret) which |= kSecret;
  if (facts.answered) which |= kAnswered;
  std::string out(1, static_cast<char>(which));
  if (facts.time) AppendBig(out, static_cast<std::uint64_t>(facts.time->nanos));
  if (facts.event_id) AppendHash(out, *facts.event_id);
  if (facts.inquiry) AppendHash(out, *facts.inquiry);
  return out;
}

std::optional<EventFacts> FactsOfErased(const Frame& erased) {
  EventFacts facts{.kind = erased.header.kind, .bytes = erased.header.length};
  if (erased.payload.empty()) return facts;
  const auto which = static_cast<std::uint8_t>(erased.payload.front());
  Decoder bytes{erased.payload.substr(1)};
  if ((which & kTime) != 0) facts.time = Timestamp{static_cast<std::int64_t>(bytes.Big())};
  if ((which & kEventId) != 0) facts.event_id = bytes.Hash();
  if ((which & kInquiry) != 0) facts.inquiry = bytes.Hash();
  facts.secret = (which & kSecret) != 0;
  facts.answered = (which & kAnswered) != 0;
  return bytes.ok && which <= kAllFacts ? std::optional(facts) : std::nullopt;
}

}  // namespace turnlog
