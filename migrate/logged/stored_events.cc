#include "migrate/logged/stored_events.h"

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
  std::optional<Damage> damage;
  auto event = TURNLOG_TRY(Read(damage));
  if (damage) return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
  return event;
}

Result<std::optional<StoredEvent>> StoredEvents::NextIntact(std::vector<Damage>& damaged) {
  for (;;) {
    std::optional<Damage> damage;
    auto event = TURNLOG_TRY(Read(damage));
    if (!damage) return event;
    damaged.push_back(*std::move(damage));
  }
}

Result<std::optional<StoredEvent>> StoredEvents::Read(std::optional<Damage>& damage) {
  Item item = TURNLOG_TRY(cursor_->Next());
  if (auto* found = std::get_if<Damage>(&item)) damage = std::move(*found);
  if (const auto* erased = std::get_if<Erased>(&item)) {
    mark_ = ErasedMark(erased->kind);
    return StoredEvent{.seq = erased->seq, .event = View(mark_), .erased = true, .erased_kind = erased->kind};
  }
  const auto* record = std::get_if<Record>(&item);
  if (record == nullptr) return std::nullopt;
  const auto event = record->Decode();
  if (!event) {
    damage = Damage{{}, 0, 0, std::string(record->conversation), record->seq.value, event.error().message};
    return std::nullopt;
  }
  return StoredEvent{.seq = record->seq, .event = *event, .redacted = record->redacted};
}

Result<bool> HasOnlyRepairsSince(Log& log, const ConversationId& conversation, Seq head) {
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, Seq{head.value + 1}));
  while (const auto event = TURNLOG_TRY(stored.Next())) {
    if (event->event.kind() != EventKind::kRepair) return false;
  }
  return true;
}

}  // namespace turnlog
