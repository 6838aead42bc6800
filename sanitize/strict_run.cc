#include "sanitize/strict_run.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/try.h"
#include "sanitize/difference.h"
#include "sanitize/log_records.h"

namespace turnlog {
namespace {

constexpr Seq kEverything{std::numeric_limits<std::uint64_t>::max()};

RepairTarget ClosingOf(const LateResult& late) {
  return {RepairAction::kInsert, late.place, late.call, std::string(ToString(RepairRule::kInterruptedToolCall))};
}

RepairTarget MoveOf(const LateResult& late) {
  return {RepairAction::kMove, late.place, late.result, std::string(ToString(RepairRule::kMovedToolResult))};
}

// Of what closing the last turn would do, the part that closes it; the rest only follows from that.
bool Closes(const Drop& drop) {
  return drop.why.rule != RepairRule::kCompactionRange && drop.why.rule != RepairRule::kEmptyTurn;
}
bool Closes(const Insert& insert) { return insert.why.rule != RepairRule::kCompactionRange; }

// How many repairs closing the last turn would make that have neither been made nor undone before.
std::uint64_t CountOpen(const StrictRepairs& closed, const InForce& in_force) {
  const auto is_open = [&](const auto& repair) {
    const RepairTarget target = TargetOf(repair);
    return repair.why.rule != RepairRule::kCompactionRange && !in_force.Has(target) && !in_force.Declined(target);
  };
  return static_cast<std::uint64_t>(std::ranges::count_if(closed.drops, is_open) +
                                    std::ranges::count_if(closed.inserts, is_open));
}

// An earlier run was told to close the turn although it is open: that stays as long as it is still right. What has come
// since is not closed by accident.
StrictRepairs StaysClosed(const StrictRepairs& closed, const InForce& in_force) {
  const auto stays = [&](const auto& repair) { return Closes(repair) && in_force.Has(TargetOf(repair)); };
  StrictRepairs kept;
  std::ranges::copy_if(closed.drops, std::back_inserter(kept.drops), stays);
  std::ranges::copy_if(closed.inserts, std::back_inserter(kept.inserts), stays);
  std::ranges::copy_if(closed.late, std::back_inserter(kept.late),
                       [&](const LateResult& late) { return in_force.Has(MoveOf(late)); });
  return kept;
}

// Ascending.
std::vector<Seq> LateCalls(const StrictRepairs& over, const StrictRepairs& closed) {
  std::vector<Seq> calls;
  calls.reserve(over.late.size() + closed.late.size());
  for (const LateResult& late : over.late) calls.push_back(late.call);
  for (const LateResult& late : closed.late) calls.push_back(late.call);
  std::ranges::sort(calls);
  return calls;
}

}  // namespace

// From the watermark if there is one that can be used, else from the beginning.
Status StrictRun::Start(Seq last) {
  watermark_ = TURNLOG_TRY(log_.FindWatermark(conversation_));
  auto state = watermark_ && watermark_->head <= last ? DecodeStrictState(watermark_->state) : std::nullopt;
  if (state) {
    StartAt(*std::move(state), watermark_->head);
  } else {
    StartAt({}, kEverything);
  }
  return {};
}

void StrictRun::StartAt(StrictState state, Seq trusted) {
  from_ = state.resume;
  head_ = Seq{from_.value - 1};
  trusted_ = trusted;
  planner_.emplace(std::move(state));
}

Result<std::vector<RepairPlace>> StrictRun::RepairsUpTo(Seq last) {
  auto repairs = TURNLOG_TRY(log_.Repairs(conversation_));
  std::erase_if(repairs, [&](const RepairPlace& repair) { return repair.seq > last; });
  return repairs;
}

Result<std::optional<Seq>> StrictRun::FindChat(Seq last) {
  std::optional<Seq> chat;
  const auto find = [&](Seq seq, EventKind kind, const Record*) -> Result<bool> {
    ++events_read_;
    if (kind == EventKind::kChatRequest) chat = seq;
    return !chat;
  };
  TURNLOG_TRY(ForEachRecord(log_, conversation_, Seq{head_.value + 1}, last, find));
  return chat;
}

Status StrictRun::ReadUpTo(Seq last) {
  if (!planner_->state().first_chat) {
    // Everything before it is another thing than it was taken for.
    if (const auto chat = TURNLOG_TRY(FindChat(last))) StartAt({.first_chat = chat}, kEverything);
  }
  const auto add = [&](Seq seq, EventKind kind, const Record* record) -> Result<bool> {
    ++events_read_;
    if (record == nullptr) {
      planner_->AddErased(seq, kind);
    } else if (!IsGlobal(kind) || kind == EventKind::kCompaction) {
      planner_->Add(seq, TURNLOG_TRY(record->Decode()));
    }
    return true;
  };
  TURNLOG_TRY(ForEachRecord(log_, conversation_, Seq{head_.value + 1}, last, add));
  head_ = last;
  return {};
}

Result<SanitizePlan> StrictRun::Plan(const SanitizeOptions& options) {
  const Seq last = TURNLOG_TRY(log_.Info(conversation_)).last;
  if (!planner_) TURNLOG_TRY(Start(last));
  const std::vector<RepairPlace> repairs = TURNLOG_TRY(RepairsUpTo(last));
  if (!repairs.empty() && repairs.back().seq > trusted_) {
    StartAt({.first_chat = planner_->state().first_chat}, kEverything);
  }
  TURNLOG_TRY(ReadUpTo(last));
  const StrictPlanner::Tail tail = planner_->PlanTail();
  const std::vector<Seq> calls = LateCalls(planner_->over(), tail.closed);
  const InForce in_force = TURNLOG_TRY(InForce::Load(log_, conversation_, repairs, from_, calls));
  SanitizePlan plan = Decide(options.close_open, tail, in_force);
  plan.add.head = head_;
  plan.events_read = events_read_;
  return plan;
}

SanitizePlan StrictRun::Decide(bool close_open, const StrictPlanner::Tail& tail, const InForce& in_force) const {
  const std::uint64_t open = CountOpen(tail.closed, in_force);
  const bool over = tail.complete || close_open || open == 0;
  const StrictRepairs kept = over ? StrictRepairs() : StaysClosed(tail.closed, in_force);
  const std::array parts{&planner_->over(), over ? &tail.closed : &tail.open, &kept};
  Difference difference(in_force);
  std::unordered_set<std::uint64_t> answered_late;
  for (const StrictRepairs* part : parts) {
    for (const LateResult& late : part->late) {
      if (in_force.Declined(MoveOf(late))) continue;
      answered_late.insert(late.call.value);
      difference.Refuse(ClosingOf(late));
    }
  }
  for (const StrictRepairs* part : parts) {
    for (const Drop& drop : part->drops) difference.Want(drop);
    for (const Insert& insert : part->inserts) {
      const bool closing = insert.why.rule == RepairRule::kInterruptedToolCall;
      if (!closing || !answered_late.contains(insert.why.seq.value)) difference.Want(insert);
    }
  }
  SanitizePlan plan = difference.Take(from_, planner_->erased());
  for (const StrictRepairs* part : parts) std::ranges::copy(part->notes, std::back_inserter(plan.add.notes));
  if (!over) plan.open = open;
  return plan;
}

Status StrictRun::Remember(Seq head) {
  Watermark found{head, Encode(planner_->state())};
  if (watermark_ == found) return {};
  return log_.SetWatermark(conversation_, found);
}

}  // namespace turnlog
