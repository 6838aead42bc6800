#include <fmt/format.h>

#include <algorithm>

#include "migrate/requests/openai_items.h"
#include "migrate/requests/request_writer.h"

namespace turnlog {
namespace {

using Kind = ModelPart::Kind;

// Items without ids: nothing refers to what the provider has stored.
class Writer final : public RequestWriter {
 public:
  std::string Begin(std::string_view model) override {
    return "{" + ModelField(model) + R"("store":false,"include":["reasoning.encrypted_content"],"input":[)";
  }

  void Request(const UserText& text) override { Text("user", text.text); }

  void Model(const DialogueStep& step) override {
    for (auto part = step.parts.begin(); part != step.parts.end(); ++part) {
      const bool leads =
          std::any_of(part, step.parts.end(), [](const ModelPart& p) { return p.kind != Kind::kReasoning; });
      if (part->kind == Kind::kText) Text("assistant", part->text);
      if (part->kind == Kind::kReasoning && leads) Message([&](JsonWriter& json) { WriteReasoningItem(*part, json); });
      if (part->kind == Kind::kCall) Message([&](JsonWriter& json) { WriteCallItem(*part, json); });
    }
  }

  void Results(const DialogueStep& step) override {
    ForEachResult(step, [&](const ModelPart& call, const CallResult& result) {
      Message([&](JsonWriter& json) { WriteOutputItem(call, result, json); });
    });
  }

  bool Opens(const ModelPart& part, std::string_view) const override { return OpensAtOpenAi(part); }

 protected:
  void Tool(std::string_view name, JsonWriter& json) const override {
    json.Raw(fmt::format(R"({{"type":"function","name":{},"parameters":{{"type":"object"}},"strict":false}})",
                         JsonString(name).text()));
  }

 private:
  void Text(std::string_view role, std::string_view text) {
    Message([&](JsonWriter& json) { WriteMessageItem(role, text, json); });
  }
};

}  // namespace

std::unique_ptr<StepWriter> ResponsesWriter() { return std::make_unique<Writer>(); }

}  // namespace turnlog
