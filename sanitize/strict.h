// The profile strict: what a live log needs. docs/sanitizer_rules.md has its rules and the reasons.
//
// Turn by turn: pairs are found as the events come (history/turn.h); when the turn is over, its leftovers are dropped
// or closed. Memory follows the open turn and what was found, not the conversation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "history/turn.h"
#include "turnlog/sanitize.h"

namespace turnlog {

class StrictPlanner {
 public:
  // `close_open`: the last turn is taken as over even if it looks as if somebody were still at work in it.
  explicit StrictPlanner(bool close_open) : close_open_(close_open) {}

  // REQUIRES: in order of seq.
  void Add(Seq seq, const EventView& event);
  RepairPlan Finish();

 private:
  // A turn that is over, as far as later events can still change what becomes of it.
  struct LeadingTurn {
    std::uint64_t index = 0;
    std::vector<TurnItem> items;
  };
  // A call in a turn that is over; its result may yet be found in a later one.
  struct Unanswered {
    std::size_t closing = 0;  // the insertion that stands in for the result
    Seq place;                // behind which the result belongs
  };
  struct FoundCompaction {
    Seq seq;
    Event event;
  };

  void FinishTurn();
  void CutLeading(std::vector<bool>& gone);
  void SettleLeftovers(const std::vector<bool>& gone);
  void CloseCall(std::size_t index);
  void CloseInquiry(const TurnItem& request);
  bool MoveResult(std::size_t index);
  void DropIfEmpty(const std::vector<bool>& gone);
  void StartIfMissing(const std::vector<bool>& gone);
  void RebaseCompactions();
  Seq PlaceOfResult(std::size_t call) const;

  void Add(Insert insert);
  static bool Goes(const TurnItem& item, bool gone);
  static Finding Why(const TurnItem& item, RepairRule rule) { return {rule, item.seq, item.kind, item.id}; }
  void DropItem(const TurnItem& item, RepairRule rule) { plan_.drops.push_back({Why(item, rule)}); }
  void DropTurn(const TurnItem& start, std::uint64_t index, RepairRule rule);

  const bool close_open_;
  RepairPlan plan_;
  std::vector<bool> void_;  // insertions of plan_ that a later turn has made needless
  TurnFold turn_;
  std::uint64_t turn_index_ = 0;                   // of turn_, counted as compactions count: from 0
  std::unordered_map<std::size_t, Event> strays_;  // results without a call in turn_, by item
  bool chat_seen_ = false;                         // a chat_request, in a turn that is over
  std::vector<LeadingTurn> leading_;               // until then
  std::unordered_map<std::string, std::vector<Unanswered>> unanswered_;  // by id of the call
  std::vector<std::uint64_t> dropped_turns_;                             // indexes, ascending
  std::vector<FoundCompaction> compactions_;
};

}  // namespace turnlog
