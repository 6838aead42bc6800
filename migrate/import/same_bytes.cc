// Records that an earlier version of turnlog has read otherwise, for example as foreign events because it understood
// nothing of them: bytes that are the same, at the same place, are the same record, and the log keeps what it has.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/try.h"
#include "migrate/compare/seen_records.h"
#include "migrate/import/compared_conversation.h"
#include "migrate/records/record_writer.h"
#include "migrate/sources/item_encoder.h"
#include "schema/event/compaction_range.h"
#include "schema/event/import_event.h"

namespace turnlog {
namespace {

int TurnsBegunBy(const EventView& event) { return event.kind() == EventKind::kTurnStart ? 1 : 0; }

}  // namespace

// The one that the log has from record_first_ on. Nothing: its bytes are not known, or not those of the source.
Result<std::optional<ComparedConversation::RecordBytes>> ComparedConversation::BytesInLog() {
  if (logged_.revisions->known().Has(record_first_)) return std::nullopt;
  RecordBytes record;
  RecordWriter writer;
  StoredEvents log = TURNLOG_TRY(logged_.ReadFrom(record_first_));
  while (const auto event = TURNLOG_TRY(log.Next())) {
    const bool ended = event->seq > record_first_ && BeginsRecord(event->event);
    if (ended || IsImportEvent(event->event)) break;
    if (event->erased || event->redacted) return std::nullopt;
    writer.Add(event->event, record.bytes);
    record.turns += TurnsBegunBy(event->event);
    record.last = event->seq;
  }
  return record;
}

// Whether the record at waiting_[at], or around it, has the bytes of the one in the log that `stored` belongs to. The
// rest of both is passed over: `at` is then its end.
Result<bool> ComparedConversation::PassRecord(const StoredEvent& stored, std::size_t& at) {
  if (BeginsRecord(stored.event) != BeginsRecord(waiting_[at].View())) return false;
  return PassSameBytes(at);
}

// The same for one of which the log has fewer events: it has ended there, before `stored`. What follows it in the
// source must be known.
Result<bool> ComparedConversation::PassRest(const StoredEvent& stored, std::size_t& at) {
  const auto begins = [](const WaitingEvent& waiting) { return BeginsRecord(waiting.View()); };
  if (!BeginsRecord(stored.event) || begins(waiting_[at])) return false;
  if (!complete_ && std::ranges::none_of(waiting_.subspan(at), begins)) return false;
  return PassSameBytes(at);
}

Result<bool> ComparedConversation::PassSameBytes(std::size_t& at) {
  if (!logged_.revisions) return false;
  std::size_t begin = at, end = at + 1;
  while (begin > 0 && !BeginsRecord(waiting_[begin].View())) --begin;
  while (end < waiting_.size() && !BeginsRecord(waiting_[end].View())) ++end;
  const auto known = TURNLOG_TRY(BytesInLog());
  if (!known) return false;
  std::string bytes;
  RecordWriter writer;
  int turns = 0;
  for (std::size_t i = begin; i < end; ++i) {
    writer.Add(waiting_[i].View(), bytes);
    turns += TurnsBegunBy(waiting_[i].View());
  }
  if (WithoutSeparators(bytes) != WithoutSeparators(known->bytes)) return false;
  TURNLOG_TRY(logged_.revisions->Leave(false));
  order_.reset();
  passed_ = known->last;
  turns_passed_ += turns - known->turns;
  logged_.matched += end - at;
  at = end;
  return true;
}

// The same for two that begin with different kinds of events, one of which may come late: what the source has is new,
// and not only elsewhere in the record.
Result<bool> ComparedConversation::PassBegunOtherwise(const StoredEvent& stored, std::size_t& at) {
  const EventView view = waiting_[at].View();
  if (stored.event.kind() == view.kind() || !BeginsRecord(stored.event) || !BeginsRecord(view)) return false;
  record_first_ = stored.seq;
  return PassRecord(stored, at);
}

// A turn that such a record begins, the log may have begun with the next one.
bool ComparedConversation::PassTurnStart(const StoredEvent& stored, std::size_t at) {
  if (turns_passed_ <= 0 || TurnsBegunBy(stored.event) == TurnsBegunBy(waiting_[at].View())) return false;
  if (TurnsBegunBy(stored.event) == 0) return false;
  --turns_passed_;
  return true;
}

Result<bool> ComparedConversation::RenumberTurns(std::span<WaitingEvent> fresh) const {
  for (WaitingEvent& waiting : fresh) {
    if (turns_passed_ == 0 || waiting.held.event.kind != EventKind::kCompaction) continue;
    EventView event = waiting.View();
    auto& compaction = std::get<VerbatimView>(event.body);
    auto range = ReadCompactionRange(compaction.json.text());
    if (!range || range->from > 0 || std::cmp_less(range->to, turns_passed_)) return false;
    range->to -= static_cast<std::uint64_t>(static_cast<std::int64_t>(turns_passed_));
    const std::string json = WithCompactionRange(compaction.json.text(), *range);
    compaction.json = JsonView::FromTrusted(json);
    waiting.held = TURNLOG_TRY(EncodeChecked(event));
  }
  return true;
}

}  // namespace turnlog
