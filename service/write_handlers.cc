// What changes the store. Each of these happens once, even if a client sends it again (write_once.h).
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/try.h"
#include "remote/event_batch.h"
#include "remote/forms.h"
#include "remote/object_reader.h"
#include "remote/service_client.h"
#include "service/event_lines.h"
#include "service/handlers.h"
#include "service/retried_append.h"
#include "turnlog/inquiry/approval.h"

namespace turnlog {
namespace {

Result<std::optional<Seq>> ExpectOf(Query& query) {
  const auto number = TURNLOG_TRY(query.Number("expect"));
  return number ? std::optional(Seq{*number}) : std::nullopt;
}

Result<AppendOptions> OptionsOf(Query& query) {
  AppendOptions options;
  const bool sync = TURNLOG_TRY(query.Word("durability", {"sync", "buffered"})) == 0;
  options.durability = sync ? Durability::kSync : Durability::kBuffered;
  options.expected_last = TURNLOG_TRY(ExpectOf(query));
  return options;
}

Handled Once(ServiceState& state, const Call& call, const std::function<WriteOnce::Answer()>& write) {
  const std::string_view key = call.request.header(kWriteHeader);
  return JsonResponse(TURNLOG_TRY(key.empty() ? write() : state.writes.Run(key, write)));
}

// Whether the client has sent this before, to a service that is gone.
bool IsOrphan(ServiceState& state, const HttpRequest& request) {
  const std::string_view retried = request.header(kRetryHeader);
  return !retried.empty() && retried != state.instance && !state.writes.Knows(request.header(kWriteHeader));
}

}  // namespace

Handled AppendEvents(ServiceState& state, Call& call) {
  const AppendOptions options = TURNLOG_TRY(OptionsOf(call.query));
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  std::vector<Event> lines;
  std::vector<EventView> events;
  if (call.request.header("Content-Type") == kEventsType) {
    for (const NumberedEvent& each : TURNLOG_TRY(DecodeBatch(call.request.body.view()))) events.push_back(each.event);
  } else {
    lines = TURNLOG_TRY(ParseEventLines(call.request.body.view()));
    for (const Event& each : lines) events.push_back(View(each));
  }
  if (std::ranges::any_of(events, IsDecision)) {
    if (auto refusal = state.rules->RefuseWithout(AccessRight::kAnswer, call.request)) return *std::move(refusal);
  }
  const bool orphan = IsOrphan(state, call.request);
  return Once(state, call, [&]() -> WriteOnce::Answer {
    return ToJson(conversation, TURNLOG_TRY(orphan ? AppendAgain(state.log, conversation, events, options)
                                                   : state.log.Append(conversation, events, options)));
  });
}

Handled EraseEvents(ServiceState& state, Call& call) {
  const auto expect = TURNLOG_TRY(ExpectOf(call.query));
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const ObjectReader body = TURNLOG_TRY(ObjectReader::Parse(call.request.body.view()));
  std::vector<Seq> seqs;
  for (const std::uint64_t number : body.Numbers("seqs")) seqs.push_back({number});
  if (!body.ok()) return std::unexpected(Error{ErrorCode::kInvalidArgument, "seqs must be an array of numbers"});
  return Once(state, call, [&]() -> WriteOnce::Answer {
    return ToJson(TURNLOG_TRY(state.log.Erase(conversation, seqs, {.expected_last = expect})));
  });
}

Handled RedactEvents(ServiceState& state, Call& call) {
  const auto expect = TURNLOG_TRY(ExpectOf(call.query));
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const auto batch = TURNLOG_TRY(DecodeBatch(call.request.body.view()));
  if (batch.empty()) return std::unexpected(Error{ErrorCode::kInvalidArgument, "the redaction is missing"});
  std::vector<Replacement> replacements;
  for (const NumberedEvent& each : std::span(batch).subspan(1)) replacements.push_back({each.seq, each.event});
  return Once(state, call, [&]() -> WriteOnce::Answer {
    return ToJson(
        TURNLOG_TRY(state.log.Redact(conversation, replacements, batch.front().event, {.expected_last = expect})));
  });
}

Handled PutWatermark(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const auto watermark = ReadWatermark(call.request.body.view());
  if (!watermark) return std::unexpected(Error{ErrorCode::kInvalidArgument, "must be {\"head\", \"state\"}"});
  TURNLOG_TRY(state.log.SetWatermark(call.parameters[1], conversation, *watermark));
  return HttpResponse{.status = 204, .headers = {}, .body = {}};
}

Handled MakeCheckpoint(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  TURNLOG_TRY(state.log.Checkpoint());
  return HttpResponse{.status = 204, .headers = {}, .body = {}};
}

}  // namespace turnlog
