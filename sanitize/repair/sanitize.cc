#include "turnlog/sanitize/sanitize.h"

#include <utility>

#include "base/try.h"
#include "sanitize/repair/guarded_append.h"
#include "sanitize/repair/jp082_run.h"
#include "sanitize/repair/repair_events.h"
#include "sanitize/repair/sanitize_later.h"
#include "sanitize/repair/strict_run.h"

namespace turnlog {
namespace {

template <class Run>
Result<BegunSanitize> Begin(Run run, Log& log, const ConversationId& conversation, const SanitizeOptions& options) {
  SanitizeOutcome outcome;
  const auto decide = [&]() -> Result<AppendDecision> {
    outcome.plan = TURNLOG_TRY(run.Plan(options));
    return AppendDecision{outcome.plan.add.head, ToRepairEvents(outcome.plan, options.profile, Now())};
  };
  const AppendResult appended = TURNLOG_TRY(AppendGuardedLater(log, conversation, options.durability, decide));
  for (const AppendedEvent& event : appended.events) outcome.repairs.push_back(event.seq);
  outcome.ticket = appended.ticket;
  const Seq head = outcome.repairs.empty() ? outcome.plan.add.head : outcome.repairs.back();
  return BegunSanitize{std::move(outcome), run.NewWatermark(head)};
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

Result<BegunSanitize> BeginSanitize(Log& log, const ConversationId& conversation, const SanitizeOptions& options) {
  switch (options.profile) {
    case RepairProfile::kStrict:
      return Begin(StrictRun(log, conversation), log, conversation, options);
    case RepairProfile::kJp082:
      return Begin(Jp082Run(log, conversation), log, conversation, options);
  }
  return {};
}

Status FinishSanitize(Log& log, const ConversationId& conversation, const BegunSanitize& begun, Durability durability) {
  if (!begun.outcome.repairs.empty()) TURNLOG_TRY(log.Wait(begun.outcome.ticket, durability));
  if (!begun.watermark) return {};
  return log.SetWatermark(kWatermarkConsumer, conversation, *begun.watermark);
}

Result<SanitizeOutcome> Sanitize(Log& log, const ConversationId& conversation, const SanitizeOptions& options) {
  BegunSanitize begun = TURNLOG_TRY(BeginSanitize(log, conversation, options));
  TURNLOG_TRY(FinishSanitize(log, conversation, begun, options.durability));
  return std::move(begun.outcome);
}

}  // namespace turnlog
