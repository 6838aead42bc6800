// A conversation of the log, and its source now, event by event.
#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <utility>

#include "base/try.h"
#include "migrate/compare/event_meaning.h"
#include "migrate/import/conversation_import.h"
#include "migrate/logged/quarantine.h"
#include "migrate/sources/folder_entries.h"
#include "migrate/sources/item_encoder.h"

namespace turnlog {
namespace {

// Whether doctor has made this event of the one that the log has.
bool IsMendedAlone(const EventView& stored, const EventView& now, const Format& format) {
  return IsMendedRecord({&stored, 1}, {&now, 1}, format, {});
}

}  // namespace

// The event without what is known to be a secret now: it may have come in when less was. None: it has nothing of that.
Result<std::optional<Event>> ConversationImport::Redact(const EventView& event) {
  if (source_.secrets == nullptr) return std::nullopt;
  return TURNLOG_TRY(source_.secrets->Redact(event)).event;
}

// Whether what is left of the event does not show whether it is this one.
bool ConversationImport::MayBeRedacted(const StoredEvent& stored, const EventView& event) {
  const auto& known = stored.event.event_id;
  const bool has_other_id = known && event.event_id && *known != *event.event_id;
  return (stored.erased || stored.redacted) && !has_other_id;
}

Result<bool> ConversationImport::IsSame(const StoredEvent& stored, const EventView& event) {
  const Format& format = *source_.format;
  if (MeanTheSame(stored.event, event, format)) return true;
  const auto redacted = TURNLOG_TRY(Redact(stored.event));
  if (redacted && MeanTheSame(View(*redacted), event, format)) return true;
  const auto without = TURNLOG_TRY(Redacted().Remove(event));
  return without && MeanTheSame(stored.event, View(*without), format);
}

// A value that was redacted in an event does not come back in another one, which may repeat it.
Status ConversationImport::RemoveRedactedValues() {
  if (Redacted().empty()) return {};
  for (WaitingEvent& waiting : waiting_) {
    auto without = TURNLOG_TRY(Redacted().Remove(waiting.View()));
    if (!without) continue;
    waiting.held = TURNLOG_TRY(EncodeChecked(View(*without)));
    if (waiting.remarks == nullptr) waiting.remarks = std::make_unique<SourceRemarks>();
    if (waiting.remarks->note.empty()) {
      waiting.remarks->note = {ImportProblemCode::kSecretRedacted, "repeats what has been redacted in the log"};
    }
  }
  if (!record_) return {};
  if (auto without = TURNLOG_TRY(Redacted().Remove(View(*record_)))) record_ = *std::move(without);
  return {};
}

// A record is compared when all of it is there: its responses may be in another order than in the log.
void ConversationImport::HoldBegunRecord() {
  std::size_t begin = waiting_.size();
  while (begin > 0 && !BeginsRecord(waiting_[begin - 1].View())) --begin;
  if (begin > 1 && OriginalText(waiting_[begin - 2].View())) --begin;
  if (begin == 0) return;
  const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(begin - 1);
  std::move(first, waiting_.end(), std::back_inserter(begun_record_));
  waiting_.erase(first, waiting_.end());
}

Status ConversationImport::Compare() {
  if (seen_) return DropSeen();
  if (!complete() && !stored_->read) HoldBegunRecord();
  record_redacted_ = false;
  std::size_t equal = 0;
  // With a format without import records, the source may be older than the log: later events of the log stay unread.
  while (!stored_->read && (equal < waiting_.size() || (complete() && stored_->imports))) {
    const auto event = TURNLOG_TRY(NextImported());
    stored_->read = !event;
    const bool passed = !event || event->seq <= passed_;
    if (!passed && TURNLOG_TRY(CompareNext(*event, equal)) == Comparison::kDone) return {};
  }
  TURNLOG_TRY(FinishOrder(equal));
  return TakeNew(equal);
}

// The next event of the log, and waiting_[at], which goes on behind what is the same.
Result<ConversationImport::Comparison> ConversationImport::CompareNext(const StoredEvent& stored, std::size_t& at) {
  if (stored.erased && TURNLOG_TRY(IsForgotten(stored, at))) return Comparison::kGoesOn;
  if (MendsAlone() && IsQuarantined(stored.event)) {
    const bool is_there = at < waiting_.size() && IsMendedAlone(stored.event, waiting_[at].View(), *source_.format);
    exact_ &= is_there;
    if (!is_there) return Comparison::kGoesOn;  // the damage is gone
  }
  if (at == waiting_.size()) {
    TURNLOG_TRY(TakeShrunk(stored));
    return Comparison::kDone;
  }
  TURNLOG_TRY(JoinOriginal(stored, at));
  if (order_ || MayComeLate(waiting_[at].held.event.kind) || MayComeLate(stored.event.kind())) {
    if (TURNLOG_TRY(PassBegunOtherwise(stored, at))) return Comparison::kGoesOn;
    TURNLOG_TRY(MoveToPlace(stored, at));
  }
  const WaitingEvent& waiting = waiting_[at];
  const bool own = IsOwn(stored, waiting);
  if (own && waiting.seq.value > 0) return RefuseNumbered(waiting, stored);
  if (own) return Comparison::kGoesOn;
  if (!TURNLOG_TRY(IsEqual(stored, at))) return TakeDifferent(stored, at);
  if (revisions_) TURNLOG_TRY(revisions_->Compare(stored, waiting.View()));
  ++at;
  ++stored_->matched;
  return Comparison::kGoesOn;
}

Result<bool> ConversationImport::IsEqual(const StoredEvent& stored, std::size_t at) {
  const EventView view = waiting_[at].View();
  const bool redacted = MayBeRedacted(stored, view);
  stored_->redacted |= stored.redacted;
  if (redacted && stored.redacted) Redacted().Learn(stored.event, view);
  if (BeginsRecord(view)) {
    record_redacted_ = false;
    record_first_ = stored.seq;
  }
  record_redacted_ |= redacted;
  return redacted || TURNLOG_TRY(IsSame(stored, view)) || TURNLOG_TRY(HasOtherOriginal(stored, at)) ||
         (MendsAlone() && IsMendedAlone(stored.event, view, *source_.format));
}

Result<ConversationImport::Comparison> ConversationImport::TakeDifferent(const StoredEvent& stored, std::size_t& at) {
  if (PassTurnStart(stored, at) || TURNLOG_TRY(PassRecord(stored, at))) return Comparison::kGoesOn;
  TURNLOG_TRY(FinishOrder(at));
  if (!TURNLOG_TRY(ReadSeen(stored, at))) return RefuseChanged(waiting_[at].location, stored.seq);
  TURNLOG_TRY(DropSeen());
  return Comparison::kDone;
}

// What the log does not have: waiting_ from here on.
Status ConversationImport::TakeNew(std::size_t from) {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(from));
  if (!revisions_) return {};
  if (!TURNLOG_TRY(RenumberTurns())) return RefuseChanged(waiting_.front().location, Seq{0});
  for (const WaitingEvent& waiting : waiting_) TURNLOG_TRY(revisions_->AddNew(waiting.View()));
  return stored_->read ? AddRows() : Status();
}

// `seq`: of the event in the log; 0: it is elsewhere in it.
std::unexpected<Error> ConversationImport::RefuseChanged(const SourceLocation& location, Seq seq) {
  const bool was_redacted = stored_->imports && stored_->imports->last.redacted;
  constexpr std::string_view kRedacted = " (something was redacted when it was imported)";
  constexpr std::string_view kPerhapsFound =
      " (something was redacted when it was imported: if that was with `--detect redact`, import it so again)";
  const std::string_view hint = !was_redacted ? "" : source_.secrets != nullptr ? kRedacted : kPerhapsFound;
  std::string reason = seq.value == 0
                           ? fmt::format("differs from an event imported before{}", hint)
                           : fmt::format("differs from the event imported before as seq {}{}", seq.value, hint);
  if (HasBackupOfDoctor(source_.path)) {
    reason +=
        " (`logctl doctor` has mended it: the log keeps what it was; to have what it is now, import it into another "
        "store)";
  }
  return Refuse(location, {ImportProblemCode::kChanged, std::move(reason)});
}

// `own`: what the log has in the place of the event.
std::unexpected<Error> ConversationImport::RefuseNumbered(const WaitingEvent& waiting, const StoredEvent& own) {
  return Refuse(waiting.location, {ImportProblemCode::kContinued,
                                   fmt::format("the log has a {} of its own as seq {}: lines without seq come after it",
                                               ToString(own.event.kind()), own.seq.value)});
}

}  // namespace turnlog
