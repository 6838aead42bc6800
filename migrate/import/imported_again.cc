// A conversation that the log has is imported again.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "migrate/compare/mended_record.h"
#include "migrate/import/conversation_import.h"
#include "migrate/logged/logged_records.h"

namespace turnlog {

Status ConversationImport::Open() {
  const Seq last = TURNLOG_TRY(LastSeq(run_.log(), id_));
  in_log_ = last.value > 0;
  return source_.record ? OpenImported(last) : OpenNumbered(last);
}

Status ConversationImport::OpenImported(Seq last) {
  auto imports = TURNLOG_TRY(FindImports(run_.log(), id_, last));
  if (!imports || imports->last.format != source_.format->name) {
    const std::string_view format = source_.format->name;
    return refusal_.Refuse(
        {ImportProblemCode::kOtherOrigin,
         fmt::format("conversation {} is in the log and was not imported from {}", id_.text(), format)});
  }
  const ImportRecord& known = imports->last;
  if (HaveOtherLayouts(known, *source_.record)) {
    return refusal_.Refuse(
        {ImportProblemCode::kOtherOrigin,
         fmt::format("conversation {} was imported from another form of {}, whose records cannot be compared",
                     id_.text(), source_.format->name)});
  }
  record_seq_ = imports->seq;
  refusal_.set_was_redacted(known.redacted);
  secrets_.set_may_be_hidden(known.redacted && !run_.redacts_secrets());
  up_to_date_ = !known.fingerprint.empty() && known.fingerprint == source_.record->fingerprint &&
                TURNLOG_TRY(IsComplete(run_.log(), id_, *imports, last));
  const std::uint64_t revisions = known.revisions;
  OpenEvents(TURNLOG_TRY(StoredEvents::Open(run_.log(), id_)), std::move(imports), Seq{0});
  if (up_to_date_) {
    waiting_.clear();
    last_ = last;
  } else if (source_.format->import.has_templates) {
    logged_->revisions =
        std::make_unique<RecordRevisions>(TURNLOG_TRY(RevisedRecords::Find(run_.log(), id_, revisions)));
  }
  return {};
}

Status ConversationImport::OpenNumbered(Seq last) {
  const Seq first = waiting_.front().seq.value == 0 ? Seq{1} : waiting_.front().seq;
  if (first.value > last.value + 1) {
    return refusal_.Refuse(waiting_.front().location,
                           {ImportProblemCode::kGap,
                            fmt::format("begins at seq {}, but the log has {} events of it", first.value, last.value)});
  }
  last_ = Seq{first.value - 1};
  if (first <= last) OpenEvents(TURNLOG_TRY(StoredEvents::Open(run_.log(), id_, first)), {}, last_);
  return {};
}

void ConversationImport::OpenEvents(StoredEvents events, std::optional<ImportHistory> imports, Seq last) {
  logged_ = std::make_unique<LoggedConversation>(LoggedConversation{
      .log = run_.log(),
      .id = id_,
      .format = *source_.format,
      .secrets = secrets_,
      .refusal = refusal_,
      .events = LoggedEvents(std::move(events), std::move(imports), last),
  });
  compared_ = std::make_unique<ComparedConversation>(*logged_);
  rows_ = std::make_unique<RowsBesideMessages>(*logged_);
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

// Afterwards waiting_ has what the log does not have.
Status ConversationImport::Compare() {
  if (restarted_) return TakeRestarted();
  if (!complete() && !logged_->events.all_read()) HoldBegunRecord();
  const auto [end, at, stored] = TURNLOG_TRY(compared_->Compare(waiting_, complete()));
  if (!appended_) last_ = logged_->events.last();
  exact_ &= compared_->exact();
  switch (end) {
    case ComparedConversation::End::kOfLog:
      return TakeNew(at);
    case ComparedConversation::End::kOfSource:
      return TakeShrunk(*stored);
    case ComparedConversation::End::kDifferent:
      return TakeDifferent(*stored, at);
  }
  std::unreachable();
}

// What the log does not have: waiting_ from here on.
Status ConversationImport::TakeNew(std::size_t from) {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(from));
  if (revisions() == nullptr) return {};
  if (!TURNLOG_TRY(compared_->RenumberTurns(waiting_))) {
    return refusal_.RefuseChanged(waiting_.front().location, Seq{0});
  }
  for (const WaitingEvent& waiting : waiting_) TURNLOG_TRY(revisions()->AddNew(waiting.View()));
  return logged_->events.all_read() ? AddRows() : Status();
}

Status ConversationImport::TakeDifferent(const StoredEvent& different, std::size_t at) {
  if (!TURNLOG_TRY(Restart(different, at))) return refusal_.RefuseChanged(waiting_[at].location, different.seq);
  return TakeRestarted();
}

// The source has something else than `different` at waiting_[at], for example because it was begun again. Reads what
// the log has from there on, and keeps in waiting_ what is to be found in it, beginning with a record. False: records
// cannot be recognised.
Result<bool> ConversationImport::Restart(const StoredEvent& different, std::size_t at) {
  if (!logged_->events.imports() || compared_->record_redacted()) return false;
  // A document of an API only grows, unless doctor has mended it: all of that is looked at before something is
  // appended.
  const bool keeps_all = !source_.format->import.may_shrink;
  if (keeps_all && (revisions() == nullptr || !complete())) return false;
  std::size_t begin = at;
  while (!BeginsRecord(waiting_[begin].View())) {
    if (begin-- == 0) return false;
  }
  restarted_ = std::make_unique<RestartedConversation>(*logged_);
  const auto record = std::span(std::as_const(waiting_)).subspan(begin);
  if (!TURNLOG_TRY(restarted_->Read({different, record, at - begin, compared_->record_first()}))) return false;
  last_ = logged_->events.last();
  missing_ = logged_->events.missing();
  if (keeps_all && missing_ > 0) return false;
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(begin));
  return true;
}

// What remains is appended: the log then has the union of all that the source has ever had.
Status ConversationImport::TakeRestarted() {
  using enum ImportProblemCode;
  std::ranges::move(std::exchange(begun_record_, {}), std::back_inserter(waiting_));
  std::vector<WaitingEvent> fresh = TURNLOG_TRY(restarted_->TakeFresh(waiting_, complete(), begun_record_));
  if (!restarted_->shares() && !fresh.empty() && !source_.may_restart) {
    return refusal_.Refuse(
        fresh.front().location,
        {kChanged, "has nothing in common with what was imported before under this name: it is another conversation"});
  }
  if (!source_.format->import.may_shrink && TURNLOG_TRY(restarted_->LacksOthers())) {
    return restarted_->RefuseDifference();
  }
  waiting_ = std::move(fresh);
  if (revisions() != nullptr) TURNLOG_TRY(AddRows());
  if (!waiting_.empty() || complete()) PrepareRecord(waiting_.size());
  prepared_ = true;
  if (!complete()) return {};
  const bool has_new = !waiting_.empty() || appended_;
  const std::uint64_t before = std::exchange(source_.lacking, restarted_->lacking());
  if (source_.lacking > before && (before == 0 || has_new)) {
    Note({kBegunAgain, "was begun again from here on: the log keeps what it had"}, restarted_->begun_again());
  }
  return {};
}

// The source is a beginning of what was imported before. Its tool may be writing it anew.
Status ConversationImport::TakeShrunk(const StoredEvent& missing) {
  if (run_.may_postpone && !prepared_) {
    waiting_.clear();
    logged_->revisions.reset();
    postponed_ = up_to_date_ = prepared_ = true;
    return {};
  }
  constexpr std::string_view kShrunk = "has fewer events than were imported before";
  const ImportFormat& format = source_.format->import;
  const bool may_shrink = format.may_shrink || format.may_wait;
  if (!may_shrink && !TURNLOG_TRY(LacksOnlyRemoved(missing))) {
    return refusal_.Refuse({ImportProblemCode::kShrunk, std::string(kShrunk)});
  }
  exact_ = false;
  waiting_.clear();
  if (rows_->any()) TURNLOG_TRY(TakeOnlyRows());
  const std::string_view changed = waiting_.empty() ? ": nothing changed" : "";
  Note({ImportProblemCode::kShrunk, fmt::format("{}{}", kShrunk, changed)});
  if (prepared_) return {};
  up_to_date_ = prepared_ = true;
  logged_->revisions.reset();
  return {};
}

// Whether the source has all but what doctor removes. `missing`: the first event of the log that it does not have.
Result<bool> ConversationImport::LacksOnlyRemoved(const StoredEvent& missing) {
  if (revisions() == nullptr || missing.erased || missing.redacted) return false;
  std::vector<HeldEvent> held{HeldEvent::Encode(missing.event)};
  while (const auto event = TURNLOG_TRY(logged_->events.Next())) {
    if (event->erased || event->redacted) return false;
    held.push_back(HeldEvent::Encode(event->event));
  }
  last_ = logged_->events.last();
  return std::ranges::all_of(held, [&](const HeldEvent& event) {
    const EventView view = event.event.View();
    return IsRemovedRecord({&view, 1}, {});
  });
}

// Before what else is new.
Status ConversationImport::AddRows() {
  std::vector<WaitingEvent> fresh = TURNLOG_TRY(rows_->TakeFresh());
  added_rows_ += fresh.size();
  std::ranges::move(std::exchange(waiting_, std::move(fresh)), std::back_inserter(waiting_));
  return {};
}

// A source that has fewer messages than the log may have new rows.
Status ConversationImport::TakeOnlyRows() {
  while (TURNLOG_TRY(logged_->events.Next())) {
  }
  last_ = logged_->events.last();
  prepared_ = true;
  if (!logged_->events.continued() && logged_->events.missing() == 0) {
    TURNLOG_TRY(AddRows());
    PrepareRecord(waiting_.size());
  }
  logged_->revisions.reset();
  return {};
}

}  // namespace turnlog
