// What is appended, as it comes: for turnlog's own client, and as server-sent events.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/try.h"
#include "remote/item_stream.h"
#include "service/event_stream.h"
#include "service/follower.h"
#include "service/handlers.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr std::size_t kBatch = std::size_t{1} << 20;  // of one call of /v1/tail
constexpr milliseconds kLongestWait{60'000};

// Items and the position after each, up to the end of the log; at the end it waits for the first one.
class TailSource : public BodySource {
 public:
  TailSource(ServiceState& state, StreamAccess access, Follower follower, milliseconds wait)
      : state_(state), access_(std::move(access)), follower_(std::move(follower)), end_(steady_clock::now() + wait) {}

  void OnWake(std::function<void()> wake) override {
    const auto& conversation = follower_.conversation();
    const auto text = conversation ? std::optional(conversation->text()) : std::nullopt;
    subscription_.Begin(state_.hub, state_.hub.Subscribe(text, std::move(wake)));
  }

  Result<State> Read(std::string& piece) override {
    TURNLOG_TRY(access_.Check());
    ItemWriter items(piece);
    while (piece.size() < kPiece) {
      const auto item = follower_.Next();
      if (!item) return items.Add(item.error()), State::kEnd;
      if (std::holds_alternative<EndOfLog>(*item)) return AtEnd(piece);
      items.Add(*item);
      items.Add(follower_.position());
      any_ = true;
    }
    bytes_ += piece.size();
    return bytes_ < kBatch ? State::kMore : Finish(piece);
  }

  milliseconds idle_limit() const override {
    return std::max(std::chrono::ceil<milliseconds>(end_ - steady_clock::now()), milliseconds(1));
  }

 private:
  State AtEnd(std::string& piece) {
    if (any_ || steady_clock::now() >= end_) return Finish(piece);
    follower_.Rest();
    return State::kIdle;
  }

  State Finish(std::string& piece) {
    ItemWriter items(piece);
    items.Add(follower_.position());
    items.Add(Item(EndOfLog{}));
    return State::kEnd;
  }

  ServiceState& state_;
  const StreamAccess access_;
  Follower follower_;
  const steady_clock::time_point end_;
  bool any_ = false;
  std::size_t bytes_ = 0;
  EventHub::Subscription subscription_;
};

Result<Position> StartOf(ServiceState& state, const std::optional<std::string>& from) {
  if (!from || *from == "end") return state.log.End();
  return *from == "begin" ? Position{} : Position::Parse(*from);
}

// A client that connects again. If this is no position of this store, a browser would not understand an error, and
// never ask again.
std::optional<Follower> Continue(ServiceState& state, const std::optional<ConversationId>& conversation,
                                 std::string_view last_event) {
  const auto position = Position::Parse(last_event);
  if (!position) return std::nullopt;
  Follower follower(state.log, *position, conversation);
  return follower.Open() ? std::optional(std::move(follower)) : std::nullopt;
}

}  // namespace

Handled FollowTail(ServiceState& state, Call& call) {
  const Position from = TURNLOG_TRY(call.query.FromPosition("from"));
  const milliseconds wait(std::min<std::uint64_t>(TURNLOG_TRY(call.query.Number("wait")).value_or(0),
                                                  static_cast<std::uint64_t>(kLongestWait.count())));
  const auto conversation = TURNLOG_TRY(call.query.Conversation("conversation"));
  TURNLOG_TRY(call.query.Finish());
  Follower follower(state.log, from, conversation);
  TURNLOG_TRY(follower.Open());
  return StreamResponse(kItemsType, std::make_unique<TailSource>(state, StreamAccess(*state.rules, call.request),
                                                                 std::move(follower), wait));
}

Handled StreamEvents(ServiceState& state, Call& call) {
  const auto conversation = TURNLOG_TRY(call.query.Conversation("conversation"));
  const auto start = call.query.Take("from");
  TURNLOG_TRY(call.query.Finish());
  const std::string_view last_event = call.request.header("Last-Event-ID");
  auto follower = last_event.empty() ? std::nullopt : Continue(state, conversation, last_event);
  const bool reset = !follower && !last_event.empty();
  if (!follower) {
    follower.emplace(state.log, TURNLOG_TRY(reset ? state.log.End() : StartOf(state, start)), conversation);
    TURNLOG_TRY(follower->Open());
  }
  return StreamResponse(
      "text/event-stream",
      std::make_unique<EventStream>(state, StreamAccess(*state.rules, call.request), *std::move(follower), reset));
}

}  // namespace turnlog
