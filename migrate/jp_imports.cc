#include "migrate/jp_imports.h"

#include <utility>

#include "base/try.h"
#include "migrate/stored_events.h"

namespace turnlog {

JpPart JpImports::Next(const EventView& event) {
  if (left_ > 0) return --left_, JpPart::kImported;
  const auto record = ReadJpRecord(event);
  if (!record) return JpPart::kOwn;
  left_ = record->events;
  return JpPart::kRecord;
}

Result<std::optional<JpRecord>> FindLastJpRecord(Log& log, const ConversationId& conversation, Seq last) {
  std::optional<JpRecord> found;
  for (Seq from{1}; from <= last;) {
    StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, from));
    std::optional<JpRecord> next;
    while (!next) {
      const auto event = TURNLOG_TRY(stored.Next());
      if (!event) return found;
      next = ReadJpRecord(event->event);
      if (!next && !found) return std::nullopt;
      from = Seq{event->seq.value + 1};
    }
    found = std::move(next);
    if (found->events > last.value) break;
    from.value += found->events;
  }
  return found;
}

}  // namespace turnlog
