#include "migrate/logged/imported_events.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/try.h"

namespace turnlog {

EventOrigin EventOrigins::Next(const StoredEvent& event) {
  const EventKind kind = event.event.kind();
  // Never imported: turnlog wrote these after the import, or while it was interrupted.
  if (kind == EventKind::kRepair || kind == EventKind::kRedaction) return EventOrigin::kOwn;
  if (missing_ > 0) return --missing_, EventOrigin::kImported;
  const auto record = ReadImportEvent(event.event);
  if (!record) return EventOrigin::kOwn;
  missing_ = record->events;
  return EventOrigin::kRecord;
}

Result<Seq> LastSeq(Log& log, const ConversationId& conversation) {
  const auto info = log.Info(conversation);
  if (info) return info->last;
  if (info.error().code == ErrorCode::kNotFound) return Seq{0};
  return std::unexpected(info.error());
}

Result<bool> IsComplete(Log& log, const ConversationId& conversation, const ImportHistory& imports, Seq last) {
  const std::vector<RepairRange> repairs = TURNLOG_TRY(log.Repairs(conversation));
  const auto later =
      std::ranges::count_if(repairs, [&](const RepairRange& repair) { return repair.seq > imports.seq; });
  return last.value - imports.seq.value >= imports.last.events + static_cast<std::uint64_t>(later);
}

Result<std::optional<ImportHistory>> FindImports(Log& log, const ConversationId& conversation, Seq last) {
  std::optional<ImportHistory> found;
  for (Seq from{1}; from <= last;) {
    StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, from));
    std::optional<ImportRecord> record;
    while (!record) {
      const auto event = TURNLOG_TRY(stored.Next());
      if (!event) return found;
      record = ReadImportEvent(event->event);
      if (!record && !found) return std::nullopt;
      if (!found) found.emplace();
      found->seq = record ? event->seq : found->seq;
      if (record) found->redacted.Add(*record, event->redacted);
      from = Seq{event->seq.value + 1};
    }
    TakeSameParts(std::move(found->last), *record);
    found->last = *std::move(record);
    if (found->last.events > last.value) break;
    from.value += found->last.events;
  }
  return found;
}

Result<std::optional<ImportHistory>> FindImports(Log& log, const ConversationId& conversation) {
  const ConversationInfo info = TURNLOG_TRY(log.Info(conversation));
  return FindImports(log, conversation, info.last);
}

}  // namespace turnlog
