#include "service/state_json.h"

#include "base/try.h"
#include "schema/json/json_writer.h"
#include "turnlog/load_turn_state.h"

namespace turnlog {
namespace {

void WriteQuestion(JsonWriter& json, const InquiryState& inquiry) {
  const InquiryRequest& request = inquiry.request;
  json.StartObject();
  json.Key("seq"), json.Unsigned(inquiry.asked.value);
  json.Field("id", request.id.text);
  if (request.id.key) json.Field("call", request.id.key->tool_call);
  json.Field("text", request.question.text);
  json.EndObject();
}

void WriteCall(JsonWriter& json, const OpenCall& call) {
  json.StartObject();
  json.Key("seq"), json.Unsigned(call.seq.value);
  json.Field("id", call.request.id);
  json.Field("name", call.request.name);
  json.EndObject();
}

}  // namespace

Result<std::string> StateJson(Log& log, const ConversationId& conversation) {
  const ConversationInfo info = TURNLOG_TRY(log.Info(conversation));
  return StateJson(info, TURNLOG_TRY(LoadTurnState(log, conversation)));
}

std::string StateJson(const ConversationInfo& info, const TurnState& state) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("conversation", info.id);
  json.Key("turn"), json.Unsigned(info.turns);
  json.Key("last"), json.Unsigned(info.last.value);
  json.Field("activity", ToString(state.activity()));
  json.Key("questions");
  json.StartArray();
  for (const InquiryState* question : state.questions()) WriteQuestion(json, *question);
  json.EndArray();
  json.Key("calls");
  json.StartArray();
  for (const OpenCall* call : state.calls()) WriteCall(json, *call);
  json.EndArray();
  json.EndObject();
  return text;
}

}  // namespace turnlog
