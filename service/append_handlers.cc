// Appends. Each happens once, even if a client sends it again (write_once.h).
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/try.h"
#include "remote/append_batch.h"
#include "remote/event_batch.h"
#include "remote/forms.h"
#include "remote/problem.h"
#include "remote/service_client.h"
#include "service/encoded_body.h"
#include "service/event_lines.h"
#include "service/handlers.h"
#include "service/retried_append.h"
#include "turnlog/inquiry/approval.h"

namespace turnlog {
namespace {

Result<Durability> DurabilityOf(Query& query) {
  return TURNLOG_TRY(query.Word("durability", {"sync", "buffered"})) == 0 ? Durability::kSync : Durability::kBuffered;
}

// Whether the client has sent this before, to a service that is gone.
bool IsOrphan(ServiceState& state, const HttpRequest& request) {
  const std::string_view retried = request.header(kRetryHeader);
  return !retried.empty() && retried != state.instance && !state.writes.Knows(request.header(kWriteHeader));
}

std::optional<HttpResponse> RefuseDecisions(const ServiceState& state, const HttpRequest& request,
                                            std::span<const EventView> events) {
  if (std::ranges::none_of(events, IsDecision)) return std::nullopt;
  return state.rules->RefuseWithout(AccessRight::kAnswer, request);
}

Result<AppendRequest> ToRequest(const BatchedAppend& append) {
  AppendRequest request{TURNLOG_TRY(ConversationId::Parse(append.conversation)), {}, append.expected_last};
  for (const NumberedEvent& each : TURNLOG_TRY(DecodeBatch(append.events))) request.events.push_back(each.event);
  return request;
}

Result<std::vector<EventView>> EventsOf(const HttpRequest& request) {
  if (auto* const lines = dynamic_cast<AppendLines*>(request.sink.get())) return lines->Events();
  std::vector<EventView> events;
  const auto batch = TURNLOG_TRY(DecodeBatch(request.body.view()));
  events.reserve(batch.size());
  for (const NumberedEvent& each : batch) events.push_back(each.event);
  return events;
}

// Several appends of one client, of which each may be refused.
class AppendGroup {
 public:
  AppendGroup(ServiceState& state, const HttpRequest& request) : state_(state), request_(request) {}

  void Add(const BatchedAppend& append) {
    auto request = ToRequest(append);
    auto refusal =
        request ? RefuseDecisions(state_, request_, request->events) : std::optional(ProblemResponse(request.error()));
    if (!refusal) appends_.push_back(*std::move(request));
    refusals_.push_back(std::move(refusal));
  }

  std::string Write(Durability durability, bool orphan) {
    const auto results = orphan ? AppendEachAgain(durability) : state_.log.AppendAll(appends_, durability);
    std::string outcomes;
    auto result = results.begin();
    for (const auto& refusal : refusals_) {
      if (refusal) {
        AddProblem(refusal->status, refusal->body, outcomes);
      } else if (const auto& each = *result++) {
        AddOutcome(*each, outcomes);
      } else {
        AddProblem(StatusOf(each.error().code), ToProblem(each.error()), outcomes);
      }
    }
    return outcomes;
  }

 private:
  std::vector<Result<AppendResult>> AppendEachAgain(Durability durability) {
    std::vector<Result<AppendResult>> results;
    for (const AppendRequest& each : appends_) {
      results.push_back(AppendAgain(state_.log, each.conversation, each.events, {durability, each.expected_last}));
    }
    return results;
  }

  ServiceState& state_;
  const HttpRequest& request_;
  std::vector<AppendRequest> appends_;                 // those that are not refused
  std::vector<std::optional<HttpResponse>> refusals_;  // of all
};

}  // namespace

std::shared_ptr<BodySink> SinkOfEvents(const HttpRequest& head, std::optional<std::uint64_t> length) {
  if (head.header("Content-Type") != kEventsType) return std::make_shared<AppendLines>();
  return std::make_shared<EncodedBody>(EncodedBody::Form::kEvents, length);
}

std::shared_ptr<BodySink> SinkOfAppends(const HttpRequest& /*head*/, std::optional<std::uint64_t> length) {
  return std::make_shared<EncodedBody>(EncodedBody::Form::kAppends, length);
}

Handled AppendEvents(ServiceState& state, Call& call) {
  const AppendOptions options{TURNLOG_TRY(DurabilityOf(call.query)), TURNLOG_TRY(call.query.SeqField("expect"))};
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const std::vector<EventView> events = TURNLOG_TRY(EventsOf(call.request));
  if (auto refusal = RefuseDecisions(state, call.request, events)) return *std::move(refusal);
  const bool orphan = IsOrphan(state, call.request);
  return Once(state, call, [&]() -> WriteOnce::Answer {
    return ToJson(conversation, TURNLOG_TRY(orphan ? AppendAgain(state.log, conversation, events, options)
                                                   : state.log.Append(conversation, events, options)));
  });
}

Handled AppendMany(ServiceState& state, Call& call) {
  const Durability durability = TURNLOG_TRY(DurabilityOf(call.query));
  TURNLOG_TRY(call.query.Finish());
  AppendGroup group(state, call.request);
  for (const BatchedAppend& each : TURNLOG_TRY(SplitAppends(call.request.body.view()))) group.Add(each);
  const bool orphan = IsOrphan(state, call.request);
  HttpResponse response =
      TURNLOG_TRY(Once(state, call, [&]() -> WriteOnce::Answer { return group.Write(durability, orphan); }));
  response.headers = {{"Content-Type", std::string(kOutcomesType)}};
  return response;
}

}  // namespace turnlog
