#include "migrate/stored_events.h"

#include "base/try.h"
#include "turnlog/event_json.h"

namespace turnlog {

Result<StoredEvents> StoredEvents::Open(Log& log, const ConversationId& conversation, Seq from) {
  ReadOptions options;
  options.from = from;
  return StoredEvents(TURNLOG_TRY(log.ReadRaw(conversation, options)));
}

Result<StoredEvents> StoredEvents::Open(Log& log, const ConversationId& conversation, const ExportOptions& options) {
  return StoredEvents(TURNLOG_TRY(options.raw ? log.ReadRaw(conversation) : log.Read(conversation)));
}

Result<std::optional<StoredEvent>> StoredEvents::Next() {
  const Item item = TURNLOG_TRY(cursor_->Next());
  if (const auto* damage = std::get_if<Damage>(&item)) {
    return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
  }
  if (const auto* erased = std::get_if<Erased>(&item)) {
    mark_ = ErasedMark(erased->kind);
    return StoredEvent{.seq = erased->seq, .event = View(mark_), .placed = false, .erased = true};
  }
  const auto* record = std::get_if<Record>(&item);
  if (record == nullptr) return std::nullopt;
  return StoredEvent{.seq = record->seq,
                     .event = TURNLOG_TRY(record->Decode()),
                     .placed = !record->rule.empty(),
                     .redacted = record->redacted};
}

bool SameEvent(EventView one, EventView other) {
  one.source_text.reset();
  other.source_text.reset();
  return ToJson(one) == ToJson(other);
}

}  // namespace turnlog
