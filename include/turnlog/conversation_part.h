// The beginning of a conversation, up to one of its events.
#pragma once

#include "turnlog/types.h"

namespace turnlog {

struct ConversationPart {
  ConversationId conversation;
  Seq last;  // up to here
};

}  // namespace turnlog
