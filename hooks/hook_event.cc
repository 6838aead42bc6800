#include "hooks/hook_event.h"

#include <fmt/format.h>

#include "base/try.h"
#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

std::string TextOf(const Json& json, std::string_view name) {
  return FindJsonString(json.text(), name).value_or(std::string());
}

Json ValueOf(const Json& json, std::string_view name) {
  const auto field = FindJsonField(json.text(), name);
  return field ? Json::FromTrusted(std::string(field->value)) : Json();
}

std::string FirstText(const Json& json, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (std::string text = TextOf(json, name); !text.empty()) return text;
  }
  return {};
}

}  // namespace

Result<ConversationId> HookEvent::Conversation() const { return ConversationId::Parse(session + "/live"); }

Result<HookEvent> ParseHookEvent(std::string_view json) {
  const Json object = TURNLOG_TRY(ParseJson(json));
  HookEvent event{.name = TextOf(object, "hook_event_name"),
                  .session = TextOf(object, "session_id"),
                  .folder = TextOf(object, "cwd"),
                  .transcript = TextOf(object, "transcript_path"),
                  .model = TextOf(object, "model"),
                  .tool = TextOf(object, "tool_name"),
                  .call = TextOf(object, "tool_use_id"),
                  .arguments = ValueOf(object, "tool_input"),
                  .response = ValueOf(object, "tool_response"),
                  .text = FirstText(object, {"prompt", "last_assistant_message", "error"}),
                  .topic = TextOf(object, "notification_type")};
  if (event.name.empty() || event.session.empty()) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, "not an event of a hook: no hook_event_name or session_id"});
  }
  return event;
}

}  // namespace turnlog
