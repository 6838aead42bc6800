// The damaged sessions in databases: what is found, what mending gives, and that a database is changed as a whole or
// not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "migrate/sqlite/row_changes.h"
#include "tests/doctor/expected_findings.h"
#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::damaged_databases_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

constexpr std::array<const char*, 3> kDatabases{"langgraph", "openai-agents", "opencode"};

void Execute(const fs::path& database, const std::string& sql) {
  sqlite3* open = nullptr;
  ASSERT_EQ(sqlite3_open(database.c_str(), &open), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(open, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(open);
  sqlite3_close(open);
}

// The first column of all rows.
std::vector<std::string> Texts(const fs::path& database, const std::string& sql) {
  sqlite3* open = nullptr;
  std::vector<std::string> texts;
  EXPECT_EQ(sqlite3_open_v2(database.c_str(), &open, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto take = [](void* to, int, char** values, char**) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(values[0]);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(open, sql.c_str(), take, &texts, nullptr), SQLITE_OK) << sqlite3_errmsg(open);
  sqlite3_close(open);
  return texts;
}

// What the SDK sends of a session.
std::string ItemsOf(const fs::path& database, const std::string& session) {
  std::string items;
  for (const std::string& item :
       Texts(database, "SELECT message_data FROM agent_messages WHERE session_id='" + session + "' ORDER BY id")) {
    items.append(items.empty() ? "[" : ",").append(item);
  }
  return items + "]";
}

std::string Problems(const DoctorReport& report) {
  std::string problems;
  for (const SessionReport& session : report.sessions) problems += session.problem;
  return problems;
}

class DamagedDatabasesTest : public testing::Test {
 protected:
  fs::path Make(const std::string& name) const {
    const fs::path path = folder_ / (name + ".db");
    Execute(path, TextOf(DamagedSessions() / (name + ".sql")));
    return path;
  }

  DoctorReport Run(const fs::path& path, DoctorOptions options) const {
    options.jobs = 1;
    options.idle_seconds = 0;
    const std::array<fs::path, 1> paths{path};
    return Must(ExamineSessions(paths, options));
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) names.push_back(entry.path().filename());
    return names;
  }

  TempDir folder_;
};

TEST_F(DamagedDatabasesTest, HaveTheExpectedFindings) {
  std::size_t examined = 0;
  for (const std::string name : kDatabases) {
    for (const SessionReport& session : Run(Make(name), {}).sessions) {
      const std::string key = name + ".sql#" + session.session;
      ASSERT_TRUE(ExpectedFindings().contains(key)) << key;
      EXPECT_THAT(SummaryOf(session), UnorderedElementsAreArray(ExpectedFindings().at(key))) << key;
      ++examined;
    }
  }
  EXPECT_GT(examined, 14U);
}

TEST_F(DamagedDatabasesTest, ASecondRunFindsNothingToMend) {
  for (const std::string name : kDatabases) {
    const fs::path database = Make(name);
    const std::string before = TextOf(database);
    (void)Run(database, {.action = DoctorAction::kCopy, .out = folder_ / "out"});
    EXPECT_EQ(TextOf(database), before) << name;
    if (name == "langgraph") {
      EXPECT_FALSE(fs::exists(folder_ / "out/langgraph.db"));
      continue;
    }
    for (const SessionReport& session : Run(folder_ / "out" / (name + ".db"), {}).sessions) {
      EXPECT_EQ(session.findings.size(), session.left()) << name << " " << session.session;
    }
  }
}

TEST_F(DamagedDatabasesTest, TheProviderAcceptsWhatTheSdkThenSends) {
  const fs::path database = Make("openai-agents");
  (void)Run(database, {.action = DoctorAction::kReplace, .close_open = true});
  for (const std::string& session : Texts(database, "SELECT session_id FROM agent_sessions")) {
    const std::string items = ItemsOf(database, session);
    for (const ProviderFinding& finding : Must(LintRequest(Provider::kOpenAiResponses, items))) {
      EXPECT_EQ(finding.rule->verdict, Verdict::kRisk) << session << ": " << finding.rule->id << "\n" << items;
    }
  }
  EXPECT_THAT(ItemsOf(database, "stray-output"), HasSubstr("a lost answer"));
  EXPECT_THAT(Texts(database, "PRAGMA integrity_check"), testing::ElementsAre("ok"));
}

TEST_F(DamagedDatabasesTest, OtherRowsStayAsTheyAre) {
  const fs::path database = Make("openai-agents");
  const std::string rows =
      "SELECT session_id || created_at || message_data FROM agent_messages WHERE session_id IN ('sound','open-call')";
  const std::vector<std::string> before = Texts(database, rows);
  const std::vector<std::string> sessions = Texts(database, "SELECT session_id || updated_at FROM agent_sessions");
  (void)Run(database, {.action = DoctorAction::kReplace});
  EXPECT_EQ(Texts(database, rows), before);
  EXPECT_EQ(Texts(database, "SELECT session_id || updated_at FROM agent_sessions"), sessions);
  EXPECT_EQ(ItemsOf(folder_ / "openai-agents.db.before-doctor", "no-json"),
            R"([{"content": "Look", "role": "user"},{"content": "tor,)" +
                ItemsOf(database, "sound").substr(ItemsOf(database, "sound").find(R"({"id": "msg_1")")));
}

constexpr std::string_view kAllRows = "SELECT id || session_id || hex(message_data) FROM agent_messages ORDER BY id";

// Another program may write it with line breaks.
TEST_F(DamagedDatabasesTest, AnObjectWithLineBreaksIsRead) {
  const fs::path database = Make("openai-agents");
  Execute(database, "UPDATE agent_messages SET message_data='\n ' || replace(message_data, ', ', ',\r\n\t') || '\n'");
  for (const SessionReport& session : Run(database, {}).sessions) {
    const std::string key = "openai-agents.sql#" + session.session;
    EXPECT_THAT(SummaryOf(session), UnorderedElementsAreArray(ExpectedFindings().at(key))) << key;
  }
  const std::string sound = "SELECT id || message_data FROM agent_messages WHERE session_id='sound' ORDER BY id";
  const std::vector<std::string> before = Texts(database, sound);
  (void)Run(database, {.action = DoctorAction::kReplace, .close_open = true});
  EXPECT_EQ(Texts(database, sound), before);
  for (const SessionReport& session : Run(database, {}).sessions) EXPECT_THAT(session.findings, IsEmpty());
  EXPECT_THAT(ItemsOf(database, "stray-output"), HasSubstr("Result of a tool call"));
}

// The result of a call may be in it.
TEST_F(DamagedDatabasesTest, ASessionWithARowThatOnlyItsToolCanReadIsNotChanged) {
  for (const std::string object : {R"('{"call_id":"c9","output":"\udc00","type":"function_call_output"}')",
                                   R"('{"call_id":"c2","n":NaN,"output":"x","type":"function_call_output"} ')",
                                   R"(CAST('{"call_id":"c2","output":"x","type":"function_call_output"}' AS BLOB))",
                                   R"('{"call_id":"c2","output":{"$base64":1},"type":"function_call_output"}')"}) {
    TempDir folder;
    const fs::path database = folder / "agents.db";
    Execute(database, TextOf(DamagedSessions() / "openai-agents.sql"));
    Execute(database,
            "DELETE FROM agent_messages WHERE session_id NOT IN ('orphaned-call', 'no-json');"
            "DELETE FROM agent_sessions WHERE session_id NOT IN ('orphaned-call', 'no-json');"
            "UPDATE agent_messages SET message_data=" +
                object + " WHERE id IN (7, 14)");
    const std::vector<std::string> before = Texts(database, std::string(kAllRows));
    const DoctorReport report = Run(database, {.action = DoctorAction::kReplace, .close_open = true, .redact = true});
    EXPECT_EQ(Texts(database, std::string(kAllRows)), before) << object;
    for (const SessionReport& session : report.sessions) {
      EXPECT_TRUE(session.written.empty()) << object;
      EXPECT_THAT(session.findings, testing::Contains(testing::Field(&SessionFinding::rule, "agents-row"))) << object;
      EXPECT_EQ(session.left(), session.findings.size()) << object;
    }
    EXPECT_THAT(report.sessions, SizeIs(2));
  }
}

TEST_F(DamagedDatabasesTest, APartThatOnlyItsToolCanReadIsNotReplaced) {
  const fs::path database = Make("opencode");
  Execute(database, R"(UPDATE part SET data='{"type":"text","text":"\ud800"}' WHERE id='prt_0211')");
  const std::string parts = "SELECT id || hex(data) FROM part WHERE session_id='ses_torn_part' ORDER BY id";
  const std::vector<std::string> before = Texts(database, parts);
  (void)Run(database, {.action = DoctorAction::kReplace, .close_open = true});
  EXPECT_EQ(Texts(database, parts), before);
}

// The log is beside the file that a link leads to.
TEST_F(DamagedDatabasesTest, ALinkLeadsToTheDatabaseWithItsLog) {
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

TEST_F(DamagedDatabasesTest, OneWithFurtherNamesIsNotChanged) {
  const fs::path database = Make("openai-agents");
  fs::create_hard_link(database, folder_ / "hard.db");
  const std::string before = TextOf(database);
  EXPECT_THAT(Problems(Run(database, {.action = DoctorAction::kReplace})), HasSubstr("further names"));
  EXPECT_EQ(TextOf(database), before);
}

TEST_F(DamagedDatabasesTest, ACopyDoesNotReplaceTheDatabase) {
  const fs::path database = Make("openai-agents");
  fs::create_directory_symlink(folder_.path(), folder_.path().string() + "-link");
  const std::string before = TextOf(database);
  for (const fs::path& out : {folder_.path(), fs::path(folder_.path().string() + "-link")}) {
    EXPECT_THAT(Problems(Run(database, {.action = DoctorAction::kCopy, .out = out})), HasSubstr("--out"));
    EXPECT_EQ(TextOf(database), before);
  }
  fs::remove(folder_.path().string() + "-link");
}

TEST_F(DamagedDatabasesTest, ACopyDoesNotGetTheLogOfAnother) {
  const fs::path database = Make("openai-agents"), out = folder_ / "out";
  fs::create_directory(out);
  std::ofstream(out / "openai-agents.db-wal") << "x";
  EXPECT_THAT(Problems(Run(database, {.action = DoctorAction::kCopy, .out = out})), HasSubstr("-wal"));
  EXPECT_FALSE(fs::exists(out / "openai-agents.db"));
}

// Another program's messages may refer to rows by their ids.
TEST_F(DamagedDatabasesTest, NoRowIsInsertedWhereIdsAreReferredTo) {
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

TEST_F(DamagedDatabasesTest, NoRowIsInsertedWhereSomethingMayReferToIds) {
  for (const std::string reference :
       {"CREATE TABLE votes(id INTEGER PRIMARY KEY, vote_of INTEGER REFERENCES Agent_Messages(id))",
        "CREATE TABLE votes(agent_message_id INTEGER)", "ALTER TABLE agent_messages ADD parent_message_id INTEGER",
        "CREATE TRIGGER t AFTER UPDATE ON agent_messages BEGIN SELECT 1; END",
        "UPDATE agent_messages SET id=-7 WHERE id=1", "UPDATE agent_messages SET id=-1 WHERE id=1"}) {
    TempDir folder;
    const fs::path database = folder / "agents.db";
    Execute(database, TextOf(DamagedSessions() / "openai-agents.sql"));
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
TEST_F(DamagedDatabasesTest, NegativeIdsAreLookedForWhenARowIsInserted) {
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

TEST_F(DamagedDatabasesTest, SecretsAreTakenOutOfTheBytes) {
  const std::string secret =
      "ghp_"
      "R4nd0mT0k3nV4lu3W1thL3tt3rsAndD1g1ts";
  for (const DoctorAction action : {DoctorAction::kCopy, DoctorAction::kReplace}) {
    TempDir folder;
    const fs::path database = folder / "agents.db";
    Execute(database, TextOf(DamagedSessions() / "openai-agents.sql"));
    Execute(database,
            "PRAGMA journal_mode=WAL; UPDATE agent_messages SET message_data='{\"role\":\"user\",\"content\":\"" +
                secret + "\"}' WHERE id=1");
    ASSERT_THAT(TextOf(database), HasSubstr(secret));
    const DoctorReport report = Run(database, {.action = action, .out = folder / "out", .redact = true});
    EXPECT_EQ(report.sessions.front().problem, "");
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

// As after a kill between the transaction and the end.
TEST_F(DamagedDatabasesTest, SecretsInFreePagesAreOverwrittenByTheNextRun) {
  const std::string secret =
      "ghp_"
      "R4nd0mT0k3nV4lu3W1thL3tt3rsAndD1g1ts";
  const fs::path database = Make("openai-agents");
  Execute(database,
          "PRAGMA secure_delete=OFF; DELETE FROM agent_messages WHERE session_id<>'sound';"
          "DELETE FROM agent_sessions WHERE session_id<>'sound';"
          "CREATE TABLE old(x); INSERT INTO old VALUES('" +
              secret + "'); DROP TABLE old");
  ASSERT_THAT(TextOf(database), HasSubstr(secret));
  (void)Run(database, {.action = DoctorAction::kReplace});
  ASSERT_THAT(TextOf(database), HasSubstr(secret));
  const DoctorReport report = Run(database, {.action = DoctorAction::kReplace, .redact = true});
  EXPECT_THAT(TextOf(database), Not(HasSubstr(secret)));
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("overwritten")));
  EXPECT_THAT(Run(database, {.action = DoctorAction::kReplace, .redact = true}).notes, IsEmpty());
}

TEST_F(DamagedDatabasesTest, ALogThatAnotherReadsIsNotCalledEmpty) {
  const fs::path database = Make("openai-agents");
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(database.c_str(), &reader), SQLITE_OK);
  for (const char* sql :
       {"PRAGMA journal_mode=WAL", "DELETE FROM agent_messages WHERE id=1", "BEGIN", "SELECT * FROM agent_messages"}) {
    ASSERT_EQ(sqlite3_exec(reader, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  }
  EXPECT_EQ(WriteRowChanges(database, {}, {.overwrite = true}).error().code, ErrorCode::kBusy);
  sqlite3_close(reader);
  EXPECT_TRUE(WriteRowChanges(database, {}, {.overwrite = true}));
}

TEST_F(DamagedDatabasesTest, WhatAnotherProcessHasOpenIsNotChanged) {
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
    busy += session.busy ? 1 : 0;
    EXPECT_TRUE(session.written.empty());
  }
  EXPECT_GT(busy, 0U);
  EXPECT_EQ(TextOf(database), before);
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  ::waitpid(child, nullptr, 0);
  for (const int fd : {opened[0], opened[1], done[0], done[1]}) ::close(fd);
  EXPECT_THAT(Names(), SizeIs(1));
}

TEST_F(DamagedDatabasesTest, AKillAtAnyStepLeavesTheOldRowsOrTheNewOnes) {
  std::vector<std::string> steps;
  {
    TempDir other;
    const fs::path database = other / "a.db";
    Execute(database, TextOf(DamagedSessions() / "openai-agents.sql"));
    (void)Run(database,
              {.action = DoctorAction::kReplace, .on_step = [&](std::string_view step) { steps.emplace_back(step); }});
  }
  EXPECT_THAT(steps, testing::ElementsAre("open", "backup", "write", "finish"));
  for (const std::string& last : steps) {
    TempDir other;
    const fs::path database = other / "a.db";
    Execute(database, TextOf(DamagedSessions() / "openai-agents.sql"));
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

TEST_F(DamagedDatabasesTest, OfADamagedOneTheCopyHasWhatCanBeRead) {
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
  EXPECT_THAT(in_place.sessions.front().problem, HasSubstr("--out"));
}

TEST_F(DamagedDatabasesTest, SessionsThatTheToolDoesNotListAreNamed) {
  const DoctorReport report = Run(Make("opencode"), {});
  ASSERT_THAT(report.indexes, SizeIs(1));
  EXPECT_EQ(report.indexes.front().rule, "index-missing-entry");
  EXPECT_EQ(report.indexes.front().session, "ses_unlisted");
}

// Copies and backups look like databases, too.
TEST_F(DamagedDatabasesTest, CopiesBesideThemAreNoSources) {
  const fs::path database = Make("openai-agents");
  const std::size_t sessions = Run(folder_.path(), {.action = DoctorAction::kCopy}).sessions.size();
  EXPECT_TRUE(fs::exists(folder_ / "openai-agents.db.mended"));
  EXPECT_EQ(Run(folder_.path(), {.action = DoctorAction::kReplace}).sessions.size(), sessions);
  EXPECT_TRUE(fs::exists(folder_ / "openai-agents.db.before-doctor"));
  EXPECT_EQ(Run(folder_.path(), {}).sessions.size(), sessions);
}

TEST_F(DamagedDatabasesTest, ArePassedOverInAPlan) {
  const DoctorReport report = Run(Make("openai-agents"), {.action = DoctorAction::kPlan});
  EXPECT_THAT(WritePlan(report), IsEmpty());
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("a plan has no rows")));
}

}  // namespace
}  // namespace turnlog::damaged_databases_test
