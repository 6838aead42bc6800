// Plans a conversation of the log by the profile jp082, which always reads all of it.
#pragma once

#include "turnlog/log.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

class Jp082Run {
 public:
  Jp082Run(Log& log, const ConversationId& conversation) : log_(log), conversation_(conversation) {}

  // Plans the conversation up to its current end.
  Result<SanitizePlan> Plan(const SanitizeOptions& options);
  // No effect: every run starts at the beginning.
  Status SaveWatermark(Seq) { return {}; }

 private:
  Log& log_;
  const ConversationId conversation_;
};

}  // namespace turnlog
