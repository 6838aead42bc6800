#include "sanitize/repair/strict.h"

namespace turnlog {

void StrictPlanner::Add(Seq seq, const EventView& event) {
  if (event.kind() == EventKind::kCompaction) AddCompaction(seq, event);
  if (IsGlobal(event.kind())) return;
  if (event.kind() == EventKind::kTurnStart) StartTurn(seq);
  turn_.Add(seq, event);
}

void StrictPlanner::AddErased(Seq seq, EventKind kind) {
  erased_.push_back(seq);
  if (IsGlobal(kind)) return;
  if (kind == EventKind::kTurnStart) StartTurn(seq);
  turn_.AddErased(seq, kind);
}

void StrictPlanner::StartTurn(Seq seq) {
  RepairTurn(turn_, compactions_, state_, over_);
  state_.resume = seq;
  turn_ = TurnFold();
  compactions_.clear();
}

void StrictPlanner::AddCompaction(Seq seq, const EventView& event) {
  const auto range = ReadCompactionRange(std::get<BasicVerbatim<std::string_view>>(event.body).json.text());
  if (!range) return;
  const bool settled = range->from <= range->to && range->to < state_.turn_index && state_.dropped_turns.empty();
  if (!settled) compactions_.push_back({seq, *range, Own(event)});
}

StrictPlanner::Tail StrictPlanner::PlanTail() const {
  Tail tail{.complete = turn_.empty() || turn_.Complete(state_.first_chat.value_or(Seq{}))};
  StrictState after = state_;
  RepairTurn(turn_, compactions_, after, tail.closed);
  RepairCompactions(compactions_, state_.dropped_turns, after.turn_index, tail.open);
  return tail;
}

}  // namespace turnlog
