// An append that a client sent to a service that has stopped since, so that no one knows whether it was written.
#pragma once

#include <span>

#include "turnlog/log.h"

namespace turnlog {

// Appends the events, unless they are in the log. This is known if all of them have an event_id, or if the append has
// an expected_last: then they can only be right after it, byte for byte. Otherwise kIo, and nothing is written.
Result<AppendResult> AppendAgain(Log& log, const ConversationId& conversation, std::span<const EventView> events,
                                 const AppendOptions& options);

}  // namespace turnlog
