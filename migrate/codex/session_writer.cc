#include "migrate/sessions/session_writer.h"

#include <algorithm>

#include "migrate/codex/injected_text.h"
#include "migrate/requests/openai_items.h"
#include "migrate/sessions/session_ids.h"

namespace turnlog {
namespace {

using Kind = ModelPart::Kind;

// What was said is recorded twice: as an item for the model, as an event for the screen.
class Writer final : public SessionWriter {
 public:
  using SessionWriter::SessionWriter;

  std::string Begin(std::string_view) override {
    Record("session_meta", {}, [&](JsonWriter& json) {
      json.Field("id", frame().id);
      json.Field("timestamp", MillisecondTime(frame().begin));
      json.Field("cwd", frame().folder);
      json.Field("originator", std::string_view("turnlog"));
      json.Field("cli_version", std::string_view("0.0.0"));
      json.Field("source", std::string_view("cli"));
    });
    return Take();
  }
  std::string End(const std::vector<std::string>&) override { return {}; }

  void Request(const UserText& text) override {
    Item(text.time, [&](JsonWriter& json) { WriteMessageItem("user", text.text, json); });
    if (text.by_harness || IsInjectedText(text.text)) return;  // what Codex takes for its own is no event
    Record("event_msg", text.time, [&](JsonWriter& json) {
      json.Field("type", std::string_view("user_message"));
      json.Field("message", text.text);
      json.Key("images"), json.Raw("[]");
    });
  }

  void Model(const DialogueStep& step) override {
    for (auto part = step.parts.begin(); part != step.parts.end(); ++part) {
      const bool leads =
          std::any_of(part, step.parts.end(), [](const ModelPart& p) { return p.kind != Kind::kReasoning; });
      if (part->kind == Kind::kText) Message(*part);
      if (part->kind == Kind::kCall) Item(part->time, [&](JsonWriter& json) { WriteCallItem(*part, json); });
      if (part->kind == Kind::kReasoning && leads) {
        Item(part->time, [&](JsonWriter& json) { WriteReasoningItem(*part, json); });
      }
    }
  }

  void Results(const DialogueStep& step) override {
    ForEachResult(step, [&](const ModelPart& call, const CallResult& result) {
      Item(result.time, [&](JsonWriter& json) { WriteOutputItem(call, result, json); });
    });
  }

  bool Opens(const ModelPart& part, std::string_view) const override { return OpensAtOpenAi(part); }

 private:
  void Message(const ModelPart& part) {
    Record("event_msg", part.time, [&](JsonWriter& json) {
      json.Field("type", std::string_view("agent_message"));
      json.Field("message", part.text);
    });
    Item(part.time, [&](JsonWriter& json) { WriteMessageItem("assistant", part.text, json); });
  }

  template <class Write>
  void Item(const std::optional<Timestamp>& time, Write&& write) {
    Record("response_item", time, std::forward<Write>(write));
  }

  // `write` gets the writer in the open payload.
  template <class Write>
  void Record(std::string_view type, const std::optional<Timestamp>& time, Write&& write) {
    Line([&](JsonWriter& json) {
      json.Field("timestamp", MillisecondTime(TimeOf(time)));
      json.Field("type", type);
      json.Key("payload"), json.StartObject();
      write(json);
      json.EndObject();
    });
  }
};

}  // namespace

std::unique_ptr<StepWriter> CodexSessionWriter(SessionFrame frame) {
  return std::make_unique<Writer>(std::move(frame));
}

}  // namespace turnlog
