#include "sanitize/repair/strict_decision.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <unordered_set>

#include "sanitize/repair/repair_diff.h"

namespace turnlog {
namespace {

RepairTarget ClosingOf(const LateResult& late) {
  return {RepairAction::kInsert, late.anchor, late.call, std::string(ToString(RepairRule::kInterruptedToolCall))};
}

RepairTarget MoveOf(const LateResult& late) {
  return {RepairAction::kMove, late.anchor, late.result, std::string(ToString(RepairRule::kMovedToolResult))};
}

// Whether the repair itself closes the last turn; others only follow from that.
bool Closes(const Drop& drop) {
  return drop.why.rule != RepairRule::kCompactionRange && drop.why.rule != RepairRule::kEmptyTurn;
}
bool Closes(const Insert& insert) { return insert.why.rule != RepairRule::kCompactionRange; }

// How many repairs closing the last turn would add that are neither active nor suppressed.
std::uint64_t CountOpen(const StrictRepairs& closed, const ActiveRepairs& in_force) {
  const auto is_open = [&](const auto& repair) {
    const RepairTarget target = TargetOf(repair);
    return repair.why.rule != RepairRule::kCompactionRange && !in_force.Has(target) && !in_force.Suppressed(target);
  };
  return static_cast<std::uint64_t>(std::ranges::count_if(closed.drops, is_open) +
                                    std::ranges::count_if(closed.inserts, is_open));
}

// An earlier run closed the open turn on request: its repairs stay as long as they are still right. Later events are
// not closed by accident.
StrictRepairs StaysClosed(const StrictRepairs& closed, const ActiveRepairs& in_force) {
  const auto stays = [&](const auto& repair) { return Closes(repair) && in_force.Has(TargetOf(repair)); };
  StrictRepairs kept;
  std::ranges::copy_if(closed.drops, std::back_inserter(kept.drops), stays);
  std::ranges::copy_if(closed.inserts, std::back_inserter(kept.inserts), stays);
  std::ranges::copy_if(closed.late, std::back_inserter(kept.late),
                       [&](const LateResult& late) { return in_force.Has(MoveOf(late)); });
  return kept;
}

}  // namespace

SanitizePlan DecideStrict(const StrictPlanner& planner, const StrictPlanner::Tail& tail, Seq from, bool close_open,
                          const ActiveRepairs& in_force) {
  const std::uint64_t open = CountOpen(tail.closed, in_force);
  const bool over = tail.complete || close_open || open == 0;
  const StrictRepairs kept = over ? StrictRepairs() : StaysClosed(tail.closed, in_force);
  const std::array parts{&planner.over(), over ? &tail.closed : &tail.open, &kept};
  RepairDiff diff(in_force);
  std::unordered_set<std::uint64_t> answered_late;
  for (const StrictRepairs* part : parts) {
    for (const LateResult& late : part->late) {
      if (in_force.Suppressed(MoveOf(late))) continue;
      answered_late.insert(late.call.value);
      diff.Forbid(ClosingOf(late));
    }
  }
  for (const StrictRepairs* part : parts) {
    for (const Drop& drop : part->drops) diff.Require(drop);
    for (const Insert& insert : part->inserts) {
      const bool closing = insert.why.rule == RepairRule::kInterruptedToolCall;
      if (!closing || !answered_late.contains(insert.why.seq.value)) diff.Require(insert);
    }
  }
  SanitizePlan plan = diff.Take(from, planner.erased());
  for (const StrictRepairs* part : parts) std::ranges::copy(part->notes, std::back_inserter(plan.add.notes));
  if (!over) plan.open = open;
  return plan;
}

}  // namespace turnlog
