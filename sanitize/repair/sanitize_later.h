// Sanitizes a conversation in two steps, so that many conversations can share one write and one sync between them.
#pragma once

#include <optional>

#include "turnlog/log.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

struct BegunSanitize {
  SanitizeOutcome outcome;             // its repairs are not durable yet, and may not be written
  std::optional<Watermark> watermark;  // for FinishSanitize; none: it is the old one
};

// As Sanitize, with Log::AppendLater.
Result<BegunSanitize> BeginSanitize(Log& log, const ConversationId& conversation, const SanitizeOptions& options);

// Waits for the repairs, then saves how far the conversation has been looked at.
Status FinishSanitize(Log& log, const ConversationId& conversation, const BegunSanitize& begun, Durability durability);

}  // namespace turnlog
