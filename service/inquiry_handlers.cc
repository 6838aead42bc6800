// What waits, and what became of it.
#include <utility>

#include "base/try.h"
#include "remote/forms.h"
#include "schema/json/json_writer.h"
#include "service/event_field.h"
#include "service/handlers.h"
#include "service/state_json.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/event_json.h"
#include "turnlog/inquiry/denials.h"

namespace turnlog {
namespace {

// The id in the query, perhaps with the parts that its writer made it of.
Result<InquiryId> InquiryOf(Query& query) {
  InquiryId id{.text = query.Take("id").value_or(""), .key = {}};
  const auto tool_call = query.Take("tool_call"), question = query.Take("question");
  const auto attempt = TURNLOG_TRY(query.Number("attempt"));
  if (tool_call && question && attempt && *attempt <= UINT32_MAX) {
    id.key = InquiryKey{*tool_call, *question, static_cast<std::uint32_t>(*attempt)};
  } else if (tool_call || question || attempt) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "give tool_call, question and attempt, or none of them"});
  }
  return id;
}

void WriteTime(JsonWriter& json, const std::optional<Timestamp>& time) {
  if (time) json.Field("timestamp", time->ToRfc3339());
}

// The fields of `logctl pending --json`. An erased or damaged request is left out.
Status WriteRequest(Log& log, const PendingInquiry& pending, JsonWriter& json) {
  const auto id = TURNLOG_TRY(ConversationId::Parse(pending.conversation));
  const auto cursor = TURNLOG_TRY(log.ReadRaw(id, {.from = pending.request, .limit = 1}));
  const Item item = TURNLOG_TRY(cursor->Next());
  const auto* record = std::get_if<Record>(&item);
  if (record == nullptr) return {};
  const EventView event = TURNLOG_TRY(record->Decode());
  const auto* request = std::get_if<InquiryRequestView>(&event.body);
  if (request == nullptr) return {};
  json.Field("id", request->id.text);
  WriteTime(json, event.timestamp);
  json.Field("text", request->question.text);
  json.Key("request");
  AppendJson(event, record->conversation, record->seq, json.Value());
  return {};
}

Result<std::string> AttemptsWithEvents(Log& log, const ConversationId& conversation,
                                       const std::vector<InquiryRecord>& attempts) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("attempts");
  json.StartArray();
  for (const InquiryRecord& attempt : attempts) {
    json.StartObject();
    json.Key("turn"), json.Unsigned(attempt.turn.value);
    json.Key("pending"), json.Bool(attempt.pending);
    for (const auto& [name, seq] : {std::pair("request", attempt.request), std::pair("response", attempt.response)}) {
      if (seq) TURNLOG_TRY(WriteEventField(log, conversation, *seq, name, json));
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return text;
}

}  // namespace

Handled GetState(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  return JsonResponse(TURNLOG_TRY(StateJson(state.log, conversation)));
}

Handled ListPending(ServiceState& state, Call& call) {
  const bool raw = TURNLOG_TRY(call.query.Word("view", {"sanitized", "raw"})) == 1;
  const auto conversation = TURNLOG_TRY(call.query.Conversation("conversation"));
  TURNLOG_TRY(call.query.Finish());
  const auto all = TURNLOG_TRY(raw ? state.log.PendingRaw(conversation) : state.log.Pending(conversation));
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("pending");
  json.StartArray();
  for (const PendingInquiry& pending : all) {
    json.StartObject();
    json.Field("conversation", pending.conversation);
    json.Key("turn"), json.Unsigned(pending.turn.value);
    json.Key("seq"), json.Unsigned(pending.request.value);
    if (!raw) TURNLOG_TRY(WriteRequest(state.log, pending, json));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return JsonResponse(std::move(text));
}

Handled FindAttempts(ServiceState& state, Call& call) {
  const bool raw = TURNLOG_TRY(call.query.Word("view", {"sanitized", "raw"})) == 1;
  const bool events = TURNLOG_TRY(call.query.Flag("events"));
  const InquiryId id = TURNLOG_TRY(InquiryOf(call.query));
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  InquiryIdView view{.text = id.text, .key = {}};
  if (id.key) view.key = InquiryKeyView{id.key->tool_call, id.key->question, id.key->attempt};
  const auto attempts =
      TURNLOG_TRY(raw ? state.log.FindInquiryRaw(conversation, view) : state.log.FindInquiry(conversation, view));
  return JsonResponse(events ? TURNLOG_TRY(AttemptsWithEvents(state.log, conversation, attempts)) : ToJson(attempts));
}

Handled GetDenials(ServiceState& state, Call& call) {
  const bool last_turn = TURNLOG_TRY(call.query.Flag("last_turn"));
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const auto denials =
      TURNLOG_TRY(last_turn ? DenialsOfLastTurn(state.log, conversation) : UndeliveredDenials(state.log, conversation));
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("conversation", conversation.text());
  json.Key("denials");
  json.StartArray();
  for (const DeniedCall& denial : denials) {
    json.StartObject();
    json.Field("tool", denial.tool);
    json.Field("call", denial.call);
    json.OptionalField("reason", denial.reason);
    json.Field(kArgumentsHash, denial.arguments_hash);
    json.OptionalField("handed_up_from", denial.conversation);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return JsonResponse(std::move(text));
}

}  // namespace turnlog
