#include "hooks/hook_reply.h"

#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

using Kind = HookDecision::Kind;

// Codex refuses a reply with fields that it does not support.
void WritePermission(AgentTool tool, const HookDecision& decision, JsonWriter& json) {
  json.Key("decision");
  json.StartObject();
  json.Field("behavior", decision.kind == Kind::kAllow ? "allow" : "deny");
  if (decision.kind == Kind::kDeny) json.Field("message", decision.message);
  if (tool == AgentTool::kClaudeCode) {
    json.OptionalField("updatedInput", JsonView::FromTrusted(decision.arguments.text()));
    if (decision.end_turn) json.Key("interrupt"), json.Bool(true);
  }
  json.EndObject();
}

void WritePreToolUse(const HookDecision& decision, JsonWriter& json) {
  json.Field("permissionDecision", decision.kind == Kind::kAllow ? "allow" : "deny");
  if (decision.kind == Kind::kDeny) json.Field("permissionDecisionReason", decision.message);
  json.OptionalField("updatedInput", JsonView::FromTrusted(decision.arguments.text()));
}

}  // namespace

std::string ReplyText(AgentTool tool, std::string_view event, const HookDecision& decision) {
  if (decision.kind == Kind::kNone) return {};
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("hookSpecificOutput");
  json.StartObject();
  json.Field("hookEventName", event);
  if (event == "PreToolUse") {
    WritePreToolUse(decision, json);
  } else {
    WritePermission(tool, decision, json);
  }
  json.EndObject();
  json.EndObject();
  return text;
}

}  // namespace turnlog
