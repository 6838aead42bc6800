// What engines offer that store events as they are encoded: importers have done that already.
#pragma once

#include <span>

#include "schema/event/held_event.h"
#include "turnlog/log.h"

namespace turnlog {

// A Log may be one of these, too.
class EncodedLog {
 public:
  virtual ~EncodedLog() = default;
  // As Log::AppendLater. The payloads are not checked again.
  virtual Result<AppendResult> AppendEncodedLater(const ConversationId& conversation,
                                                  std::span<const EncodedEvent> events,
                                                  const AppendOptions& options) = 0;
};

}  // namespace turnlog
