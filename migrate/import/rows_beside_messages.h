// The rows that a database has beside the messages of a conversation (records/record_revision.h), when it is imported
// again.
#pragma once

#include <string>
#include <vector>

#include "migrate/compare/event_places.h"
#include "migrate/import/logged_conversation.h"

namespace turnlog {

class RowsBesideMessages {
 public:
  // REQUIRES: `logged` has revisions whenever rows are taken.
  explicit RowsBesideMessages(LoggedConversation& logged) : logged_(logged) {}

  // Takes those that `waiting` begins with: the log has them anywhere.
  Status Take(std::vector<WaitingEvent>& waiting);
  // Whether it may not have some of them as they are.
  bool any() const { return !rows_.empty(); }
  // Those that it does not have, once it was read, which shows all that was redacted.
  Result<std::vector<WaitingEvent>> TakeFresh();

 private:
  Result<bool> IsKnown(const std::string& name, const EventView& event);

  LoggedConversation& logged_;
  std::vector<WaitingEvent> rows_;
};

}  // namespace turnlog
