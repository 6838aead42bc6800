#include <fmt/format.h>

#include <algorithm>

#include "migrate/requests/request_writer.h"
#include "providers/sealed_value.h"

namespace turnlog {
namespace {

using Kind = ModelPart::Kind;

// Items without ids: nothing refers to what the provider has stored.
class Writer final : public StepWriter {
 public:
  std::string Begin(std::string_view model) const override {
    return "{" + ModelField(model) + R"("store":false,"include":["reasoning.encrypted_content"],"input":[)";
  }

  void Request(std::string_view text) override { Text("user", "input_text", text); }

  void Model(const DialogueStep& step) override {
    for (auto part = step.parts.begin(); part != step.parts.end(); ++part) {
      const bool leads =
          std::any_of(part, step.parts.end(), [](const ModelPart& p) { return p.kind != Kind::kReasoning; });
      if (part->kind == Kind::kText) Text("assistant", "output_text", part->text);
      if (part->kind == Kind::kReasoning && leads) Reasoning(*part);
      if (part->kind == Kind::kCall) Call(*part);
    }
  }

  void Results(const DialogueStep& step) override {
    ForEachResult(step, [&](const ModelPart& call, const CallResult& result) {
      Message([&](JsonWriter& json) {
        json.Field("type", std::string_view("function_call_output"));
        json.Field("call_id", call.id);
        json.Field("output", result.content);
      });
    });
  }

  bool Opens(const ModelPart& part, std::string_view) const override {
    return FormOf(part.sealed->value) == SealedForm::kToken;
  }

 protected:
  void Tool(std::string_view name, JsonWriter& json) const override {
    json.Raw(fmt::format(R"({{"type":"function","name":{},"parameters":{{"type":"object"}},"strict":false}})",
                         JsonString(name).text()));
  }

 private:
  void Text(std::string_view role, std::string_view type, std::string_view text) {
    Message([&](JsonWriter& json) {
      json.Field("type", std::string_view("message"));
      json.Field("role", role);
      json.Key("content"), json.StartArray(), json.StartObject();
      json.Field("type", type);
      json.Field("text", text);
      json.EndObject(), json.EndArray();
    });
  }

  // The summary is of no use to the model, which has the sealed reasoning.
  void Reasoning(const ModelPart& part) {
    Message([&](JsonWriter& json) {
      json.Field("type", std::string_view("reasoning"));
      json.Key("summary"), json.Raw("[]");
      json.Field("encrypted_content", part.sealed->value);
    });
  }

  void Call(const ModelPart& part) {
    Message([&](JsonWriter& json) {
      json.Field("type", std::string_view("function_call"));
      json.Field("call_id", part.id);
      json.Field("name", part.name);
      json.Field("arguments", part.text);
    });
  }
};

}  // namespace

std::unique_ptr<StepWriter> ResponsesWriter() { return std::make_unique<Writer>(); }

}  // namespace turnlog
