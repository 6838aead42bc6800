// Plans a conversation of the log by the profile strict: continues where the last run ended, and again each time the
// conversation has grown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sanitize/repair/active_repairs.h"
#include "sanitize/repair/strict.h"
#include "turnlog/log.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// The consumer name of the sanitizer's watermarks.
inline constexpr std::string_view kWatermarkConsumer = "sanitize";

class StrictRun {
 public:
  StrictRun(Log& log, const ConversationId& conversation) : log_(log), conversation_(conversation) {}

  // Plans the conversation up to its current end. Reads only events added since the last call.
  Result<SanitizePlan> Plan(const SanitizeOptions& options);
  // The state, so that the next run continues there; nothing if it is the one found. `head`: no repair is needed up to
  // it.
  std::optional<Watermark> NewWatermark(Seq head) const;

 private:
  Status Start(Seq last);
  void StartAt(StrictState state, Seq trusted);
  Result<std::vector<RepairRange>> RepairsUpTo(Seq last);
  Status ReadUpTo(Seq last);
  Result<std::optional<Seq>> ReadUpToChat(Seq last);

  Log& log_;
  const ConversationId conversation_;
  std::optional<Watermark> watermark_;  // as found at the start
  std::optional<StrictPlanner> planner_;
  Seq from_;     // first event of planner_
  Seq head_;     // last event of planner_
  Seq trusted_;  // repairs up to here are consistent with strict for events before from_
  std::uint64_t events_read_ = 0;
};

}  // namespace turnlog
