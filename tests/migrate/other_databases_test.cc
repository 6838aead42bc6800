// Databases that are other ones under the same names: made again, of another project, or copied. None is taken for one
// that was imported, and what they have in common with none is not mixed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::other_databases_test {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The thread "1" of LangGraph with these checkpoints: each has the messages of those before it, too.
std::string Thread(const std::vector<std::string>& ids) {
  std::string sql =
      "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT,"
      " parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,"
      " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
      "CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT, idx INTEGER,"
      " channel TEXT, type TEXT, value BLOB);";
  std::string messages;
  for (const std::string& id : ids) {
    messages += fmt::format(R"({}{{"type":"human","id":"{}","content":"{}"}})", messages.empty() ? "" : ",", id, id);
    sql += "INSERT INTO checkpoints VALUES ('1',''," + Quoted(id) + ",NULL,'json'," +
           Quoted(R"({"channel_values":{"messages":[)" + messages + "]}}") + ",'{}');";
  }
  return sql;
}

constexpr const char* kAgentsTables =
    "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);"
    "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,"
    " message_data TEXT NOT NULL, created_at TIMESTAMP);";

std::string Message(const std::string& session, const std::string& text) {
  return "INSERT OR IGNORE INTO agent_sessions VALUES (" + Quoted(session) +
         ",'2026-08-01 10:00:00','2026-08-01 10:00:00');INSERT INTO agent_messages (session_id,message_data,created_at)"
         " VALUES (" +
         Quoted(session) + "," + Quoted(R"({"role":"user","content":")" + text + R"("})") + ",'2026-08-01 10:00:00');";
}

testing::Matcher<const ImportProblem&> IsOther(const std::string& conversation, const std::string& folder) {
  return AllOf(Field(&ImportProblem::code, ImportProblemCode::kChanged),
               Field(&ImportProblem::conversation, conversation), Field(&ImportProblem::file, HasSubstr(folder)));
}

class OtherDatabasesTest : public ImportTest {
 protected:
  fs::path Make(const std::string& name, const std::string& sql) {
    TestDatabase(dir_ / name).Run(sql);
    return dir_ / name;
  }
  ImportReport ImportAll() {
    Settle();
    const fs::path all = dir_ / "all";
    return Must(Import(*log_, "auto", {&all, 1}));
  }
};

TEST_F(OtherDatabasesTest, MadeAgainAreNotUnchanged) {
  const fs::path path = Make("all/checkpoints.sqlite", Thread({"a1", "a2"}));
  EXPECT_EQ(ImportAll().added, 1U);
  for (const auto& other : {Thread({"b1", "b2"}), Thread({"b1", "b2", "b3"})}) {
    fs::remove(path);
    Make("all/checkpoints.sqlite", other);
    const ImportReport report = ImportAll();
    EXPECT_EQ(report.failed, 1U);
    EXPECT_THAT(report.problems, ElementsAre(IsOther("1", "checkpoints.sqlite")));
    EXPECT_THAT(report.notes, IsEmpty());
  }
  EXPECT_THAT(Said("1"), ElementsAre("a1", "a2"));
}

// As MadeAgain, wherever the file system has room for the new file.
TEST_F(OtherDatabasesTest, WrittenOverAnotherOneAreNotUnchanged) {
  const fs::path threads = Make("all/checkpoints.sqlite", Thread({"a1", "a2"}));
  const fs::path sessions = Make("all/sessions.db", kAgentsTables + Message("s", "a"));
  EXPECT_EQ(ImportAll().added, 2U);
  fs::copy_file(Make("other/checkpoints.sqlite", Thread({"b1", "b2"})), threads, fs::copy_options::overwrite_existing);
  fs::copy_file(Make("other/sessions.db", kAgentsTables + Message("s", "b")), sessions,
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(ImportAll().problems, ElementsAre(IsOther("1", "checkpoints.sqlite"), IsOther("s", "sessions.db")));
}

TEST_F(OtherDatabasesTest, OfAnotherProjectAreConflicts) {
  Make("all/a/checkpoints.sqlite", Thread({"a1", "a2"}));
  Make("all/a/sessions.db", kAgentsTables + Message("other", "o") + Message("s", "a"));
  Make("all/b/checkpoints.sqlite", Thread({"b1", "b2"}));
  Make("all/b/sessions.db", kAgentsTables + Message("s", "b"));
  Make("all/c/checkpoints.sqlite", Thread({"c1", "c2", "c3"}));
  Make("all/c/sessions.db", kAgentsTables + Message("third", "t") + Message("s", "c"));
  const ImportReport report = ImportAll();
  EXPECT_EQ(report.added, 4U);
  EXPECT_EQ(report.failed, 4U);
  EXPECT_THAT(report.problems,
              ElementsAre(IsOther("1", "/b/"), IsOther("s", "/b/"), IsOther("1", "/c/"), IsOther("s", "/c/")));
  EXPECT_EQ(ImportAll().failed, 4U);
  EXPECT_THAT(Said("1"), ElementsAre("a1", "a2"));
  EXPECT_THAT(Said("s"), ElementsAre("a"));
}

TEST_F(OtherDatabasesTest, ThatAreCopiesBringTheirNewRows) {
  const fs::path path = Make("all/checkpoints.sqlite", Thread({"a1", "a2"}));
  Make("all/sessions.db", kAgentsTables + Message("s", "a"));
  ImportAll();
  fs::remove(path);
  Make("all/copy/checkpoints.sqlite", Thread({"a1", "a2", "a3"}));
  fs::copy_file(dir_ / "all/sessions.db", dir_ / "all/copy/sessions.db");
  const ImportReport report = ImportAll();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(report.extended, 1U);
  EXPECT_EQ(report.unchanged, 2U);
  EXPECT_THAT(Said("1"), ElementsAre("a1", "a2", "a3"));
}

// The Agents SDK removes the rows of a session that is cleared, and counts on.
TEST_F(OtherDatabasesTest, AreNotThoseWhoseSessionsWereCleared) {
  TestDatabase database(dir_ / "all" / "sessions.db");
  database.Run(kAgentsTables + Message("s", "before"));
  ImportAll();
  database.Run("DELETE FROM agent_messages; DELETE FROM agent_sessions;" + Message("s", "after"));
  const ImportReport report = ImportAll();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, Contains(Field(&ImportProblem::code, ImportProblemCode::kBegunAgain)));
  EXPECT_THAT(Said("s"), ElementsAre("before", "after"));
}

}  // namespace
}  // namespace turnlog::other_databases_test
