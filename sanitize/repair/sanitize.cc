#include "turnlog/sanitize/sanitize.h"

#include <utility>

#include "base/try.h"
#include "sanitize/repair/guarded_append.h"
#include "sanitize/repair/jp082_run.h"
#include "sanitize/repair/repair_events.h"
#include "sanitize/repair/strict_run.h"

namespace turnlog {
namespace {

template <class Run>
Result<SanitizeOutcome> CarryOut(Run run, Log& log, const ConversationId& conversation,
                                 const SanitizeOptions& options) {
  SanitizeOutcome outcome;
  const auto decide = [&]() -> Result<AppendDecision> {
    outcome.plan = TURNLOG_TRY(run.Plan(options));
    return AppendDecision{outcome.plan.add.head, ToRepairEvents(outcome.plan, options.profile, Now())};
  };
  const AppendResult appended = TURNLOG_TRY(AppendGuarded(log, conversation, options.durability, decide));
  for (const AppendedEvent& event : appended.events) outcome.repairs.push_back(event.seq);
  outcome.ticket = appended.ticket;
  TURNLOG_TRY(run.SaveWatermark(outcome.repairs.empty() ? outcome.plan.add.head : outcome.repairs.back()));
  return outcome;
}

}  // namespace

Result<SanitizePlan> PlanSanitize(Log& log, const ConversationId& conversation, const SanitizeOptions& options) {
  switch (options.profile) {
    case RepairProfile::kStrict:
      return StrictRun(log, conversation).Plan(options);
    case RepairProfile::kJp082:
      return Jp082Run(log, conversation).Plan(options);
  }
  return {};
}

Result<SanitizeOutcome> Sanitize(Log& log, const ConversationId& conversation, const SanitizeOptions& options) {
  switch (options.profile) {
    case RepairProfile::kStrict:
      return CarryOut(StrictRun(log, conversation), log, conversation, options);
    case RepairProfile::kJp082:
      return CarryOut(Jp082Run(log, conversation), log, conversation, options);
  }
  return {};
}

}  // namespace turnlog
