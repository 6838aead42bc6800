// A conversation as it stands in the log, event by event; damage is an error.
#pragma once

#include <memory>
#include <optional>

#include "turnlog/log.h"

namespace turnlog {

struct StoredEvent {
  Seq seq;
  EventView event;  // valid until the next one
};

class StoredEvents {
 public:
  static Result<StoredEvents> Open(Log& log, const ConversationId& conversation, Seq from = Seq{1});
  Result<std::optional<StoredEvent>> Next();  // nothing: that was all

 private:
  explicit StoredEvents(std::unique_ptr<Cursor> cursor) : cursor_(std::move(cursor)) {}
  std::unique_ptr<Cursor> cursor_;
};

// Whether they say the same; how they were written down outside does not count.
bool SameEvent(EventView one, EventView other);

}  // namespace turnlog
