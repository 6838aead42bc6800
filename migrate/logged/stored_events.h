// Reads a conversation event by event.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/migrate/export.h"

namespace turnlog {

struct StoredEvent {
  Seq seq;                                      // 0: inserted by a repair
  EventView event;                              // valid until the next one
  bool erased = false;                          // `event` is only a marker
  bool redacted = false;                        // `event` is not the one that was appended
  EventKind erased_kind = EventKind::kUnknown;  // of what was erased
};

class StoredEvents {
 public:
  // The raw log.
  static Result<StoredEvents> Open(Log& log, const ConversationId& conversation, Seq from = Seq{1});
  static Result<StoredEvents> Open(Log& log, const ConversationId& conversation, const ExportOptions& options);
  // Nothing at the end. Damage is an error.
  Result<std::optional<StoredEvent>> Next();
  // The same, but skips damage and adds it to `damage`.
  Result<std::optional<StoredEvent>> NextIntact(std::vector<Damage>& damage);

 private:
  explicit StoredEvents(std::unique_ptr<Cursor> cursor) : cursor_(std::move(cursor)) {}
  Result<std::optional<StoredEvent>> Read(std::optional<Damage>& damage);

  std::unique_ptr<Cursor> cursor_;
  Event mark_;  // the marker of the last erased event returned
};

// Whether nothing but repairs has been appended since `head`.
Result<bool> HasOnlyRepairsSince(Log& log, const ConversationId& conversation, Seq head);

}  // namespace turnlog
