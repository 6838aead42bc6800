// Planning a conversation of the log by the profile strict: from where the last run has left it, and further on each
// time that it has grown meanwhile.
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

// Whose watermarks the sanitizer's are.
inline constexpr std::string_view kWatermarkConsumer = "sanitize";

class StrictRun {
 public:
  StrictRun(Log& log, const ConversationId& conversation) : log_(log), conversation_(conversation) {}

  // As of now. Reads what has been added since the last call.
  Result<SanitizePlan> Plan(const SanitizeOptions& options);
  // Keeps what has been found out, so that the next run starts there. `head`: nothing is left to be done up to it.
  Status SaveWatermark(Seq head);

 private:
  Status Start(Seq last);
  void StartAt(StrictState state, Seq trusted);
  Result<std::vector<RepairPlace>> RepairsUpTo(Seq last);
  Result<std::optional<Seq>> FindChat(Seq last);
  Status ReadUpTo(Seq last);

  Log& log_;
  const ConversationId conversation_;
  std::optional<Watermark> watermark_;  // as it was found
  std::optional<StrictPlanner> planner_;
  Seq from_;     // where planner_ has started
  Seq head_;     // how far it has come
  Seq trusted_;  // what repairs up to here have done before from_ is as strict wants it
  std::uint64_t events_read_ = 0;
};

}  // namespace turnlog
