// A secret that a rule has found goes wherever its session repeats it, also where no name gives it away.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/doctor/database_fixture.h"
#include "tests/doctor/session_files.h"
#include "tests/support/must.h"

namespace turnlog::repeated_secrets_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kValue = "Tr0ub4dor&3xQ!z";
const std::string kNamed = "login with password: " + kValue + " please";
const std::string kInHex = "547230756234646f7226337851217a";
const std::string kInBase64 = "cm9vdC9UcjB1YjRkb3ImM3hRIXo=";  // of "root/" and the value

class RepeatedSecretsTest : public DatabaseTest {
 protected:
  // A session of Claude Code with these prompts.
  fs::path Session(const std::vector<std::string>& prompts) const {
    std::string text;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const auto uuid = [](std::size_t number) { return fmt::format("00000000-0000-4000-8000-{:012}", number); };
      const std::string parent = i == 0 ? "null" : '"' + uuid(i) + '"';
      text += fmt::format(
          R"({{"parentUuid":{},"isSidechain":false,"userType":"external","cwd":"/a","sessionId":"0b8c5d1e-2f3a-4b6c-8d7e-9f0a1b2c3d4e","version":"2.1.143","gitBranch":"main","type":"user","message":{{"role":"user","content":"{}"}},"uuid":"{}","timestamp":"2026-05-04T10:00:01.000Z"}})"
          "\n",
          parent, prompts[i], uuid(i + 1));
    }
    WriteText(folder_ / "a.jsonl", text);
    return folder_ / "a.jsonl";
  }

  DoctorOptions Options(DoctorAction action) const {
    return {.action = action, .out = folder_ / "out", .redact = true, .idle_seconds = 0, .jobs = 1};
  }

  static auto HasNoValue() { return Not(AnyOf(HasSubstr(kValue), HasSubstr(kInHex), HasSubstr(kInBase64))); }
};

TEST_F(RepeatedSecretsTest, GoInAllRecordsAndEncodings) {
  const std::vector<std::string> prompts{
      "it was " + kValue, kNamed, "ok, root/" + kValue + " works", "hex " + kInHex, "base64 " + kInBase64, "nothing"};
  for (const DoctorAction action : {DoctorAction::kCopy, DoctorAction::kReplace}) {
    const fs::path path = Session(prompts);
    const SessionReport report = Examine(path, Options(action));
    EXPECT_EQ(report.redacted, 5U);
    EXPECT_THAT(report.secrets, IsEmpty());
    EXPECT_THAT(report.findings, IsEmpty());
    EXPECT_THAT(TextOf(report.written),
                AllOf(HasSubstr("ok, root/[redacted] works"), HasSubstr("nothing"), HasNoValue()));
    EXPECT_THAT(Examine(report.written, Options(DoctorAction::kPlan)).passes, IsEmpty());
  }
}

TEST_F(RepeatedSecretsTest, GoWithAPlan) {
  const fs::path path = Session({kNamed, "ok, root/" + kValue + " works"});
  const std::array<fs::path, 1> paths{path};
  auto plan = Must(ReadPlan(WritePlan(Must(ExamineSessions(paths, Options(DoctorAction::kPlan))))));
  ApplyPlan(plan, Options(DoctorAction::kReplace));
  EXPECT_EQ(CodeOf(plan.front().problem), "fine");
  EXPECT_THAT(TextOf(path), HasNoValue());
}

TEST_F(RepeatedSecretsTest, AreFoundBesideSomethingToMend) {
  WriteText(folder_ / "a.jsonl", TextOf(Session({kNamed, "ok, " + kValue})) + "{\"torn");
  const SessionReport report = Examine(folder_ / "a.jsonl", Options(DoctorAction::kReplace));
  EXPECT_EQ(report.redacted, 2U);
  EXPECT_THAT(TextOf(report.written), AllOf(HasNoValue(), Not(HasSubstr("torn"))));
}

// One pass finds and replaces, and one proves it: no more than before there was a search for repetitions.
TEST_F(RepeatedSecretsTest, CostNothingWhereThereAreNone) {
  EXPECT_EQ(Examine(Session({kNamed, "nothing"}), Options(DoctorAction::kPlan)).passes.size(), 1U);
  EXPECT_EQ(Examine(Session({kNamed, "ok, " + kValue}), Options(DoctorAction::kPlan)).passes.size(), 2U);
}

TEST_F(RepeatedSecretsTest, ShortAndCommonOnesAreLeftWhereTheyAreRepeated) {
  const SessionReport report = Examine(Session({"password: x7!qZ", "x7!qZ"}), Options(DoctorAction::kReplace));
  EXPECT_THAT(TextOf(folder_ / "a.jsonl"), HasSubstr("\"x7!qZ\""));
  EXPECT_LE(report.redacted, 1U);
}

// A record cannot lose its id. It is not said that nothing is left.
TEST_F(RepeatedSecretsTest, StayInIdsAndAreCounted) {
  const std::string id = "00000000-0000-4000-8000-000000000001";
  const SessionReport report = Examine(Session({"api_key = " + id, "key " + id}), Options(DoctorAction::kReplace));
  const std::string text = TextOf(folder_ / "a.jsonl");
  EXPECT_THAT(text, HasSubstr("\"uuid\":\"" + id));
  EXPECT_EQ(report.redacted > 0, !report.secrets.empty());
  EXPECT_THAT(report.findings, IsEmpty());
}

// A rule is wrong about the name of a model, without which its tool does not load the session.
TEST_F(RepeatedSecretsTest, StayInFieldsThatToolsNeed) {
  std::string text = OrphanedCall();
  text.replace(text.find("List the files"), 14, "password: claude-opus-4-8, or use claude-opus-4-8");
  WriteText(folder_ / "a.jsonl", text);
  const SessionReport report = Examine(folder_ / "a.jsonl", Options(DoctorAction::kReplace));
  EXPECT_THAT(TextOf(folder_ / "a.jsonl"),
              AllOf(HasSubstr(R"("model":"claude-opus-4-8")"), HasSubstr("or use [redacted]")));
  EXPECT_FALSE(report.secrets.empty());
}

// The password of a database is often the name of its project.
TEST_F(RepeatedSecretsTest, StayInFoldersNamesAndKeys) {
  std::string text = OrphanedCall();
  text.replace(text.find("List the files"), 14, "password: acme-prod-4-8, or acme-prod-4-8");
  const auto replace_all = [&text](std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace_all(R"("name":"Bash")", R"("name":"mcp__acme-prod-4-8__query")");
  replace_all(R"("version":)", R"("acme-prod-4-8" : 1,"cwd": "/home/u/acme-prod-4-8","version":)");
  ASSERT_THAT(text, AllOf(HasSubstr("mcp__acme-prod-4-8__query"), HasSubstr("u/acme-prod-4-8")));
  WriteText(folder_ / "a.jsonl", text);
  const SessionReport report = Examine(folder_ / "a.jsonl", Options(DoctorAction::kReplace));
  EXPECT_THAT(TextOf(folder_ / "a.jsonl"),
              AllOf(HasSubstr("mcp__acme-prod-4-8__query"), HasSubstr(R"("cwd": "/home/u/acme-prod-4-8")"),
                    HasSubstr(R"("acme-prod-4-8" : 1)"), HasSubstr("or [redacted]")));
  EXPECT_FALSE(report.secrets.empty()) << "they count as left";
}

TEST_F(RepeatedSecretsTest, GoInAllFilesOfASession) {
  const fs::path storage = folder_ / "storage";
  fs::copy(DamagedSessions() / "opencode/storage-sound", storage, fs::copy_options::recursive);
  const auto write = [&](const std::string& name, const std::string& text) {
    const fs::path path = storage / "part" / name;
    const std::string before = TextOf(path);
    const std::size_t at = before.find("\"text\":\"") + 8;
    WriteText(path, before.substr(0, at) + text + before.substr(before.find('"', at)));
  };
  write("msg_01/prt_010.json", "root/" + kValue);
  write("msg_02/prt_021.json", kNamed);
  const std::array<fs::path, 1> paths{storage};
  const DoctorReport report = Must(ExamineSessions(paths, Options(DoctorAction::kReplace)));
  EXPECT_THAT(TextOf(storage / "part/msg_01/prt_010.json"), AllOf(HasSubstr("root/[redacted]"), HasNoValue()));
  EXPECT_THAT(TextOf(storage / "part/msg_02/prt_021.json"), HasNoValue());
  for (const SessionReport& session : report.sessions) EXPECT_THAT(session.secrets, IsEmpty()) << session.path;
}

TEST_F(RepeatedSecretsTest, GoInAllRowsAndBytesOfADatabase) {
  for (const DoctorAction action : {DoctorAction::kCopy, DoctorAction::kReplace}) {
    TempDir folder;
    const fs::path database = folder / "agents.db";
    Make("openai-agents", database);
    const auto set = [&](const std::string& id, const std::string& text) {
      Execute(database,
              R"(UPDATE agent_messages SET message_data='{"role":"user","content":")" + text + "\"}' WHERE id=" + id);
    };
    const auto ids = Texts(database, "SELECT id FROM agent_messages WHERE session_id='sound' ORDER BY id");
    ASSERT_GE(ids.size(), 2U);
    set(ids.front(), "root/" + kValue);
    set(ids.back(), kNamed);
    ASSERT_THAT(TextOf(database), HasSubstr("root/" + kValue));
    const DoctorReport report = Run(database, Options(action));
    const fs::path mended = action == DoctorAction::kCopy ? folder_ / "out" / database.filename() : database;
    EXPECT_THAT(TextOf(mended), HasNoValue()) << Problems(report);
    EXPECT_THAT(ItemsOf(mended, "sound"), HasSubstr("root/[redacted]"));
  }
}

}  // namespace
}  // namespace turnlog::repeated_secrets_test
