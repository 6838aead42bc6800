// What opencode requires of a session: an exported document, the files of its storage folder, or rows of its database.
// It says itself that calls were interrupted when it sends them, so these are no fault of what is sent. Images are
// those that the provider of the session's last model gets.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "doctor/row_data.h"
#include "doctor/session_checks.h"
#include "doctor/session_images.h"
#include "migrate/opencode/tool_part.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 4> kStates{"pending", "running", "completed", "error"};

// A data URL, or one of an image that is elsewhere.
bool IsImage(const JsonObject& file) {
  return file.String("type") == "file" && file.String("mime").value_or("").starts_with("image/") &&
         IsJsonString(file["url"]);
}

// Of one that is elsewhere, nothing is known.
std::string_view TypeOf(const JsonObject& image) {
  return image["url"].starts_with("\"data:") ? image["mime"] : std::string_view();
}

// Messages and parts, wherever they are.
class OpencodeChecks : public SessionChecks {
 public:
  explicit OpencodeChecks(const CheckContext& context)
      : context_(context), images_(context.provider, context.diagnosis) {}
  void Finish() override { images_.Finish(); }

 protected:
  void TakeMessage(const SessionRecord& record, const JsonObject& message) {
    if (const auto provider = OpencodeProvider(message)) images_.SetProvider(*provider);
    const auto role = message.String("role");
    if (role != "user" && role != "assistant") return Lacks(record, message, "a message without a role");
    if (message.Object("time")["created"].empty()) Lacks(record, message, "a message without time.created");
  }

  void TakePart(const SessionRecord& record, const JsonObject& part) {
    const auto type = part.String("type");
    if (!type) return Lacks(record, part, "a part without a type");
    const bool is_text = type == "text" || type == "reasoning";
    if (is_text && !IsJsonString(part["text"])) return Lacks(record, part, "a text without text");
    if (type == "file" && record.is_exact()) TakeImage(record, part);
    if (type == "tool") TakeCall(record, part);
  }

  // A summary takes the place of what was said before it.
  static bool IsSummary(const JsonObject& message) { return message.IsTrue("summary"); }
  void Forget() { images_.Forget(); }

  void Lacks(const SessionRecord& record, const JsonObject& object, std::string what) {
    FindingLocation location{record.line(), record.begin()};
    if (record.is_exact() && !object.text().empty()) location.byte = record.Begin(object.text());
    context_.diagnosis.Add("opencode-field", location, false, std::move(what));
  }

  const CheckContext& context() const { return context_; }

 private:
  void TakeCall(const SessionRecord& record, const JsonObject& part) {
    const JsonObject state = part.Object("state");
    const std::string status = state.String("status").value_or("");
    if (!ReadOpencodeTool(part)) return Lacks(record, part, "a call without callID or tool");
    if (std::ranges::find(kStates, status) == kStates.end())
      return Lacks(record, part, "a call with an unknown status");
    if (status == "completed" && !IsJsonString(state["output"])) return Lacks(record, part, "a result without output");
    if (status == "error" && !IsJsonString(state["error"])) return Lacks(record, part, "an error without a text");
    if (record.is_exact()) TakeAttachments(record, state["attachments"]);
    if (status == "completed" || status == "error") return;
    const bool mended = context_.close_open && record.is_exact();
    context_.diagnosis.Add("open-call", record, mended, part.String("callID").value_or(""));
    if (mended) Interrupt(record, state);
  }

  void TakeImage(const SessionRecord& record, const JsonObject& part) {
    if (!IsImage(part)) return;
    std::string fields;
    for (const std::string_view name : {"id", "sessionID", "messageID"}) {
      if (!part[name].empty()) fields += fmt::format("\"{}\":{},", name, part[name]);
    }
    images_.Add(record, part.text(), part["url"], TypeOf(part), fields + R"("type":"text","synthetic":true,)");
  }

  // What a tool gives beside its output is files only: one that is refused is removed, with the comma before it.
  void TakeAttachments(const SessionRecord& record, std::string_view attachments) {
    const std::vector<std::string_view> files = ElementsOf(attachments);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const JsonObject file = JsonObject::Parse(files[i]).value_or(JsonObject());
      if (!IsImage(file)) continue;
      const bool is_followed = i == 0 && files.size() > 1;
      images_.AddRemovable(record, i > 0 ? record.End(files[i - 1]) : record.Begin(files[i]),
                           is_followed ? record.Begin(files[1]) : record.End(files[i]), file["url"], TypeOf(file));
    }
  }

  // A call that failed has the time of its end.
  void Interrupt(const SessionRecord& record, const JsonObject& state) const {
    const std::string_view status = state["status"], time = state["time"], start = state.Object("time")["start"];
    TextEdits& edits = context_.diagnosis.edits();
    const std::string error = fmt::format(R"("error","error":"{}")", kInterruptedCall);
    if (time.starts_with('{') && !start.empty()) {
      edits.Replace(record.Begin(status), record.End(status), error);
      if (state.Object("time")["end"].empty()) edits.Insert(record.End(start), fmt::format(R"(,"end":{})", start));
    } else {
      edits.Replace(record.Begin(status), record.End(status), error + R"(,"time":{"start":0,"end":0})");
    }
  }

  const CheckContext context_;
  SessionImages images_;
};

// {"info":{...},"parts":[...]}
class OpencodeExport final : public OpencodeChecks {
 public:
  using OpencodeChecks::OpencodeChecks;

  void Take(const SessionRecord& record, const RecordPiece& /*piece*/) override {
    const JsonObject info = record.object().Object("info");
    TakeMessage(record, info);
    if (IsSummary(info)) Forget();
    for (const std::string_view text : ElementsOf(record.object()["parts"])) {
      const JsonObject part = JsonObject::Parse(text).value_or(JsonObject());
      TakePart(record, part);
      if (!IsJsonString(part["messageID"]) || part.String("messageID") == info.String("id")) continue;
      Lacks(record, part, "a part of another message");
    }
  }
};

// One file: what it is, is said by the folders that it is in.
class OpencodeFile final : public OpencodeChecks {
 public:
  using OpencodeChecks::OpencodeChecks;

  void Take(const SessionRecord& record, const RecordPiece& /*piece*/) override {
    const JsonObject& object = record.object();
    if (context().file_name.contains("/message/")) return TakeMessage(record, object);
    if (context().file_name.contains("/part/")) return TakePart(record, object);
    if (!object.String("id")) return Lacks(record, object, "a session without an id");
    if (object.Object("time")["created"].empty()) Lacks(record, object, "a session without time.created");
  }
};

// Rows, each with a name of its table.
class OpencodeRows final : public OpencodeChecks {
 public:
  using OpencodeChecks::OpencodeChecks;

  void Take(const SessionRecord& record, const RecordPiece& /*piece*/) override {
    const auto table = record.object().String("table");
    const std::string_view data = record.object()["data"];
    if (table != "message" && table != "part") return;
    if (ReadRowData(data) != RowData::kObject) return TakeUnreadable(record, *table == "part", data);
    const JsonObject object = record.object().Object("data");
    if (*table == "part") return TakePart(record, object);
    TakeMessage(record, object);
    if (IsSummary(object)) Forget();
  }

 private:
  // What a part says is lost, but not what the others say.
  void TakeUnreadable(const SessionRecord& record, bool is_part, std::string_view data) {
    const bool is_clear = ReadRowData(data) == RowData::kNoJson;
    const bool mended = is_part && is_clear && record.is_exact() && IsJsonString(data) && context().can_remove;
    context().diagnosis.Add("opencode-data", record, mended, std::string(is_clear ? "" : kUnclearRow));
    if (!mended) return;
    context().diagnosis.edits().Replace(record.Begin(data), record.End(data),
                                        R"({"type":"text","text":"[This part could not be read.]","synthetic":true})");
  }
};

}  // namespace

std::optional<Provider> OpencodeProvider(const JsonObject& message) {
  const JsonObject& named = message["model"].starts_with('{') ? message.Object("model") : message;
  const std::string provider = named.String("providerID").value_or(""), model = named.String("modelID").value_or("");
  // Gateways pass on what they get.
  if (provider == "anthropic" || model.contains("claude")) return Provider::kAnthropic;
  if (provider == "google" || model.contains("gemini")) return Provider::kGemini;
  return provider == "openai" ? std::optional(Provider::kOpenAiResponses) : std::nullopt;
}

std::unique_ptr<SessionChecks> CheckOpencodeExport(const CheckContext& context) {
  return std::make_unique<OpencodeExport>(context);
}

std::unique_ptr<SessionChecks> CheckOpencodeFile(const CheckContext& context) {
  return std::make_unique<OpencodeFile>(context);
}

std::unique_ptr<SessionChecks> CheckOpencodeRows(const CheckContext& context) {
  return std::make_unique<OpencodeRows>(context);
}

}  // namespace turnlog
