#include <fmt/format.h>

#include "migrate/requests/request_writer.h"

namespace turnlog {
namespace {

using Kind = ModelPart::Kind;

// This API takes no reasoning.
class Writer final : public RequestWriter {
 public:
  std::string Begin(std::string_view model) override { return "{" + ModelField(model) + R"("messages":[)"; }

  void Request(const UserText& text) override {
    Message([&](JsonWriter& json) {
      json.Field("role", std::string_view("user"));
      json.Field("content", text.text);
    });
  }

  void Model(const DialogueStep& step) override {
    std::string text;
    for (const ModelPart& part : step.parts) {
      if (part.kind == Kind::kText) text += (text.empty() ? "" : "\n\n") + part.text;
    }
    Message([&](JsonWriter& json) {
      json.Field("role", std::string_view("assistant"));
      json.Key("content"), text.empty() ? json.Raw("null") : json.String(text);
      if (!step.results.empty()) Calls(step, json);
    });
  }

  void Results(const DialogueStep& step) override {
    ForEachResult(step, [&](const ModelPart& call, const CallResult& result) {
      Message([&](JsonWriter& json) {
        json.Field("role", std::string_view("tool"));
        json.Field("tool_call_id", call.id);
        json.Field("content", result.content);
      });
    });
  }

  bool Opens(const ModelPart&, std::string_view) const override { return false; }

 protected:
  void Tool(std::string_view name, JsonWriter& json) const override {
    json.Raw(fmt::format(R"({{"type":"function","function":{{"name":{},"parameters":{{"type":"object"}}}}}})",
                         JsonString(name).text()));
  }

 private:
  static void Calls(const DialogueStep& step, JsonWriter& json) {
    json.Key("tool_calls"), json.StartArray();
    for (const ModelPart& part : step.parts) {
      if (part.kind != Kind::kCall) continue;
      json.StartObject();
      json.Field("id", part.id);
      json.Field("type", std::string_view("function"));
      json.Key("function"), json.StartObject();
      json.Field("name", part.name);
      json.Field("arguments", part.text);
      json.EndObject();
      json.EndObject();
    }
    json.EndArray();
  }
};

}  // namespace

std::unique_ptr<StepWriter> ChatWriter() { return std::make_unique<Writer>(); }

}  // namespace turnlog
