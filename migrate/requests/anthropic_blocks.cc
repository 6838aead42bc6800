#include "migrate/requests/anthropic_blocks.h"

#include "providers/model_name.h"
#include "providers/sealed_value.h"

namespace turnlog {
namespace {

void Thinking(const ModelPart& part, JsonWriter& json) {
  const bool redacted = part.text.empty();
  json.Field("type", std::string_view(redacted ? "redacted_thinking" : "thinking"));
  if (!redacted) json.Field("thinking", part.text);
  json.Field(redacted ? "data" : "signature", part.sealed->value);
}

}  // namespace

void WriteAnthropicBlock(const ModelPart& part, JsonWriter& json) {
  json.StartObject();
  switch (part.kind) {
    case ModelPart::Kind::kText:
      json.Field("type", std::string_view("text"));
      json.Field("text", part.text);
      break;
    case ModelPart::Kind::kReasoning:
      Thinking(part, json);
      break;
    case ModelPart::Kind::kCall:
      json.Field("type", std::string_view("tool_use"));
      json.Field("id", part.id);
      json.Field("name", part.name);
      json.Key("input"), json.Raw(part.text);
      break;
  }
  json.EndObject();
}

void WriteAnthropicResult(const ModelPart& call, const CallResult& result, JsonWriter& json) {
  json.StartObject();
  json.Field("type", std::string_view("tool_result"));
  json.Field("tool_use_id", call.id);
  json.Field("content", result.content);
  if (result.is_error) json.Key("is_error"), json.Bool(true);
  json.EndObject();
}

// Without a text it may be a redacted block, or one whose text was left out. Models before 4.7 leave none out, and
// refuse a blank one.
bool OpensAtAnthropic(const ModelPart& part, std::string_view model) {
  if (FormOf(part.sealed->value) != SealedForm::kMessage) return false;
  const bool blank = part.text.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
  return !blank || part.text.empty() == ModelName(model).IsBefore("claude", 4, 7);
}

}  // namespace turnlog
