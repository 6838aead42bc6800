#include "migrate/import/restarted_conversation.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/try.h"
#include "migrate/logged/logged_records.h"
#include "migrate/sources/item_encoder.h"

namespace turnlog {

Result<bool> RestartedConversation::Read(const Difference& different) {
  const auto& [stored, record, at, first] = different;
  begun_again_ = record[at].location;
  replaced_ = stored.seq;
  shares_ = logged_.matched > at;
  if (logged_.revisions) TURNLOG_TRY(logged_.revisions->Leave(at == 0 && BeginsRecord(stored.event)));
  if (at > 0) TURNLOG_TRY(AddBegunRecord(different));
  TURNLOG_TRY(AddStored(stored));
  while (const auto event = TURNLOG_TRY(logged_.events.Next())) {
    logged_.redacted |= event->redacted;
    TURNLOG_TRY(AddStored(*event));
  }
  if (!seen_.Finish() || logged_.events.continued()) return false;
  if (logged_.revisions) seen_.Revise([this](Seq seq) { return logged_.revisions->known().HashOf(seq); });
  return true;
}

// The events that were compared of the record: with the bytes that it has in the log, which the first one shows.
Status RestartedConversation::AddBegunRecord(const Difference& different) {
  const auto compared = different.record.first(different.at);
  EventView first = compared.front().View();
  StoredEvents record = TURNLOG_TRY(logged_.ReadFrom(different.first));
  const auto stored = TURNLOG_TRY(record.Next());
  if (stored && OriginalText(stored->event)) {
    first = stored->event;
  } else if (stored) {
    first.source_text = stored->event.source_text;
  }
  seen_.Add(first, true, different.first);
  for (const WaitingEvent& event : compared.subspan(1)) seen_.Add(event.View(), true, different.first);
  for (const WaitingEvent& event : compared) redacted_.Add(event.View(), false);
  return {};
}

Status RestartedConversation::AddStored(const StoredEvent& stored) {
  const auto without = TURNLOG_TRY(logged_.secrets.RemoveFound(stored.event));
  const bool hides = logged_.secrets.may_be_hidden() && IsUnrecognisable(stored.event);
  const bool known = !stored.erased && !stored.redacted && !hides;
  seen_.Add(without ? View(*without) : stored.event, known, stored.seq);
  redacted_.Add(stored.event, stored.redacted);
  return {};
}

Result<std::vector<WaitingEvent>> RestartedConversation::TakeFresh(std::span<WaitingEvent> waiting, bool complete,
                                                                   std::vector<WaitingEvent>& begun) {
  for (const WaitingEvent& event : waiting) redacted_.Teach(event.View(), logged_.secrets.redacted());
  TURNLOG_TRY(logged_.secrets.RemoveRedacted(waiting));
  std::vector<WaitingEvent> fresh;
  for (std::size_t begin = 0, end = 0; begin < waiting.size(); begin = end) {
    std::vector<EventView> record{waiting[begin].View()};
    for (end = begin + 1; end < waiting.size() && !BeginsRecord(waiting[end].View()); ++end) {
      record.push_back(waiting[end].View());
    }
    const std::span<WaitingEvent> events = waiting.subspan(begin, end - begin);
    if (end == waiting.size() && !complete) {
      std::ranges::move(events, std::back_inserter(begun));
      break;
    }
    const std::size_t known = TURNLOG_TRY(TakeSeen(record, waiting[begin].location));
    if (known == 0 && seen_.id_is_taken()) TURNLOG_TRY(LeaveOutIds(events));
    std::ranges::move(events.subspan(known), std::back_inserter(fresh));
  }
  return fresh;
}

// The log has them for others.
Status RestartedConversation::LeaveOutIds(std::span<WaitingEvent> record) {
  for (WaitingEvent& waiting : record) {
    EventView event = waiting.View();
    event.event_id.reset();
    waiting.held = TURNLOG_TRY(EncodeChecked(event));
  }
  return {};
}

// How many of the record's events, which begin it, the log has.
Result<std::size_t> RestartedConversation::TakeSeen(std::span<const EventView> record, const SourceLocation& location) {
  using enum SeenRecords::Verdict;
  Status read;
  const MovedResults moved = Moved();
  const auto is_mended = [&](Seq first, std::size_t events, std::span<const EventView> now) {
    const auto ask = [&](std::span<const EventView> stored) {
      return IsMendedRecord(stored, now, logged_.format, moved);
    };
    auto mended = AskOfRecord(first, events, ask);
    if (!mended) read = std::unexpected(mended.error());
    return mended && *mended;
  };
  const SeenRecords::Verdict verdict = seen_.Take(record, is_mended);
  TURNLOG_TRY(read);
  if (verdict == kNamesOtherTurns) {
    constexpr std::string_view kWhy = "is new, and names turns that have other numbers in the log";
    return logged_.refusal.Refuse(location, {ImportProblemCode::kChanged, std::string(kWhy)});
  }
  if (verdict == kMoved) return RefuseDifference();
  if (verdict == kChanged) {
    return logged_.refusal.RefuseChanged(location, TURNLOG_TRY(FindRecord(logged_.log, logged_.id, record)));
  }
  if (verdict == kNew) return 0;
  shares_ = true;
  const auto& seen = seen_.last();
  if (logged_.revisions && seen) {
    TURNLOG_TRY(logged_.revisions->CompareSeen(seen->first, seen->same_bytes, record));
  }
  return verdict == kGrown ? seen_.known_events() : record.size();
}

// Asks about so many events of the log, from `first` on; not if some of them were redacted.
Result<bool> RestartedConversation::AskOfRecord(Seq first, std::size_t events, const AboutRecord& ask) {
  StoredEvents log = TURNLOG_TRY(logged_.ReadFrom(first));
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

MovedResults RestartedConversation::Moved() {
  return {[this](const EventView& result) { return seen_.MayMove(result); },
          [this](const EventView& result) { return seen_.HasMoved(result); }};
}

Result<bool> RestartedConversation::LacksOthers() {
  Status read;
  const bool lacks = seen_.HasLeft([&](Seq first, std::size_t events) {
    auto removed =
        AskOfRecord(first, events, [&](std::span<const EventView> stored) { return IsRemovedRecord(stored, Moved()); });
    if (!removed) read = std::unexpected(removed.error());
    return removed && *removed;
  });
  TURNLOG_TRY(read);
  return lacks;
}

}  // namespace turnlog
