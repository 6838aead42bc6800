#include "migrate/jp_imports.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace turnlog {

JpPart JpImports::Next(const StoredEvent& event) {
  if (event.placed) return JpPart::kOwn;
  if (event.seq.value <= end_) return JpPart::kImported;
  const auto record = ReadJpRecord(event.event);
  if (!record) return JpPart::kOwn;
  end_ = event.seq.value + std::min(record->events, UINT64_MAX - event.seq.value);
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
      if (next) next->redacted = event->redacted;
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
