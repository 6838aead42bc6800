#include "migrate/stored_events.h"

#include "base/try.h"
#include "turnlog/event_json.h"

namespace turnlog {

Result<StoredEvents> StoredEvents::Open(Log& log, const ConversationId& conversation, Seq from) {
  ReadOptions options;
  options.from = from;
  return StoredEvents(TURNLOG_TRY(log.Read(conversation, options)));
}

Result<std::optional<StoredEvent>> StoredEvents::Next() {
  const Item item = TURNLOG_TRY(cursor_->Next());
  if (const auto* damage = std::get_if<Damage>(&item)) {
    return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
  }
  const auto* record = std::get_if<Record>(&item);
  if (record == nullptr) return std::nullopt;
  return StoredEvent{record->seq, TURNLOG_TRY(record->Decode())};
}

bool SameEvent(EventView one, EventView other) {
  one.source_text.reset();
  other.source_text.reset();
  return ToJson(one) == ToJson(other);
}

}  // namespace turnlog
