#include "sanitize/repair/strict_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/try.h"
#include "sanitize/repair/log_records.h"
#include "sanitize/repair/strict_decision.h"

namespace turnlog {
namespace {

constexpr Seq kEverything{std::numeric_limits<std::uint64_t>::max()};

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

// Starts at the watermark if it can be used, otherwise at the beginning.
Status StrictRun::Start(Seq last) {
  watermark_ = TURNLOG_TRY(log_.FindWatermark(kWatermarkConsumer, conversation_));
  auto state = watermark_ && watermark_->head <= last ? DecodeStrictState(watermark_->state) : std::nullopt;
  if (state) {
    StartAt(*std::move(state), watermark_->head);
  } else {
    StartAt(FreshStrictState(), kEverything);
  }
  return {};
}

void StrictRun::StartAt(StrictState state, Seq trusted) {
  from_ = state.resume;
  head_ = Seq{from_.value - 1};
  trusted_ = trusted;
  planner_.emplace(std::move(state));
}

Result<std::vector<RepairRange>> StrictRun::RepairsUpTo(Seq last) {
  auto repairs = TURNLOG_TRY(log_.Repairs(conversation_));
  std::erase_if(repairs, [&](const RepairRange& repair) { return repair.seq > last; });
  return repairs;
}

// The first chat_request changes the meaning of all earlier events: begins again when it comes.
Status StrictRun::ReadUpTo(Seq last) {
  while (const auto chat = TURNLOG_TRY(ReadUpToChat(last))) StartAt({.first_chat = chat}, kEverything);
  head_ = last;
  return {};
}

// Nothing: there is no new one.
Result<std::optional<Seq>> StrictRun::ReadUpToChat(Seq last) {
  std::optional<Seq> chat;
  const auto add = [&](Seq seq, EventKind kind, const Record* record) -> Result<bool> {
    ++events_read_;
    if (kind == EventKind::kChatRequest && !planner_->state().first_chat) {
      chat = seq;
    } else if (record == nullptr) {
      planner_->AddErased(seq, kind);
    } else if (!IsGlobal(kind) || kind == EventKind::kCompaction) {
      planner_->Add(seq, TURNLOG_TRY(record->Decode()));
    }
    return !chat;
  };
  TURNLOG_TRY(ForEachRecord(log_, conversation_, Seq{head_.value + 1}, last, add));
  return chat;
}

Result<SanitizePlan> StrictRun::Plan(const SanitizeOptions& options) {
  const Seq last = TURNLOG_TRY(log_.Info(conversation_)).last;
  if (!planner_) TURNLOG_TRY(Start(last));
  const std::vector<RepairRange> repairs = TURNLOG_TRY(RepairsUpTo(last));
  if (!repairs.empty() && repairs.back().seq > trusted_) {
    StartAt({.first_chat = planner_->state().first_chat}, kEverything);
  }
  TURNLOG_TRY(ReadUpTo(last));
  const StrictPlanner::Tail tail = planner_->PlanTail();
  const std::vector<Seq> calls = LateCalls(planner_->over(), tail.closed);
  const ActiveRepairs in_force = TURNLOG_TRY(ActiveRepairs::Load(log_, conversation_, repairs, from_, calls));
  SanitizePlan plan = DecideStrict(*planner_, tail, from_, options.close_open, in_force);
  plan.add.head = head_;
  plan.events_read = events_read_;
  return plan;
}

std::optional<Watermark> StrictRun::NewWatermark(Seq head) const {
  Watermark reached{head, Encode(planner_->state())};
  return watermark_ == reached ? std::nullopt : std::optional(std::move(reached));
}

}  // namespace turnlog
