// Threads of LangGraph for tests, with states in JSON, and what is shown of them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "migrate/langgraph/format.h"
#include "schema/json/json_fields.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "turnlog/event_json.h"

namespace turnlog {

struct LangGraphSamples {
  static inline const std::string kTables =
      "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT,"
      " parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,"
      " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
      "CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT, idx INTEGER,"
      " channel TEXT, type TEXT, value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));";

  // A message; `id`: empty if it has none. `more`: further fields, each with its comma.
  static std::string Message(std::string_view role, std::string_view id, std::string_view text,
                             std::string_view more = {}) {
    const std::string of_id = id.empty() ? std::string() : fmt::format(R"("id":"{}",)", id);
    return fmt::format(R"({{"role":"{}",{}"content":"{}"{}}})", role, of_id, text, more);
  }
  static std::string User(std::string_view id, std::string_view text) { return Message("user", id, text); }
  static std::string Ai(std::string_view id, std::string_view text, std::string_view more = {}) {
    return Message("assistant", id, text, more);
  }
  static std::string Pays(std::string_view id, int amount) {
    const std::string calls =
        fmt::format(R"(,"tool_calls":[{{"id":"c1","name":"pay","args":{{"amount":{}}}}}])", amount);
    return Message("assistant", id, "", calls);
  }
  static std::string Result(std::string_view id, std::string_view text) {
    return Message("tool", id, text, R"(,"tool_call_id":"c1")");
  }
  static std::string Removal(std::string_view id) { return Message("remove", id, ""); }
  static std::string List(const std::vector<std::string>& messages) {
    return fmt::format("[{}]", fmt::join(messages, ","));
  }

  // `parent`: of the checkpoint; empty: not known.
  static std::string Checkpoint(int id, const std::string& channels, const std::string& metadata = "{}",
                                int parent = 0) {
    const std::string state =
        fmt::format(R"({{"ts":"2026-01-31T10:00:{:02d}Z","channel_values":{{{}}}}})", id % 60, channels);
    return fmt::format("INSERT INTO checkpoints VALUES ('t','','{:04d}',{},'json',{},{});", id,
                       parent == 0 ? "NULL" : fmt::format("'{:04d}'", parent), Quoted(state), Quoted(metadata));
  }
  // With these messages.
  static std::string State(int id, const std::vector<std::string>& messages) {
    return Checkpoint(id, fmt::format(R"("messages":{})", List(messages)));
  }
  static std::string Written(int checkpoint, int index, std::string_view value, std::string_view channel = "messages") {
    return fmt::format("INSERT INTO writes VALUES ('t','','{:04d}','task',{},'{}','json',{});", checkpoint, index,
                       channel, Quoted(value));
  }
};

// What is shown of a thread: the turns that are not hidden.
inline std::vector<std::string> ShownIn(const std::vector<Event>& events) {
  std::vector<std::vector<std::string>> turns;
  std::set<std::size_t> hidden;
  const auto show = [&](std::string text) { turns.back().push_back(std::move(text)); };
  for (const Event& event : events) {
    if (event.kind() == EventKind::kTurnStart) turns.emplace_back();
    if (const auto* asked = std::get_if<ChatRequest>(&event.body)) show("user: " + asked->content);
    if (const auto* said = std::get_if<ChatResponse>(&event.body)) show("ai: " + said->content);
    if (const auto* call = std::get_if<ToolCallRequest>(&event.body)) {
      show(fmt::format("{} {}", call->name, call->arguments.text()));
    }
    if (const auto* result = std::get_if<ToolCallResponse>(&event.body)) show("result: " + result->content);
    if (event.kind() != EventKind::kCompaction) continue;
    const std::string_view json = std::get<Verbatim>(event.body).json.text();
    const std::size_t to = std::stoull(std::string(FindJsonField(json, "to_turn")->value));
    for (std::size_t turn = std::stoull(std::string(FindJsonField(json, "from_turn")->value)); turn <= to; ++turn) {
      hidden.insert(turn);
    }
  }
  std::vector<std::string> shown;
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    if (!hidden.contains(turn)) shown.insert(shown.end(), turns[turn].begin(), turns[turn].end());
  }
  return shown;
}

class LangGraphThreadTest : public ImportTest, public LangGraphSamples {
 protected:
  // Fails the test if something is lost.
  ReadSource Read(const std::string& sql) {
    TestDatabase database(dir_ / fmt::format("db{}", ++number_) / "checkpoints.sqlite");
    database.Run(kTables + sql);
    ReadSource read = ReadFiles(kLangGraphFormat, database.Files());
    EXPECT_TRUE(read.problems.empty());
    EXPECT_EQ(read.taken, read.source_size);
    EXPECT_EQ(read.only().written.size(), read.source_size);
    return read;
  }
  // What the log has of the thread, besides import records.
  std::vector<Event> ImportedEvents() {
    std::vector<Event> events = Events("t");
    std::erase_if(events, [](const Event& event) { return ToJson(View(event)).starts_with(R"({"type":"import")"); });
    return events;
  }
  std::vector<std::string> ShownOf(const std::string& sql) { return ShownIn(Read(sql).only().events); }

 private:
  int number_ = 0;
};

}  // namespace turnlog
