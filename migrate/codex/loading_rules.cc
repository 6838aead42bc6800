// Codex: the items of the file in their order; a compaction replaces all before it, a rollback removes the last turns
// of the user.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/try.h"
#include "migrate/codex/injected_text.h"
#include "migrate/records/json_object.h"
#include "migrate/sessions/loaded_session.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

struct ListedItem {
  std::string json;
  bool prompt = false;  // begins a turn of the user
};

std::string UserItem(std::string_view text_token) {
  return fmt::format(R"({{"type":"message","role":"user","content":[{{"type":"input_text","text":{}}}]}})", text_token);
}

class Session {
 public:
  Status Add(std::string_view line) {
    const auto record = JsonObject::Parse(line);
    if (!record || !record->String("timestamp")) return {};  // ignored
    const std::string type = record->String("type").value_or("");
    const JsonObject payload = record->Object("payload");
    if (id_.empty() && type != "session_meta") return CannotLoad("it does not begin with session_meta");
    if (id_.empty()) return Identify(payload);
    if (type == "response_item") AddItem(payload);
    if (type == "compacted") Compact(payload);
    if (type == "event_msg" && payload.String("type") == "thread_rolled_back") RollBack(payload["num_turns"]);
    return {};
  }

  Result<LoadedSession> Finish() {
    if (id_.empty()) return CannotLoad("it is empty");
    std::string list = "[";
    for (const ListedItem& item : items_) list += item.json + ",\n";
    list += UserItem(JsonString(kNextPrompt).text()) + "]";
    return LoadedSession{.id = id_, .provider = Provider::kOpenAiResponses, .messages = std::move(list)};
  }

 private:
  Status Identify(const JsonObject& meta) {
    for (const std::string_view field : {"id", "timestamp", "cwd", "originator", "cli_version"}) {
      if (!meta.String(field)) return CannotLoad(fmt::format("session_meta has no {}", field));
    }
    id_ = *meta.String("id");
    return {};
  }

  // Of other types nothing is sent.
  void AddItem(const JsonObject& item) {
    static constexpr std::array<std::string_view, 8> kSent{
        "message",          "reasoning",        "function_call",   "function_call_output",
        "custom_tool_call", "local_shell_call", "web_search_call", "custom_tool_call_output"};
    const std::string type = item.String("type").value_or("");
    if (std::ranges::find(kSent, type) == kSent.end()) return;
    const bool of_user = type == "message" && item.String("role") == "user";
    items_.push_back({std::string(item.text()), of_user && !IsInjectedItem(item)});
  }

  void Compact(const JsonObject& payload) {
    items_.clear();
    const std::vector<std::string_view> replacement = ElementsOf(payload["replacement_history"]);
    for (const std::string_view text : replacement) AddItem(JsonObject::Parse(text).value_or(JsonObject()));
    if (replacement.empty() && IsJsonString(payload["message"])) {
      items_.push_back({UserItem(payload["message"]), false});
    }
  }

  // What precedes the first prompt stays.
  void RollBack(std::string_view number) {
    std::uint64_t turns = 0;
    std::from_chars(number.data(), number.data() + number.size(), turns);
    auto kept_end = items_.end();
    for (auto item = items_.end(); turns > 0 && item != items_.begin();) {
      if (!(--item)->prompt) continue;
      kept_end = item;
      --turns;
    }
    items_.erase(kept_end, items_.end());
  }

  std::string id_;
  std::vector<ListedItem> items_;
};

}  // namespace

Result<LoadedSession> LoadCodexSession(std::string_view file) {
  Session session;
  Status status;
  ForEachLine(file, [&](std::string_view line) {
    if (status) status = session.Add(line);
  });
  TURNLOG_TRY(std::move(status));
  return session.Finish();
}

}  // namespace turnlog
