#include "migrate/sessions/session_writer.h"

#include "migrate/gemini/project_hash.h"
#include "migrate/sessions/session_ids.h"

namespace turnlog {
namespace {

using Kind = ModelPart::Kind;

// JSON lines. Signatures are not recorded; a session that is resumed does not need those of earlier turns.
class Writer final : public SessionWriter {
 public:
  using SessionWriter::SessionWriter;

  std::string Begin(std::string_view model) override {
    model_ = model.empty() ? "unknown" : model;
    Line([&](JsonWriter& json) {
      json.Field("sessionId", frame().id);
      json.Field("projectHash", GeminiProjectHash(frame().folder));
      json.Field("startTime", MillisecondTime(frame().begin));
      json.Field("lastUpdated", MillisecondTime(frame().begin));
      json.Field("kind", std::string_view("main"));
    });
    return Take();
  }

  std::string End(const std::vector<std::string>&) override {
    Line([&](JsonWriter& json) {
      json.Key("$set"), json.StartObject();
      json.Field("lastUpdated", MillisecondTime(TimeOf({})));
      json.EndObject();
    });
    return Take();
  }

  // Gemini CLI takes some prompts for commands or its own, and leaves them out.
  void Request(const UserText& text) override {
    const std::string_view said = std::string_view(text.text).substr(text.text.find_first_not_of(" \t\r\n\v\f"));
    const bool command = said.starts_with('/') || said.starts_with('?') || said.starts_with("<session_context>") ||
                         said.starts_with("<hook_context>");
    Message("user", text.time, text.text, [&](JsonWriter& json) {
      json.Key("content"), json.StartArray(), json.StartObject();
      json.Field("text", command ? "Request: " + text.text : text.text);
      json.EndObject(), json.EndArray();
    });
  }

  // A message with its calls, and their results in them.
  void Model(const DialogueStep& step) override {
    std::string said;
    for (const ModelPart& part : step.parts) {
      if (part.kind == Kind::kText) said += (said.empty() ? "" : "\n\n") + part.text;
    }
    Message("gemini", step.parts.front().time, said, [&](JsonWriter& json) {
      json.Field("content", said);
      json.Key("thoughts"), json.Raw("[]");
      json.Field("model", step.model.empty() ? model_ : step.model);
      if (!step.results.empty()) Calls(step, json);
    });
  }

  void Results(const DialogueStep&) override {}

  bool Opens(const ModelPart&, std::string_view) const override { return false; }

 private:
  template <class Write>
  void Message(std::string_view type, const std::optional<Timestamp>& time, std::string_view contents, Write&& write) {
    Line([&](JsonWriter& json) {
      json.Field("id", NewUuid(contents));
      json.Field("timestamp", MillisecondTime(TimeOf(time)));
      json.Field("type", type);
      write(json);
    });
  }

  void Calls(const DialogueStep& step, JsonWriter& json) {
    json.Key("toolCalls"), json.StartArray();
    ForEachResult(step, [&](const ModelPart& call, const CallResult& result) {
      json.StartObject();
      json.Field("id", call.id);
      json.Field("name", call.name);
      json.Key("args"), json.Raw(call.text);
      json.Key("result"), json.StartArray();
      Response(call, result, json);
      json.EndArray();
      json.Field("status", std::string_view(result.is_error ? "error" : "success"));
      json.Field("timestamp", MillisecondTime(TimeOf(result.time)));
      json.EndObject();
    });
    json.EndArray();
  }

  static void Response(const ModelPart& call, const CallResult& result, JsonWriter& json) {
    json.StartObject(), json.Key("functionResponse"), json.StartObject();
    json.Field("id", call.id);
    json.Field("name", call.name);
    json.Key("response"), json.StartObject();
    json.Field(result.is_error ? "error" : "output", result.content);
    json.EndObject(), json.EndObject(), json.EndObject();
  }

  std::string model_;
};

}  // namespace

std::unique_ptr<StepWriter> GeminiSessionWriter(SessionFrame frame) {
  return std::make_unique<Writer>(std::move(frame));
}

}  // namespace turnlog
