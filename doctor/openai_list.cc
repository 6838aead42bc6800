// What OpenAI's APIs require of a list of messages of a chat, or of items.
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "doctor/response_items.h"
#include "doctor/session_checks.h"

namespace turnlog {
namespace {

// Messages of a chat: the results of calls follow them directly.
class ChatMessages {
 public:
  explicit ChatMessages(const CheckContext& context)
      : context_(context), diagnosis_(context.diagnosis), images_(Provider::kOpenAiChat, context.diagnosis) {}

  void Take(const SessionRecord& record, const RecordPiece& piece) {
    const JsonObject& message = record.object();
    if (message.String("role") == "tool") return TakeResult(record, piece);
    CloseCalls();
    TakeImages(record, message["content"]);
    for (const std::string_view call : ElementsOf(message["tool_calls"])) {
      const auto id = JsonObject::Parse(call).value_or(JsonObject()).String("id");
      if (id) open_.insert_or_assign(*id, Call{{record.line(), record.Begin(call)}});
    }
    end_ = record.end();
  }

  void Finish() {
    for (const auto& [id, call] : open_) Report("open-call", id, call, context_.close_open, end_);
    for (const auto& [id, call] : missing_) Report("chat-missing-result", id, call, true, call.end);
    images_.Finish();
  }

 private:
  struct Call {
    FindingLocation location;
    std::uint64_t end = 0;  // after which its result belongs
  };

  void Report(std::string_view rule, const std::string& id, const Call& call, bool mended, std::uint64_t end) {
    diagnosis_.Add(rule, call.location, mended, id);
    if (!mended) return;
    context_.records.InsertAfter(
        end, {fmt::format(R"({{"role":"tool","tool_call_id":{},"content":"{}"}})", JsonToken(id), kInterruptedCall)});
  }

  void TakeResult(const SessionRecord& record, const RecordPiece& piece) {
    const std::string id = record.object().String("tool_call_id").value_or(std::string());
    if (open_.erase(id) == 1) {
      end_ = record.end();
    } else if (const auto late = missing_.find(id); late != missing_.end()) {
      diagnosis_.Add("chat-missing-result", late->second.location, true, id);
      diagnosis_.Add("chat-stray-result", record, true);
      context_.records.InsertAfter(late->second.end, {std::string(record.bytes())});
      context_.records.Remove(piece);
      missing_.erase(late);
    } else {
      diagnosis_.Add("chat-stray-result", record, true);
      KeepAsMessage(record);
    }
  }

  void KeepAsMessage(const SessionRecord& record) {
    const std::string_view content = record.object()["content"];
    const std::string opening = fmt::format(R"({{"role":"user","content":)");
    TextEdits& edits = diagnosis_.edits();
    if (IsJsonString(content)) {
      edits.Replace(record.begin(), record.Begin(content) + 1, fmt::format("{}\"{}", opening, kStrayResult));
      edits.Replace(record.End(content), record.end(), "}");
    } else if (!ElementsOf(content).empty()) {
      edits.Replace(record.begin(), record.Begin(content) + 1,
                    fmt::format(R"({}[{{"type":"text","text":"{}"}},)", opening, kStrayResult));
      edits.Replace(record.End(content), record.end(), "}");
    } else {
      edits.Replace(record.begin(), record.end(), fmt::format("{}\"{}\"}}", opening, kStrayResult));
    }
  }

  void TakeImages(const SessionRecord& record, std::string_view content) {
    if (!content.contains("image_url")) return;
    for (const std::string_view text : ElementsOf(content)) {
      const JsonObject part = JsonObject::Parse(text).value_or(JsonObject());
      const JsonObject image = part.Object("image_url");
      if (IsJsonString(image["url"])) images_.Add(record, text, image["url"], {});
    }
  }

  // Any message but a result ends the time for results; what is missing may come later nevertheless.
  void CloseCalls() {
    for (const auto& [id, call] : open_) missing_.insert_or_assign(id, Call{call.location, end_});
    open_.clear();
  }

  const CheckContext context_;
  Diagnosis& diagnosis_;
  SessionImages images_;
  std::map<std::string, Call> open_, missing_;
  std::uint64_t end_ = 0;  // of the last message with calls and its results
};

class OpenAiList final : public SessionChecks {
 public:
  explicit OpenAiList(const CheckContext& context)
      : chat_(context), items_(context, [](const std::string& item, const std::string&) { return item; }) {}

  void Take(const SessionRecord& record, const RecordPiece& piece) override {
    if (!record.is_exact()) return;
    const JsonObject& object = record.object();
    // A message without a type may be of both APIs.
    const auto type = object.String("type");
    if (!type && IsJsonString(object["role"])) chat_.Take(record, piece);
    if (object.String("role") != "tool") (void)items_.Take(record, piece, object, {});
  }

  void Finish() override {
    chat_.Finish();
    (void)items_.Finish();
  }

 private:
  ChatMessages chat_;
  ResponseItems items_;
};

}  // namespace

std::unique_ptr<SessionChecks> CheckOpenAiList(const CheckContext& context) {
  return std::make_unique<OpenAiList>(context);
}

}  // namespace turnlog
