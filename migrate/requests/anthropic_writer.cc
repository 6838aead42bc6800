#include "migrate/requests/request_writer.h"
#include "providers/model_name.h"
#include "providers/sealed_value.h"

namespace turnlog {
namespace {

class Writer final : public StepWriter {
 public:
  std::string Begin(std::string_view model) const override {
    return "{" + ModelField(model) + R"("max_tokens":8192,"messages":[)";
  }

  void Request(std::string_view text) override {
    Message([&](JsonWriter& json) {
      json.Field("role", std::string_view("user"));
      json.Field("content", text);
    });
  }

  void Model(const DialogueStep& step) override {
    Message([&](JsonWriter& json) {
      json.Field("role", std::string_view("assistant"));
      json.Key("content"), json.StartArray();
      for (const ModelPart& part : step.parts) Block(part, json);
      json.EndArray();
    });
  }

  void Results(const DialogueStep& step) override {
    Message([&](JsonWriter& json) {
      json.Field("role", std::string_view("user"));
      json.Key("content"), json.StartArray();
      ForEachResult(step, [&](const ModelPart& call, const CallResult& result) { Result(call, result, json); });
      json.EndArray();
    });
  }

  // Without a text it may be a redacted block, or one whose text was left out. Models before 4.7 leave none out, and
  // refuse a blank one.
  bool Opens(const ModelPart& part, std::string_view model) const override {
    if (FormOf(part.sealed->value) != SealedForm::kMessage) return false;
    const bool blank = part.text.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
    return !blank || part.text.empty() == ModelName(model).IsBefore("claude", 4, 7);
  }

 protected:
  void Tool(std::string_view name, JsonWriter& json) const override {
    json.StartObject();
    json.Field("name", name);
    json.Key("input_schema"), json.Raw(R"({"type":"object"})");
    json.EndObject();
  }

 private:
  static void Block(const ModelPart& part, JsonWriter& json) {
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

  static void Thinking(const ModelPart& part, JsonWriter& json) {
    const bool redacted = part.text.empty();
    json.Field("type", std::string_view(redacted ? "redacted_thinking" : "thinking"));
    if (!redacted) json.Field("thinking", part.text);
    json.Field(redacted ? "data" : "signature", part.sealed->value);
  }

  static void Result(const ModelPart& call, const CallResult& result, JsonWriter& json) {
    json.StartObject();
    json.Field("type", std::string_view("tool_result"));
    json.Field("tool_use_id", call.id);
    json.Field("content", result.content);
    if (result.is_error) json.Key("is_error"), json.Bool(true);
    json.EndObject();
  }
};

}  // namespace

std::unique_ptr<StepWriter> AnthropicWriter() { return std::make_unique<Writer>(); }

}  // namespace turnlog
