#include "migrate/requests/request_writer.h"

namespace turnlog {
namespace {

using Kind = ModelPart::Kind;

// Signatures of Gemini's are not recorded: the first call of each content gets the value that stands for none. It is
// needed in the current turn only, but without it in earlier ones each new turn would change them.
class Writer final : public RequestWriter {
 public:
  std::string Begin(std::string_view) override { return R"({"contents":[)"; }

  void Request(const UserText& text) override {
    Content("user", [&](JsonWriter& json) { Text(text.text, json); });
  }

  void Model(const DialogueStep& step) override {
    bool first = true;
    Content("model", [&](JsonWriter& json) {
      for (const ModelPart& part : step.parts) {
        if (part.kind == Kind::kText) Text(part.text, json);
        if (part.kind == Kind::kCall) Call(part, std::exchange(first, false), json);
      }
    });
  }

  void Results(const DialogueStep& step) override {
    Content("user", [&](JsonWriter& json) {
      ForEachResult(step, [&](const ModelPart& call, const CallResult& result) { Response(call, result, json); });
    });
  }

  bool Opens(const ModelPart&, std::string_view) const override { return false; }

 protected:
  void Tool(std::string_view name, JsonWriter& json) const override {
    json.StartObject();
    json.Field("name", name);
    json.EndObject();
  }

  void Tools(const std::vector<std::string>& names, JsonWriter& json) const override {
    json.StartArray(), json.StartObject();
    json.Key("functionDeclarations"), RequestWriter::Tools(names, json);
    json.EndObject(), json.EndArray();
  }

 private:
  template <class Write>
  void Content(std::string_view role, Write&& write) {
    Message([&](JsonWriter& json) {
      json.Field("role", role);
      json.Key("parts"), json.StartArray();
      write(json);
      json.EndArray();
    });
  }

  static void Text(std::string_view text, JsonWriter& json) {
    json.StartObject();
    json.Field("text", text);
    json.EndObject();
  }

  static void Call(const ModelPart& part, bool first, JsonWriter& json) {
    json.StartObject();
    json.Key("functionCall"), json.StartObject();
    json.Field("name", part.name);
    json.Key("args"), json.Raw(part.text);
    json.EndObject();
    if (first) json.Field("thoughtSignature", std::string_view("skip_thought_signature_validator"));
    json.EndObject();
  }

  static void Response(const ModelPart& call, const CallResult& result, JsonWriter& json) {
    json.StartObject();
    json.Key("functionResponse"), json.StartObject();
    json.Field("name", call.name);
    json.Key("response"), json.StartObject();
    json.Field(result.is_error ? "error" : "output", result.content);
    json.EndObject(), json.EndObject(), json.EndObject();
  }
};

}  // namespace

std::unique_ptr<StepWriter> GeminiWriter() { return std::make_unique<Writer>(); }

}  // namespace turnlog
