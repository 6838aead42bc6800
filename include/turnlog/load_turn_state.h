// What a conversation is doing, read from its last turn.
#pragma once

#include "turnlog/log.h"
#include "turnlog/turn_state.h"

namespace turnlog {

// From the sanitized view. kNotFound: there is no such conversation. kCorruption: an event of the last turn is damaged.
// Cost: the last turn.
Result<TurnState> LoadTurnState(Log& log, const ConversationId& conversation);

}  // namespace turnlog
