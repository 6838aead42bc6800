#include "migrate/sessions/session_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace turnlog {
namespace {

using Kind = ModelPart::Kind;

// opencode's models are named provider/model.
struct OpencodeModel {
  std::string provider, model;

  static OpencodeModel Parse(std::string_view name) {
    if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
      return {std::string(name.substr(0, slash)), std::string(name.substr(slash + 1))};
    }
    const char* const provider = name.starts_with("claude")   ? "anthropic"
                                 : name.starts_with("gemini") ? "google"
                                 : name.starts_with("gpt")    ? "openai"
                                                              : "opencode";
    return {provider, name.empty() ? "unknown" : std::string(name)};
  }
};

// The document of `opencode export`, which `opencode import` reads. A call and its result are one part.
class Writer final : public SessionWriter {
 public:
  using SessionWriter::SessionWriter;

  std::string Begin(std::string_view model) override {
    model_ = model;
    JsonWriter json(out());
    json.StartObject(), json.Key("info"), json.StartObject();
    json.Field("id", frame().id);
    json.Field("slug", frame().id);
    json.Field("projectID", std::string_view("global"));
    json.Field("directory", frame().folder);
    json.Field("title", std::string_view("Exported by turnlog"));
    json.Field("version", std::string_view("1.0.0"));
    json.Key("time"), json.StartObject();
    json.Key("created"), json.Unsigned(Milliseconds({}));
    json.Key("updated"), json.Unsigned(Milliseconds({}));
    json.EndObject(), json.EndObject(), json.Key("messages");
    out() += '[';
    return Take();
  }

  std::string End(const std::vector<std::string>&) override { return "\n]}\n"; }

  void Request(const UserText& text) override {
    user_ = NewId("msg", text.time);
    Message(
        [&](JsonWriter& json) {
          const OpencodeModel model = OpencodeModel::Parse(model_);
          json.Field("id", user_);
          json.Field("sessionID", frame().id);
          json.Field("role", std::string_view("user"));
          json.Key("time"), json.StartObject();
          json.Key("created"), json.Unsigned(Milliseconds(text.time));
          json.EndObject();
          json.Field("agent", std::string_view("build"));
          json.Key("model"), json.StartObject();
          json.Field("providerID", model.provider);
          json.Field("modelID", model.model);
          json.EndObject();
        },
        [&](JsonWriter& json) { Text(user_, text.text, text.time, json); });
  }

  void Model(const DialogueStep& step) override {
    const std::optional<Timestamp>& time = step.parts.front().time;
    const std::string id = NewId("msg", time);
    Message([&](JsonWriter& json) { Info(step, id, json); },
            [&](JsonWriter& json) {
              auto result = step.results.begin();
              for (const ModelPart& part : step.parts) {
                if (part.kind == Kind::kText) Text(id, part.text, part.time, json);
                if (part.kind == Kind::kCall) Tool(id, part, *result++, json);
              }
            });
  }

  void Results(const DialogueStep&) override {}

  bool Opens(const ModelPart&, std::string_view) const override { return false; }

 private:
  std::uint64_t Milliseconds(const std::optional<Timestamp>& time) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(TimeOf(time).nanos, 0) / 1'000'000);
  }

  // As opencode's own: they ascend, and begin with the time.
  std::string NewId(std::string_view prefix, const std::optional<Timestamp>& time) {
    last_id_ = std::max(last_id_ + 1, Milliseconds(time) << 12);
    return fmt::format("{}_{:012x}turnlog{:07}", prefix, last_id_ & 0xFFFF'FFFF'FFFF, last_id_ & 0xFFF);
  }

  template <class WriteInfo, class WriteParts>
  void Message(WriteInfo&& info, WriteParts&& parts) {
    out() += first_ ? "\n" : ",\n";
    first_ = false;
    JsonWriter json(out());
    json.StartObject(), json.Key("info"), json.StartObject();
    info(json);
    json.EndObject(), json.Key("parts"), json.StartArray();
    parts(json);
    json.EndArray(), json.EndObject();
  }

  void Info(const DialogueStep& step, const std::string& id, JsonWriter& json) {
    const OpencodeModel model = OpencodeModel::Parse(step.model.empty() ? model_ : step.model);
    json.Field("id", id);
    json.Field("sessionID", frame().id);
    json.Field("role", std::string_view("assistant"));
    Times("created", "completed", step.parts.front().time, step.parts.back().time, json);
    json.Field("parentID", user_);
    json.Field("modelID", model.model);
    json.Field("providerID", model.provider);
    json.Field("mode", std::string_view("build"));
    json.Field("agent", std::string_view("build"));
    json.Key("path"), json.StartObject();
    json.Field("cwd", frame().folder);
    json.Field("root", frame().folder);
    json.EndObject();
    json.Key("cost"), json.Raw("0");
    json.Key("tokens"), json.Raw(R"({"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}})");
    json.Field("finish", std::string_view(step.results.empty() ? "stop" : "tool-calls"));
  }

  void Times(std::string_view begin, std::string_view end, const std::optional<Timestamp>& first,
             const std::optional<Timestamp>& last, JsonWriter& json) {
    json.Key("time"), json.StartObject();
    json.Key(begin), json.Unsigned(Milliseconds(first));
    json.Key(end), json.Unsigned(Milliseconds(last));
    json.EndObject();
  }

  void PartHead(const std::string& message, std::string_view type, const std::optional<Timestamp>& time,
                JsonWriter& json) {
    json.Field("id", NewId("prt", time));
    json.Field("sessionID", frame().id);
    json.Field("messageID", message);
    json.Field("type", type);
  }

  void Text(const std::string& message, std::string_view text, const std::optional<Timestamp>& time, JsonWriter& json) {
    json.StartObject();
    PartHead(message, "text", time, json);
    json.Field("text", text);
    Times("start", "end", time, {}, json);
    json.EndObject();
  }

  void Tool(const std::string& message, const ModelPart& call, const CallResult& result, JsonWriter& json) {
    json.StartObject();
    PartHead(message, "tool", call.time, json);
    json.Field("callID", call.id);
    json.Field("tool", call.name);
    json.Key("state"), json.StartObject();
    json.Field("status", std::string_view(result.is_error ? "error" : "completed"));
    json.Key("input"), json.Raw(call.text);
    json.Field(result.is_error ? "error" : "output", result.content);
    if (!result.is_error) json.Field("title", call.name), json.Key("metadata"), json.Raw("{}");
    Times("start", "end", call.time, result.time, json);
    json.EndObject(), json.EndObject();
  }

  std::string model_, user_;
  std::uint64_t last_id_ = 0;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<StepWriter> OpencodeSessionWriter(SessionFrame frame) {
  return std::make_unique<Writer>(std::move(frame));
}

}  // namespace turnlog
