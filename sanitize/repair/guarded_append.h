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

// Makes the decision and appends its events, all or nothing. If the conversation has grown meanwhile, it decides
// again; kConflict if that happens too often. As Log::AppendLater, it does not wait for them.
Result<AppendResult> AppendGuardedLater(Log& log, const ConversationId& conversation, Durability durability,
                                        const std::function<Result<AppendDecision>()>& decide);
// The same, and waits.
Result<AppendResult> AppendGuarded(Log& log, const ConversationId& conversation, Durability durability,
                                   const std::function<Result<AppendDecision>()>& decide);

Timestamp Now();

}  // namespace turnlog
