// Plans: edits that are made later, if the file is still the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/doctor/database_fixture.h"
#include "tests/doctor/session_files.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::plan_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class PlanTest : public testing::Test {
 protected:
  PlanTest() { WriteText(path_, OrphanedCall()); }

  std::string Plan() {
    const std::array<fs::path, 1> paths{path_};
    return WritePlan(Must(ExamineSessions(paths, {.action = DoctorAction::kPlan})));
  }

  TempDir folder_;
  const fs::path path_ = folder_ / "a.jsonl";
};

TEST_F(PlanTest, GivesWhatACopyGives) {
  auto plan = Must(ReadPlan(Plan()));
  ASSERT_EQ(plan.size(), 1U);
  ApplyPlan(plan, {.action = DoctorAction::kCopy, .out = folder_ / "out"});
  EXPECT_EQ(CodeOf(plan[0].problem), "fine");
  const SessionReport copied = Examine(path_, {.action = DoctorAction::kCopy});
  EXPECT_EQ(TextOf(folder_ / "out" / "a.jsonl"), TextOf(copied.written));
  EXPECT_EQ(TextOf(path_), OrphanedCall());
}

TEST_F(PlanTest, ReplacesTheFile) {
  auto plan = Must(ReadPlan(Plan()));
  ApplyPlan(plan, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  EXPECT_EQ(CodeOf(plan[0].problem), "fine");
  EXPECT_EQ(TextOf(plan[0].backup), OrphanedCall());
  EXPECT_THAT(Examine(path_, {}).findings, IsEmpty());
}

TEST_F(PlanTest, IsRefusedIfTheFileHasChanged) {
  auto plan = Must(ReadPlan(Plan()));
  WriteText(path_, OrphanedCall() + "{}\n");
  ApplyPlan(plan, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  EXPECT_NE(CodeOf(plan[0].problem), "fine");
  EXPECT_EQ(TextOf(path_), OrphanedCall() + "{}\n");
}

TEST_F(PlanTest, IsRefusedIfItsEditsGiveOtherContents) {
  auto plan = Must(ReadPlan(Plan()));
  plan[0].passes[0][0].text += ' ';
  ApplyPlan(plan, {.action = DoctorAction::kCopy, .out = folder_ / "out"});
  EXPECT_NE(CodeOf(plan[0].problem), "fine");
  plan[0].passes[0][0].end = UINT64_MAX;
  ApplyPlan(plan, {.action = DoctorAction::kCopy, .out = folder_ / "out"});
  EXPECT_NE(CodeOf(plan[0].problem), "fine");
  EXPECT_FALSE(fs::exists(folder_ / "out" / "a.jsonl"));
}

TEST_F(PlanTest, OfOtherContentsIsNotRead) {
  const std::string plan = Plan();
  for (const std::string& bad : {plan + "{}\n", "x" + plan, plan.substr(0, plan.size() - 5)}) {
    const auto read = ReadPlan(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_THAT(read.error().message, HasSubstr("line "));
  }
  EXPECT_THAT(Must(ReadPlan("")), IsEmpty());
}

TEST_F(PlanTest, WithARedactionLeavesNoBackup) {
  const std::string& secret = kFakeToken;
  std::string text = OrphanedCall();
  WriteText(path_, text.replace(text.find("List the files"), 14, secret));
  const std::array<fs::path, 1> paths{path_};
  const DoctorReport report = Must(ExamineSessions(paths, {.action = DoctorAction::kPlan, .redact = true}));
  auto plan = Must(ReadPlan(WritePlan(report)));
  ApplyPlan(plan, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  EXPECT_EQ(CodeOf(plan[0].problem), "fine");
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_THAT(TextOf(entry.path()), testing::Not(HasSubstr(secret))) << entry.path();
  }
}

class DatabasePlanTest : public DatabaseTest {
 protected:
  static std::vector<SessionReport> Plan(const fs::path& database, const DoctorOptions& options = {}) {
    DoctorOptions plan = options;
    plan.action = DoctorAction::kPlan;
    return Must(ReadPlan(WritePlan(Run(database, plan))));
  }
  static constexpr std::string_view kParts = "SELECT id || data FROM part ORDER BY id";
};

TEST_F(DatabasePlanTest, GivesWhatACopyGives) {
  for (const std::string name : {"openai-agents", "opencode"}) {
    const fs::path database = Make(name);
    const std::string before = TextOf(database);
    auto plan = Plan(database);
    ASSERT_THAT(plan, testing::SizeIs(testing::Gt(1U))) << name;
    ApplyPlan(plan, {.action = DoctorAction::kCopy, .out = folder_ / "planned"});
    for (const SessionReport& session : plan) {
      EXPECT_EQ(CodeOf(session.problem), "fine") << session.session;
      EXPECT_EQ(session.written, folder_ / "planned" / database.filename());
    }
    (void)Run(database, {.action = DoctorAction::kCopy, .out = folder_ / "out"});
    const std::string rows(name == "opencode" ? kParts : kAllRows);
    EXPECT_EQ(Texts(folder_ / "planned" / database.filename(), rows),
              Texts(folder_ / "out" / database.filename(), rows));
    EXPECT_EQ(TextOf(database), before);
  }
}

TEST_F(DatabasePlanTest, ChangesTheDatabase) {
  const fs::path database = Make("openai-agents");
  const std::vector<std::string> before = Texts(database, std::string(kAllRows));
  auto plan = Plan(database);
  ApplyPlan(plan, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  for (const SessionReport& session : plan) EXPECT_EQ(CodeOf(session.problem), "fine") << session.session;
  EXPECT_EQ(Texts(plan.front().backup, std::string(kAllRows)), before);
  for (const SessionReport& session : Run(database, {}).sessions) EXPECT_EQ(session.findings.size(), session.left());
}

// Other sessions of the database are changed.
TEST_F(DatabasePlanTest, IsRefusedForASessionThatHasChanged) {
  const fs::path database = Make("openai-agents");
  auto plan = Plan(database);
  Execute(database,
          "UPDATE agent_messages SET message_data='{}' WHERE session_id='no-json' AND id=(SELECT max(id) FROM "
          "agent_messages WHERE session_id='no-json'); DELETE FROM agent_sessions WHERE session_id='stray-output';"
          "DELETE FROM agent_messages WHERE session_id='stray-output'");
  const std::string rows = "SELECT message_data FROM agent_messages WHERE session_id='no-json'";
  const std::vector<std::string> before = Texts(database, rows);
  ApplyPlan(plan, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  EXPECT_EQ(Texts(database, rows), before);
  for (const SessionReport& session : plan) {
    const bool is_other = session.session == "no-json" || session.session == "stray-output";
    EXPECT_EQ(session.problem.has_value(), is_other) << session.session;
    EXPECT_EQ(session.written.empty(), is_other) << session.session;
  }
}

TEST_F(DatabasePlanTest, WithARedactionLeavesNothingOfTheSecret) {
  const std::string& secret = kFakeToken;
  const fs::path database = Make("openai-agents");
  Execute(database,
          "UPDATE agent_messages SET message_data='{\"role\":\"user\",\"content\":\"" + secret + "\"}' WHERE id=1");
  auto plan = Plan(database, {.redact = true});
  ApplyPlan(plan, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  EXPECT_THAT(Names(), testing::ElementsAre("openai-agents.db"));
  EXPECT_THAT(TextOf(database), testing::Not(HasSubstr(secret)));
}

TEST_F(DatabasePlanTest, IsRefusedForWhatIsNoDatabaseOfTheFormat) {
  const fs::path database = Make("openai-agents");
  const auto plan = Plan(database);
  for (const std::string other : {"opencode", "langgraph", "codex"}) {
    auto changed = plan;
    for (SessionReport& session : changed) session.format = other;
    ApplyPlan(changed, {.action = DoctorAction::kReplace, .idle_seconds = 0});
    for (const SessionReport& session : changed) EXPECT_NE(CodeOf(session.problem), "fine") << other;
  }
  auto without = plan;
  WriteText(database, "no database");
  ApplyPlan(without, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  for (const SessionReport& session : without) EXPECT_NE(CodeOf(session.problem), "fine");
  EXPECT_EQ(TextOf(database), "no database");
}

// What can be read of it may be less than the plan was made from, also outside the planned sessions.
TEST_F(DatabasePlanTest, IsRefusedForADatabaseThatWasDamagedSince) {
  const fs::path database = Make("openai-agents");
  Execute(database, "CREATE TABLE more(x); INSERT INTO more VALUES(zeroblob(100000))");
  const auto plan = Plan(database);
  fs::resize_file(database, fs::file_size(database) - 4096);
  const std::string before = TextOf(database);
  for (const DoctorAction action : {DoctorAction::kCopy, DoctorAction::kReplace}) {
    auto applied = plan;
    ApplyPlan(applied, {.action = action, .out = folder_ / "out", .idle_seconds = 0});
    for (const SessionReport& session : applied) {
      EXPECT_EQ(CodeOf(session.problem), "conflict") << session.session;
      EXPECT_TRUE(session.written.empty()) << session.session;
    }
  }
  EXPECT_EQ(TextOf(database) == before, true);
  EXPECT_THAT(Names(), testing::ElementsAre("openai-agents.db"));
}

// Something refers to ids now: nothing of the database is written, because the plan inserts rows.
TEST_F(DatabasePlanTest, IsRefusedIfRowsCannotBeInsertedAnyMore) {
  const fs::path database = Make("openai-agents");
  const auto plan = Plan(database);
  Execute(database, "CREATE TABLE votes(agent_message_id INTEGER)");
  const std::vector<std::string> before = Texts(database, std::string(kAllRows));
  for (const DoctorAction action : {DoctorAction::kCopy, DoctorAction::kReplace}) {
    auto applied = plan;
    ApplyPlan(applied, {.action = action, .out = folder_ / "out", .idle_seconds = 0});
    for (const SessionReport& session : applied) {
      EXPECT_EQ(CodeOf(session.problem), "conflict") << session.session;
      EXPECT_TRUE(session.written.empty()) << session.session;
    }
  }
  EXPECT_EQ(Texts(database, std::string(kAllRows)), before);
  EXPECT_FALSE(fs::exists(folder_ / "out/openai-agents.db"));
}

TEST_F(DatabasePlanTest, DoesNotHaveADamagedDatabase) {
  const fs::path database = Make("openai-agents");
  Execute(database, "CREATE TABLE more(x); INSERT INTO more VALUES(zeroblob(100000))");
  fs::resize_file(database, fs::file_size(database) / 2);
  const DoctorReport report = Run(database, {.action = DoctorAction::kPlan});
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("--out")));
  EXPECT_EQ(WritePlan(report), "");
}

}  // namespace
}  // namespace turnlog::plan_test
