#include "migrate/import/compared_conversation.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "migrate/compare/mended_record.h"
#include "migrate/compare/seen_records.h"
#include "migrate/logged/quarantine.h"
#include "migrate/sources/item_encoder.h"

namespace turnlog {
namespace {

// Whether doctor has made this event of the one that the log has.
bool IsMendedAlone(const EventView& stored, const EventView& now, const Format& format) {
  return IsMendedRecord({&stored, 1}, {&now, 1}, format, {});
}

// Whether the event follows the bytes of its record, as those of no other record do.
bool FollowsOriginal(const EventView& event) { return !event.source_text && !ReadQuarantined(event); }

}  // namespace

Result<ComparedConversation::Outcome> ComparedConversation::Compare(std::span<WaitingEvent> waiting, bool complete) {
  waiting_ = waiting;
  complete_ = complete;
  record_redacted_ = false;
  std::size_t at = 0;
  // With a format without import records, the source may be older than the log: later events of the log stay unread.
  while (!logged_.events.all_read() && (at < waiting_.size() || (complete && logged_.events.imports()))) {
    auto stored = TURNLOG_TRY(logged_.events.Next());
    if (!stored || stored->seq <= passed_) continue;
    const Step step = TURNLOG_TRY(CompareNext(*stored, at));
    if (step == Step::kSourceEnds) return Outcome{End::kOfSource, at, std::move(stored)};
    if (step == Step::kDiffers) return Outcome{End::kDifferent, at, std::move(stored)};
  }
  TURNLOG_TRY(FinishOrder(at));
  return Outcome{.at = at};
}

// The next event of the log, and waiting_[at], which goes on behind what is the same.
Result<ComparedConversation::Step> ComparedConversation::CompareNext(const StoredEvent& stored, std::size_t& at) {
  if (stored.erased && TURNLOG_TRY(IsForgotten(stored, at))) return Step::kGoesOn;
  if (logged_.MendsAlone() && IsQuarantined(stored.event)) {
    const bool is_there = at < waiting_.size() && IsMendedAlone(stored.event, waiting_[at].View(), logged_.format);
    exact_ &= is_there;
    if (!is_there) return Step::kGoesOn;  // the damage is gone
  }
  if (at == waiting_.size()) return Step::kSourceEnds;
  TURNLOG_TRY(JoinOriginal(stored, at));
  if (order_ || MayComeLate(waiting_[at].held.event.kind) || MayComeLate(stored.event.kind())) {
    if (TURNLOG_TRY(PassBegunOtherwise(stored, at))) return Step::kGoesOn;
    TURNLOG_TRY(MoveToPlace(stored, at));
  }
  const WaitingEvent& waiting = waiting_[at];
  const bool own = logged_.events.IsOwn(stored.event, waiting.held.event.kind);
  if (own && waiting.seq.value > 0) return RefuseNumbered(waiting, stored);
  if (own) return Step::kGoesOn;
  if (!TURNLOG_TRY(IsEqual(stored, at))) return TakeDifferent(stored, at);
  if (logged_.revisions) TURNLOG_TRY(logged_.revisions->Compare(stored, waiting.View()));
  ++at;
  ++logged_.matched;
  return Step::kGoesOn;
}

Result<bool> ComparedConversation::IsEqual(const StoredEvent& stored, std::size_t at) {
  const EventView view = waiting_[at].View();
  const bool redacted = LoggedConversation::MayBeRedacted(stored, view);
  logged_.redacted |= stored.redacted;
  if (redacted && stored.redacted) logged_.secrets.redacted().Learn(stored.event, view);
  if (BeginsRecord(view)) {
    record_redacted_ = false;
    record_first_ = stored.seq;
  }
  record_redacted_ |= redacted;
  return redacted || TURNLOG_TRY(logged_.IsSame(stored, view)) || TURNLOG_TRY(HasOtherOriginal(stored, at)) ||
         (logged_.MendsAlone() && IsMendedAlone(stored.event, view, logged_.format));
}

// The event of the log, and waiting_[at], which are not equal.
Result<ComparedConversation::Step> ComparedConversation::TakeDifferent(const StoredEvent& stored, std::size_t& at) {
  if (PassTurnStart(stored, at) || TURNLOG_TRY(PassRecord(stored, at))) return Step::kGoesOn;
  if (TURNLOG_TRY(PassRest(stored, at))) return CompareNext(stored, at);
  TURNLOG_TRY(FinishOrder(at));
  return Step::kDiffers;
}

// `own`: what the log has in the place of the event.
std::unexpected<Error> ComparedConversation::RefuseNumbered(const WaitingEvent& waiting, const StoredEvent& own) {
  return logged_.refusal.Refuse(waiting.location,
                                {ImportProblemCode::kContinued,
                                 fmt::format("the log has a {} of its own as seq {}: lines without seq come after it",
                                             ToString(own.event.kind()), own.seq.value)});
}

// The text of the record was valid when it was imported: its bytes are compared with those of now as its first event's.
Status ComparedConversation::JoinOriginal(const StoredEvent& stored, std::size_t& at) {
  if (!logged_.revisions || at + 1 >= waiting_.size() || OriginalText(stored.event)) return {};
  const auto original = OriginalText(waiting_[at].View());
  EventView first = waiting_[at + 1].View();
  if (!original || !FollowsOriginal(first)) return {};
  if (!LoggedConversation::MayBeRedacted(stored, first) && !TURNLOG_TRY(logged_.IsSame(stored, first))) return {};
  first.source_text = *original;
  waiting_[at + 1].held = TURNLOG_TRY(EncodeChecked(first));
  ++at;
  ++logged_.matched;
  return {};
}

// Whether both are the bytes of the same record, which has others now.
Result<bool> ComparedConversation::HasOtherOriginal(const StoredEvent& stored, std::size_t at) {
  if (!logged_.revisions || at + 1 >= waiting_.size()) return false;
  if (!OriginalText(stored.event) || !OriginalText(waiting_[at].View())) return false;
  const EventView first = waiting_[at + 1].View();
  if (!FollowsOriginal(first)) return false;
  StoredEvents record = TURNLOG_TRY(logged_.ReadFrom(Seq{stored.seq.value + 1}));
  const auto known = TURNLOG_TRY(record.Next());
  return known && TURNLOG_TRY(logged_.IsSame(*known, first));
}

}  // namespace turnlog
