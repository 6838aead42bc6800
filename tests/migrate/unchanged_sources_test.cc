// What has not changed in a source is not read again: in every format, in the rows of databases, and in what was
// refused.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/located_code.h"
#include "tests/support/must.h"

namespace turnlog::unchanged_sources_test {
namespace {

namespace fs = std::filesystem;

using ::testing::IsEmpty;
using ::testing::SizeIs;

// A kind of database with sessions that have large contents.
struct DatabaseKind {
  std::string name, tables;
  std::function<std::string(int session, const std::string& content)> add;  // to a session, which may be new

  friend void PrintTo(const DatabaseKind& kind, std::ostream* out) { *out << kind.name; }
};

const DatabaseKind kOpencode{
    "opencode",
    "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, title TEXT, time_updated INTEGER);"
    "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_updated INTEGER, data TEXT);"
    "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_updated INTEGER, data TEXT);",
    [](int session, const std::string& content) {
      const std::string id = fmt::format("'s{}'", session);
      return "INSERT OR IGNORE INTO session VALUES (" + id +
             ",NULL,'t',1);INSERT INTO message SELECT printf('m%06d',count(*))," + id +
             R"(,1,'{"role":"user"}' FROM message;INSERT INTO part SELECT printf('p%06d',count(*)),printf('m%06d',count(*)),)" +
             id + R"(,1,'{"type":"text","text":")" + content + R"("}' FROM part;)";
    }};

const DatabaseKind kAgents{
    "openai-agents",
    "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, updated_at TIMESTAMP);"
    "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,"
    " message_data TEXT NOT NULL);",
    [](int session, const std::string& content) {
      const std::string id = fmt::format("'s{}'", session);
      return "INSERT OR IGNORE INTO agent_sessions VALUES (" + id + ",'now');INSERT INTO agent_messages " +
             "(session_id, message_data) VALUES (" + id + R"(,'{"role":"user","content":")" + content + R"("}');)";
    }};

const DatabaseKind kLangGraph{
    "langgraph",
    "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT,"
    " parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,"
    " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
    "CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT, idx INTEGER,"
    " channel TEXT, type TEXT, value BLOB);",
    [](int session, const std::string& content) {
      return fmt::format(
          "INSERT INTO checkpoints SELECT 's{}','',printf('c%06d',count(*)),NULL,'json',"
          R"('{{"channel_values":{{"messages":["{}"]}}}}','{{}}' FROM checkpoints;)",
          session, content);
    }};

testing::Matcher<const std::vector<ImportProblem>&> IsRefused(const std::string& conversation) {
  return testing::ElementsAre(testing::AllOf(testing::Field(&ImportProblem::conversation, conversation),
                                             testing::Field(&ImportProblem::code, ImportProblemCode::kMalformed)));
}

std::vector<std::string> Problems(const ImportReport& report) {
  std::vector<std::string> problems;
  for (const ImportProblem& problem : report.problems) problems.push_back(LocatedCode(problem));
  return problems;
}

class UnchangedSourcesTest : public ImportTest {
 protected:
  ImportReport ImportAll() {
    const fs::path all = dir_ / "all";
    return Must(Import(*log_, "auto", {&all, 1}));
  }
};

TEST_F(UnchangedSourcesTest, AreNotReadInAnyFormat) {
  const std::string session(kClaudeSession);
  Write("all/claude/" + session + ".jsonl", ClaudeSample());
  Write("all/codex/" + kCodexFile, CodexSample());
  Write("all/gemini/session.json", GeminiDocument());
  Write("all/gemini/lines.jsonl", R"({"sessionId":"g","startTime":"2026-01-01T00:00:00Z"})"
                                  "\n");
  Write("all/opencode/export.json", R"({"info":{"id":"e"},"messages":[{"info":{"role":"user"},"parts":[]}]})");
  Write("all/storage/session/p/s.json", R"({"id":"s","projectID":"p","title":"t","time":{"created":1}})");
  Write("all/storage/message/s/m.json", R"({"id":"m","role":"user"})");
  Write("all/storage/part/m/p.json", R"({"id":"p","type":"text","text":"Hi"})");
  Write("all/run.json", R"({"$schemaVersion":"1.0","original_input":"Hi"})");
  Write("all/request.json", R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]})");
  Write("all/chat.json", R"([{"role":"tool","tool_call_id":"c","content":"x"}])");
  Write("all/ui.json", R"([{"id":"1","role":"user","parts":[{"type":"text","text":"Hi"}]}])");
  Write("all/own.jsonl", "{\"conversation\":\"own\",\"type\":\"turn_start\"}\n");
  WriteJp("17-t", "[\n  {\"type\": \"turn_start\"}\n]\n", "all/jp/conversations");
  int number = 0;
  for (const DatabaseKind& kind : {kOpencode, kAgents, kLangGraph}) {
    TestDatabase(dir_ / "all" / (kind.name + ".db")).Run(kind.tables + kind.add(++number, kind.name));
  }
  Settle();
  const ImportReport first = ImportAll();
  EXPECT_THAT(Problems(first), IsEmpty());
  const ImportReport again = ImportAll();
  EXPECT_EQ(again.unchanged, first.added + first.unchanged + first.extended);
  EXPECT_GE(again.unchanged, 15U);
  EXPECT_EQ(again.bytes_read, 0U);
  EXPECT_EQ(again.bytes_parsed, 0U);
  EXPECT_THAT(Problems(again), IsEmpty());
  Must(log_->Checkpoint());
  EXPECT_EQ(ImportAll().bytes_read, 0U);
}

class UnchangedRowsTest : public UnchangedSourcesTest, public testing::WithParamInterface<DatabaseKind> {};

TEST_P(UnchangedRowsTest, OfADatabaseAreNotParsed) {
  constexpr int kSessions = 40;
  const std::string content(16 << 10, 'x');
  const DatabaseKind& kind = GetParam();
  TestDatabase database(dir_ / "all" / "sessions.db");
  database.Run(kind.tables);
  for (int i = 0; i < kSessions; ++i) database.Run(kind.add(i, content));
  Settle();
  EXPECT_EQ(ImportAll().added, kSessions);
  database.Run(kind.add(7, content) + kind.add(kSessions, content));
  Settle();
  const ImportReport report = ImportAll();
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(report.extended, 1U);
  EXPECT_EQ(report.unchanged, kSessions - 1U);
  EXPECT_THAT(Problems(report), IsEmpty());
  EXPECT_LE(report.bytes_parsed, 3 * (content.size() + (8 << 10)) + (64 << 10));
  EXPECT_LE(report.bytes_read, 10 * content.size() + (64 << 10)) << "of the file, to find what has changed";
  ASSERT_THAT(report.bytes, SizeIs(1));
  EXPECT_EQ(report.bytes[0].imported + report.bytes[0].kept_raw, report.bytes[0].size);
  EXPECT_GT(report.bytes[0].size, (kSessions + 2) * content.size());
  // What is read in parts and as a whole is the same.
  TempStore whole;
  std::swap(whole.log, log_);
  ImportAll();
  const std::vector<Event> expected = Events("s7");
  std::swap(whole.log, log_);
  const std::vector<Event> events = Events("s7");
  EXPECT_EQ(events.back(), expected.back());
  EXPECT_EQ(events.size(), expected.size() + 1) << "and another import record";
}

TEST_P(UnchangedRowsTest, AreFoundWhenTheFileWasTouched) {
  const DatabaseKind& kind = GetParam();
  TestDatabase database(dir_ / "all" / "sessions.db");
  database.Run(kind.tables + kind.add(1, "a") + kind.add(2, "b"));
  Settle();
  EXPECT_EQ(ImportAll().added, 2U);
  fs::last_write_time(dir_ / "all" / "sessions.db", fs::file_time_type::clock::now());
  const ImportReport report = ImportAll();
  EXPECT_EQ(report.unchanged, 2U);
  EXPECT_EQ(report.bytes_parsed, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, UnchangedRowsTest, testing::Values(kOpencode, kAgents, kLangGraph));

// A branch has messages of its session: the two are read together, so that copies are recognised.
TEST_F(UnchangedSourcesTest, ABranchIsReadWithItsSession) {
  TestDatabase database(dir_ / "all" / "sessions.db");
  const auto message = [](const std::string& text) {
    return R"(INSERT INTO agent_messages (session_id, message_data) VALUES ('s','{"role":"user","content":")" + text +
           R"("}');)";
  };
  const auto in_branch = [](int number) {
    return fmt::format(
        "INSERT INTO message_structure (session_id,message_id,branch_id,sequence_number) VALUES "
        "('s',{},'b',{});",
        number, number);
  };
  database.Run(kAgents.tables +
               "CREATE TABLE message_structure (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, message_id "
               "INTEGER, branch_id TEXT, sequence_number INTEGER);" +
               message("one") + in_branch(1) + kAgents.add(1, "other"));
  Settle();
  ImportAll();
  const std::vector<Event> before = Events("s/b");
  database.Run(message("two") + in_branch(3));
  Settle();
  const ImportReport report = ImportAll();
  EXPECT_THAT(Problems(report), IsEmpty());
  EXPECT_EQ(report.extended, 1U);
  const std::vector<Event> after = Events("s/b");
  EXPECT_EQ(std::vector(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(before.size())), before);
}

TEST_F(UnchangedSourcesTest, MayHaveATimeInTheFuture) {
  const auto path = Write(std::string(kClaudeSession) + ".jsonl", ClaudeUser("u", R"("hi")") + "\n");
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() + std::chrono::hours(24));
  Settle();
  EXPECT_EQ(Must(Import(*log_, "auto", std::vector{path})).added, 1U);
  const ImportReport again = Must(Import(*log_, "auto", std::vector{path}));
  EXPECT_EQ(again.unchanged, 1U);
  EXPECT_EQ(again.bytes_read, 0U);
}

TEST_F(UnchangedSourcesTest, ThatWereRefusedAreTriedOnce) {
  const fs::path path = dir_ / "all" / "pickled.db";
  TestDatabase database(path);
  database.Run(kLangGraph.tables + "INSERT INTO checkpoints VALUES ('t','','c',NULL,'pickle',X'80','{}');");
  Write("all/torn.jsonl", "{\"conversation\":\"c\",\"type\":\"turn_start\"}\n{\"conversation\":\"c\",\n");
  Settle();
  const ImportReport first = ImportAll();
  EXPECT_EQ(first.failed, 2U);
  ASSERT_THAT(first.problems, SizeIs(2));
  const ImportReport again = ImportAll();
  EXPECT_EQ(again.failed, 2U);
  EXPECT_EQ(again.bytes_read, 0U);
  ASSERT_THAT(again.problems, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(again.problems[i].code, first.problems[i].code);
  database.Run("UPDATE checkpoints SET type='json', checkpoint='{}'");
  Settle();
  const ImportReport mended = ImportAll();
  EXPECT_EQ(mended.added, 1U);
  EXPECT_EQ(mended.failed, 1U);
}

TEST_F(UnchangedSourcesTest, SayAgainHowManyWereRefusedAndThatTheyAreNotWhole) {
  TestDatabase database(dir_ / "all" / "pickled.db");
  database.Run(kLangGraph.tables);
  for (const char* thread : {"r", "s", "t"}) {
    database.Run(fmt::format("INSERT INTO checkpoints VALUES ('{0}','','{0}',NULL,'pickle',X'80','{{}}');", thread));
  }
  Write("all/torn.json", R"({"info":{"id":"e"},"messages":[{"info":{"role":"user"},"parts":[]},{"in)");
  Settle();
  const ImportReport first = ImportAll();
  ASSERT_THAT(first.problems, SizeIs(4));
  const ImportReport again = ImportAll();
  EXPECT_EQ(again.bytes_read, 0U);
  ASSERT_THAT(again.problems, SizeIs(2));
  EXPECT_THAT(again.problems, testing::Contains(testing::Field(
                                  &ImportProblem::reason, testing::HasSubstr("2 more conversations were refused"))));
  EXPECT_THAT(again.problems, testing::Contains(testing::Field(&ImportProblem::code, ImportProblemCode::kIncomplete)));
  EXPECT_EQ(again.unchanged, 1U);
}

TEST_F(UnchangedSourcesTest, ThatWereRefusedInPartImportTheOthers) {
  TestDatabase database(dir_ / "all" / "pickled.db");
  database.Run(kLangGraph.tables + kLangGraph.add(1, "a") + kLangGraph.add(2, "b") +
               "INSERT INTO writes VALUES ('s2','','c','t',0,'messages','pickle',X'80');");
  Settle();
  const ImportReport first = ImportAll();
  EXPECT_EQ(first.added, 1U);
  EXPECT_EQ(first.failed, 1U);
  EXPECT_THAT(first.problems, IsRefused("s2"));
  EXPECT_EQ(ImportAll().bytes_read, 0U);
  database.Run(kLangGraph.add(3, "c"));
  Settle();
  const ImportReport more = ImportAll();
  EXPECT_EQ(more.added, 1U);
  EXPECT_EQ(more.unchanged, 1U);
  EXPECT_THAT(more.problems, IsRefused("s2"));
  database.Run("DELETE FROM writes");
  Settle();
  const ImportReport mended = ImportAll();
  EXPECT_EQ(mended.added, 1U);
  EXPECT_EQ(mended.failed, 0U);
}

TEST_F(UnchangedSourcesTest, MayHaveTheirTextsInUtf16) {
  for (const DatabaseKind& kind : {kOpencode, kAgents, kLangGraph}) {
    std::vector<std::vector<Event>> imported;
    for (const char* encoding : {"UTF-8", "UTF-16le", "UTF-16be"}) {
      const fs::path path = dir_ / kind.name / encoding / "a.db";
      TestDatabase(path).Run(fmt::format("PRAGMA encoding='{}';", encoding) + kind.tables +
                             kind.add(1, "caf\u00e9 \xf0\x9f\x98\x80"));
      Settle();
      TempStore store;
      std::swap(store_.log, store.log);
      EXPECT_EQ(Must(Import(*log_, "auto", {&path, 1})).added, 1U) << kind.name << " " << encoding;
      imported.push_back(Events("s1"));
      imported.back().erase(imported.back().begin());  // the record of the import
      std::swap(store_.log, store.log);
    }
    EXPECT_FALSE(imported[0].empty());
    for (std::size_t i = 1; i < imported.size(); ++i) EXPECT_EQ(imported[i], imported[0]) << kind.name;
  }
}

// The next one may not be held.
TEST_F(UnchangedSourcesTest, ThatWereHeldByAProgramAreTriedAgain) {
  TestDatabase database(dir_ / "all" / "held.db");
  database.Run(kAgents.tables + kAgents.add(1, "a"));
  Settle();
  database.Run("BEGIN EXCLUSIVE");
  const fs::path path = dir_ / "all" / "held.db";
  EXPECT_EQ(Must(Import(*log_, "openai-agents", {&path, 1})).failed, 1U);
  database.Run("COMMIT");
  EXPECT_EQ(ImportAll().added, 1U);
}

}  // namespace
}  // namespace turnlog::unchanged_sources_test
