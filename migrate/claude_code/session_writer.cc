#include "migrate/sessions/session_writer.h"

#include <fmt/format.h>

#include "migrate/requests/anthropic_blocks.h"
#include "migrate/sessions/session_ids.h"

namespace turnlog {
namespace {

// Each block is a record, and each record has the one before as its parent: a walk along the parents misses none.
class Writer final : public SessionWriter {
 public:
  using SessionWriter::SessionWriter;

  std::string Begin(std::string_view model) override {
    model_ = model.empty() ? "unknown" : model;
    return {};
  }
  std::string End(const std::vector<std::string>&) override { return {}; }

  void Request(const UserText& text) override {
    Record("user", text.time, text.text, [&](JsonWriter& json) {
      json.Field("role", std::string_view("user"));
      json.Field("content", text.text);
    });
  }

  void Model(const DialogueStep& step) override {
    const std::string message = "msg_" + NewUuid("message");
    for (const ModelPart& part : step.parts) {
      Record("assistant", part.time, part.id + part.text, [&](JsonWriter& json) {
        json.Field("id", message);
        json.Field("type", std::string_view("message"));
        json.Field("role", std::string_view("assistant"));
        json.Field("model", step.model.empty() ? model_ : step.model);
        json.Key("content"), json.StartArray();
        WriteAnthropicBlock(part, json);
        json.EndArray();
        const bool last = &part == &step.parts.back();
        json.Key("stop_reason"), json.Raw(!last ? "null" : step.results.empty() ? R"("end_turn")" : R"("tool_use")");
        json.Key("stop_sequence"), json.Raw("null");
        json.Key("usage"), json.Raw(R"({"input_tokens":0,"output_tokens":0})");
      });
    }
  }

  void Results(const DialogueStep& step) override {
    ForEachResult(step, [&](const ModelPart& call, const CallResult& result) {
      Record("user", result.time, call.id + result.content, [&](JsonWriter& json) {
        json.Field("role", std::string_view("user"));
        json.Key("content"), json.StartArray();
        WriteAnthropicResult(call, result, json);
        json.EndArray();
      });
    });
  }

  bool Opens(const ModelPart& part, std::string_view model) const override { return OpensAtAnthropic(part, model); }

 private:
  // `write` gets the writer in the open message.
  template <class Write>
  void Record(std::string_view type, const std::optional<Timestamp>& time, std::string_view contents, Write&& write) {
    const std::string uuid = NewUuid(contents);
    Line([&](JsonWriter& json) {
      json.Key("parentUuid"), parent_.empty() ? json.Raw("null") : json.String(parent_);
      json.Key("isSidechain"), json.Bool(false);
      json.Field("userType", std::string_view("external"));
      json.Field("cwd", frame().folder);
      json.Field("sessionId", frame().id);
      json.Field("version", std::string_view("2.1.0"));
      json.Field("gitBranch", std::string_view());
      json.Field("type", type);
      json.Key("message"), json.StartObject();
      write(json);
      json.EndObject();
      json.Field("uuid", uuid);
      json.Field("timestamp", MillisecondTime(TimeOf(time)));
    });
    parent_ = uuid;
  }

  std::string model_, parent_;
};

}  // namespace

std::unique_ptr<StepWriter> ClaudeSessionWriter(SessionFrame frame) {
  return std::make_unique<Writer>(std::move(frame));
}

}  // namespace turnlog
