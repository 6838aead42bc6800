#include "sanitize/strict.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "schema/compaction_range.h"

namespace turnlog {
namespace {

constexpr std::string_view kInterruptedCall = "Tool call was interrupted.";
constexpr std::string_view kInterruptedInquiry = "interrupted";

bool HasChat(const TurnFold& turn) {
  return std::ranges::any_of(turn.items(), [](const TurnItem& item) { return item.kind == EventKind::kChatRequest; });
}

bool IsInquiry(const TurnItem& item) {
  return item.kind == EventKind::kInquiryRequest || item.kind == EventKind::kInquiryResponse;
}

bool IsResponse(const TurnItem& item) {
  return item.kind == EventKind::kToolCallResponse || item.kind == EventKind::kInquiryResponse;
}

// By place; those behind the same event stay in the order in which they were planned.
void SortByPlace(std::vector<Insert>& inserts) {
  std::vector<std::size_t> order(inserts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(inserts[i].after, i); });
  std::vector<Insert> sorted;
  sorted.reserve(inserts.size());
  for (const std::size_t i : order) sorted.push_back(std::move(inserts[i]));
  inserts = std::move(sorted);
}

}  // namespace

void StrictPlanner::Add(Insert insert) {
  plan_.inserts.push_back(std::move(insert));
  void_.push_back(false);
}

void StrictPlanner::Add(Seq seq, const EventView& event) {
  plan_.head = seq;
  if (event.kind() == EventKind::kCompaction) compactions_.push_back({seq, Own(event)});
  if (IsGlobal(event.kind())) return;
  if (event.kind() == EventKind::kTurnStart) FinishTurn();
  const std::size_t index = turn_.Add(seq, event);
  const TurnItem& item = turn_.items()[index];
  const bool may_move = item.kind == EventKind::kToolCallResponse && !item.paired() && unanswered_.contains(item.id);
  if (may_move) strays_.emplace(index, Own(event));
}

RepairPlan StrictPlanner::Finish() {
  if (turn_.Complete() || close_open_) {
    FinishTurn();
  } else if (!chat_seen_ && HasChat(turn_)) {
    std::vector<bool> nothing;  // of the open tail itself, all stays
    CutLeading(nothing);
  }
  RebaseCompactions();
  std::vector<Insert> inserts;
  for (std::size_t i = 0; i < plan_.inserts.size(); ++i) {
    if (!void_[i]) inserts.push_back(std::move(plan_.inserts[i]));
  }
  plan_.inserts = std::move(inserts);
  std::ranges::sort(plan_.drops, {}, [](const Drop& drop) { return drop.why.seq; });
  SortByPlace(plan_.inserts);
  return std::move(plan_);
}

void StrictPlanner::FinishTurn() {
  if (turn_.empty()) return;
  std::vector<bool> gone(turn_.items().size());  // cut, because it stands before the first chat_request
  const bool has_chat = HasChat(turn_);
  if (!chat_seen_ && has_chat) CutLeading(gone);
  SettleLeftovers(gone);
  DropIfEmpty(gone);
  StartIfMissing(gone);
  chat_seen_ = chat_seen_ || has_chat;
  if (!chat_seen_) leading_.push_back({turn_index_, turn_.items()});
  ++turn_index_;
  turn_ = TurnFold();
  strays_.clear();
}

// The conversation begins with its first chat_request; what was said and done before it goes, and with each part of a
// pair the other. Whatever had been planned for the turns before is void.
void StrictPlanner::CutLeading(std::vector<bool>& gone) {
  plan_.drops.clear();
  plan_.inserts.clear();
  void_.clear();
  unanswered_.clear();
  dropped_turns_.clear();
  for (const LeadingTurn& turn : leading_) {
    for (const TurnItem& item : turn.items) {
      if (item.kind != EventKind::kTurnStart) DropItem(item, RepairRule::kLeadingEvent);
    }
    if (turn.items.front().kind == EventKind::kTurnStart) {
      DropTurn(turn.items.front(), turn.index, RepairRule::kRepeatedLeadingTurn);
    } else {
      dropped_turns_.push_back(turn.index);
    }
  }
  leading_.clear();
  const auto& items = turn_.items();
  for (std::size_t i = 0; i < gone.size() && items[i].kind != EventKind::kChatRequest; ++i) {
    if (items[i].kind == EventKind::kTurnStart) continue;
    gone[i] = true;
    if (items[i].paired()) gone[items[i].partner] = true;
  }
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (gone[i]) DropItem(items[i], RepairRule::kLeadingEvent);
  }
}

// What is left over in a turn that is over: requests are closed, responses go. Inquiries come first, because the result
// of a call stands behind them.
void StrictPlanner::SettleLeftovers(const std::vector<bool>& gone) {
  const auto& items = turn_.items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (gone[i] || items[i].paired()) continue;
    if (items[i].kind == EventKind::kInquiryRequest) CloseInquiry(items[i]);
    if (items[i].kind == EventKind::kInquiryResponse) DropItem(items[i], RepairRule::kOrphanInquiryAnswer);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (gone[i] || items[i].paired()) continue;
    if (items[i].kind == EventKind::kToolCallRequest) CloseCall(i);
    if (items[i].kind == EventKind::kToolCallResponse && !MoveResult(i)) {
      DropItem(items[i], RepairRule::kOrphanToolResult);
    }
  }
}

void StrictPlanner::CloseInquiry(const TurnItem& request) {
  InquiryResponse cancelled{.outcome = Outcome::kCancelled, .id = {.text = request.id, .key = request.key}};
  cancelled.reason = kInterruptedInquiry;
  Event closing;
  closing.body = std::move(cancelled);
  closing.timestamp = request.time;
  Add({request.seq, std::move(closing), Why(request, RepairRule::kInterruptedInquiry)});
}

void StrictPlanner::CloseCall(std::size_t index) {
  const TurnItem& call = turn_.items()[index];
  const Seq place = PlaceOfResult(index);
  unanswered_[call.id].push_back({plan_.inserts.size(), place});
  Event result;
  result.body = ToolCallResponse{call.id, std::string(kInterruptedCall), true, std::nullopt};
  result.timestamp = call.time;
  Add({place, std::move(result), Why(call, RepairRule::kInterruptedToolCall)});
}

// Behind the call, or behind the last of the inquiries that follow it.
Seq StrictPlanner::PlaceOfResult(std::size_t call) const {
  const auto& items = turn_.items();
  std::size_t place = call;
  while (place + 1 < items.size() && IsInquiry(items[place + 1])) ++place;
  return items[place].seq;
}

// A result that can only belong to one call: of the turns before, exactly one call of its id has none.
bool StrictPlanner::MoveResult(std::size_t index) {
  const TurnItem& response = turn_.items()[index];
  const auto calls = unanswered_.find(response.id);
  const auto stray = strays_.find(index);
  if (calls == unanswered_.end() || calls->second.size() != 1 || stray == strays_.end()) return false;
  const Unanswered call = calls->second.front();
  unanswered_.erase(calls);
  void_[call.closing] = true;
  Add({call.place, std::move(stray->second), Why(response, RepairRule::kMovedToolResult)});
  DropItem(response, RepairRule::kMovedToolResult);
  return true;
}

// Whether the item is not in the sanitized view: cut, or a response to nothing.
bool StrictPlanner::Goes(const TurnItem& item, bool gone) { return gone || (IsResponse(item) && !item.paired()); }

void StrictPlanner::DropIfEmpty(const std::vector<bool>& gone) {
  const auto& items = turn_.items();
  if (!turn_.has_start()) {
    bool empty = true;
    for (std::size_t i = 0; i < items.size(); ++i) empty = empty && Goes(items[i], gone[i]);
    if (empty) dropped_turns_.push_back(turn_index_);
    return;
  }
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (!Goes(items[i], gone[i])) return;
  }
  DropTurn(items.front(), turn_index_, RepairRule::kEmptyTurn);
}

void StrictPlanner::DropTurn(const TurnItem& start, std::uint64_t index, RepairRule rule) {
  DropItem(start, rule);
  dropped_turns_.push_back(index);
}

void StrictPlanner::StartIfMissing(const std::vector<bool>& gone) {
  if (turn_.has_start()) return;
  const auto& items = turn_.items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (Goes(items[i], gone[i])) continue;
    Event start;
    start.timestamp = items[i].time;
    Add({Seq{items[i].seq.value - 1}, std::move(start), Why(items[i], RepairRule::kMissingLeadingTurn)});
    return;
  }
}

// A compaction names turns by their index; where turns before or within its range are gone, the indexes follow.
void StrictPlanner::RebaseCompactions() {
  const std::uint64_t turns = turn_index_ + (turn_.empty() ? 0 : 1);
  const auto gone_before = [&](std::uint64_t index) {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(dropped_turns_, index) - dropped_turns_.begin());
  };
  for (FoundCompaction& found : compactions_) {
    auto& body = std::get<Verbatim>(found.event.body);
    const auto range = ReadCompactionRange(body.json.text());
    const Finding why{RepairRule::kCompactionRange, found.seq, EventKind::kCompaction, {}};
    if (!range) continue;
    if (range->from > range->to || range->to >= turns) {
      plan_.notes.push_back(why);
      continue;
    }
    const CompactionRange kept{range->from - gone_before(range->from), range->to + 1 - gone_before(range->to + 1)};
    if (kept.from == range->from && kept.to == range->to + 1) continue;
    plan_.drops.push_back({why});
    if (kept.from == kept.to) continue;  // nothing is left of what it compacted
    body.json = Json::FromTrusted(WithCompactionRange(body.json.text(), {kept.from, kept.to - 1}));
    Add({found.seq, std::move(found.event), why});
  }
}

}  // namespace turnlog
