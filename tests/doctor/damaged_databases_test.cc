// The damaged sessions in databases: what is found, and what mending makes of their rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/doctor/database_fixture.h"
#include "tests/doctor/expected_findings.h"
#include "tests/doctor/session_files.h"
#include "tests/support/must.h"

namespace turnlog::damaged_databases_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

constexpr std::array<const char*, 3> kDatabases{"langgraph", "openai-agents", "opencode"};

using DamagedDatabasesTest = DatabaseTest;

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
    Make("openai-agents", database);
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

TEST_F(DamagedDatabasesTest, SessionsThatTheToolDoesNotListAreNamed) {
  const DoctorReport report = Run(Make("opencode"), {});
  ASSERT_THAT(report.indexes, SizeIs(1));
  EXPECT_EQ(report.indexes.front().rule, "index-missing-entry");
  EXPECT_EQ(report.indexes.front().session, "ses_unlisted");
}

}  // namespace
}  // namespace turnlog::damaged_databases_test
