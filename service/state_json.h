// What a conversation is doing, as JSON.
#pragma once

#include <string>

#include "turnlog/log.h"
#include "turnlog/turn_state.h"

namespace turnlog {

// As `logctl state --json`. Cost: the last turn.
Result<std::string> StateJson(Log& log, const ConversationId& conversation);

}  // namespace turnlog
