// Where turns begin in a history that does not mark them.
#pragma once

#include <cstdint>
#include <string>

#include "base/coding.h"
#include "migrate/records/record_events.h"

namespace turnlog {

class TurnTracker {
 public:
  // These add a turn_start if a turn begins here. Call them before the event is added.
  void BeforePrompt(RecordEvents& events);  // of the user, or of the agent above: begins a turn
  void BeforeHarness(
      RecordEvents& events);               // written by the tool: part of the current turn or, before one, of the next
  void BeforeOther(RecordEvents& events);  // of the current turn

  // What follows begins a new turn in any case.
  void End() { state_ = State::kNone; }
  // How many turns have begun.
  std::uint64_t turns() const { return turns_; }

  void Save(std::string& out) const;
  void Restore(Decoder& in);

 private:
  enum class State : std::uint8_t { kNone, kWithoutPrompt, kOpen };

  void Start(RecordEvents& events);

  State state_ = State::kNone;
  std::uint64_t turns_ = 0;
};

}  // namespace turnlog
