#include "migrate/import/conversation_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "base/try.h"
#include "migrate/compare/event_meaning.h"
#include "migrate/compare/event_places.h"
#include "migrate/logged/logged_records.h"
#include "migrate/logged/quarantine.h"
#include "migrate/records/record_revision.h"
#include "migrate/sources/folder_entries.h"
#include "migrate/sources/item_encoder.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kFewEvents = 4;  // many conversations may wait at once

// The log passes over an event whose id it has: those after it would have other numbers than in the source.
Result<std::optional<ImportReason>> WhyPassedOver(Log& log, const ConversationId& id, const EventView& event) {
  const auto seq = event.event_id ? TURNLOG_TRY(FindEvent(log, id, *event.event_id)) : std::nullopt;
  if (!seq) return std::nullopt;
  return ImportReason{ImportProblemCode::kRefused,
                      fmt::format("`event_id` is that of event {} in the log", seq->value)};
}

// Whether doctor has made this event of the one that the log has.
bool IsMendedAlone(const EventView& stored, const EventView& now, const Format& format) {
  const auto never = [](const EventView&) { return false; };
  return IsMendedRecord({&stored, 1}, {&now, 1}, format, {never, never});
}

}  // namespace

void ConversationImport::Add(SourceEvent&& event) {
  ++added_;
  if (up_to_date_) return;
  const std::size_t room = waiting_.capacity();
  if (room == 0) waiting_.reserve(std::min(source_.events, kFewEvents));
  waiting_.push_back({.held = Hold(event),
                      .seq = event.seq.value_or(Seq{0}),
                      .location = event.location,
                      .remarks = std::move(event.remarks)});
  bytes_ += (waiting_.capacity() - room) * sizeof(WaitingEvent);
}

HeldEvent ConversationImport::Hold(SourceEvent& event) {
  if (event.memory != nullptr) {
    bytes_ += event.event.payload.size();
    return event.TakeEvent();
  }
  const std::size_t copied = copies_.bytes();
  HeldEvent held = copies_.Copy(event.event);
  bytes_ += copies_.bytes() - copied;
  return held;
}

Status ConversationImport::Flush() {
  if (!flushed_ && source_.continued != nullptr) {
    Continue();
  } else if (!flushed_ && !TURNLOG_TRY(TryNew())) {
    TURNLOG_TRY(OpenStored());
  }
  flushed_ = true;
  if (!up_to_date_) {
    if (stored_ && revisions_) TURNLOG_TRY(TakeRows());
    if (stored_) TURNLOG_TRY(Compare());
    const bool begun = prepared_;  // the import record was appended before
    if (complete() && !begun) (void)TURNLOG_TRY(AddRevisions());
    if (!waiting_.empty() || (complete() && !prepared_)) TURNLOG_TRY(Prepare());
    TURNLOG_TRY(AppendWaiting());
    if (complete() && begun && TURNLOG_TRY(AddRevisions())) {
      PrepareRecord(waiting_.size());
      TURNLOG_TRY(AppendWaiting());
    }
    waiting_ = std::exchange(begun_record_, {});
  }
  copies_ = {};
  bytes_ = 0;
  return complete() ? Finish() : Status();
}

// Most conversations are new: an append with expected_last 0 detects that without reading the log. False if this one
// exists.
Result<bool> ConversationImport::TryNew() {
  if (!waiting_.empty() && waiting_.front().seq.value > 1) return false;
  if (waiting_.empty() && !source_.record) return false;
  if (!Redacted().empty()) {  // in a conversation with the same records
    if (TURNLOG_TRY(LastSeq(run_.log(), id_)).value > 0) return false;
    TURNLOG_TRY(RemoveRedactedValues());
  }
  std::vector<EncodedEvent> events;
  events.reserve(waiting_.size() + 1);
  HeldEvent held_record;
  if (source_.record) {
    ImportRecord record = *source_.record;
    record.events = source_.events;
    const Event event = MakeImportEvent(record);
    const auto without = TURNLOG_TRY(Redacted().Remove(View(event)));
    held_record = TURNLOG_TRY(EncodeChecked(View(without ? *without : event)));
    events.push_back(held_record.event);
  }
  for (const WaitingEvent& waiting : waiting_) events.push_back(waiting.held.event);
  const auto last = run_.Append(id_, events, Seq{0});
  if (!last && last.error().code == ErrorCode::kConflict) return false;
  last_ = TURNLOG_TRY(last);
  record_seq_ = Seq{last_.value - events.size() + 1};
  exact_ = !source_.record || !source_.record->redacted;
  appended_ = prepared_ = true;
  ReportWaiting();
  ReportRecord();
  for (ImportProblem& note : source_.notes) run_.report().notes.push_back(std::move(note));
  return true;
}

void ConversationImport::Continue() {
  const ContinuedConversation& known = *source_.continued;
  in_log_ = prepared_ = true;
  last_ = known.last;
  record_seq_ = known.record_seq;
  ImportRecord record = *std::move(source_.record);
  record.events = source_.events;
  if (record.events > 0 || record.parts != known.record.parts) record_ = MakeImportEvent(record);
}

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

// After the events of the source. False: there are none.
Result<bool> ConversationImport::AddRevisions() {
  if (!revisions_) return false;
  const auto remove = [this](const EventView& event) -> Result<std::optional<Event>> {
    auto redacted = TURNLOG_TRY(Redact(event));
    auto without = TURNLOG_TRY(Redacted().Remove(redacted ? View(*redacted) : event));
    return without ? without : redacted;
  };
  for (const Event& revision : TURNLOG_TRY(revisions_->Take(source_.format->name, remove))) {
    if (waiting_.capacity() == 0) waiting_.reserve(std::min(source_.events, kFewEvents));
    waiting_.push_back(
        {.held = TURNLOG_TRY(EncodeChecked(View(revision))), .seq = {}, .location = {source_.path}, .remarks = {}});
    ++added_revisions_;
  }
  if (revisions_->more()) exact_ = false;
  return added_revisions_ > 0;
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

// Called when the log has been read and the source may have more.
Status ConversationImport::Prepare() {
  if (prepared_) return {};
  prepared_ = true;
  if (!stored_ || !stored_->imports) return {};
  const std::uint64_t rest = source_.events - stored_->matched;
  missing_ = stored_->origins.missing();
  if (rest < missing_) {
    ImportReason fewer{ImportProblemCode::kShrunk, "has fewer events than the import that was interrupted"};
    if (!source_.format->import.may_shrink) return Refuse(std::move(fewer));
    Note(std::move(fewer));
  }
  if (rest > 0 && stored_->continued) {
    return Refuse({ImportProblemCode::kContinued,
                   "has new events, but the conversation has gone on in the log since it was imported"});
  }
  PrepareRecord(rest + added_revisions_);
  return {};
}

// `events`: that are to be appended. The first ones take the places of those that an interrupted import has counted.
void ConversationImport::PrepareRecord(std::uint64_t events) {
  ImportRecord record = *source_.record;
  const ImportRecord& known = stored_->imports->last;
  for (const std::string& name : stored_->imports->redacted.Apply(record, source_.format->import.same_part)) {
    Note({ImportProblemCode::kStillRedacted, name + " has been redacted in the log and stays so"});
  }
  if (record.redacted || stored_->redacted) exact_ = false;
  const bool same = record.source == known.source && record.parts == known.parts;
  const bool more = (seen_ && !complete()) || (revisions_ && revisions_->any());
  if (!exact_ || more) record.fingerprint.clear();  // not all of the source is in the log, or not yet
  record.revisions = known.revisions + added_revisions_ + added_rows_;
  record.events = events - std::min(missing_, events);
  if (record.events == 0 && same) return;
  if (source_.format->import.record_files == nullptr) LeaveOutSameParts(known, record);
  record_ = MakeImportEvent(record);
}

Status ConversationImport::AppendWaiting() {
  TURNLOG_TRY(RemoveRedactedValues());
  std::vector<EncodedEvent> events;
  events.reserve(waiting_.size() + 1);
  HeldEvent record;
  const auto add_record = [&]() -> Status {
    const Boxed<Event> event = std::exchange(record_, std::nullopt);
    record = TURNLOG_TRY(EncodeChecked(View(*event)));
    record_seq_ = Seq{last_.value + events.size() + 1};
    events.push_back(record.event);
    return {};
  };
  for (const WaitingEvent& waiting : waiting_) {
    if (missing_ == 0 && record_) TURNLOG_TRY(add_record());
    if (missing_ > 0) --missing_;
    events.push_back(waiting.held.event);
  }
  // What follows would be counted as its events: the next import compares all of it again.
  if (complete() && missing_ > 0) exact_ = false, record_ = std::nullopt;
  if (complete() && record_) {  // only parts besides the events have changed
    if (run_.may_postpone && events.empty()) return postponed_ = true, Status();
    TURNLOG_TRY(add_record());
  }
  if (events.empty()) return {};
  const bool may_repeat = in_log_ && !source_.record && TURNLOG_TRY(LastSeq(run_.log(), id_)) == last_;
  for (auto waiting = waiting_.begin(); may_repeat && waiting != waiting_.end(); ++waiting) {
    auto why = TURNLOG_TRY(WhyPassedOver(run_.log(), id_, waiting->View()));
    if (why) return Refuse(waiting->location, *std::move(why));
  }
  last_ = TURNLOG_TRY(run_.Append(id_, events, last_));
  appended_ = true;
  ReportWaiting();
  if (record.memory != nullptr) ReportRecord();
  return {};
}

Status ConversationImport::Finish() {
  ImportReport& report = run_.report();
  ++(!appended_ ? report.unchanged : in_log_ ? report.extended : report.added);
  if (appended_ && !in_log_) LookAtId();
  return {};
}

// The id of a conversation is not changed.
void ConversationImport::LookAtId() {
  run_.CountSecrets(id_.text());
  if (!run_.redacts_secrets()) return;
  std::map<std::string, std::uint64_t> found;
  run_.secrets()->Count(id_.text(), found);
  if (found.empty()) return;
  ImportReason reason{ImportProblemCode::kSecretKept,
                      "a secret in the id of a conversation stays: ids are not redacted"};
  run_.report().problems.push_back(At({source_.path}, std::move(reason)));
}

// That it was appended.
void ConversationImport::ReportRecord() {
  for (const std::string& rule : source_.record_secrets) ++run_.report().secrets[rule];
}

// What was appended no longer waits.
void ConversationImport::ReportWaiting() {
  ImportReport& report = run_.report();
  for (WaitingEvent& waiting : std::exchange(waiting_, {})) {
    if (waiting.remarks == nullptr) continue;
    auto& [problem, note, secrets, kept_secrets, answers] = *waiting.remarks;
    const auto add = [&](ImportReason reason, std::vector<ImportProblem>& to) {
      if (!reason.empty()) to.push_back(At(waiting.location, std::move(reason)));
    };
    add({ImportProblemCode::kQuarantined, std::move(problem)}, report.problems);
    if (!kept_secrets.empty()) {
      add({ImportProblemCode::kSecretKept,
           fmt::format("a secret in {} stays: ids are not redacted", fmt::join(kept_secrets, ", "))},
          report.problems);
    }
    add(std::move(note), report.notes);
    for (const std::string& rule : secrets) ++report.secrets[rule];
  }
}

std::unexpected<Error> ConversationImport::Refuse(const SourceLocation& location, ImportReason reason) {
  fault_ = location;
  fault_code_ = reason.code;
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(reason.text)});
}

}  // namespace turnlog
