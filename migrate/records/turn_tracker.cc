#include "migrate/records/turn_tracker.h"

namespace turnlog {

void TurnTracker::BeforePrompt(RecordEvents& events) {
  if (state_ != State::kWithoutPrompt) Start(events);
  state_ = State::kOpen;
}

void TurnTracker::BeforeHarness(RecordEvents& events) {
  if (state_ != State::kNone) return;
  Start(events);
  state_ = State::kWithoutPrompt;
}

void TurnTracker::BeforeOther(RecordEvents& events) {
  if (state_ == State::kNone) Start(events);
  state_ = State::kOpen;
}

void TurnTracker::Start(RecordEvents& events) {
  events.Add(TurnStart{});
  ++turns_;
}

}  // namespace turnlog
