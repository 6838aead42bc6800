#include "migrate/requests/openai_items.h"

#include "providers/sealed_value.h"

namespace turnlog {

void WriteMessageItem(std::string_view role, std::string_view text, JsonWriter& json) {
  json.Field("type", std::string_view("message"));
  json.Field("role", role);
  json.Key("content"), json.StartArray(), json.StartObject();
  json.Field("type", std::string_view(role == "user" ? "input_text" : "output_text"));
  json.Field("text", text);
  json.EndObject(), json.EndArray();
}

// The summary is of no use to the model, which has the sealed reasoning.
void WriteReasoningItem(const ModelPart& part, JsonWriter& json) {
  json.Field("type", std::string_view("reasoning"));
  json.Key("summary"), json.Raw("[]");
  json.Field("encrypted_content", part.sealed->value);
}

void WriteCallItem(const ModelPart& call, JsonWriter& json) {
  json.Field("type", std::string_view("function_call"));
  json.Field("call_id", call.id);
  json.Field("name", call.name);
  json.Field("arguments", call.text);
}

void WriteOutputItem(const ModelPart& call, const CallResult& result, JsonWriter& json) {
  json.Field("type", std::string_view("function_call_output"));
  json.Field("call_id", call.id);
  json.Field("output", result.content);
}

bool OpensAtOpenAi(const ModelPart& part) { return FormOf(part.sealed->value) == SealedForm::kToken; }

}  // namespace turnlog
