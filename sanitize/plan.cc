#include <utility>

#include "base/try.h"
#include "sanitize/jp082.h"
#include "sanitize/strict.h"
#include "turnlog/sanitize.h"

namespace turnlog {
namespace {

template <class Planner>
Result<RepairPlan> PlanFromLog(Planner planner, Log& log, const ConversationId& conversation) {
  const auto cursor = TURNLOG_TRY(log.Read(conversation));
  while (true) {
    const Item item = TURNLOG_TRY(cursor->Next());
    if (const auto* damage = std::get_if<Damage>(&item)) {
      return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
    }
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return planner.Finish();
    planner.Add(record->seq, TURNLOG_TRY(record->Decode()));
  }
}

template <class Planner>
RepairPlan PlanFromEvents(Planner planner, std::span<const Event> events) {
  for (std::size_t i = 0; i < events.size(); ++i) planner.Add(Seq{i + 1}, View(events[i]));
  return planner.Finish();
}

}  // namespace

std::string_view ToString(RepairRule rule) {
  switch (rule) {
    case RepairRule::kLeadingEvent:
      return "leading-event";
    case RepairRule::kOrphanToolResult:
      return "orphan-tool-result";
    case RepairRule::kInterruptedToolCall:
      return "interrupted-tool-call";
    case RepairRule::kOrphanInquiryAnswer:
      return "orphan-inquiry-answer";
    case RepairRule::kOrphanInquiry:
      return "orphan-inquiry";
    case RepairRule::kTrailingTurn:
      return "trailing-turn";
    case RepairRule::kRepeatedLeadingTurn:
      return "repeated-leading-turn";
    case RepairRule::kMissingLeadingTurn:
      return "missing-leading-turn";
    case RepairRule::kMovedToolResult:
      return "moved-tool-result";
    case RepairRule::kInterruptedInquiry:
      return "interrupted-inquiry";
    case RepairRule::kEmptyTurn:
      return "empty-turn";
    case RepairRule::kCompactionRange:
      return "compaction-range";
  }
  return "unknown";
}

RepairPlan PlanRepair(const RepairOptions& options, std::span<const Event> events) {
  switch (options.profile) {
    case RepairProfile::kStrict:
      return PlanFromEvents(StrictPlanner(options.close_open), events);
    case RepairProfile::kJp082:
      return PlanFromEvents(Jp082Planner(), events);
  }
  return {};
}

Result<RepairPlan> PlanRepair(Log& log, const ConversationId& conversation, const RepairOptions& options) {
  switch (options.profile) {
    case RepairProfile::kStrict:
      return PlanFromLog(StrictPlanner(options.close_open), log, conversation);
    case RepairProfile::kJp082:
      return PlanFromLog(Jp082Planner(), log, conversation);
  }
  return {};
}

std::vector<Event> ApplyToEvents(const RepairPlan& plan, std::span<const Event> events) {
  std::vector<Event> repaired;
  auto drop = plan.drops.begin();
  auto insert = plan.inserts.begin();
  for (Seq seq{0}; seq.value <= events.size(); ++seq.value) {
    if (drop != plan.drops.end() && drop->why.seq == seq) {
      ++drop;
    } else if (seq.value > 0) {
      repaired.push_back(events[seq.value - 1]);
    }
    for (; insert != plan.inserts.end() && insert->after == seq; ++insert) repaired.push_back(insert->event);
  }
  return repaired;
}

}  // namespace turnlog
