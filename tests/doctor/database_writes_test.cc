// A database is changed as a whole or not at all, and only where nothing else uses it or refers to what changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "migrate/sqlite/row_changes.h"
#include "migrate/sqlite/row_inserts.h"
#include "migrate/sqlite/writable_database.h"
#include "tests/doctor/database_fixture.h"
#include "tests/doctor/session_files.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"

namespace turnlog::database_writes_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using DatabaseWritesTest = DatabaseTest;

// The log is beside the file that a link leads to.
TEST_F(DatabaseWritesTest, ALinkLeadsToTheDatabaseWithItsLog) {
  const fs::path database = Make("openai-agents"), link = folder_ / "other" / "link.db";
  fs::create_directory(link.parent_path());
  fs::create_symlink(database, link);
  sqlite3* open = nullptr;
  ASSERT_EQ(sqlite3_open(database.c_str(), &open), SQLITE_OK);
  const std::string sql =
      "PRAGMA journal_mode=WAL; DELETE FROM agent_messages WHERE session_id<>'sound';"
      "DELETE FROM agent_sessions WHERE session_id<>'sound';";
  ASSERT_EQ(sqlite3_exec(open, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THAT(Run(link, {}).sessions, SizeIs(1));
  sqlite3_close(open);
  const fs::path other = Make("opencode"), other_link = link.parent_path() / "opencode.db";
  fs::create_symlink(other, other_link);
  const std::array<fs::path, 2> both{other, other_link};
  EXPECT_EQ(Must(ExamineSessions(both, {})).sessions.size(), Run(other, {}).sessions.size());
  (void)Run(other_link, {.action = DoctorAction::kReplace});
  EXPECT_TRUE(fs::is_symlink(other_link));
  EXPECT_TRUE(fs::exists(other.string() + ".before-doctor"));
}

TEST_F(DatabaseWritesTest, OneWithFurtherNamesIsNotChanged) {
  const fs::path database = Make("openai-agents");
  fs::create_hard_link(database, folder_ / "hard.db");
  const std::string before = TextOf(database);
  EXPECT_THAT(Problems(Run(database, {.action = DoctorAction::kReplace})), HasSubstr("further names"));
  EXPECT_EQ(TextOf(database), before);
}

TEST_F(DatabaseWritesTest, ACopyDoesNotReplaceTheDatabase) {
  const fs::path database = Make("openai-agents");
  fs::create_directory_symlink(folder_.path(), folder_.path().string() + "-link");
  const std::string before = TextOf(database);
  for (const fs::path& out : {folder_.path(), fs::path(folder_.path().string() + "-link")}) {
    EXPECT_THAT(Problems(Run(database, {.action = DoctorAction::kCopy, .out = out})), HasSubstr("--out"));
    EXPECT_EQ(TextOf(database), before);
  }
  fs::remove(folder_.path().string() + "-link");
}

TEST_F(DatabaseWritesTest, ACopyDoesNotGetTheLogOfAnother) {
  const fs::path database = Make("openai-agents"), out = folder_ / "out";
  fs::create_directory(out);
  std::ofstream(out / "openai-agents.db-wal") << "x";
  EXPECT_THAT(Problems(Run(database, {.action = DoctorAction::kCopy, .out = out})), HasSubstr("-wal"));
  EXPECT_FALSE(fs::exists(out / "openai-agents.db"));
}

// Another program's messages may refer to rows by their ids.
TEST_F(DatabaseWritesTest, NoRowIsInsertedWhereIdsAreReferredTo) {
  const fs::path database = Make("openai-agents");
  Execute(database,
          "CREATE TABLE message_structure(id INTEGER PRIMARY KEY, session_id TEXT, message_id INTEGER, branch_id TEXT,"
          "sequence_number INTEGER)");
  const std::string ids = "SELECT id FROM agent_messages WHERE session_id='orphaned-call'";
  const std::vector<std::string> before = Texts(database, ids);
  for (const SessionReport& session : Run(database, {.action = DoctorAction::kReplace}).sessions) {
    EXPECT_EQ(session.left(), session.session.contains("orphaned") ? session.findings.size() : session.left());
  }
  EXPECT_EQ(Texts(database, ids), before);
}

TEST_F(DatabaseWritesTest, NoRowIsInsertedWhereSomethingMayReferToIds) {
  for (const std::string reference :
       {"CREATE TABLE votes(id INTEGER PRIMARY KEY, vote_of INTEGER REFERENCES Agent_Messages(id))",
        "CREATE TABLE votes(agent_message_id INTEGER)", "ALTER TABLE agent_messages ADD parent_message_id INTEGER",
        "CREATE TRIGGER t AFTER UPDATE ON agent_messages BEGIN SELECT 1; END",
        "UPDATE agent_messages SET id=-7 WHERE id=1", "UPDATE agent_messages SET id=-1 WHERE id=1"}) {
    TempDir folder;
    const fs::path database = folder / "agents.db";
    Make("openai-agents", database);
    Execute(database, reference);
    const std::string rows =
        "SELECT id || message_data FROM agent_messages WHERE session_id IN"
        "('sound', 'orphaned-call', 'two-orphaned-calls') ORDER BY id";
    const std::vector<std::string> before = Texts(database, rows);
    const DoctorReport report = Run(database, {.action = DoctorAction::kReplace, .close_open = true});
    EXPECT_EQ(Problems(report), "") << reference;
    EXPECT_EQ(Texts(database, rows), before) << reference;
    EXPECT_THAT(ItemsOf(database, "stray-output"), HasSubstr("Result of a tool call")) << reference;
  }
}

// Another process may have written since the rows were read.
TEST_F(DatabaseWritesTest, NegativeIdsAreLookedForWhenARowIsInserted) {
  const fs::path database = Make("openai-agents");
  Execute(database, "UPDATE agent_messages SET id=-7 WHERE id=1");
  const std::vector<std::string> before = Texts(database, std::string(kAllRows));
  const std::array<RowChange, 1> changes{{{.kind = RowChange::Kind::kInsertAfter,
                                           .table = "agent_messages",
                                           .id = "2",
                                           .columns = {{"message_data", {}, "{}"}}}}};
  EXPECT_EQ(WriteRowChanges(database, changes, {}).error().code, ErrorCode::kConflict);
  EXPECT_EQ(Texts(database, std::string(kAllRows)), before);
}

TEST_F(DatabaseWritesTest, SecretsAreTakenOutOfTheBytes) {
  const std::string& secret = kFakeToken;
  for (const DoctorAction action : {DoctorAction::kCopy, DoctorAction::kReplace}) {
    TempDir folder;
    const fs::path database = folder / "agents.db";
    Make("openai-agents", database);
    Execute(database,
            "PRAGMA journal_mode=WAL; UPDATE agent_messages SET message_data='{\"role\":\"user\",\"content\":\"" +
                secret + "\"}' WHERE id=1");
    ASSERT_THAT(TextOf(database), HasSubstr(secret));
    const DoctorReport report = Run(database, {.action = action, .out = folder / "out", .redact = true});
    EXPECT_EQ(CodeOf(report.sessions.front().problem), "fine");
    EXPECT_THAT(report.sessions.front().secrets, IsEmpty());
    const fs::path mended = action == DoctorAction::kCopy ? folder / "out/agents.db" : database;
    EXPECT_THAT(TextOf(mended), Not(HasSubstr(secret)));
    EXPECT_THAT(ItemsOf(mended, "sound"), HasSubstr("[redacted"));
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      const bool may_have_it = action == DoctorAction::kCopy && entry.path() == database;
      if (!entry.is_regular_file() || may_have_it) continue;
      EXPECT_THAT(TextOf(entry.path()), Not(HasSubstr(secret))) << entry.path();
    }
  }
}

// After the same row, the last one comes first.
TEST_F(DatabaseWritesTest, RowsAreInsertedInTheirOrder) {
  const fs::path database = folder_ / "rows.db";
  Execute(database,
          "CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT, more INT, twice INT AS (more*2));"
          "INSERT INTO t(id,text,more) VALUES(1,'a',5),(3,'c',6),(4,'d',7)");
  const auto after = [](const char* id, const char* text) {
    return RowChange{RowChange::Kind::kInsertAfter, "t", id, {{"text", {}, text}}};
  };
  const std::array changes{after("4", "g"), after("1", "b3"), after("1", "b2"), after("1", "b1"),
                           RowChange{RowChange::Kind::kUpdate, "t", "3", {{"text", "c", "C"}}}};
  ASSERT_TRUE(WriteRowChanges(database, changes, {}));
  EXPECT_THAT(Texts(database, "SELECT id || text || more || ' ' || twice FROM t ORDER BY id"),
              testing::ElementsAre("1a5 10", "2b15 10", "3b25 10", "4b35 10", "6C6 12", "7d7 14", "8g7 14"));
  EXPECT_EQ(WriteRowChanges(database, std::array{after("5", "x")}, {}).error().code, ErrorCode::kConflict);
  EXPECT_THAT(Texts(database, "SELECT id FROM t"), SizeIs(7));
}

// How often SQLite moves a row does not depend on how many are inserted before it.
TEST_F(DatabaseWritesTest, ManyRowsAreInsertedInLinearTime) {
  constexpr int kRows = 5'000;
  const fs::path database = folder_ / "rows.db";
  Execute(database,
          "CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT);"
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5000)"
          "INSERT INTO t SELECT i,'old' FROM n");
  std::vector<RowChange> changes;
  for (int i = 1; i <= kRows; ++i) {
    changes.push_back({RowChange::Kind::kInsertAfter, "t", std::to_string(i), {{"text", {}, "new"}}});
  }
  auto writable = Must(WritableDatabase::Open(database));
  RowInserts inserts(writable, "t");
  for (const RowChange& change : changes) inserts.Add(change);
  ASSERT_TRUE(inserts.Write());
  Statement rows = Must(writable.Prepare("SELECT total_changes()"));
  ASSERT_TRUE(Must(rows.Step()));
  EXPECT_EQ(rows.Integer(0), 2 * (kRows - 1) + kRows)
      << "each row but the first is moved twice, and each new one added";
  EXPECT_THAT(Texts(database, "SELECT count(*) || ' ' || max(id) || ' ' || sum(text='new' AND id%2=0) FROM t"),
              testing::ElementsAre("10000 10000 5000"));
}

TEST_F(DatabaseWritesTest, WhatAnotherProcessHasOpenIsNotChanged) {
  const fs::path database = Make("openai-agents");
  const std::string before = TextOf(database);
  int opened[2] = {}, done[2] = {};
  ASSERT_EQ(::pipe(opened), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    sqlite3* open = nullptr;
    sqlite3_open(database.c_str(), &open);
    sqlite3_exec(open, "SELECT * FROM agent_messages", nullptr, nullptr, nullptr);
    char byte = 0;
    if (::write(opened[1], &byte, 1) != 1 || ::read(done[0], &byte, 1) != 1) ::_exit(1);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(opened[0], &byte, 1), 1);
  std::size_t busy = 0;
  for (const SessionReport& session : Run(database, {.action = DoctorAction::kReplace}).sessions) {
    busy += session.is_busy() ? 1 : 0;
    EXPECT_TRUE(session.written.empty());
  }
  EXPECT_GT(busy, 0U);
  EXPECT_EQ(TextOf(database), before);
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  ::waitpid(child, nullptr, 0);
  for (const int fd : {opened[0], opened[1], done[0], done[1]}) ::close(fd);
  EXPECT_THAT(Names(), SizeIs(1));
}

TEST_F(DatabaseWritesTest, AKillAtAnyStepLeavesTheOldRowsOrTheNewOnes) {
  std::vector<std::string> steps;
  {
    TempDir other;
    const fs::path database = other / "a.db";
    Make("openai-agents", database);
    (void)Run(database,
              {.action = DoctorAction::kReplace, .on_step = [&](std::string_view step) { steps.emplace_back(step); }});
  }
  EXPECT_THAT(steps, testing::ElementsAre("open", "backup", "write", "finish"));
  for (const std::string& last : steps) {
    TempDir other;
    const fs::path database = other / "a.db";
    Make("openai-agents", database);
    const std::string before = ItemsOf(database, "orphaned-call");
    const pid_t child = ::fork();
    if (child == 0) {
      (void)Run(database, {.action = DoctorAction::kReplace, .on_step = [&](std::string_view step) {
                             if (step == last) ::raise(SIGKILL);
                           }});
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << last;
    EXPECT_EQ(ItemsOf(database, "orphaned-call") == before, last != "finish") << last;
    (void)Run(database, {.action = DoctorAction::kReplace, .close_open = true});
    for (const SessionReport& session : Run(database, {}).sessions) EXPECT_THAT(session.findings, IsEmpty()) << last;
    EXPECT_THAT(Texts(database, "PRAGMA integrity_check"), testing::ElementsAre("ok")) << last;
  }
}

TEST_F(DatabaseWritesTest, OfADamagedOneTheCopyHasWhatCanBeRead) {
  const fs::path database = Make("opencode");
  std::string sql = "BEGIN;";
  for (int i = 0; i < 2000; ++i) {
    sql += "INSERT INTO part VALUES('prt_x" + std::to_string(i) + "','msg_010','ses_sound',1,1,'{\"type\":\"text\"," +
           "\"text\":\"" + std::string(200, 'x') + "\"}');";
  }
  Execute(database, sql + "COMMIT");
  fs::resize_file(database, fs::file_size(database) / 2);
  const DoctorReport report = Run(database, {.action = DoctorAction::kCopy, .out = folder_ / "out"});
  ASSERT_FALSE(report.sessions.empty());
  EXPECT_EQ(report.sessions.front().findings.front().rule, "damaged-database");
  EXPECT_EQ(report.sessions.front().written, folder_ / "out/opencode.db");
  EXPECT_THAT(Texts(folder_ / "out/opencode.db", "PRAGMA integrity_check"), testing::ElementsAre("ok"));
  EXPECT_THAT(Texts(folder_ / "out/opencode.db", "SELECT id FROM part"), SizeIs(testing::Gt(100U)));
  const DoctorReport in_place = Run(database, {.action = DoctorAction::kReplace});
  EXPECT_EQ(CodeOf(in_place.sessions.front().problem), "unsupported");
}

// Copies and backups look like databases, too.
TEST_F(DatabaseWritesTest, CopiesBesideThemAreNoSources) {
  Make("openai-agents");
  const std::size_t sessions = Run(folder_.path(), {.action = DoctorAction::kCopy}).sessions.size();
  EXPECT_TRUE(fs::exists(folder_ / "openai-agents.db.mended"));
  EXPECT_EQ(Run(folder_.path(), {.action = DoctorAction::kReplace}).sessions.size(), sessions);
  EXPECT_TRUE(fs::exists(folder_ / "openai-agents.db.before-doctor"));
  EXPECT_EQ(Run(folder_.path(), {}).sessions.size(), sessions);
}

}  // namespace
}  // namespace turnlog::database_writes_test
