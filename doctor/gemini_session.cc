// What Gemini CLI and Gemini's API require of a session: what is sent has a response to each call of a message.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "doctor/session_checks.h"
#include "doctor/session_images.h"
#include "migrate/gemini/tool_call.h"

namespace turnlog {
namespace {

// A call without a response.
struct OpenCall {
  FindingLocation location;
  std::string id, name;
  std::uint64_t begin = 0;                         // of its fields
  std::uint64_t result_begin = 0, result_end = 0;  // of an empty result; 0: there is none
  std::uint64_t status_begin = 0, status_end = 0;  // of a status that says that it has not ended
};

struct Message {
  std::string id;
  bool is_sent = false;
  std::vector<OpenCall> open;
};

bool IsEmptyResult(std::string_view result) {
  return result.empty() || result == "null" || result == R"("")" || result == "[]";
}

bool HasEnded(const std::string& status) { return status == "success" || status == "error" || status == "cancelled"; }

class GeminiSession final : public SessionChecks {
 public:
  explicit GeminiSession(const CheckContext& context)
      : context_(context),
        images_(Provider::kGemini, context.diagnosis),
        needs_header_(context.file_name.ends_with(".jsonl")) {}

  void Take(const SessionRecord& record, const RecordPiece& piece) override {
    const JsonObject& object = record.object();
    if (!std::exchange(has_records_, true)) first_ = {record.line(), record.begin()};
    if (IsJsonString(object["sessionId"])) needs_header_ = false;
    if (!object["$rewindTo"].empty()) return Rewind(record, piece);
    if (const JsonObject set = object.Object("$set"); !set["messages"].empty()) {
      messages_.clear();
      known_.clear();
      for (const std::string_view text : ElementsOf(set["messages"])) Take(record, text);
    } else if (!object["type"].empty()) {
      TakeMessage(record, object);
    }
  }

  void Finish() override {
    if (needs_header_ && has_records_) context_.diagnosis.Add("gemini-header", first_, false);
    const auto sent = [](const Message& message) { return message.is_sent; };
    for (auto message = messages_.begin(); message != messages_.end(); ++message) {
      if (message->open.empty()) continue;
      const bool passed = std::any_of(std::next(message), messages_.end(), sent);
      for (const OpenCall& call : message->open) Report(call, passed);
    }
    images_.Finish();
  }

 private:
  void Take(const SessionRecord& record, std::string_view text) {
    if (const auto message = JsonObject::Parse(text)) TakeMessage(record, *message);
  }

  // The last message with an id counts, where the first one was.
  void TakeMessage(const SessionRecord& record, const JsonObject& object) {
    const std::string type = object.String("type").value_or("");
    Message message{.id = object.String("id").value_or(""), .is_sent = type == "user" || type == "gemini"};
    for (const std::string_view text : ElementsOf(object["toolCalls"])) TakeCall(record, text, message);
    if (type == "user") TakeImages(record, object["content"].empty() ? object["parts"] : object["content"]);
    const auto [known, is_new] = known_.try_emplace(message.id, messages_.size());
    if (is_new || message.id.empty()) {
      messages_.push_back(std::move(message));
    } else {
      messages_[known->second] = std::move(message);
    }
  }

  static void TakeCall(const SessionRecord& record, std::string_view text, Message& message) {
    const JsonObject object = JsonObject::Parse(text).value_or(JsonObject());
    const auto call = ReadGeminiCall(object);
    const std::string_view result = object["result"], status = object["status"];
    if (!call || !IsEmptyResult(result)) return;
    OpenCall open{.location = {record.line(), record.begin()}, .id = call->id, .name = call->name};
    if (record.is_exact()) {
      open.location.byte = record.Begin(text);
      open.begin = open.location.byte + 1;
      if (!result.empty()) open.result_begin = record.Begin(result), open.result_end = record.End(result);
      const bool running = IsJsonString(status) && !HasEnded(object.String("status").value_or(""));
      if (running) open.status_begin = record.Begin(status), open.status_end = record.End(status);
    }
    message.open.push_back(std::move(open));
  }

  void Report(const OpenCall& call, bool passed) {
    const bool mended = (passed || context_.close_open) && call.begin > 0;
    context_.diagnosis.Add(passed ? "gemini-missing-response" : "open-call", call.location, mended,
                           call.id.empty() ? call.name : call.id);
    if (!mended) return;
    TextEdits& edits = context_.diagnosis.edits();
    const std::string id = call.id.empty() ? std::string() : fmt::format(R"("id":{},)", JsonToken(call.id));
    const std::string result = fmt::format(R"([{{"functionResponse":{{{}"name":{},"response":{{"error":"{}"}}}}}}])",
                                           id, JsonToken(call.name), kInterruptedCall);
    if (call.result_end > 0) {
      edits.Replace(call.result_begin, call.result_end, result);
    } else {
      edits.Insert(call.begin, fmt::format(R"("result":{},)", result));
    }
    if (call.status_end > 0) edits.Replace(call.status_begin, call.status_end, R"("error")");
  }

  // Removes the message and all that follow it; one that is not known removes all.
  void Rewind(const SessionRecord& record, const RecordPiece& piece) {
    const auto known = known_.find(record.object().String("$rewindTo").value_or(""));
    if (known == known_.end()) {
      context_.diagnosis.Add("gemini-rewind", record, true);
      return context_.records.Remove(piece);
    }
    const std::size_t first = known->second;
    messages_.resize(first);
    std::erase_if(known_, [&](const auto& entry) { return entry.second >= first; });
  }

  void TakeImages(const SessionRecord& record, std::string_view parts) {
    if (!record.is_exact()) return;
    for (const std::string_view text : ElementsOf(parts)) {
      const JsonObject data = JsonObject::Parse(text).value_or(JsonObject()).Object("inlineData");
      if (!IsJsonString(data["data"]) || !data.String("mimeType").value_or("").starts_with("image/")) continue;
      images_.Add(record, text, data["data"], data["mimeType"]);
    }
  }

  const CheckContext context_;
  SessionImages images_;
  std::vector<Message> messages_;                       // as the tool loads them
  std::unordered_map<std::string, std::size_t> known_;  // their indexes
  FindingLocation first_;
  bool needs_header_, has_records_ = false;
};

}  // namespace

std::unique_ptr<SessionChecks> CheckGeminiSession(const CheckContext& context) {
  return std::make_unique<GeminiSession>(context);
}

}  // namespace turnlog
