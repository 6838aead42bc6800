#include "service/event_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/try.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr milliseconds kHeartbeat{15'000};

}  // namespace

void EventStream::OnWake(std::function<void()> wake) {
  const auto& conversation = follower_.conversation();
  const auto note_and_wake = [this, wake = std::move(wake)] {
    steady_clock::rep never = 0;
    woken_.compare_exchange_strong(never, state_.hub.woken_for().time_since_epoch().count());
    wake();
  };
  subscription_.Begin(
      state_.hub,
      state_.hub.Subscribe(conversation ? std::optional(conversation->text()) : std::nullopt, note_and_wake));
}

milliseconds EventStream::idle_limit() const { return kHeartbeat; }

Result<BodySource::State> EventStream::Read(std::string& piece) {
  if (access_.ended()) return State::kEnd;
  const std::size_t begin = piece.size();
  if (std::exchange(reset_, false)) {
    piece += "id: " + follower_.position().ToText() + "\nevent: reset\ndata: {}\n\n";
  }
  const State state = TURNLOG_TRY(live_ ? ReadFeed(piece) : ReadLog(piece));
  const auto now = state_.steady_now();
  if (state == State::kIdle && piece.size() == begin && now - last_ >= kHeartbeat) {
    (void)state_.feed.Advance();  // for what was appended without the service
    piece += ":\n\n";
  }
  if (piece.size() > begin) last_ = now;
  return state;
}

Result<BodySource::State> EventStream::ReadLog(std::string& piece) {
  while (piece.size() < kPiece) {
    const Item item = TURNLOG_TRY(follower_.Next());
    if (std::holds_alternative<EndOfLog>(item)) return AtEnd(piece);
    const FeedEntry entry = EntryOf(item, follower_.position());
    piece += entry.text;
    if (std::holds_alternative<Record>(item)) changed_.insert(entry.conversation);
    if (joined_) read_overlap_[entry.conversation] = std::max(read_overlap_[entry.conversation], entry.seq);
  }
  return State::kMore;
}

// States come once, after the last of the events that may have changed them, in pieces; what is appended meanwhile is
// read after each. They have no position: who connects again asks for the state.
Result<BodySource::State> EventStream::AtEnd(std::string& piece) {
  for (; !changed_.empty(); changed_.erase(changed_.begin())) {
    if (piece.size() >= kPiece) return State::kMore;
    if (const auto entry = StateEntry(state_.log, *changed_.begin())) piece += entry->text;
  }
  if (!snapshot_sent_ && !follower_.conversation()) {
    TURNLOG_TRY(SendSnapshot(piece));
    return State::kMore;
  }
  if (!joined_) {
    number_ = TURNLOG_TRY(user_.Join(state_.feed));
    joined_ = true;
    return State::kMore;
  }
  TURNLOG_TRY(state_.feed.Advance());
  overlap_end_ = state_.feed.end();
  follower_.Rest();
  live_ = true;
  return State::kMore;
}

// In pieces; what is appended meanwhile is read after each.
Status EventStream::SendSnapshot(std::string& piece) {
  if (snapshot_ == nullptr) snapshot_ = TURNLOG_TRY(state_.unfinished.Take());
  const auto& states = snapshot_->states;
  while (next_state_ < states.size() && piece.size() < kPiece) piece += states[next_state_++]->view();
  if (next_state_ < states.size()) return {};
  piece += fmt::format("event: snapshot\ndata: {{\"conversations\":{}}}\n\n", states.size());
  snapshot_.reset();
  snapshot_sent_ = true;
  return {};
}

Result<BodySource::State> EventStream::ReadFeed(std::string& piece) {
  const auto entries = state_.feed.After(number_, kPiece);
  if (!entries) {  // this client is too slow for the feed
    user_.Leave();
    joined_ = live_ = false;
    read_overlap_.clear();
    return State::kMore;
  }
  for (const auto& entry : *entries) Send(*entry, piece);
  if (!entries->empty()) return State::kMore;
  CountLag();
  return State::kIdle;
}

void EventStream::Send(const FeedEntry& entry, std::string& piece) {
  const auto& only = follower_.conversation();
  const bool ours = !only || only->text() == entry.conversation;
  const bool in_overlap = number_++ < overlap_end_;
  const auto read = in_overlap ? read_overlap_.find(entry.conversation) : read_overlap_.end();
  const bool repeated = read != read_overlap_.end() && entry.seq.value != 0 && entry.seq <= read->second;
  if (number_ >= overlap_end_) read_overlap_.clear();
  if (ours && !repeated) piece += entry.text;
  // Of others in the overlap the position may be before one that was reached already.
  if (entry.position && !repeated && (ours || !in_overlap)) follower_.MoveTo(*entry.position);
}

void EventStream::CountLag() {
  const auto woken = woken_.exchange(0);
  if (woken == 0) return;
  state_.metrics.CountStreamLag(steady_clock::now().time_since_epoch() - steady_clock::duration(woken));
}

}  // namespace turnlog
