// What changes the store beside appends. Each of these happens once, even if a client sends it again (write_once.h).
#include <functional>
#include <utility>

#include "base/try.h"
#include "remote/event_batch.h"
#include "remote/forms.h"
#include "remote/object_reader.h"
#include "remote/service_client.h"
#include "service/handlers.h"

namespace turnlog {

Handled Once(ServiceState& state, const Call& call, const std::function<WriteOnce::Answer()>& write) {
  const std::string_view key = call.request.header(kWriteHeader);
  return JsonResponse(TURNLOG_TRY(key.empty() ? write() : state.writes.Run(key, write)));
}

Handled EraseEvents(ServiceState& state, Call& call) {
  const auto expect = TURNLOG_TRY(call.query.SeqField("expect"));
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
  const auto expect = TURNLOG_TRY(call.query.SeqField("expect"));
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

Handled PutStore(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const ObjectReader body = TURNLOG_TRY(ObjectReader::Parse(call.request.body.view()));
  const std::string compression = body.Text("compression");
  if (!body.ok()) return std::unexpected(Error{ErrorCode::kInvalidArgument, "must be {\"compression\"}"});
  if (!state.set_compression) {
    return std::unexpected(Error{ErrorCode::kUnsupported, "this store has no setting for compression"});
  }
  TURNLOG_TRY(state.set_compression(compression));
  return HttpResponse{.status = 204, .headers = {}, .body = {}};
}

Handled MakeCheckpoint(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  TURNLOG_TRY(state.log.Checkpoint());
  return HttpResponse{.status = 204, .headers = {}, .body = {}};
}

}  // namespace turnlog
