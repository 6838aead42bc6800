// What is around sessions is searched for secrets, and changed only where it certainly is the tool's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/doctor/session_files.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::surroundings_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string kRollout = "rollout-2026-08-01T10-00-00-019fc8be-3658-7ca3-9e29-0123456789ab.jsonl";
const std::string kGemini = "session-2026-05-04T10-00-0a1b2c3d.jsonl";

class SurroundingsTest : public testing::Test {
 protected:
  static DoctorReport Redact(const fs::path& path) {
    const std::array<fs::path, 1> paths{path};
    return Must(
        ExamineSessions(paths, {.action = DoctorAction::kReplace, .redact = true, .idle_seconds = 0, .jobs = 1}));
  }

  static const SurroundingReport* Find(const DoctorReport& report, const fs::path& path) {
    const auto found = std::ranges::find(report.surroundings, path, &SurroundingReport::path);
    return found == report.surroundings.end() ? nullptr : &*found;
  }

  // A file with a secret.
  void AddSecret(const fs::path& name) const {
    fs::create_directories((folder_ / name).parent_path());
    WriteText(folder_ / name, "token " + kFakeToken + "\n");
  }

  void AddSession(const std::string& fixture, const fs::path& name) const {
    fs::create_directories((folder_ / name).parent_path());
    fs::copy_file(DamagedSessions() / fixture, folder_ / name);
  }

  TempDir folder_;
};

// As of a user who keeps something in folders with such names.
TEST_F(SurroundingsTest, OfAFolderThatIsNoToolsAreLeftAlone) {
  AddSession("claude-code/sound.jsonl", "var/projects/x/sound.jsonl");
  AddSession("codex/sound/" + kRollout, "var/sessions/2026/08/01/" + kRollout);
  AddSession("gemini/rewound-call/" + kGemini, "var/tmp/x/chats/" + kGemini);
  fs::copy(DamagedSessions() / "opencode/storage-sound", folder_ / "var/storage", fs::copy_options::recursive);
  for (const char* name : {"var/log/syslog", "var/history.jsonl", "var/todos/a.json"}) AddSecret(name);
  const DoctorReport report = Redact(folder_.path());
  EXPECT_EQ(report.sessions.size(), 4U);
  for (const char* name : {"var/log", "var/history.jsonl", "var/todos"}) {
    EXPECT_EQ(Find(report, folder_ / name), nullptr) << name;
  }
  EXPECT_THAT(TextOf(folder_ / "var/log/syslog"), HasSubstr(kFakeToken));
  EXPECT_THAT(TextOf(folder_ / "var/history.jsonl"), HasSubstr(kFakeToken));
}

TEST_F(SurroundingsTest, OfASessionThatIsElsewhereAreReported) {
  AddSession("claude-code/sound.jsonl", "copies/projects/x/sound.jsonl");
  AddSecret("copies/projects/x/sound/tool-results/1.txt");
  const DoctorReport report = Redact(folder_.path());
  const SurroundingReport* const results = Find(report, folder_ / "copies/projects/x/sound/tool-results");
  ASSERT_NE(results, nullptr);
  EXPECT_FALSE(results->for_people);
  EXPECT_EQ(results->secrets.size(), 1U);
  EXPECT_THAT(TextOf(folder_ / "copies/projects/x/sound/tool-results/1.txt"), HasSubstr(kFakeToken));
}

TEST_F(SurroundingsTest, OfAToolAreCleanedByTheNameOfItsFolder) {
  AddSession("codex/sound/" + kRollout, ".codex/sessions/2026/08/01/" + kRollout);
  AddSecret(".codex/history.jsonl");
  AddSecret(".codex/config.toml");
  const DoctorReport report = Redact(folder_ / ".codex/sessions");
  EXPECT_EQ(TextOf(folder_ / ".codex/history.jsonl"), "token [redacted]\n");
  EXPECT_THAT(TextOf(folder_ / ".codex/config.toml"), HasSubstr(kFakeToken));
  ASSERT_NE(Find(report, folder_ / ".codex/config.toml"), nullptr);
}

TEST_F(SurroundingsTest, OfAToolAreSearchedForWhatItsSessionsHave) {
  const std::string value = "Tr0ub4dor&3xQ!z", session = ".codex/sessions/" + kRollout;
  AddSession("codex/sound/" + kRollout, session);
  std::string text = TextOf(folder_ / session);
  const std::size_t at = text.find("\"text\":\"");
  ASSERT_NE(at, std::string::npos);
  WriteText(folder_ / session, text.insert(at + 8, "password: " + value + " "));
  WriteText(folder_ / ".codex/history.jsonl", "{\"text\":\"root/" + value + "\"}\n");
  WriteText(folder_ / ".codex/config.toml", "root = '" + value + "'\n");
  const DoctorReport report = Redact(folder_ / ".codex/sessions");
  EXPECT_THAT(TextOf(folder_ / session), Not(HasSubstr(value)));
  EXPECT_EQ(TextOf(folder_ / ".codex/history.jsonl"), "{\"text\":\"root/[redacted]\"}\n");
  const SurroundingReport* const settings = Find(report, folder_ / ".codex/config.toml");
  ASSERT_NE(settings, nullptr);
  EXPECT_EQ(settings->secrets.size(), 1U);
}

TEST_F(SurroundingsTest, OfAToolAreCleanedInTheFolderThatItsVariableNames) {
  AddSession("codex/sound/" + kRollout, "work/sessions/2026/08/01/" + kRollout);
  AddSecret("work/history.jsonl");
  ::setenv("CODEX_HOME", (folder_ / "work/../work/").c_str(), 1);
  (void)Redact(folder_.path());
  ::unsetenv("CODEX_HOME");
  EXPECT_EQ(TextOf(folder_ / "work/history.jsonl"), "token [redacted]\n");
}

// Of those that tools delete after some weeks, for example.
TEST_F(SurroundingsTest, OfAToolAreCleanedAlsoIfItHasNoSessions) {
  for (const bool names_home : {false, true}) {
    AddSecret(".codex/history.jsonl");
    AddSecret(".claude/projects/-boat/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/tool-results/1.txt");
    AddSecret(".gemini/tmp/boat/logs.json");
    AddSecret(".local/share/opencode/storage/todo/1.json");
    AddSecret("history.jsonl");
    for (const char* home : {".codex", ".claude", ".gemini", ".local/share/opencode"})
      (void)Redact(names_home ? folder_ / home : folder_.path());
    for (const char* name :
         {".codex/history.jsonl", ".claude/projects/-boat/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/tool-results/1.txt",
          ".gemini/tmp/boat/logs.json", ".local/share/opencode/storage/todo/1.json"}) {
      EXPECT_EQ(TextOf(folder_ / name), "token [redacted]\n") << name;
    }
    EXPECT_THAT(TextOf(folder_ / "history.jsonl"), HasSubstr(kFakeToken)) << "of no tool";
  }
}

// A damaged session may be of no known format: its secrets are counted, and it stays as it is.
TEST_F(SurroundingsTest, HaveTheSessionsOfAToolThatAreNotRecognised) {
  AddSession("claude-code/sound.jsonl", ".claude/projects/-boat/sound.jsonl");
  const std::vector<std::string> files{
      ".claude/projects/-boat/torn.jsonl", ".claude/projects/-boat/torn/subagents/agent-1.jsonl",
      ".codex/sessions/2026/08/01/rollout-torn.jsonl", ".gemini/tmp/boat/chats/session-torn.json"};
  for (const std::string& file : files) AddSecret(file);
  for (const char* home : {".codex", ".claude", ".gemini"}) {
    const DoctorReport report = Redact(folder_ / home);
    for (const std::string& file : files) {
      if (!file.starts_with(home)) continue;
      const SurroundingReport* const found = Find(report, folder_ / file);
      ASSERT_NE(found, nullptr) << file;
      EXPECT_EQ(found->secrets.size(), 1U) << file;
      EXPECT_THAT(TextOf(folder_ / file), HasSubstr(kFakeToken));
    }
    EXPECT_EQ(Find(report, folder_ / ".claude/projects/-boat/sound.jsonl"), nullptr);
  }
}

TEST_F(SurroundingsTest, AreFoundWhereToolsKeepThemOutsideTheirFolders) {
  const std::vector<std::string> reported{".claude.json", ".claude.json.backup.1", ".config/opencode/opencode.json",
                                          ".local/state/opencode/kv.json", ".cache/opencode/models.json"};
  for (const std::string& name : reported) AddSecret(name);
  AddSecret(".local/state/opencode/prompt-history.jsonl");
  for (const char* other : {".local/state/other/history.jsonl", ".config/other/log"}) AddSecret(other);
  for (const char* home : {".claude", ".local/share/opencode"}) fs::create_directories(folder_ / home);
  const DoctorReport report = Redact(folder_.path());
  for (const std::string& name : reported) {
    ASSERT_NE(Find(report, folder_ / name), nullptr) << name;
    EXPECT_EQ(Find(report, folder_ / name)->secrets.size(), 1U) << name;
  }
  EXPECT_EQ(TextOf(folder_ / ".local/state/opencode/prompt-history.jsonl"), "token [redacted]\n");
  EXPECT_EQ(report.surroundings.size(), reported.size() + 1);
}

// Of any format, wherever the session is.
TEST_F(SurroundingsTest, HaveWhatDoctorHasLeft) {
  AddSession("anthropic/sound.json", "a.json");
  AddSession("codex/sound/" + kRollout, "x/" + kRollout);
  fs::copy(DamagedSessions() / "opencode/storage-sound", folder_ / "storage", fs::copy_options::recursive);
  const fs::path part = *fs::directory_iterator(folder_ / "storage/part/msg_01");
  const std::vector<std::string> left{"a.json.10.before-doctor",
                                      "a.json.10-20.2.before-doctor",
                                      "a.json.before-doctor",
                                      "a.json.mended",
                                      ".a.json.new",
                                      "x/" + kRollout + ".9999.before-doctor",
                                      part.string() + ".5.before-doctor"};
  for (const std::string& name : left) AddSecret(name);
  AddSecret("b.json.10.before-doctor");
  const DoctorReport report = Redact(folder_.path());
  EXPECT_EQ(report.surroundings.size(), left.size());
  for (const std::string& name : left) {
    const SurroundingReport* const found = Find(report, folder_ / name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->secrets.size(), 1U) << name;
    EXPECT_THAT(TextOf(folder_ / name), HasSubstr(kFakeToken));
  }
}

TEST_F(SurroundingsTest, HaveTheBackupThatThisRunKeeps) {
  AddSession("anthropic/sound.json", "a.json");
  std::string text = TextOf(folder_ / "a.json");
  const std::size_t content = text.find("\"content\"");
  const std::size_t begin = text.find('"', text.find(':', content)) + 1;
  text.insert(begin, "token " + kFakeToken + " ");
  WriteText(folder_ / "a.json", text);
  const std::array<fs::path, 1> paths{folder_ / "a.json"};
  const fs::path backup = folder_ / ("a.json." + std::to_string(text.size()) + ".before-doctor");
  const DoctorOptions options{
      .action = DoctorAction::kReplace, .redact = true, .idle_seconds = 0, .on_step = [&](std::string_view step) {
        if (step == "replaced") WriteText(backup, text + "late");
      }};
  const DoctorReport report = Must(ExamineSessions(paths, options));
  EXPECT_THAT(TextOf(folder_ / "a.json"), Not(HasSubstr(kFakeToken)));
  const SurroundingReport* const found = Find(report, backup);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->secrets.size(), 1U);
}

TEST_F(SurroundingsTest, AreNotFollowedThroughSymbolicLinks) {
  AddSession("codex/sound/" + kRollout, "elsewhere/sessions/2026/08/01/" + kRollout);
  AddSecret("elsewhere/history.jsonl");
  AddSecret("logs/syslog");
  fs::create_directories(folder_ / ".codex");
  fs::create_directory_symlink(folder_ / "elsewhere/sessions", folder_ / ".codex/sessions");
  fs::create_directory_symlink(folder_ / "logs", folder_ / ".codex/log");
  AddSession("codex/sound/" + kRollout, ".codex/archived_sessions/" + kRollout);
  (void)Redact(folder_ / ".codex/sessions/2026/08/01" / kRollout);
  (void)Redact(folder_ / ".codex/archived_sessions");
  EXPECT_THAT(TextOf(folder_ / "elsewhere/history.jsonl"), HasSubstr(kFakeToken));
  EXPECT_THAT(TextOf(folder_ / "logs/syslog"), HasSubstr(kFakeToken));
}

}  // namespace
}  // namespace turnlog::surroundings_test
