#include "migrate/requests/anthropic_blocks.h"
#include "migrate/requests/request_writer.h"

namespace turnlog {
namespace {

class Writer final : public RequestWriter {
 public:
  std::string Begin(std::string_view model) override {
    return "{" + ModelField(model) + R"("max_tokens":8192,"messages":[)";
  }

  void Request(const UserText& text) override {
    Message([&](JsonWriter& json) {
      json.Field("role", std::string_view("user"));
      json.Field("content", text.text);
    });
  }

  void Model(const DialogueStep& step) override {
    Message([&](JsonWriter& json) {
      json.Field("role", std::string_view("assistant"));
      json.Key("content"), json.StartArray();
      for (const ModelPart& part : step.parts) WriteAnthropicBlock(part, json);
      json.EndArray();
    });
  }

  void Results(const DialogueStep& step) override {
    Message([&](JsonWriter& json) {
      json.Field("role", std::string_view("user"));
      json.Key("content"), json.StartArray();
      ForEachResult(step,
                    [&](const ModelPart& call, const CallResult& result) { WriteAnthropicResult(call, result, json); });
      json.EndArray();
    });
  }

  bool Opens(const ModelPart& part, std::string_view model) const override { return OpensAtAnthropic(part, model); }

 protected:
  void Tool(std::string_view name, JsonWriter& json) const override {
    json.StartObject();
    json.Field("name", name);
    json.Key("input_schema"), json.Raw(R"({"type":"object"})");
    json.EndObject();
  }
};

}  // namespace

std::unique_ptr<StepWriter> AnthropicWriter() { return std::make_unique<Writer>(); }

}  // namespace turnlog
