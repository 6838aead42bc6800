#include "migrate/import/logged_conversation.h"

#include "base/try.h"
#include "migrate/records/record_revision.h"

namespace turnlog {

Result<std::optional<StoredEvent>> LoggedEvents::Next() {
  for (;;) {
    auto event = TURNLOG_TRY(events_.Next());
    all_read_ = !event;
    if (!event) return std::nullopt;
    last_ = event->seq;
    if (!imports_) return event;
    const EventKind kind = event->event.kind();
    switch (origins_.Next(*event)) {
      case EventOrigin::kImported:
        if (!ReadRevision(event->event)) return event;
        break;
      case EventOrigin::kRecord:
        break;
      case EventOrigin::kOwn:
        continued_ |= kind != EventKind::kRepair && kind != EventKind::kRedaction;
    }
  }
}

bool LoggedEvents::IsOwn(const EventView& stored, EventKind now) const {
  const EventKind kind = stored.kind();
  return !imports_ && kind != now && (kind == EventKind::kRepair || kind == EventKind::kRedaction);
}

bool LoggedConversation::MayBeRedacted(const StoredEvent& stored, const EventView& event) {
  const auto& known = stored.event.event_id;
  const bool has_other_id = known && event.event_id && *known != *event.event_id;
  return (stored.erased || stored.redacted) && !has_other_id;
}

}  // namespace turnlog
