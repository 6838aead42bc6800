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

void TurnTracker::Save(std::string& out) const {
  AppendVarint(out, static_cast<std::uint64_t>(state_));
  AppendVarint(out, turns_);
}

void TurnTracker::Restore(Decoder& in) {
  const std::uint64_t state = in.Varint();
  in.ok &= state <= static_cast<std::uint64_t>(State::kOpen);
  state_ = in.ok ? static_cast<State>(state) : State::kNone;
  turns_ = in.Varint();
}

void TurnTracker::Start(RecordEvents& events) {
  events.Add(TurnStart{});
  ++turns_;
}

}  // namespace turnlog
