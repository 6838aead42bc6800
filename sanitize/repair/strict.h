// The profile strict, for logs in use. docs/sanitizer_rules.md has its rules and their reasons.
//
// Works turn by turn: pairs events as they arrive (history/turn.h); when the turn is over, unpaired events are dropped
// or closed. Memory: the open turn and the findings, not the conversation.
#pragma once

#include <vector>

#include "history/turn.h"
#include "sanitize/repair/strict_state.h"
#include "sanitize/repair/turn_repairer.h"

namespace turnlog {

class StrictPlanner {
 public:
  // `start`: the state before the first event that will be added. REQUIRES: first_chat is set if the conversation has a
  // chat_request, even one among the events to be added.
  explicit StrictPlanner(StrictState start) : state_(std::move(start)) {}

  // REQUIRES: in order of seq.
  void Add(Seq seq, const EventView& event);
  // Adds an erased event. It needs no repair itself, but still counts as an event of its kind.
  void AddErased(Seq seq, EventKind kind);

  // The repairs of all turns but the last. Final, except that a late result makes the closing of its call
  // void.
  const StrictRepairs& over() const { return over_; }

  struct Tail {
    bool complete = true;  // no agent seems to be working in it any more
    StrictRepairs closed;  // its repairs if it is over
    StrictRepairs open;    // its repairs while it is not: only those of compactions
  };
  // The repairs of the last turn.
  Tail PlanTail() const;
  // The state at the beginning of the last turn, where another planner can continue.
  const StrictState& state() const { return state_; }
  const std::vector<Seq>& erased() const { return erased_; }  // ascending

 private:
  void StartTurn(Seq seq);
  void AddCompaction(Seq seq, const EventView& event);

  StrictState state_;
  StrictRepairs over_;
  TurnFold turn_;
  std::vector<FoundCompaction> compactions_;  // of turn_, if they may need a repair
  std::vector<Seq> erased_;
};

}  // namespace turnlog
