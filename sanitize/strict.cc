#include "sanitize/strict.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "sanitize/place_order.h"

namespace turnlog {
namespace {

template <class T>
void MoveBehind(std::vector<T>& into, std::vector<T>& from) {
  into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

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
  SettleTurn(turn_, compactions_, state_, over_);
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
  SettleTurn(turn_, compactions_, after, tail.closed);
  SettleCompactions(compactions_, state_.dropped_turns, after.turn_index, tail.open);
  return tail;
}

RepairPlan JoinRepairs(Seq head, StrictRepairs over, StrictRepairs tail) {
  RepairPlan plan{head, std::move(over.drops), std::move(over.inserts), std::move(over.notes)};
  MoveBehind(plan.drops, tail.drops);
  MoveBehind(plan.inserts, tail.inserts);
  MoveBehind(plan.notes, tail.notes);
  MoveBehind(over.late, tail.late);
  std::unordered_set<std::uint64_t> answered_late;
  for (const LateResult& late : over.late) answered_late.insert(late.call.value);
  std::erase_if(plan.inserts, [&](const Insert& insert) {
    return insert.why.rule == RepairRule::kInterruptedToolCall && answered_late.contains(insert.why.seq.value);
  });
  std::ranges::sort(plan.drops, {}, [](const Drop& drop) { return drop.why.seq; });
  SortByPlace(plan.inserts);
  return plan;
}

}  // namespace turnlog
