// What is appended, as it comes: for turnlog's own client, and as server-sent events.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/try.h"
#include "remote/item_stream.h"
#include "service/event_source.h"
#include "service/handlers.h"
#include "service/state_json.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr std::size_t kBatch = std::size_t{1} << 20;  // of one call of /v1/tail
constexpr milliseconds kLongestWait{60'000};
constexpr milliseconds kHeartbeat{15'000};

std::optional<std::string> TextOf(const std::optional<ConversationId>& conversation) {
  return conversation ? std::optional(conversation->text()) : std::nullopt;
}

// The tail of one client. Between two events it keeps a position and no buffers, which matters for thousands of them.
class Follower {
 public:
  Follower(Log& log, const Position& from, std::optional<ConversationId> conversation)
      : log_(log), position_(from), conversation_(std::move(conversation)) {}

  Status Open() {
    if (tail_ == nullptr) tail_ = TURNLOG_TRY(log_.Follow(position_, conversation_));
    return {};
  }
  // As Tail::Next.
  Result<Item> Next() {
    TURNLOG_TRY(Open());
    Item item = TURNLOG_TRY(tail_->Next());
    position_ = tail_->position();
    return item;
  }
  void Rest() { tail_.reset(); }
  const Position& position() const { return position_; }

 private:
  Log& log_;
  Position position_;
  const std::optional<ConversationId> conversation_;
  std::unique_ptr<Tail> tail_;
};

// What both ways to follow share.
class FollowingSource : public BodySource {
 public:
  FollowingSource(ServiceState& state, StreamAccess access, Follower follower,
                  std::optional<ConversationId> conversation)
      : state_(state),
        access_(std::move(access)),
        follower_(std::move(follower)),
        conversation_(std::move(conversation)) {}

  void OnWake(std::function<void()> wake) override {
    subscription_.Begin(state_.hub, state_.hub.Subscribe(TextOf(conversation_), std::move(wake)));
  }

 protected:
  ServiceState& state_;
  const StreamAccess access_;
  Follower follower_;

 private:
  const std::optional<ConversationId> conversation_;
  EventHub::Subscription subscription_;
};

// Items and the position after each, up to the end of the log; at the end it waits for the first one.
class TailSource : public FollowingSource {
 public:
  TailSource(ServiceState& state, StreamAccess access, Follower follower, std::optional<ConversationId> conversation,
             milliseconds wait)
      : FollowingSource(state, std::move(access), std::move(follower), std::move(conversation)),
        end_(steady_clock::now() + wait) {}

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

  const steady_clock::time_point end_;
  bool any_ = false;
  std::size_t bytes_ = 0;
};

// Server-sent events. The id of each is the position after it, from which a client goes on after a lost connection.
class EventStream : public FollowingSource {
 public:
  EventStream(ServiceState& state, StreamAccess access, Follower follower, std::optional<ConversationId> conversation,
              bool reset)
      : FollowingSource(state, std::move(access), std::move(follower), std::move(conversation)), reset_(reset) {}

  Result<State> Read(std::string& piece) override {
    if (access_.ended()) return State::kEnd;
    if (std::exchange(reset_, false)) Add(piece, "reset", "{}\n");
    while (piece.size() < kPiece) {
      const Item item = TURNLOG_TRY(follower_.Next());
      if (std::holds_alternative<EndOfLog>(item)) return AtEnd(piece);
      AddItem(piece, item);
    }
    return State::kMore;
  }

  milliseconds idle_limit() const override { return kHeartbeat; }

 private:
  // `line` ends with a line break and has no other.
  void Add(std::string& piece, std::string_view type, std::string_view line) {
    piece += fmt::format("id: {}\nevent: {}\ndata: {}\n", follower_.position().ToText(), type, line);
  }

  void AddItem(std::string& piece, const Item& item) {
    line_.clear();
    AppendLine(item, line_);
    Add(piece, std::holds_alternative<Damage>(item) ? "damage" : "event", line_);
    if (const auto* record = std::get_if<Record>(&item)) changed_.insert(std::string(record->conversation));
  }

  // States come once, after the last of the events that may have changed them. They have no position: who connects
  // again asks for the state.
  State AtEnd(std::string& piece) {
    for (const std::string& conversation : std::exchange(changed_, {})) {
      const auto id = ConversationId::Parse(conversation);
      const auto state = id ? StateJson(state_.log, *id) : std::unexpected(id.error());
      if (state) piece += fmt::format("event: state\ndata: {}\n\n", *state);
    }
    const auto now = steady_clock::now();
    if (piece.empty() && now - last_ >= kHeartbeat) piece = ":\n\n";
    if (!piece.empty()) last_ = now;
    follower_.Rest();
    return State::kIdle;
  }

  bool reset_;
  std::set<std::string> changed_;
  std::string line_;
  steady_clock::time_point last_ = steady_clock::now();
};

Result<Position> StartOf(ServiceState& state, const Call& call, const std::optional<std::string>& from) {
  const std::string_view last = call.request.header("Last-Event-ID");
  if (!last.empty()) return Position::Parse(last);
  if (!from || *from == "end") return state.log.End();
  return *from == "begin" ? Position{} : Position::Parse(*from);
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
                                                                 std::move(follower), conversation, wait));
}

Handled StreamEvents(ServiceState& state, Call& call) {
  const auto conversation = TURNLOG_TRY(call.query.Conversation("conversation"));
  const auto start = call.query.Take("from");
  TURNLOG_TRY(call.query.Finish());
  Position from = TURNLOG_TRY(StartOf(state, call, start));
  auto follower = std::make_unique<Follower>(state.log, from, conversation);
  Status opened = follower->Open();
  // A browser that connects again would not understand an error, and try for ever.
  const bool reset = !opened && !call.request.header("Last-Event-ID").empty();
  if (reset) {
    from = TURNLOG_TRY(state.log.End());
    follower = std::make_unique<Follower>(state.log, from, conversation);
    opened = follower->Open();
  }
  TURNLOG_TRY(std::move(opened));
  return StreamResponse("text/event-stream",
                        std::make_unique<EventStream>(state, StreamAccess(*state.rules, call.request),
                                                      std::move(*follower), conversation, reset));
}

}  // namespace turnlog
