#include "sanitize/repair/guarded_append.h"

#include <chrono>

#include "base/try.h"

namespace turnlog {
namespace {

// A decision takes well under a millisecond once the conversation has been read. A client that appends faster than that
// so many times in a row is not going to pause.
constexpr int kAttempts = 100;

}  // namespace

Result<AppendResult> AppendGuardedLater(Log& log, const ConversationId& conversation, Durability durability,
                                        const std::function<Result<AppendDecision>()>& decide) {
  for (int attempt = 1;; ++attempt) {
    const AppendDecision decision = TURNLOG_TRY(decide());
    if (decision.events.empty()) return AppendResult();
    std::vector<EventView> views;
    views.reserve(decision.events.size());
    for (const Event& event : decision.events) views.push_back(View(event));
    auto appended = log.AppendLater(conversation, views, {.durability = durability, .expected_last = decision.head});
    if (!appended && appended.error().code == ErrorCode::kConflict && attempt < kAttempts) continue;
    return appended;
  }
}

Result<AppendResult> AppendGuarded(Log& log, const ConversationId& conversation, Durability durability,
                                   const std::function<Result<AppendDecision>()>& decide) {
  AppendResult appended = TURNLOG_TRY(AppendGuardedLater(log, conversation, durability, decide));
  const bool waits = !appended.events.empty() && log.capabilities().appends_later;
  if (waits) TURNLOG_TRY(log.Wait(appended.ticket, durability));
  return appended;
}

Timestamp Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()};
}

}  // namespace turnlog
