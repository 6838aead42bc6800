// Plans a conversation of the log by the profile jp082, which always reads all of it.
#pragma once

#include <optional>

#include "turnlog/log.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

class Jp082Run {
 public:
  Jp082Run(Log& log, const ConversationId& conversation) : log_(log), conversation_(conversation) {}

  // Plans the conversation up to its current end.
  Result<SanitizePlan> Plan(const SanitizeOptions& options);
  // Nothing: every run starts at the beginning.
  static std::optional<Watermark> NewWatermark(Seq) { return std::nullopt; }

 private:
  Log& log_;
  const ConversationId conversation_;
};

}  // namespace turnlog
