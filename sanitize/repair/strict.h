// The profile strict: what a live log needs. docs/sanitizer_rules.md has its rules and the reasons.
//
// Turn by turn: pairs are found as the events come (history/turn.h); when the turn is over, its leftovers are dropped
// or closed. Memory follows the open turn and what was found, not the conversation.
#pragma once

#include <vector>

#include "history/turn.h"
#include "sanitize/repair/strict_state.h"
#include "sanitize/repair/turn_repairer.h"

namespace turnlog {

class StrictPlanner {
 public:
  // `start`: as of the first event that will be added. It must know the conversation's first chat_request if there is
  // one, among these events too.
  explicit StrictPlanner(StrictState start) : state_(std::move(start)) {}

  // REQUIRES: in order of seq.
  void Add(Seq seq, const EventView& event);
  // An event whose content is gone. Nothing is to be done about it; it still counts as what it was.
  void AddErased(Seq seq, EventKind kind);

  // What the turns need that are over because another one follows them. Final, but for the closing of a call whose late
  // result is found.
  const StrictRepairs& over() const { return over_; }

  struct Tail {
    bool complete = true;  // nobody seems to be at work in it any more
    StrictRepairs closed;  // what it needs if it is over
    StrictRepairs open;    // what can be said while it is not: of the compactions in it
  };
  // What the last turn needs.
  Tail PlanTail() const;
  // At the beginning of the last turn: from there another planner can go on.
  const StrictState& state() const { return state_; }
  const std::vector<Seq>& erased() const { return erased_; }  // ascending

 private:
  void StartTurn(Seq seq);
  void AddCompaction(Seq seq, const EventView& event);

  StrictState state_;
  StrictRepairs over_;
  TurnFold turn_;
  std::vector<FoundCompaction> compactions_;  // of turn_, if anything may become of them
  std::vector<Seq> erased_;
};

}  // namespace turnlog
