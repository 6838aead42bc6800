#include "sanitize/repair/jp082.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <variant>

#include "schema/event/import_event.h"

namespace turnlog {
namespace {

// jp never sees these: they hold what jp stores outside of its events, or are turnlog's own.
bool IsUnknownToJp(const EventView& event) {
  return event.kind() == EventKind::kRepair || event.kind() == EventKind::kRedaction || IsImportEvent(event);
}

struct IdOf {
  std::string_view operator()(const BasicToolCallRequest<std::string_view>& body) const { return body.id; }
  std::string_view operator()(const BasicToolCallResponse<std::string_view>& body) const { return body.id; }
  std::string_view operator()(const BasicInquiryRequest<std::string_view>& body) const { return body.id.text; }
  std::string_view operator()(const BasicInquiryResponse<std::string_view>& body) const { return body.id.text; }
  std::string_view operator()(const auto&) const { return {}; }
};

}  // namespace

void Jp082Planner::Add(Seq seq, const EventView& event) {
  head_ = seq;
  if (IsUnknownToJp(event)) return;
  entries_.push_back({seq, event.kind(), Intern(std::visit(IdOf(), event.body)), event.timestamp, std::nullopt});
}

std::size_t Jp082Planner::Intern(std::string_view id) {
  const auto [entry, added] = id_index_.emplace(id, ids_.size());
  if (added) ids_.emplace_back(id);
  return entry->second;
}

std::size_t Jp082Planner::FirstKept(EventKind kind) const {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& e) { return e.kind == kind && Kept(e); });
  return static_cast<std::size_t>(found - entries_.begin());
}

Finding Jp082Planner::Why(const Entry& entry, RepairRule rule) const {
  return {rule, entry.seq, entry.kind, ids_[entry.id]};
}

void Jp082Planner::DropLeadingEvents() {
  const std::size_t first = FirstKept(EventKind::kChatRequest);
  if (first == entries_.size()) return;
  for (std::size_t i = 0; i < first; ++i) {
    Entry& entry = entries_[i];
    if (InTurn(entry) && entry.kind != EventKind::kTurnStart) entry.dropped = RepairRule::kLeadingEvent;
  }
}

void Jp082Planner::DropOrphanToolResults() {
  std::unordered_set<std::size_t> called;
  for (const Entry& entry : entries_) {
    if (Kept(entry) && entry.kind == EventKind::kToolCallRequest) called.insert(entry.id);
  }
  for (Entry& entry : entries_) {
    if (!Kept(entry) || entry.kind != EventKind::kToolCallResponse || called.contains(entry.id)) continue;
    entry.dropped = RepairRule::kOrphanToolResult;
  }
}

void Jp082Planner::CloseInterruptedToolCalls() {
  std::unordered_set<std::size_t> finished;
  for (const Entry& entry : entries_) {
    if (Kept(entry) && entry.kind == EventKind::kToolCallResponse) finished.insert(entry.id);
  }
  for (const Entry& entry : entries_) {
    if (!Kept(entry) || entry.kind != EventKind::kToolCallRequest || finished.contains(entry.id)) continue;
    Event result;
    result.body = ToolCallResponse{ids_[entry.id], "Tool call was interrupted.", true, std::nullopt};
    result.timestamp = entry.time;
    inserts_.push_back({entry.seq, std::move(result), Why(entry, RepairRule::kInterruptedToolCall)});
  }
}

void Jp082Planner::PairInquiries() {
  DropExcess(EventKind::kInquiryResponse, EventKind::kInquiryRequest, RepairRule::kOrphanInquiryAnswer);
  DropExcess(EventKind::kInquiryRequest, EventKind::kInquiryResponse, RepairRule::kOrphanInquiry);
}

void Jp082Planner::DropExcess(EventKind kind, EventKind partner, RepairRule rule) {
  const auto starts_turn = [](const Entry& entry) { return Kept(entry) && entry.kind == EventKind::kTurnStart; };
  for (auto turn = entries_.begin(); turn != entries_.end();) {
    const auto end = std::find_if(turn + 1, entries_.end(), starts_turn);
    DropExcessOfTurn(std::span(turn, end), kind, partner, rule);
    turn = end;
  }
}

// Per id, keeps the first events of `kind`, as many as there are of `partner`, and drops the rest.
void Jp082Planner::DropExcessOfTurn(std::span<Entry> turn, EventKind kind, EventKind partner, RepairRule rule) {
  std::unordered_map<std::size_t, std::uint64_t> partners;
  for (const Entry& entry : turn) {
    if (Kept(entry) && entry.kind == partner) ++partners[entry.id];
  }
  for (Entry& entry : turn) {
    if (!Kept(entry) || entry.kind != kind) continue;
    const auto left = partners.find(entry.id);
    if (left == partners.end() || left->second == 0) {
      entry.dropped = rule;
    } else {
      --left->second;
    }
  }
}

void Jp082Planner::DropTrailingTurn() {
  const auto last =
      std::find_if(entries_.rbegin(), entries_.rend(), [](const Entry& entry) { return InTurn(entry) && Kept(entry); });
  if (last != entries_.rend() && last->kind == EventKind::kTurnStart) last->dropped = RepairRule::kTrailingTurn;
}

void Jp082Planner::LeaveOneLeadingTurn() {
  const bool has_content = std::ranges::any_of(
      entries_, [](const Entry& e) { return InTurn(e) && Kept(e) && e.kind != EventKind::kTurnStart; });
  if (!has_content) return;
  const std::size_t chat = FirstKept(EventKind::kChatRequest);
  if (chat == entries_.size()) {
    const Entry& first = *std::ranges::find_if(entries_, Kept);
    return InsertTurnStart(first, InTurn(first) ? first.time : std::nullopt);
  }
  Entry* last_leading = nullptr;
  for (std::size_t i = 0; i < chat; ++i) {
    if (entries_[i].kind != EventKind::kTurnStart || !Kept(entries_[i])) continue;
    if (last_leading != nullptr) last_leading->dropped = RepairRule::kRepeatedLeadingTurn;
    last_leading = &entries_[i];
  }
  if (last_leading == nullptr) InsertTurnStart(entries_[chat], entries_[chat].time);
}

void Jp082Planner::InsertTurnStart(const Entry& before, std::optional<Timestamp> time) {
  Event turn_start;
  turn_start.timestamp = time.value_or(Timestamp{});
  const Seq after{before.seq.value - 1};
  const auto position = std::ranges::upper_bound(inserts_, after, {}, &Insert::after);
  inserts_.insert(position, {after, std::move(turn_start), Why(before, RepairRule::kMissingLeadingTurn)});
}

RepairPlan Jp082Planner::TakePlan() {
  RepairPlan plan{head_, {}, std::move(inserts_)};
  for (const Entry& entry : entries_) {
    if (entry.dropped) plan.drops.push_back({Why(entry, *entry.dropped)});
  }
  return plan;
}

RepairPlan Jp082Planner::Finish() {
  DropLeadingEvents();
  DropOrphanToolResults();
  CloseInterruptedToolCalls();
  PairInquiries();
  DropTrailingTurn();
  LeaveOneLeadingTurn();
  return TakePlan();
}

}  // namespace turnlog
