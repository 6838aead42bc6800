#include "inquiry/turn_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/try.h"
#include "turnlog/event_walk.h"

namespace turnlog {
namespace {

// How often an append is tried again because the conversation has grown.
constexpr int kTries = 16;

// The open call that the event goes on with; null if there is none.
const OpenCall* CallOf(const TurnState& state, const EventView& event) {
  if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) return state.FindCall(result->id);
  const auto* question = std::get_if<InquiryRequestView>(&event.body);
  return question != nullptr && question->id.key ? state.FindCall(question->id.key->tool_call) : nullptr;
}

// Recorded by those who answer while the agent does something else (PendingInquiryResponder): the next question of a
// form, or the result of a call, when all that it has asked is closed.
bool FollowsFromAnswers(const TurnState& state, const EventView& event) {
  const OpenCall* const call = CallOf(state, event);
  if (call == nullptr || call->asked.empty()) return false;
  return std::ranges::all_of(state.InquiriesOf(*call),
                             [](const InquiryState* asked) { return asked->response.has_value(); });
}

// What others may append to a turn while it is being written: answers, what follows from them, and what belongs to no
// turn.
bool MayBeOthers(const TurnState& state, const EventView& event) {
  return IsGlobal(event.kind()) || event.kind() == EventKind::kInquiryResponse || FollowsFromAnswers(state, event);
}

}  // namespace

// The view is of one moment, which must be one of which the last seq is known.
Result<KnownTurn> LoadTurn(Log& log, const ConversationId& conversation) {
  ConversationInfo info = TURNLOG_TRY(log.Info(conversation));
  for (int tries = 0; tries < kTries; ++tries) {
    KnownTurn turn;
    const auto cursor = TURNLOG_TRY(log.Read(conversation, {.last_turns = 1}));
    TURNLOG_TRY(WalkEvents(*cursor, [&](const Record& record, const EventView& event) {
      turn.Apply(record.seq, event);
      return Result<Walk>(Walk::kOn);
    }));
    const Seq before = std::exchange(info, TURNLOG_TRY(log.Info(conversation))).last;
    turn.last = info.last, turn.turns = info.turns;
    if (before == info.last) return turn;
  }
  return std::unexpected(
      Error{ErrorCode::kConflict, "the conversation grows faster than it can be read", info.last.value});
}

TurnWriter::TurnWriter(Log& log, ConversationId conversation, RecorderOptions options, KnownTurn turn)
    : log_(log), conversation_(std::move(conversation)), options_(std::move(options)), turn_(std::move(turn)) {}

Status TurnWriter::Write(Durability durability, const std::function<Events(const KnownTurn&)>& make) {
  std::unique_lock lock(mutex_);
  for (int tries = 0;; ++tries) {
    if (refusal_) return std::unexpected(*refusal_);
    const std::vector<Event> events = TURNLOG_TRY(make(turn_));
    if (events.empty()) return {};
    const auto result = Append(events, durability);
    if (result) {
      lock.unlock();
      return log_.Wait(result->ticket, durability);
    }
    if (result.error().code != ErrorCode::kConflict || tries == kTries) return std::unexpected(result.error());
    TURNLOG_TRY(ReadOn());
  }
}

Result<AppendResult> TurnWriter::Append(std::span<const Event> events, Durability durability) {
  std::vector<EventView> views;
  for (const Event& event : events) {
    views.push_back(View(event));
    if (!IsGlobal(event.kind())) views.back().timestamp = Now();
  }
  AppendResult result = TURNLOG_TRY(log_.AppendLater(conversation_, views, {durability, turn_.last}));
  for (std::size_t i = 0; i < views.size(); ++i) turn_.Apply(result.events[i].seq, views[i]);
  return result;
}

Status TurnWriter::Refresh() {
  const std::lock_guard lock(mutex_);
  return refusal_ ? Status(std::unexpected(*refusal_)) : ReadOn();
}

// A repair or a redaction may change what any event of the turn is to its readers.
Status TurnWriter::ReadOn() {
  bool rewritten = false;
  const auto cursor = TURNLOG_TRY(log_.ReadRaw(conversation_, {.from = {turn_.last.value + 1}}));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record& record, const EventView& event) -> Result<Walk> {
    if (!MayBeOthers(turn_.state, event)) {
      return Refuse(record.seq, fmt::format("event {} is a {}", record.seq.value, ToString(record.kind)));
    }
    rewritten |= record.kind == EventKind::kRepair || record.kind == EventKind::kRedaction;
    turn_.Apply(record.seq, event);
    return Walk::kOn;
  }));
  if (!rewritten) return {};
  KnownTurn turn = TURNLOG_TRY(LoadTurn(log_, conversation_));
  if (turn.turns != turn_.turns) return Refuse(turn.last, "a turn has begun");
  turn_ = std::move(turn);
  return {};
}

std::unexpected<Error> TurnWriter::Refuse(Seq last, std::string_view what) {
  refusal_ = {ErrorCode::kConflict, fmt::format("another process writes this conversation: {}", what), last.value};
  return std::unexpected(*refusal_);
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
