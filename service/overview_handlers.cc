// What needs attention, once or as it changes, and what people say about it.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "remote/object_reader.h"
#include "service/handlers.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kHeartbeat{15'000};
constexpr milliseconds kPause{300};  // between two states of it
constexpr int kShare = 10;           // of the time, one part is spent on computing it

// Server-sent events: the whole overview at first, and again whenever it is another one. Changes that come faster than
// the client reads, or than kPause, are one.
class OverviewStream : public BodySource {
 public:
  OverviewStream(ServiceState& state, StreamAccess access) : state_(state), access_(std::move(access)) {}

  void OnWake(std::function<void()> wake) override {
    const auto wake_at = [this, wake = std::move(wake)] { woken_ = steady_clock::now(), wake(); };
    subscription_.Begin(state_.hub, state_.hub.Subscribe(std::nullopt, wake_at));
  }

  Result<State> Read(std::string& piece) override {
    if (access_.ended()) return State::kEnd;
    const auto begin = steady_clock::now();
    due_ = begin < next_;
    if (due_) return State::kIdle;
    const auto needed = std::max(woken_.load(), begin - kHeartbeat);  // silence changes it, too
    const auto overview = TURNLOG_TRY(state_.shared_overview.NotBefore(needed));
    const std::uint64_t hash = Hash64(*overview);
    const bool changed = std::exchange(sent_, hash) != hash;
    if (changed || begin - last_ >= kHeartbeat) {
      piece += changed ? fmt::format("event: overview\ndata: {}\n\n", *overview) : ":\n\n";
      last_ = begin;
    }
    next_ = begin + std::max<steady_clock::duration>(kPause, (steady_clock::now() - begin) * kShare);
    return State::kIdle;
  }

  milliseconds idle_limit() const override {
    if (!due_) return kHeartbeat;
    return std::max(std::chrono::ceil<milliseconds>(next_ - steady_clock::now()), milliseconds(1));
  }

 private:
  ServiceState& state_;
  const StreamAccess access_;
  std::atomic<steady_clock::time_point> woken_ = steady_clock::now();
  EventHub::Subscription subscription_;
  std::uint64_t sent_ = 0;
  bool due_ = false;  // there was a change within the pause
  steady_clock::time_point next_, last_;
};

Result<Attention> ReadAttention(std::string_view body, Attention attention, Seq last) {
  const ObjectReader object = TURNLOG_TRY(ObjectReader::Parse(body));
  for (const std::string& name : object.Names()) {
    if (name != "seen" && name != "snoozed_until") {
      return std::unexpected(Error{ErrorCode::kInvalidArgument, "give seen or snoozed_until"});
    }
  }
  if (const auto seen = object.FindNumber("seen")) attention.seen = {std::min(*seen, last.value)};
  if (const Json until = object.FindJson("snoozed_until"); !until.empty()) {
    attention.snoozed = object.FindTime("snoozed_until");
    attention.snoozed_at = last;
    if (!attention.snoozed && until.text() != "null") {
      return std::unexpected(Error{ErrorCode::kInvalidArgument, "snoozed_until must be a time or null"});
    }
  }
  return attention;
}

}  // namespace

Handled GetOverview(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  return JsonResponse(*TURNLOG_TRY(state.shared_overview.NotBefore(steady_clock::now())));
}

Handled StreamOverview(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  return StreamResponse("text/event-stream",
                        std::make_unique<OverviewStream>(state, StreamAccess(*state.rules, call.request)));
}

Handled PutAttention(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const Seq last = TURNLOG_TRY(state.log.Info(conversation)).last;
  const Attention before = TURNLOG_TRY(FindAttention(state.log, conversation));
  const Attention after = TURNLOG_TRY(ReadAttention(call.request.body.view(), before, last));
  TURNLOG_TRY(SetAttention(state.log, conversation, after));
  state.hub.Notify(conversation.text());
  return HttpResponse{.status = 204, .headers = {}, .body = {}};
}

Handled MarkAllSeen(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  TURNLOG_TRY(state.overview.MarkAllSeen(TimeNow()));
  state.hub.Notify({});
  return HttpResponse{.status = 204, .headers = {}, .body = {}};
}

}  // namespace turnlog
