// Stores of earlier versions, which wrote null for numbers that are not finite.
#include <gmock/gmock.h>

#include "tests/migrate/agents_database.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"

namespace turnlog::earlier_numbers_test {
namespace {

namespace fs = std::filesystem;

using agents_database::Session;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EarlierNumbersTest : public ImportTest {
 protected:
  ImportReport Import(const fs::path& path) { return Must(turnlog::Import(*log_, "auto", {&path, 1})); }

  // Imports the conversation again into a store that has it as an earlier version has read it.
  ImportReport ImportAgain(const fs::path& path, std::string_view conversation, std::string_view number) {
    const std::vector<Event> events = Events(conversation);
    log_.swap(earlier_.log);
    for (const Event& event : events) {
      std::string json = ToJson(View(event));
      for (std::size_t at = 0; (at = json.find(number, at)) != std::string::npos;)
        json.replace(at, number.size(), "null");
      const std::size_t print = json.find(R"("fingerprint":")");
      if (print != std::string::npos) json.erase(print + 15, 32);
      Append(conversation, Must(ParseEvent(json)));
    }
    return Import(path);
  }

 private:
  TempStore earlier_;
};

TEST_F(EarlierNumbersTest, AreTheSame) {
  const fs::path path = dir_ / "sessions.db";
  TestDatabase database(path);
  database.Run(
      "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TEXT, updated_at TEXT);"
      "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,"
      "  message_data TEXT NOT NULL, created_at TEXT, score REAL);" +
      Session("s") +
      R"(INSERT INTO agent_messages VALUES (1,'s','{"type":"novelty"}','2026-01-31 10:00:05',9e999),)"
      R"((2,'s','{"role":"user","content":"Hi"}','2026-01-31 10:00:05',1.5);)");
  Import(path);
  EXPECT_THAT(ToJson(View(Events("s")[1])), HasSubstr(R"({"$number":"inf"})"));
  const ImportReport again = ImportAgain(path, "s", R"({"$number":"inf"})");
  EXPECT_THAT(again.problems, IsEmpty());
  EXPECT_EQ(Said("s").size(), 1U);
  EXPECT_THAT(ExportRawText("openai-agents", "s"), HasSubstr(R"({"$number":"inf"})")) << "it is kept now";
  const auto last = Last("s");
  Must(log_->SetWatermark("import", Id("s"), {}));
  database.Run("INSERT INTO agent_messages VALUES (3,'s','{\"role\":\"user\",\"content\":\"More\"}',NULL,2.5);");
  EXPECT_THAT(Import(path).problems, IsEmpty());
  EXPECT_EQ(Last("s").value, last.value + 3) << "an import record, a turn and what was said";
}

}  // namespace
}  // namespace turnlog::earlier_numbers_test
