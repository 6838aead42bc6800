#include "inquiry/turn_memory.h"

#include <algorithm>
#include <variant>

#include "base/try.h"
#include "inquiry/model_message.h"
#include "schema/json/json_tree.h"
#include "schema/json/json_writer.h"
#include "turnlog/edited_arguments.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

// Whether the object has a string of that name and value.
bool Says(const JsonNode& object, std::string_view name, std::string_view value) {
  const JsonNode* const field = object.Find(name);
  return field != nullptr && field->is(Kind::kString) && field->string == value;
}

bool IsMarked(const JsonView& metadata) { return Says(ParseTree(metadata), "remember", "turn"); }

std::optional<std::string> StringOf(const JsonNode& object, std::string_view name) {
  const JsonNode* const field = object.Find(name);
  return field != nullptr && field->is(Kind::kString) ? std::optional(field->string) : std::nullopt;
}

// What PermissionEvent writes of it.
Responder ResponderIn(const JsonNode& permission) {
  const JsonNode* const responder = permission.Find("responder");
  if (responder == nullptr) return {};
  return {StringOf(*responder, "kind").value_or(""),
          StringOf(*responder, "model"),
          StringOf(*responder, "who"),
          StringOf(*responder, "via"),
          {}};
}

void TakePermission(const VerbatimView& body, RememberedPermissions& permissions) {
  if (body.tag != kPermissionType) return;
  const JsonNode event = ParseTree(body.json);
  const JsonNode* const tool = event.Find("tool");
  if (tool == nullptr || !tool->is(Kind::kString) || !Says(event, "remember", "turn")) return;
  const bool allows = Says(event, "decision", "allow");
  if (!allows && !Says(event, "decision", "deny")) return;
  const JsonNode* const hash = event.Find(kArgumentsHash);
  const bool exact = hash != nullptr && hash->is(Kind::kString);
  permissions.Remember({tool->string, exact ? hash->string : ""},
                       {allows ? Permission::kAllow : Permission::kDeny, ResponderIn(event)});
}

}  // namespace

void TurnMemory::Apply(const EventView& event, const TurnState& before) {
  switch (event.kind()) {
    case EventKind::kTurnStart:
      *this = {};
      break;
    case EventKind::kToolCallRequest:
      calls_.emplace(std::get<ToolCallRequestView>(event.body).id);
      last_message_ = std::max(last_message_, MessageOf(event.metadata));
      break;
    case EventKind::kChatResponse:
      last_message_ = std::max(last_message_, MessageOf(event.metadata));
      break;
    case EventKind::kToolCallResponse: {
      const auto& response = std::get<ToolCallResponseView>(event.body);
      denied_.erase(std::string(response.id));
      if (response.denied) denied_.emplace(response.id, *std::get<ToolCallResponse>(Own(event).body).denied);
      break;
    }
    case EventKind::kInquiryRequest:
      Ask(event);
      break;
    case EventKind::kInquiryResponse:
      Answer(event, before);
      break;
    case EventKind::kUnknown:
      TakePermission(std::get<VerbatimView>(event.body), permissions_);
      break;
    case EventKind::kChatRequest:
    case EventKind::kConfigDelta:
    case EventKind::kCompaction:
    case EventKind::kRepair:
    case EventKind::kRedaction:
      break;
  }
}

void TurnMemory::Ask(const EventView& event) {
  const auto& request = std::get<InquiryRequestView>(event.body);
  inquiries_.emplace(request.id.text);
  if (const auto& key = request.id.key) {
    std::uint32_t& attempt = attempts_[{std::string(key->tool_call), std::string(key->question)}];
    attempt = std::max(attempt, key->attempt);
  }
}

void TurnMemory::Answer(const EventView& event, const TurnState& before) {
  if (event.metadata.empty()) return;
  const Event owned = Own({.body = event.body});
  const auto& response = std::get<InquiryResponse>(owned.body);
  const InquiryState* const inquiry = before.FindQuestion(response.id.text);
  const OpenCall* const call = inquiry == nullptr ? nullptr : before.CallOf(*inquiry);
  if (call == nullptr || call->request.name.empty()) return;
  const JsonView edited = FindIntactEditedArguments(call->request.name, event.metadata);
  if (!edited.empty()) edited_.insert_or_assign(response.id.text, Json::FromTrusted(std::string(edited.text())));
  if (!IsMarked(event.metadata)) return;
  answers_.Remember({call->request.name, inquiry->request.id.key->question}, inquiry->request.question, response);
}

Result<InquiryId> TurnMemory::NextId(std::string_view tool_call, std::string_view question) const {
  const auto last = attempts_.find({std::string(tool_call), std::string(question)});
  std::uint32_t attempt = last == attempts_.end() ? 0 : last->second;
  for (;;) {
    InquiryId id = TURNLOG_TRY(MakeInquiryId(tool_call, question, ++attempt));
    if (!WasAsked(id.text)) return id;  // an older writer's id may have the same text
  }
}

Json RememberMark() { return Json::FromTrusted(R"({"remember":"turn"})"); }

Event PermissionEvent(const PermissionKey& key, Permission permission, const Responder& by,
                      const std::optional<std::string>& reason, Timestamp timestamp) {
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  json.Field("type", kPermissionType);
  json.Field("timestamp", timestamp.ToRfc3339());
  json.Field("tool", key.tool);
  if (!key.arguments_hash.empty()) json.Field(kArgumentsHash, key.arguments_hash);
  json.Field("decision", permission == Permission::kAllow ? "allow" : "deny");
  json.Field("remember", "turn");
  json.Key("responder"), json.StartObject();
  json.Field("kind", by.kind);
  json.OptionalField("model", by.model);
  json.OptionalField("who", by.who);
  json.OptionalField("via", by.via);
  json.EndObject();
  json.OptionalField("reason", reason);
  json.EndObject();
  return {.body = Verbatim{EventKind::kUnknown, std::string(kPermissionType), Json::FromTrusted(std::move(out))},
          .timestamp = timestamp};
}

}  // namespace turnlog
