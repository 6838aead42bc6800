#include <algorithm>
#include <utility>

#include "sanitize/repair/jp082.h"
#include "sanitize/repair/strict.h"
#include "sanitize/repair/strict_decision.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {
namespace {

std::optional<Seq> FirstChat(std::span<const Event> events) {
  const auto chat = std::ranges::find(events, EventKind::kChatRequest, &Event::kind);
  if (chat == events.end()) return std::nullopt;
  return Seq{static_cast<std::uint64_t>(chat - events.begin()) + 1};
}

RepairPlan PlanStrict(bool close_open, std::span<const Event> events) {
  StrictPlanner planner({.first_chat = FirstChat(events)});
  for (std::size_t i = 0; i < events.size(); ++i) planner.Add(Seq{i + 1}, View(events[i]));
  RepairPlan plan = DecideStrict(planner, planner.PlanTail(), Seq{1}, close_open, ActiveRepairs({})).add;
  plan.head = Seq{events.size()};
  return plan;
}

RepairPlan PlanJp082(std::span<const Event> events) {
  Jp082Planner planner;
  for (std::size_t i = 0; i < events.size(); ++i) planner.Add(Seq{i + 1}, View(events[i]));
  return planner.Finish();
}

// Seqs of the events that are dropped or moved, ascending.
std::vector<std::uint64_t> LeftOut(const RepairPlan& plan) {
  std::vector<std::uint64_t> seqs;
  seqs.reserve(plan.drops.size());
  for (const Drop& drop : plan.drops) seqs.push_back(drop.why.seq.value);
  for (const Insert& insert : plan.inserts) {
    if (!insert.event) seqs.push_back(insert.why.seq.value);
  }
  std::ranges::sort(seqs);
  return seqs;
}

}  // namespace

RepairPlan PlanRepair(const SanitizeOptions& options, std::span<const Event> events) {
  switch (options.profile) {
    case RepairProfile::kStrict:
      return PlanStrict(options.close_open, events);
    case RepairProfile::kJp082:
      return PlanJp082(events);
  }
  return {};
}

std::vector<Event> ApplyToEvents(const RepairPlan& plan, std::span<const Event> events) {
  const std::vector<std::uint64_t> left_out = LeftOut(plan);
  std::vector<Event> repaired;
  auto insert = plan.inserts.begin();
  for (Seq seq{0}; seq.value <= events.size(); ++seq.value) {
    if (seq.value > 0 && !std::ranges::binary_search(left_out, seq.value)) repaired.push_back(events[seq.value - 1]);
    for (; insert != plan.inserts.end() && insert->after == seq; ++insert) {
      repaired.push_back(insert->event ? *insert->event : events[insert->why.seq.value - 1]);
    }
  }
  return repaired;
}

}  // namespace turnlog
