// Gemini CLI: lines with messages, of which the last of an id counts in the place of the first; a message becomes a
// content of the model's, its calls and their results two more.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "migrate/records/json_object.h"
#include "migrate/sessions/loaded_session.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

std::string PartsOf(std::string_view content) {
  if (IsJsonString(content)) return fmt::format(R"({{"text":{}}})", content);
  if (content.starts_with('{')) return std::string(content);
  return fmt::format("{}", fmt::join(ElementsOf(content), ","));
}

std::string TextOf(std::string_view content) {
  if (IsJsonString(content)) return UnescapeJson(content);
  std::string text;
  for (const std::string_view part : ElementsOf(content)) {
    text += JsonObject::Parse(part).value_or(JsonObject()).String("text").value_or("");
  }
  return text;
}

// Commands of the user's are not sent.
bool IsIgnored(const std::string& text) {
  const std::string_view trimmed =
      std::string_view(text).substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return trimmed.empty() || trimmed.starts_with('/') || trimmed.starts_with('?') ||
         trimmed.starts_with("<session_context>") || trimmed.starts_with("<hook_context>");
}

class Session {
 public:
  void Add(std::string_view line) {
    const auto record = JsonObject::Parse(line);
    if (!record) return;
    if (const auto id = record->String("sessionId"); id && (*record)["type"].empty()) id_ = *id;
    if (const auto id = record->String("$rewindTo")) Rewind(*id);
    if (const JsonObject set = record->Object("$set"); !set["messages"].empty()) messages_.clear(), AddAll(set);
    if (!(*record)["messages"].empty()) AddAll(*record);
    if (record->String("type") && record->String("id")) Put(*record);
  }

  Result<LoadedSession> Finish() const {
    if (id_.empty()) return CannotLoad("it has no sessionId");
    std::string list = "[";
    for (const JsonObject& message : messages_) list += Contents(message);
    list += fmt::format(R"({{"role":"user","parts":[{{"text":"{}"}}]}}])", kNextPrompt);
    return LoadedSession{.id = id_, .provider = Provider::kGemini, .messages = std::move(list)};
  }

 private:
  void AddAll(const JsonObject& from) {
    for (const std::string_view text : ElementsOf(from["messages"])) {
      if (auto message = JsonObject::Parse(text)) Put(*message);
    }
  }

  void Put(const JsonObject& message) {
    const auto id = message.String("id");
    const auto known = std::ranges::find_if(messages_, [&](const JsonObject& each) { return each.String("id") == id; });
    if (known != messages_.end()) {
      *known = message;
    } else {
      messages_.push_back(message);
    }
  }

  void Rewind(const std::string& id) {
    const auto found = std::ranges::find_if(messages_, [&](const JsonObject& each) { return each.String("id") == id; });
    messages_.erase(found == messages_.end() ? messages_.begin() : found, messages_.end());
  }

  static std::string Contents(const JsonObject& message) {
    const std::string type = message.String("type").value_or("");
    const std::string_view content = message["content"];
    if (type == "user" && !IsIgnored(TextOf(content))) {
      return fmt::format("{{\"role\":\"user\",\"parts\":[{}]}},\n", PartsOf(content));
    }
    return type == "gemini" ? ModelContents(message) : std::string();
  }

  static std::string ModelContents(const JsonObject& message) {
    std::vector<std::string> parts, responses;
    if (!TextOf(message["content"]).empty()) parts.push_back(PartsOf(message["content"]));
    for (const std::string_view text : ElementsOf(message["toolCalls"])) {
      const JsonObject call = JsonObject::Parse(text).value_or(JsonObject());
      parts.push_back(fmt::format(R"({{"functionCall":{{"name":{},"args":{}}}}})", call["name"], call["args"]));
      for (const std::string_view part : ElementsOf(call["result"])) responses.emplace_back(part);
    }
    std::string contents;
    if (!parts.empty()) {
      contents += fmt::format("{{\"role\":\"model\",\"parts\":[{}]}},\n", fmt::join(parts, ","));
    }
    if (!responses.empty()) {
      contents += fmt::format("{{\"role\":\"user\",\"parts\":[{}]}},\n", fmt::join(responses, ","));
    }
    return contents;
  }

  std::string id_;
  std::vector<JsonObject> messages_;
};

}  // namespace

Result<LoadedSession> LoadGeminiSession(std::string_view file) {
  Session session;
  if (JsonObject::Parse(file)) {
    session.Add(file);  // one document
  } else {
    ForEachLine(file, [&](std::string_view line) { session.Add(line); });
  }
  return session.Finish();
}

}  // namespace turnlog
