// opencode: `opencode import` checks the document against its schema; messages are in the order of their ids, which
// ascend; a call and its result are one part.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/try.h"
#include "migrate/records/json_object.h"
#include "migrate/sessions/loaded_session.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

Status Require(const JsonObject& object, std::string_view what, std::initializer_list<std::string_view> texts,
               std::initializer_list<std::string_view> others = {}) {
  for (const std::string_view field : texts) {
    if (!object.String(field)) return CannotLoad(fmt::format("{} has no text {}", what, field));
  }
  for (const std::string_view field : others) {
    if (object[field].empty()) return CannotLoad(fmt::format("{} has no {}", what, field));
  }
  return {};
}

// The messages of a chat.
class Messages {
 public:
  Status Add(const JsonObject& message, const std::string& session) {
    const JsonObject info = message.Object("info");
    TURNLOG_TRY(Require(info, "a message", {"id", "sessionID", "role"}, {"time"}));
    const std::string id = *info.String("id");
    if (!id.starts_with("msg") || id <= last_id_) return CannotLoad("the ids of messages do not ascend");
    if (info.String("sessionID") != session) return CannotLoad("a message is of another session");
    last_id_ = id;
    if (info.String("role") == "user") {
      TURNLOG_TRY(Require(info, "a user's message", {"agent"}, {"model"}));
      TURNLOG_TRY(Require(info.Object("model"), "a model", {"providerID", "modelID"}));
    } else {
      TURNLOG_TRY(Require(info, "an assistant's message", {"parentID", "modelID", "providerID", "mode", "agent"},
                          {"path", "cost", "tokens"}));
    }
    text_.clear(), calls_.clear(), results_.clear();
    for (const std::string_view part : ElementsOf(message["parts"])) {
      TURNLOG_TRY(AddPart(JsonObject::Parse(part).value_or(JsonObject()), session, id));
    }
    Write(info.String("role").value_or(""));
    return {};
  }

  std::string Take() && { return fmt::format("[{}{{\"role\":\"user\",\"content\":\"{}\"}}]", list_, kNextPrompt); }

 private:
  Status AddPart(const JsonObject& part, const std::string& session, const std::string& message) {
    TURNLOG_TRY(Require(part, "a part", {"id", "sessionID", "messageID", "type"}));
    const bool here = part.String("sessionID") == session && part.String("messageID") == message;
    if (!here || !part.String("id")->starts_with("prt")) return CannotLoad("a part is of another message");
    const std::string type = part.String("type").value_or("");
    if (type == "text") {
      TURNLOG_TRY(Require(part, "a text", {"text"}));
      text_ += *part.String("text");
    }
    return type == "tool" ? AddTool(part) : Status();
  }

  // A call that has not ended counts as interrupted.
  Status AddTool(const JsonObject& part) {
    TURNLOG_TRY(Require(part, "a call", {"callID", "tool"}, {"state"}));
    const JsonObject state = part.Object("state");
    const std::string status = state.String("status").value_or("");
    const bool done = status == "completed", failed = status == "error";
    TURNLOG_TRY(Require(state, "the state of a call", {"status"}, {"input"}));
    if (done) TURNLOG_TRY(Require(state, "a completed call", {"output", "title"}, {"metadata", "time"}));
    if (failed) TURNLOG_TRY(Require(state, "a failed call", {"error"}, {"time"}));
    calls_.push_back(fmt::format(R"({{"id":{},"type":"function","function":{{"name":{},"arguments":{}}}}})",
                                 part["callID"], part["tool"], JsonString(state["input"]).text()));
    results_.push_back(fmt::format(R"({{"role":"tool","tool_call_id":{},"content":{}}},)", part["callID"],
                                   done     ? state["output"]
                                   : failed ? state["error"]
                                            : std::string_view(R"("[Tool execution was interrupted]")")));
    return {};
  }

  void Write(const std::string& role) {
    if (text_.empty() && calls_.empty()) return;
    list_ += fmt::format(R"({{"role":"{}","content":{})", role, text_.empty() ? "null" : JsonString(text_).text());
    if (!calls_.empty()) list_ += fmt::format(R"(,"tool_calls":[{}])", fmt::join(calls_, ","));
    list_ += "},\n";
    for (const std::string& result : results_) list_ += result + "\n";
  }

  std::string last_id_, list_, text_;
  std::vector<std::string> calls_, results_;
};

}  // namespace

Result<LoadedSession> LoadOpencodeSession(std::string_view file) {
  while (file.ends_with('\n')) file.remove_suffix(1);
  const auto document = JsonObject::Parse(file);
  if (!document) return CannotLoad("it is no JSON document");
  const JsonObject info = document->Object("info");
  TURNLOG_TRY(Require(info, "the session", {"id", "slug", "projectID", "directory", "title", "version"}, {"time"}));
  const std::string id = *info.String("id");
  if (!id.starts_with("ses")) return CannotLoad("the id of the session does not begin with ses");
  Messages messages;
  for (const std::string_view text : ElementsOf((*document)["messages"])) {
    TURNLOG_TRY(messages.Add(JsonObject::Parse(text).value_or(JsonObject()), id));
  }
  return LoadedSession{.id = id, .provider = Provider::kOpenAiChat, .messages = std::move(messages).Take()};
}

}  // namespace turnlog
