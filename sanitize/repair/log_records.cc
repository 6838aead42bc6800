#include "sanitize/repair/log_records.h"

#include <fmt/format.h>

#include "base/try.h"
#include "turnlog/event_walk.h"

namespace turnlog {

Status ForEachRecord(Log& log, const ConversationId& conversation, Seq from, Seq to, const OnRecord& on_record) {
  if (from > to) return {};
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, {.from = from, .limit = to.value - from.value + 1}));
  return WalkItems(*cursor, [&](const Item& item) -> Result<Walk> {
    if (const auto* damage = std::get_if<Damage>(&item)) {
      return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
    }
    const auto* record = std::get_if<Record>(&item);
    const auto* erased = std::get_if<Erased>(&item);
    const bool go_on = TURNLOG_TRY(record != nullptr ? on_record(record->seq, record->kind, record)
                                                     : on_record(erased->seq, erased->kind, nullptr));
    return go_on ? Walk::kOn : Walk::kEnd;
  });
}

Result<TimedRepair> LoadRepair(Log& log, const ConversationId& conversation, Seq seq) {
  std::optional<TimedRepair> found;
  const auto take = [&](Seq at, EventKind kind, const Record* record) -> Result<bool> {
    if (at != seq || kind != EventKind::kRepair || record == nullptr) return false;
    const EventView event = TURNLOG_TRY(record->Decode());
    found = TimedRepair{{seq, TURNLOG_TRY(ReadRepair(event))}, event.timestamp};
    return false;
  };
  TURNLOG_TRY(ForEachRecord(log, conversation, seq, seq, take));
  if (found) return *std::move(found);
  return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("conversation \"{}\", event {}: not a repair",
                                                                 conversation.text(), seq.value)});
}

}  // namespace turnlog
