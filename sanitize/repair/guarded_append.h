// Appends events that depend on a conversation's contents, only if it has not grown since it was read.
#pragma once

#include <functional>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct AppendDecision {
  Seq head;                   // the conversation's last event when it was made
  std::vector<Event> events;  // empty: nothing to append
};

// Takes the decision and appends its events, all or nothing; gives their receipt. As often as the conversation has
// grown meanwhile, it is taken anew; kConflict if that happens again and again.
Result<AppendResult> AppendGuarded(Log& log, const ConversationId& conversation, Durability durability,
                                   const std::function<Result<AppendDecision>()>& decide);

Timestamp Now();

}  // namespace turnlog
