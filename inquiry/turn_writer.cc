#include "inquiry/turn_writer.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/try.h"
#include "inquiry/event_walk.h"

namespace turnlog {
namespace {

// How often an append is tried again because the conversation has grown.
constexpr int kTries = 16;

// What others may append to a turn while it is being written: answers, and what belongs to no turn.
bool MayBeOthers(EventKind kind) { return IsGlobal(kind) || kind == EventKind::kInquiryResponse; }

}  // namespace

Result<KnownTurn> LoadTurn(Log& log, const ConversationId& conversation) {
  KnownTurn turn;
  TURNLOG_TRY(WalkEvents(log, conversation, {.last_turns = 1}, [&](Seq seq, const EventView& event) {
    turn.Apply(seq, event);
    return Result<Walk>(Walk::kOn);
  }));
  return turn;
}

TurnWriter::TurnWriter(Log& log, ConversationId conversation, RecorderOptions options, KnownTurn turn)
    : log_(log), conversation_(std::move(conversation)), options_(std::move(options)), turn_(std::move(turn)) {}

Status TurnWriter::Write(Durability durability, const std::function<Events(const KnownTurn&)>& make) {
  std::unique_lock lock(mutex_);
  for (int tries = 0;; ++tries) {
    if (refusal_) return std::unexpected(*refusal_);
    const std::vector<Event> events = TURNLOG_TRY(make(turn_));
    if (events.empty()) return {};
    const auto receipt = Append(events, durability);
    if (receipt) {
      lock.unlock();
      return log_.Wait(receipt->ticket, durability);
    }
    if (receipt.error().code != ErrorCode::kConflict || tries == kTries) return std::unexpected(receipt.error());
    TURNLOG_TRY(ReadOn());
  }
}

Result<AppendResult> TurnWriter::Append(std::span<const Event> events, Durability durability) {
  std::vector<EventView> views;
  for (const Event& event : events) {
    views.push_back(View(event));
    if (!IsGlobal(event.kind())) views.back().timestamp = Now();
  }
  AppendResult receipt = TURNLOG_TRY(log_.AppendLater(conversation_, views, {durability, turn_.state.last()}));
  for (std::size_t i = 0; i < views.size(); ++i) turn_.Apply(receipt.events[i].seq, views[i]);
  return receipt;
}

Status TurnWriter::Refresh() {
  const std::lock_guard lock(mutex_);
  return refusal_ ? Status(std::unexpected(*refusal_)) : ReadOn();
}

Status TurnWriter::ReadOn() {
  const ReadOptions behind{.from = {turn_.state.last().value + 1}};
  return WalkEvents(log_, conversation_, behind, [&](Seq seq, const EventView& event) -> Result<Walk> {
    if (!MayBeOthers(event.kind())) {
      refusal_ = {ErrorCode::kConflict,
                  fmt::format("somebody else is writing this conversation: event {} is a {}", seq.value,
                              ToString(event.kind())),
                  seq.value};
      return std::unexpected(*refusal_);
    }
    turn_.Apply(seq, event);
    return Walk::kOn;
  });
}

void TurnWriter::Refuse(Error reason) {
  const std::lock_guard lock(mutex_);
  if (!refusal_) refusal_ = std::move(reason);
}

Timestamp TurnWriter::Now() const {
  if (options_.now) return options_.now();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()};
}

}  // namespace turnlog
