// A source that has lost records, or has others before those that were imported.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "migrate/compare/mended_record.h"
#include "migrate/import/conversation_import.h"
#include "migrate/logged/logged_records.h"
#include "migrate/sources/item_encoder.h"

namespace turnlog {

Status ConversationImport::AddSeen(const StoredEvent& stored) {
  const auto redacted = TURNLOG_TRY(Redact(stored.event));
  const bool hides = MayHideSecrets() && IsUnrecognisable(stored.event);
  const bool known = !stored.erased && !stored.redacted && !hides;
  seen_->Add(redacted ? View(*redacted) : stored.event, known, stored.seq);
  redacted_records_.Add(stored.event, stored.redacted);
  return {};
}

// The first event of the record at waiting_[begin], of which the log has as much as was compared: with the bytes that
// it has there, which the first one shows.
Status ConversationImport::AddBegunRecord(std::size_t begin) {
  EventView first = waiting_[begin].View();
  StoredEvents record = TURNLOG_TRY(StoredEvents::Open(run_.log(), id_, record_first_));
  const auto stored = TURNLOG_TRY(record.Next());
  if (stored && OriginalText(stored->event)) {
    first = stored->event;
  } else if (stored) {
    first.source_text = stored->event.source_text;
  }
  seen_->Add(first, true, record_first_);
  return {};
}

// The source has something else than `different` at waiting_[at], for example because it was begun again. Reads what
// the log has from there on, and keeps in waiting_ what is to be found in it, beginning with a record. False: records
// cannot be recognised.
Result<bool> ConversationImport::ReadSeen(const StoredEvent& different, std::size_t at) {
  if (!stored_->imports || record_redacted_) return false;
  // A document of an API only grows, unless doctor has mended it: all of that is looked at before something is
  // appended.
  const bool keeps_all = !source_.format->import.may_shrink;
  if (keeps_all && (!revisions_ || !complete())) return false;
  std::size_t begin = at;
  while (!BeginsRecord(waiting_[begin].View())) {
    if (begin-- == 0) return false;
  }
  begun_again_ = waiting_[at].location, replaced_ = different.seq;
  shares_ = stored_->matched > at - begin;
  seen_ = std::make_unique<SeenRecords>(*source_.format);
  if (revisions_) TURNLOG_TRY(revisions_->Leave(begin == at && BeginsRecord(different.event)));
  if (begin < at) TURNLOG_TRY(AddBegunRecord(begin));
  for (std::size_t i = begin + 1; i < at; ++i) seen_->Add(waiting_[i].View(), true, record_first_);
  for (std::size_t i = begin; i < at; ++i) redacted_records_.Add(waiting_[i].View(), false);
  TURNLOG_TRY(AddSeen(different));
  while (const auto event = TURNLOG_TRY(NextImported())) {
    stored_->redacted |= event->redacted;
    TURNLOG_TRY(AddSeen(*event));
  }
  stored_->read = true;
  if (!seen_->Finish() || stored_->continued) return false;
  missing_ = stored_->origins.missing();
  if (keeps_all && missing_ > 0) return false;
  if (revisions_) seen_->Revise([this](Seq first) { return revisions_->known().HashOf(first); });
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(begin));
  return true;
}

// What remains is appended: the log then has the union of all that the source has ever had.
Status ConversationImport::DropSeen() {
  using enum ImportProblemCode;
  std::ranges::move(std::exchange(begun_record_, {}), std::back_inserter(waiting_));
  for (const WaitingEvent& waiting : waiting_) redacted_records_.Teach(waiting.View(), Redacted());
  TURNLOG_TRY(RemoveRedactedValues());
  std::vector<WaitingEvent> fresh = TURNLOG_TRY(TakeFresh());
  if (!shares_ && !fresh.empty() && !source_.may_restart) {
    return Refuse(
        fresh.front().location,
        {kChanged, "has nothing in common with what was imported before under this name: it is another conversation"});
  }
  if (!source_.format->import.may_shrink && TURNLOG_TRY(LacksOthers())) return RefuseChanged(begun_again_, replaced_);
  waiting_ = std::move(fresh);
  if (revisions_) TURNLOG_TRY(AddRows());
  if (!waiting_.empty() || complete()) PrepareRecord(waiting_.size());
  prepared_ = true;
  if (!complete()) return {};
  const bool has_new = !waiting_.empty() || appended_;
  const std::uint64_t before = std::exchange(source_.lacking, seen_->left());
  if (source_.lacking > before && (before == 0 || has_new)) {
    Note({kBegunAgain, "was begun again from here on: the log keeps what it had"}, begun_again_);
  }
  return {};
}

// The records of waiting_ that the log does not have. One that may go on becomes begun_record_.
Result<std::vector<WaitingEvent>> ConversationImport::TakeFresh() {
  std::vector<WaitingEvent> fresh;
  for (std::size_t begin = 0, end = 0; begin < waiting_.size(); begin = end) {
    std::vector<EventView> record{waiting_[begin].View()};
    for (end = begin + 1; end < waiting_.size() && !BeginsRecord(waiting_[end].View()); ++end) {
      record.push_back(waiting_[end].View());
    }
    const std::span<WaitingEvent> events = std::span(waiting_).subspan(begin, end - begin);
    if (end == waiting_.size() && !complete()) {
      std::ranges::move(events, std::back_inserter(begun_record_));
      break;
    }
    const std::size_t known = TURNLOG_TRY(TakeSeen(record, waiting_[begin].location));
    if (known == 0 && seen_->id_is_taken()) TURNLOG_TRY(LeaveOutIds(events));
    std::ranges::move(events.subspan(known), std::back_inserter(fresh));
  }
  return fresh;
}

// The log has them for others.
Status ConversationImport::LeaveOutIds(std::span<WaitingEvent> record) {
  for (WaitingEvent& waiting : record) {
    EventView event = waiting.View();
    event.event_id.reset();
    waiting.held = TURNLOG_TRY(EncodeChecked(event));
  }
  return {};
}

// How many of the record's events, which begin it, the log has.
Result<std::size_t> ConversationImport::TakeSeen(std::span<const EventView> record, const SourceLocation& location) {
  using enum SeenRecords::Verdict;
  Status read;
  const MovedResults moved = Moved();
  const auto is_mended = [&](Seq first, std::size_t events, std::span<const EventView> now) {
    const auto ask = [&](std::span<const EventView> stored) {
      return IsMendedRecord(stored, now, *source_.format, moved);
    };
    auto mended = AskOfRecord(first, events, ask);
    if (!mended) read = std::unexpected(mended.error());
    return mended && *mended;
  };
  const SeenRecords::Verdict verdict = seen_->Take(record, is_mended);
  TURNLOG_TRY(read);
  if (verdict == kNamesOtherTurns) {
    constexpr std::string_view kWhy = "is new, and names turns that have other numbers in the log";
    return Refuse(location, {ImportProblemCode::kChanged, std::string(kWhy)});
  }
  if (verdict == kMoved) return RefuseChanged(begun_again_, replaced_);
  if (verdict == kChanged) return RefuseChanged(location, TURNLOG_TRY(FindRecord(run_.log(), id_, record)));
  if (verdict == kNew) return 0;
  shares_ = true;
  const auto& seen = seen_->last();
  if (revisions_ && seen) TURNLOG_TRY(revisions_->CompareSeen(seen->first, seen->same_bytes, record));
  return verdict == kGrown ? seen_->known_events() : record.size();
}

// Asks about so many events of the log, from `first` on; not if some of them were redacted.
Result<bool> ConversationImport::AskOfRecord(Seq first, std::size_t events, const AboutRecord& ask) {
  StoredEvents log = TURNLOG_TRY(StoredEvents::Open(run_.log(), id_, first));
  std::vector<HeldEvent> held;
  while (held.size() < events) {
    const auto event = TURNLOG_TRY(log.Next());
    if (!event || event->erased || event->redacted) return false;
    held.push_back(HeldEvent::Encode(event->event));
  }
  std::vector<EventView> stored;
  for (const HeldEvent& event : held) stored.push_back(event.event.View());
  return ask(stored);
}

MovedResults ConversationImport::Moved() {
  return {[this](const EventView& result) { return seen_->MayMove(result); },
          [this](const EventView& result) { return seen_->HasMoved(result); }};
}

// Whether the source lacks records that doctor would not have removed.
Result<bool> ConversationImport::LacksOthers() {
  Status read;
  const bool lacks = seen_->HasLeft([&](Seq first, std::size_t events) {
    auto removed =
        AskOfRecord(first, events, [&](std::span<const EventView> stored) { return IsRemovedRecord(stored, Moved()); });
    if (!removed) read = std::unexpected(removed.error());
    return removed && *removed;
  });
  TURNLOG_TRY(read);
  return lacks;
}

// Whether the source has all but what doctor removes. `missing`: the first event of the log that it does not have.
Result<bool> ConversationImport::LacksOnlyRemoved(const StoredEvent& missing) {
  if (!revisions_ || missing.erased || missing.redacted) return false;
  std::vector<HeldEvent> held{HeldEvent::Encode(missing.event)};
  while (const auto event = TURNLOG_TRY(NextImported())) {
    if (event->erased || event->redacted) return false;
    held.push_back(HeldEvent::Encode(event->event));
  }
  return std::ranges::all_of(held, [&](const HeldEvent& event) {
    const EventView view = event.event.View();
    return IsRemovedRecord({&view, 1}, {});
  });
}

// The source is a beginning of what was imported before. Its tool may be writing it anew.
Status ConversationImport::TakeShrunk(const StoredEvent& missing) {
  if (run_.may_postpone && !prepared_) {
    waiting_.clear();
    revisions_.reset();
    postponed_ = up_to_date_ = prepared_ = true;
    return {};
  }
  constexpr std::string_view kShrunk = "has fewer events than were imported before";
  const ImportFormat& format = source_.format->import;
  const bool may_shrink = format.may_shrink || format.may_wait;
  if (!may_shrink && !TURNLOG_TRY(LacksOnlyRemoved(missing))) {
    return Refuse({ImportProblemCode::kShrunk, std::string(kShrunk)});
  }
  exact_ = false;
  waiting_.clear();
  if (!rows_.empty()) TURNLOG_TRY(TakeOnlyRows());
  const std::string_view changed = waiting_.empty() ? ": nothing changed" : "";
  Note({ImportProblemCode::kShrunk, fmt::format("{}{}", kShrunk, changed)});
  if (prepared_) return {};
  up_to_date_ = prepared_ = true;
  revisions_.reset();
  return {};
}

}  // namespace turnlog
