// What a model has seen of a conversation that begins with a copy of another one, as a fork does: the log has it there.
#pragma once

#include <vector>

#include "turnlog/conversation_part.h"
#include "turnlog/log.h"

namespace turnlog {

// The oldest first; the last one is all of the conversation. Cost: if there are others, reads all of these
// conversations.
Result<std::vector<ConversationPart>> FindDialogueParts(Log& log, const ConversationId& conversation);

}  // namespace turnlog
