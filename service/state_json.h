// What a conversation is doing, as JSON.
#pragma once

#include <string>

#include "turnlog/log.h"
#include "turnlog/turn_state.h"

namespace turnlog {

// As `logctl state --json`. Cost: the last turn.
Result<std::string> StateJson(Log& log, const ConversationId& conversation);
// REQUIRES: both of one conversation, `info` read first.
std::string StateJson(const ConversationInfo& info, const TurnState& state);

}  // namespace turnlog
