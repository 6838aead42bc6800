#include "migrate/import/conversation_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/try.h"
#include "migrate/logged/logged_records.h"
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
    TURNLOG_TRY(Open());
  }
  flushed_ = true;
  if (!up_to_date_) {
    if (revisions() != nullptr) TURNLOG_TRY(rows_->Take(waiting_));
    if (logged_) TURNLOG_TRY(Compare());
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
  if (!secrets_.redacted().empty()) {  // in a conversation with the same records
    if (TURNLOG_TRY(LastSeq(run_.log(), id_)).value > 0) return false;
    TURNLOG_TRY(secrets_.RemoveRedacted(waiting_));
  }
  std::vector<EncodedEvent> events;
  events.reserve(waiting_.size() + 1);
  HeldEvent held_record;
  if (source_.record) {
    ImportRecord record = *source_.record;
    record.events = source_.events;
    const Event event = MakeImportEvent(record);
    const auto without = TURNLOG_TRY(secrets_.redacted().Remove(View(event)));
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

// After the events of the source. False: there are none.
Result<bool> ConversationImport::AddRevisions() {
  if (revisions() == nullptr) return false;
  const auto remove = [this](const EventView& event) { return secrets_.Remove(event); };
  for (const Event& revision : TURNLOG_TRY(revisions()->Take(source_.format->name, remove))) {
    if (waiting_.capacity() == 0) waiting_.reserve(std::min(source_.events, kFewEvents));
    waiting_.push_back(
        {.held = TURNLOG_TRY(EncodeChecked(View(revision))), .seq = {}, .location = {source_.path}, .remarks = {}});
    ++added_revisions_;
  }
  if (revisions()->more()) exact_ = false;
  return added_revisions_ > 0;
}

// Called when the log has been read and the source may have more.
Status ConversationImport::Prepare() {
  if (prepared_) return {};
  prepared_ = true;
  if (!logged_ || !logged_->events.imports()) return {};
  const std::uint64_t rest = source_.events - logged_->matched;
  missing_ = logged_->events.missing();
  if (rest < missing_) {
    ImportReason fewer{ImportProblemCode::kShrunk, "has fewer events than the import that was interrupted"};
    if (!source_.format->import.may_shrink) return refusal_.Refuse(std::move(fewer));
    Note(std::move(fewer));
  }
  if (rest > 0 && logged_->events.continued()) {
    return refusal_.Refuse({ImportProblemCode::kContinued,
                            "has new events, but the conversation has gone on in the log since it was imported"});
  }
  PrepareRecord(rest + added_revisions_);
  return {};
}

// `events`: that are to be appended. The first ones take the places of those that an interrupted import has counted.
void ConversationImport::PrepareRecord(std::uint64_t events) {
  ImportRecord record = *source_.record;
  const ImportHistory& imports = *logged_->events.imports();
  const ImportRecord& known = imports.last;
  for (const std::string& name : imports.redacted.Apply(record, source_.format->import.same_part)) {
    Note({ImportProblemCode::kStillRedacted, name + " has been redacted in the log and stays so"});
  }
  if (record.redacted || logged_->redacted) exact_ = false;
  const bool same = record.source == known.source && record.parts == known.parts;
  const bool more = (restarted_ && !complete()) || (revisions() != nullptr && revisions()->any());
  if (!exact_ || more) record.fingerprint.clear();  // not all of the source is in the log, or not yet
  record.revisions = known.revisions + added_revisions_ + added_rows_;
  record.events = events - std::min(missing_, events);
  if (record.events == 0 && same) return;
  if (source_.format->import.record_files == nullptr) LeaveOutSameParts(known, record);
  record_ = MakeImportEvent(record);
}

Status ConversationImport::AppendWaiting() {
  TURNLOG_TRY(secrets_.RemoveRedacted(waiting_));
  std::vector<EncodedEvent> events;
  events.reserve(waiting_.size() + 1);
  HeldEvent record;
  const auto add_record = [&]() -> Status {
    const Boxed<Event> event = std::exchange(record_, std::nullopt);
    const auto without = TURNLOG_TRY(secrets_.redacted().Remove(View(*event)));
    record = TURNLOG_TRY(EncodeChecked(View(without ? *without : *event)));
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
    if (why) return refusal_.Refuse(waiting->location, *std::move(why));
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

}  // namespace turnlog
