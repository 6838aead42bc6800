// A conversation, event by event.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/migrate/export.h"

namespace turnlog {

struct StoredEvent {
  Seq seq;                // 0: inserted by a repair
  EventView event;        // valid until the next one
  bool erased = false;    // `event` only stands for what was there
  bool redacted = false;  // `event` is not what was appended
};

class StoredEvents {
 public:
  // As it stands in the log.
  static Result<StoredEvents> Open(Log& log, const ConversationId& conversation, Seq from = Seq{1});
  static Result<StoredEvents> Open(Log& log, const ConversationId& conversation, const ExportOptions& options);
  // Nothing: that was all. Damage is an error.
  Result<std::optional<StoredEvent>> Next();
  // The same, but what is damaged is added to `damage` and passed over.
  Result<std::optional<StoredEvent>> NextIntact(std::vector<Damage>& damage);

 private:
  explicit StoredEvents(std::unique_ptr<Cursor> cursor) : cursor_(std::move(cursor)) {}
  Result<std::optional<StoredEvent>> Read(std::optional<Damage>& damage);

  std::unique_ptr<Cursor> cursor_;
  Event mark_;  // what stands for the erased event that was given last
};

// Whether they say the same; how they were written down outside does not count.
bool SameEvent(EventView one, EventView other);

}  // namespace turnlog
