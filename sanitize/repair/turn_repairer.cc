#include "sanitize/repair/turn_repairer.h"

#include <algorithm>
#include <string>
#include <utility>

namespace turnlog {
namespace {

constexpr std::string_view kInterruptedCall = "Tool call was interrupted.";
constexpr std::string_view kInterruptedInquiry = "interrupted";

bool IsInquiry(const TurnItem& item) {
  return item.kind == EventKind::kInquiryRequest || item.kind == EventKind::kInquiryResponse;
}

bool IsResponse(const TurnItem& item) {
  return item.kind == EventKind::kToolCallResponse || item.kind == EventKind::kInquiryResponse;
}

Finding Why(const TurnItem& item, RepairRule rule) { return {rule, item.seq, item.kind, item.id}; }

class TurnRepairer {
 public:
  TurnRepairer(const TurnFold& turn, StrictState& state, StrictRepairs& out)
      : turn_(turn), items_(turn.items()), state_(state), out_(out), gone_(items_.size()) {
    for (std::size_t i = 0; i < items_.size(); ++i) gone_[i] = items_[i].erased;
  }

  void Run() {
    if (state_.first_chat && items_.back().seq < *state_.first_chat) return DropLeadingTurn();
    CutLeadingEvents();
    RepairInquiries();
    SettleCalls();
    DropIfEmpty();
    StartIfMissing();
  }

 private:
  void DropItem(const TurnItem& item, RepairRule rule) {
    if (!item.erased) out_.drops.push_back({Why(item, rule)});
  }
  void DropTurn(RepairRule rule) {
    if (turn_.has_start()) DropItem(items_.front(), rule);
    state_.dropped_turns.push_back(state_.turn_index);
  }
  // Whether the item is dropped: cut, or an unmatched response.
  bool IsDropped(std::size_t i) const { return gone_[i] || (IsResponse(items_[i]) && !items_[i].paired()); }
  bool IsLeftOver(std::size_t i) const { return !gone_[i] && !items_[i].paired(); }

  // The conversation begins with the turn of its first chat_request.
  void DropLeadingTurn() {
    for (const TurnItem& item : items_) {
      if (item.kind != EventKind::kTurnStart) DropItem(item, RepairRule::kLeadingEvent);
    }
    DropTurn(RepairRule::kRepeatedLeadingTurn);
  }

  // In that turn, events before the chat_request are dropped, each with the other part of its pair.
  void CutLeadingEvents() {
    if (!state_.first_chat) return;
    for (std::size_t i = 0; i < items_.size() && items_[i].seq < *state_.first_chat; ++i) {
      if (items_[i].kind == EventKind::kTurnStart) continue;
      gone_[i] = true;
      if (items_[i].paired()) gone_[items_[i].partner] = true;
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (gone_[i]) DropItem(items_[i], RepairRule::kLeadingEvent);
    }
  }

  // Inquiries before calls, because the result of a call follows its inquiries.
  void RepairInquiries() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!IsLeftOver(i)) continue;
      if (items_[i].kind == EventKind::kInquiryRequest) CloseInquiry(items_[i]);
      if (items_[i].kind == EventKind::kInquiryResponse) DropItem(items_[i], RepairRule::kOrphanInquiryAnswer);
    }
  }

  void CloseInquiry(const TurnItem& request) {
    InquiryResponse cancelled{.outcome = Outcome::kCancelled, .id = {.text = request.id, .key = request.key}};
    cancelled.reason = kInterruptedInquiry;
    Event closing{.body = std::move(cancelled), .timestamp = request.time};
    out_.inserts.push_back({request.seq, std::move(closing), Why(request, RepairRule::kInterruptedInquiry)});
  }

  void SettleCalls() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!IsLeftOver(i)) continue;
      if (items_[i].kind == EventKind::kToolCallRequest) CloseCall(i);
      if (items_[i].kind == EventKind::kToolCallResponse && !MoveResult(items_[i])) {
        DropItem(items_[i], RepairRule::kOrphanToolResult);
      }
    }
  }

  void CloseCall(std::size_t i) {
    const TurnItem& call = items_[i];
    const Seq anchor = AnchorOfResult(i);
    const auto [known, added] = state_.unanswered.try_emplace(state_.HashOf(call.id), UnansweredCall{call.seq, anchor});
    if (!added) known->second = {};
    Event result{.body = ToolCallResponse{call.id, std::string(kInterruptedCall), true, std::nullopt},
                 .timestamp = call.time};
    out_.inserts.push_back({anchor, std::move(result), Why(call, RepairRule::kInterruptedToolCall)});
  }

  // The call, or the last of the inquiries that follow it.
  Seq AnchorOfResult(std::size_t call) const {
    std::size_t anchor = call;
    while (anchor + 1 < items_.size() && IsInquiry(items_[anchor + 1])) ++anchor;
    return items_[anchor].seq;
  }

  // Moves a result that can belong to only one call: exactly one call of its id in earlier turns has none.
  bool MoveResult(const TurnItem& result) {
    const auto known = state_.unanswered.find(state_.HashOf(result.id));
    if (known == state_.unanswered.end() || known->second.call == Seq{0}) return false;
    const auto [call, anchor] = known->second;
    state_.unanswered.erase(known);
    out_.inserts.push_back({anchor, std::nullopt, Why(result, RepairRule::kMovedToolResult)});
    out_.late.push_back({call, anchor, result.seq});
    return true;
  }

  void DropIfEmpty() {
    for (std::size_t i = turn_.has_start() ? 1 : 0; i < items_.size(); ++i) {
      if (!IsDropped(i)) return;
    }
    DropTurn(RepairRule::kEmptyTurn);
  }

  // Also if the turn_start was dropped and erased as that of an empty turn, and the turn has continued since.
  void StartIfMissing() {
    if (turn_.has_start() && !items_.front().erased) return;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (IsDropped(i)) continue;
      Event start{.timestamp = items_[i].time};
      const Seq anchor{items_[i].seq.value - 1};
      out_.inserts.push_back({anchor, std::move(start), Why(items_[i], RepairRule::kMissingLeadingTurn)});
      return;
    }
  }

  const TurnFold& turn_;
  const std::vector<TurnItem>& items_;
  StrictState& state_;
  StrictRepairs& out_;
  std::vector<bool> gone_;  // cut, because it is before the first chat_request, or erased
};

Event WithRange(const Event& compaction, CompactionRange range) {
  Event changed = compaction;
  auto& body = std::get<Verbatim>(changed.body);
  body.json = Json::FromTrusted(WithCompactionRange(body.json.text(), range));
  changed.source_text.reset();  // it contains the old range
  return changed;
}

}  // namespace

void RepairTurn(const TurnFold& turn, std::span<const FoundCompaction> compactions, StrictState& state,
                StrictRepairs& out) {
  if (!turn.empty()) TurnRepairer(turn, state, out).Run();
  if (!turn.empty()) ++state.turn_index;
  RepairCompactions(compactions, state.dropped_turns, state.turn_index, out);
}

void RepairCompactions(std::span<const FoundCompaction> compactions, const std::vector<std::uint64_t>& dropped_turns,
                       std::uint64_t turns, StrictRepairs& out) {
  const auto gone_before = [&](std::uint64_t index) {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(dropped_turns, index) - dropped_turns.begin());
  };
  for (const auto& [seq, range, event] : compactions) {
    const Finding why{RepairRule::kCompactionRange, seq, EventKind::kCompaction, {}};
    if (range.from > range.to || range.to >= turns) {
      out.notes.push_back(why);
      continue;
    }
    const std::uint64_t from = range.from - gone_before(range.from);
    const std::uint64_t end = range.to + 1 - gone_before(range.to + 1);
    if (from == range.from && end == range.to + 1) continue;
    out.drops.push_back({why});
    if (from == end) continue;  // all turns that it compacted are gone
    out.inserts.push_back({seq, WithRange(event, {from, end - 1}), why});
  }
}

}  // namespace turnlog
