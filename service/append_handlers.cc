// Appends. Each happens once, even if a client sends it again (write_once.h).
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/try.h"
#include "remote/append_batch.h"
#include "remote/append_message.h"
#include "remote/event_batch.h"
#include "remote/forms.h"
#include "remote/service_client.h"
#include "service/append_group.h"
#include "service/append_stream.h"
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

Result<std::vector<EventView>> EventsOf(const HttpRequest& request) {
  if (auto* const lines = dynamic_cast<AppendLines*>(request.sink.get())) return lines->Events();
  std::vector<EventView> events;
  const auto batch = TURNLOG_TRY(DecodeBatch(request.body.view()));
  events.reserve(batch.size());
  for (const NumberedEvent& each : batch) events.push_back(each.event);
  return events;
}

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
  TURNLOG_TRY(group.Add(call.request.body.view()));
  const bool orphan = IsOrphan(state, call.request);
  HttpResponse response =
      TURNLOG_TRY(Once(state, call, [&]() -> WriteOnce::Answer { return group.Write(durability, orphan); }));
  response.headers = {{"Content-Type", std::string(kOutcomesType)}};
  return response;
}

Handled StreamAppends(ServiceState& state, Call& call) {
  const std::string lane = call.query.Take("lane").value_or("");
  TURNLOG_TRY(call.query.Finish());
  const HttpRequest& request = call.request;
  if (!request.local || !state.log.combines_appends()) {
    return std::unexpected(Error{ErrorCode::kUnsupported,
                                 "appends are streamed through the service's Unix socket only, to stores in folders"});
  }
  const std::vector<HttpHeader> upgrade{{"Connection", "Upgrade"}, {"Upgrade", std::string(kAppendStream)}};
  HttpResponse response{.status = 101, .headers = upgrade, .body = {}};
  if (request.header("Upgrade") != kAppendStream) {
    response = ProblemResponse(
        426, "this needs `Upgrade: turnlog-appends`; POST appends to a conversation's events without it");
    response.headers.insert(response.headers.end(), upgrade.begin(), upgrade.end());
    return response;
  }
  response.messages = TURNLOG_TRY(OpenAppendStream(state, request, lane));
  return response;
}

}  // namespace turnlog
