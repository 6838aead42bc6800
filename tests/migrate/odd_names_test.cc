// Names that are not UTF-8, or that no conversation can have: of files, and of sessions in databases.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::odd_names_test {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

class OddNamesTest : public ImportTest {
 protected:
  ImportReport ImportAll(std::string_view format) {
    const std::vector<fs::path> paths{dir_ / "in"};
    return Must(Import(*log_, format, paths));
  }
  // A file with the name "bad\xff".
  void ExpectImported(std::string_view format, const std::string& extension, const std::string& text) {
    Write("in/bad\xff" + extension, text);
    const ImportReport report = ImportAll(format);
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(report.added, 1U);
    EXPECT_GT(Last("bad\\xff"), Seq{0});
    Settle();
    EXPECT_EQ(ImportAll(format).unchanged, 1U);
  }
};

TEST_F(OddNamesTest, OfFilesOfJsonLinesBecomeIds) { ExpectImported("jsonl", ".jsonl", "{\"type\":\"turn_start\"}\n"); }

TEST_F(OddNamesTest, OfSessionsBecomeIds) {
  std::string record = ClaudeUser("u1", R"("Hi")");
  record.replace(record.find("sessionId"), 9, "otherName");
  ExpectImported("claude-code", ".jsonl", record + "\n");
}

TEST_F(OddNamesTest, OfRolloutsBecomeIds) {
  ExpectImported("codex", ".jsonl", CodexRecord("turn_context", R"({"model":"gpt-5"})") + "\n");
}

TEST_F(OddNamesTest, OfDocumentsBecomeIds) {
  const std::string text = R"([{"role":"user","content":"Hi"}])";
  ExpectImported("openai", ".json", text);
  EXPECT_EQ(ExportRawText("openai", "bad\\xff"), text);
}

TEST_F(OddNamesTest, WithControlCharactersBecomeIds) {
  Write("in/a\nb.json", R"([{"role":"user","content":"Hi"}])");
  EXPECT_THAT(ImportAll("openai").problems, IsEmpty());
  EXPECT_THAT(Said("a\\nb"), ElementsAre("Hi"));
}

// Such a name is not that of the session either.
TEST_F(OddNamesTest, OfFilesWithoutARecordNameNoConversation) {
  const std::string record = ClaudeUser("u", R"("Hi")");
  Write("in/a\xff.jsonl", record.substr(0, record.size() - 5));
  ImportAll("claude-code");
  EXPECT_THAT(All(), IsEmpty());
  Write("in/a\xff.jsonl", record + "\n");
  ImportAll("claude-code");
  EXPECT_THAT(All(), ElementsAre(Id(kClaudeSession)));
}

// What is refused is named, in a form that can be printed.
TEST_F(OddNamesTest, OfSessionsInADatabaseAreRefusedWithTheirPlace) {
  TestDatabase database(dir_ / "in/talk.db");
  database.Run(
      "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);"
      "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT,"
      " created_at TIMESTAMP);");
  for (const std::string id : {"''", "CAST(x'61ff' AS TEXT)", "'s'"}) {
    database.Run("INSERT INTO agent_sessions (session_id) VALUES (" + id + ");");
    database.Run("INSERT INTO agent_messages (session_id, message_data) VALUES (" + id + "," +
                 Quoted(R"({"role":"user","content":"Hi"})") + ");");
  }
  const auto refused = [&](const std::string& id, const std::string& reason) {
    return AllOf(Field(&ImportProblem::file, (dir_ / "in/talk.db").string()), Field(&ImportProblem::conversation, id),
                 Field(&ImportProblem::reason, "conversation id " + reason));
  };
  const ImportReport report = ImportAll("openai-agents");
  EXPECT_THAT(report.problems, ElementsAre(refused("", "is empty"), refused("a\\xff", "is not valid UTF-8")));
  EXPECT_THAT(Said("s"), ElementsAre("Hi"));
}

}  // namespace
}  // namespace turnlog::odd_names_test
