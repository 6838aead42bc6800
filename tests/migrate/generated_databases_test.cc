// Generated databases of each format that has them: an export gives every row with what was inserted, and nothing is
// unreadable.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <functional>

#include "base/base64.h"
#include "migrate/langgraph/format.h"
#include "migrate/openai_agents/format.h"
#include "migrate/opencode/format.h"
#include "schema/json/json_writer.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/generated_sessions.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"

namespace turnlog::generated_databases_test {
namespace {

using ::testing::IsEmpty;

std::string JsonOf(std::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return json;
}

std::string Blob(std::string_view bytes) {
  std::string hex = "X'";
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return hex + "'";
}

// What is inserted into a column, and how an export shows it.
struct Column {
  std::string sql, json;
};

Column OfText(const std::string& text) { return {Quoted(text), JsonOf(text)}; }
Column OfJson(const std::string& json) { return {Quoted(json), json}; }

class RowGenerator : public Generator {
 public:
  using Generator::Generator;

  std::string Letters() {
    std::string text;
    for (std::size_t i = Below(8); i > 0; --i) {
      text += Pick({"word ", "it's ", "\n", "\"quoted\"", "\\", "\xc3\xa9", "\xf0\x9f\x98\x80", "\t", "\x1b[0m", "/"});
    }
    return text;
  }
  std::string Token() { return Pick({JsonOf(Letters()), R"("\u00e9\/\ud83d\ude00")"}); }

  // What a column may have besides what a tool writes there.
  Column Any() {
    const std::string text = Letters(), json = fmt::format(R"({{"a":{}}})", Json());
    switch (Below(6)) {
      case 0:
        return {"NULL", "null"};
      case 1:
        return {"-7", "-7"};
      case 2:
        return {"1.5", "1.5"};
      case 3:
        return OfJson(json);
      case 4: {
        std::string base64;
        AppendBase64("\xff" + text, base64);
        return {Blob("\xff" + text), fmt::format(R"({{"$base64":"{}"}})", base64)};
      }
      default:
        return OfText(text);
    }
  }
  // An object on one line, on several, or something else.
  Column Object(const std::string& fields) {
    if (Below(8) == 0) return Any();
    if (Below(3) == 0) return OfText("{\n  " + fields + "\n}");
    return OfJson("{" + fields + "}");
  }
};

// A row as SQL and as a line of an export.
class Row {
 public:
  explicit Row(std::string table) : table_(std::move(table)) {}

  Row& Add(const std::string& name, const Column& column) {
    values_.push_back(column.sql);
    fields_ += fmt::format(R"(,"{}":{})", name, column.json);
    return *this;
  }
  Row& Text(const std::string& name, const std::string& text) { return Add(name, OfText(text)); }
  Row& Number(const std::string& name, std::size_t number) {
    return Add(name, {std::to_string(number), std::to_string(number)});
  }

  std::string Insert() const { return fmt::format("INSERT INTO {} VALUES ({});", table_, fmt::join(values_, ",")); }
  std::string Line() const { return fmt::format("{{\"table\":\"{}\"{}}}\n", table_, fields_); }

 private:
  std::string table_;
  std::vector<std::string> values_;
  std::string fields_;
};

struct Made {
  std::string sql, lines;

  void Add(const Row& row) {
    sql += row.Insert();
    lines += row.Line();
  }
};

Made Agents(RowGenerator& any) {
  Made made{
      "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at, updated_at);"
      "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data, created_at, extra);",
      {}};
  made.Add(Row("agent_sessions").Text("session_id", "s").Add("created_at", any.Any()).Add("updated_at", any.Any()));
  for (std::size_t id = 1 + any.Below(20); id > 0; --id) {
    const std::string item = any.Pick(
        {fmt::format(R"("role":"{}","content":{})", any.Pick({"user", "assistant", "developer"}), any.Token()),
         fmt::format(R"("type":"function_call","call_id":"c{}","name":"ls","arguments":"{{}}")", any.Below(9)),
         fmt::format(R"("type":"function_call_output","call_id":"c{}","output":{})", any.Below(9), any.Token()),
         fmt::format(R"("type":"reasoning","summary":[],"encrypted_content":{})", any.Token()),
         std::string(R"("type":"x-new")")});
    made.Add(Row("agent_messages")
                 .Number("id", 100 - id)
                 .Text("session_id", "s")
                 .Add("message_data", any.Object(item + any.More()))
                 .Text("created_at", "2026-01-31 10:00:05")
                 .Add("extra", any.Any()));
  }
  return made;
}

Made Opencode(RowGenerator& any) {
  Made made{
      "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id, title);"
      "CREATE TABLE message (id TEXT PRIMARY KEY, session_id, time_updated, data);"
      "CREATE TABLE part (id TEXT PRIMARY KEY, message_id, session_id, time_updated, data);"
      "CREATE TABLE todo (session_id, content);",
      {}};
  made.Add(Row("session").Text("id", "s").Add("parent_id", {"NULL", "null"}).Add("title", any.Any()));
  for (std::size_t i = any.Below(3); i > 0; --i)
    made.Add(Row("todo").Text("session_id", "s").Add("content", any.Any()));
  const std::size_t messages = any.Below(8);
  for (std::size_t message = 0; message < messages; ++message) {
    const std::string id = fmt::format("m{}", message);
    const std::string info = fmt::format(R"("role":"{}")", any.Pick({"user", "assistant"}));
    made.Add(Row("message")
                 .Text("id", id)
                 .Text("session_id", "s")
                 .Number("time_updated", 1)
                 .Add("data", any.Object(info + any.More())));
    for (std::size_t part = any.Below(5); part > 0; --part) {
      const std::string data = any.Pick(
          {fmt::format(R"("type":"text","text":{})", any.Token()),
           fmt::format(R"("type":"reasoning","text":{},"metadata":{})", any.Token(), any.Json()),
           fmt::format(R"("type":"tool","callID":"c{}","tool":"ls","state":{{"status":"{}","input":{{}},"output":{}}})",
                       any.Below(9), any.Pick({"completed", "error", "running"}), any.Token()),
           std::string(R"("type":"step-start")")});
      made.Add(Row("part")
                   .Text("id", fmt::format("{}-{}", id, 9 - part))
                   .Text("message_id", id)
                   .Text("session_id", "s")
                   .Number("time_updated", 1)
                   .Add("data", any.Object(data + any.More())));
    }
  }
  return made;
}

// A value in MessagePack and as JSON.
struct Packed {
  std::string bytes, json;
};

std::string Length(std::size_t length) {
  return {static_cast<char>(length >> 24), static_cast<char>(length >> 16), static_cast<char>(length >> 8),
          static_cast<char>(length)};
}
Packed PackText(const std::string& text) { return {"\xdb" + Length(text.size()) + text, JsonOf(text)}; }

Packed PackMap(const std::vector<std::pair<std::string, Packed>>& fields) {
  Packed map{"\xdf" + Length(fields.size()), "{"};
  for (const auto& [name, value] : fields) {
    map.bytes += PackText(name).bytes + value.bytes;
    map.json += (map.json == "{" ? "" : ",") + JsonOf(name) + ":" + value.json;
  }
  map.json += "}";
  return map;
}

Packed PackList(const std::vector<Packed>& values) {
  Packed list{"\xdd" + Length(values.size()), "["};
  for (const Packed& value : values) {
    list.bytes += value.bytes;
    list.json += (list.json == "[" ? "" : ",") + value.json;
  }
  list.json += "]";
  return list;
}

Packed AnyPacked(RowGenerator& any, int depth = 0) {
  switch (any.Below(depth < 3 ? 8 : 6)) {
    case 0:
      return {"\xc0", "null"};
    case 1:
      return {"\xc3", "true"};
    case 2:
      return {"\xd1\xff\x01", "-255"};
    case 3:
      return {std::string("\xcb\x3f\xf8\0\0\0\0\0\0", 9), "1.5"};
    case 4:
      return {std::string("\xc4\x01\xff", 3), R"({"$base64":"/w=="})"};
    case 5:
      return PackText(any.Letters());
    case 6: {
      std::vector<Packed> values;
      for (std::size_t i = any.Below(4); i > 0; --i) values.push_back(AnyPacked(any, depth + 1));
      return PackList(values);
    }
    default: {
      std::vector<std::pair<std::string, Packed>> fields;
      for (std::size_t i = any.Below(4); i > 0; --i) fields.emplace_back(any.Letters(), AnyPacked(any, depth + 1));
      return PackMap(fields);
    }
  }
}

// A message of LangChain in its extension.
Packed Message(RowGenerator& any, const std::string& id) {
  const std::string type = any.Pick({"HumanMessage", "AIMessage", "ToolMessage", "XMessage"});
  const Packed fields = PackMap({{"content", PackText(any.Letters())},
                                 {"id", PackText(id)},
                                 {"tool_call_id", PackText(fmt::format("c{}", any.Below(3)))},
                                 {"more", AnyPacked(any)}});
  const Packed value = PackList({PackText("module"), PackText(type), fields, PackText("model_validate_json")});
  return {"\xc9" + Length(value.bytes.size()) + "\x05" + value.bytes,
          fmt::format(R"({{"$ext":5,"value":{}}})", value.json)};
}

Column Serialized(RowGenerator& any, const Packed& value, std::string& type) {
  type = any.Pick({"msgpack", "msgpack", "json", "bytes"});
  if (type == "json") return {Blob(value.json), value.json};
  std::string base64;
  AppendBase64(value.bytes, base64);
  return {Blob(value.bytes), type == "msgpack" ? value.json : fmt::format(R"({{"$base64":"{}"}})", base64)};
}

Made LangGraph(RowGenerator& any) {
  Made made{
      "CREATE TABLE checkpoints (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, parent_checkpoint_id, type, "
      "checkpoint, metadata);"
      "CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id, idx, channel, type, "
      "value);",
      {}};
  std::vector<Packed> messages;
  for (std::size_t number = 0; number <= any.Below(8); ++number) {
    messages.push_back(Message(any, fmt::format("id{}", number)));
    const Packed state =
        PackMap({{"v", {"\x04", "4"}},
                 {"ts", PackText("2026-01-31T10:00:00.5+00:00")},
                 {"channel_values", PackMap({{"messages", PackList(messages)}, {"x", AnyPacked(any)}})}});
    std::string type;
    const Column checkpoint = Serialized(any, state, type);
    const std::string id = fmt::format("id{}", number);
    const std::string metadata = fmt::format(R"({{"step":{}}})", any.Json());
    made.Add(Row("checkpoints")
                 .Text("thread_id", "t")
                 .Text("checkpoint_ns", "")
                 .Text("checkpoint_id", id)
                 .Add("parent_checkpoint_id", any.Any())
                 .Text("type", type)
                 .Add("checkpoint", checkpoint)
                 .Add("metadata", {Blob(metadata), metadata}));
    for (std::size_t index = 0; index < any.Below(3); ++index) {
      const Column value = Serialized(any, AnyPacked(any), type);
      made.Add(Row("writes")
                   .Text("thread_id", "t")
                   .Text("checkpoint_ns", "")
                   .Text("checkpoint_id", id)
                   .Text("task_id", "task")
                   .Number("idx", index)
                   .Text("channel", any.Pick({"messages", "__interrupt__", "__resume__", "x"}))
                   .Text("type", type)
                   .Add("value", value));
    }
  }
  return made;
}

struct Kind {
  const Format* format;
  std::function<Made(RowGenerator& any)> make;

  friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.format->name; }
};

class GeneratedDatabasesTest : public ImportTest, public testing::WithParamInterface<Kind> {};

TEST_P(GeneratedDatabasesTest, AreExportedAsTheyWereInserted) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RowGenerator any(seed);
    const Made made = GetParam().make(any);
    TestDatabase database(dir_ / std::to_string(seed) / "sessions.db");
    database.Run("PRAGMA synchronous=OFF;" + made.sql);
    ReadSource read = ReadFiles(*GetParam().format, database.Files());
    ASSERT_EQ(read.conversations.size(), 1U);
    EXPECT_EQ(read.only().written, made.lines);
    EXPECT_EQ(read.taken, made.lines.size());
    EXPECT_THAT(read.problems, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(All, GeneratedDatabasesTest,
                         testing::Values(Kind{&kOpenAiAgentsFormat, Agents}, Kind{&kOpencodeFormat, Opencode},
                                         Kind{&kLangGraphFormat, LangGraph}));

}  // namespace
}  // namespace turnlog::generated_databases_test
