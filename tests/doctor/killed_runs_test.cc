// A run that is killed before any of its steps: the next one completes it. Sessions, their indexes, renamed folders,
// and what is around sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <functional>
#include <set>
#include <string>

#include "tests/doctor/database_fixture.h"
#include "tests/doctor/session_files.h"
#include "tests/support/effort.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::killed_runs_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kThread = "019fc8be-3658-7ca3-9e29-0123456789ab";
const std::string kRollout = "rollout-2026-08-01T10-00-00-" + std::string(kThread) + ".jsonl";
const std::string kSession = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl";

class KilledRunsTest : public testing::Test {
 protected:
  // Runs with `options` after `prepare`, killed before the first step, the second and so on, each time followed by a
  // whole run and `check`. Returns the number of steps.
  int KillAtEachStep(const DoctorOptions& options, const std::function<void()>& prepare,
                     const std::function<void()>& check) {
    for (int last = 0;; last += static_cast<int>(SampleStep(1))) {
      SCOPED_TRACE(last);
      fs::remove_all(folder_.path());
      fs::create_directories(folder_.path());
      prepare();
      const bool killed = RunKilled(options, last);
      (void)Run(options);
      check();
      if (!killed || HasFailure()) return last;
    }
  }

  DoctorReport Run(const DoctorOptions& options) const {
    const std::array<fs::path, 1> paths{folder_.path()};
    return Must(ExamineSessions(paths, options));
  }

  // What files of the folder and of those in it have the text.
  std::set<std::string> FilesWith(std::string_view text) const {
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file() && TextOf(entry.path()).contains(text)) files.insert(entry.path().filename());
    }
    return files;
  }

  std::set<std::string> Names(const fs::path& folder) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
  }

  void Write(const fs::path& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    WriteText(folder_ / name, text);
  }

  static std::string SessionWithSecret() {
    std::string text = OrphanedCall();
    return text.replace(text.find("List the files"), 14, kFakeToken);
  }

  static DoctorOptions InPlace() { return {.action = DoctorAction::kReplace, .idle_seconds = 0, .jobs = 1}; }

  TempDir folder_;

 private:
  bool RunKilled(DoctorOptions options, int last) const {
    const pid_t child = ::fork();
    if (child == 0) {
      int step = 0;
      options.on_step = [&](std::string_view) {
        if (step++ == last) ::raise(SIGKILL);
      };
      (void)Run(options);
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
  }
};

TEST_F(KilledRunsTest, WithARedactionLeaveNoBackupAfterTheNextOne) {
  DoctorOptions options = InPlace();
  options.redact = true;
  const auto prepare = [&] { Write(kSession, SessionWithSecret()); };
  const auto check = [&] {
    EXPECT_THAT(FilesWith(kFakeToken), IsEmpty());
    EXPECT_THAT(Names(folder_.path()), ElementsAre(kSession));
  };
  EXPECT_GE(KillAtEachStep(options, prepare, check), 7);
}

// Whoever runs it next wants no redaction: the backup that was to be removed is, and another one is kept.
TEST_F(KilledRunsTest, WithARedactionAreCompletedByOneWithout) {
  Write(kSession, SessionWithSecret());
  const std::string backup = kSession + "." + std::to_string(SessionWithSecret().size());
  const fs::path unredacted = folder_ / (backup + ".unredacted.before-doctor");
  fs::create_hard_link(folder_ / kSession, unredacted);
  (void)Run(InPlace());
  EXPECT_THAT(Names(folder_.path()), ElementsAre(kSession, backup + ".before-doctor"));
  WriteText(unredacted, SessionWithSecret());
  const DoctorReport report = Run({.jobs = 1});
  ASSERT_EQ(report.sessions.size(), 1U);
  ASSERT_EQ(report.sessions.front().findings.size(), 1U);
  EXPECT_EQ(report.sessions.front().findings.front().rule, "unredacted-backup");
  (void)Run(InPlace());
  EXPECT_FALSE(fs::exists(unredacted));
  EXPECT_TRUE(fs::exists(folder_ / (backup + ".before-doctor")));
}

// A process may still append to it.
TEST_F(KilledRunsTest, LeaveABackupThatAProcessHasOpen) {
  Write(kSession, TextOf(DamagedSessions() / "claude-code/sound.jsonl"));
  const fs::path unredacted = folder_ / (kSession + ".9.unredacted.before-doctor");
  WriteText(unredacted, "123456789");
  int opened[2] = {}, done[2] = {};
  ASSERT_EQ(::pipe(opened), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(done[1]);
    char byte = 0;
    const std::ofstream file(unredacted, std::ios::app);
    if (!file || ::write(opened[1], &byte, 1) != 1) ::_exit(1);
    (void)!::read(done[0], &byte, 1);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(opened[0], &byte, 1), 1);
  (void)Run(InPlace());
  EXPECT_TRUE(fs::exists(unredacted));
  for (const int fd : {opened[0], opened[1], done[0], done[1]}) ::close(fd);
  ::waitpid(child, nullptr, 0);
  (void)Run(InPlace());
  EXPECT_FALSE(fs::exists(unredacted));
}

TEST_F(KilledRunsTest, WhileSurroundingsAreCleanedLeaveNoSecret) {
  DoctorOptions options = InPlace();
  options.redact = true;
  const std::string project = ".claude/projects/-boat/";
  const auto prepare = [&] {
    Write(project + kSession, SessionWithSecret());
    Write(project + kSession.substr(0, 36) + "/tool-results/1.txt", "token " + kFakeToken + "\n");
    Write(".claude/history.jsonl", "{\"display\":\"" + kFakeToken + "\"}\n");
  };
  const auto check = [&] {
    EXPECT_THAT(FilesWith(kFakeToken), IsEmpty());
    EXPECT_THAT(FilesWith("[redacted]"), ElementsAre(kSession, "1.txt", "history.jsonl"));
    EXPECT_THAT(Names(folder_ / ".claude"), ElementsAre("history.jsonl", "projects"));
  };
  EXPECT_GE(KillAtEachStep(options, prepare, check), 21);
}

TEST_F(KilledRunsTest, WhileAFolderIsRenamedMoveTheSessionWhole) {
  DoctorOptions options = InPlace();
  options.rename = FolderRename{"/home/ada/shop", "/home/ada/other"};
  const std::string sound = TextOf(DamagedSessions() / "claude-code/sound.jsonl");
  const std::string companion = kSession.substr(0, 36);
  const auto prepare = [&] {
    Write("projects/-home-ada-shop/" + kSession, sound);
    Write("projects/-home-ada-shop/" + companion + "/subagents/agent-a.jsonl", sound);
  };
  const auto check = [&] {
    const fs::path moved = folder_ / "projects/-home-ada-other";
    const fs::path old = folder_ / "projects/-home-ada-shop";
    EXPECT_TRUE(!fs::exists(old) || fs::is_empty(old)) << "nothing is left there but the folder";
    for (const fs::path& file : {moved / kSession, moved / companion / "subagents/agent-a.jsonl"}) {
      ASSERT_TRUE(fs::exists(file)) << file;
      EXPECT_THAT(TextOf(file), HasSubstr(R"("cwd":"/home/ada/other")"));
      EXPECT_THAT(TextOf(file), Not(HasSubstr(R"("cwd":"/home/ada/shop")")));
    }
    for (const std::string& name : Names(moved)) EXPECT_FALSE(name.ends_with(".new")) << name;
  };
  EXPECT_GE(KillAtEachStep(options, prepare, check), 18);
}

TEST_F(KilledRunsTest, WhileIndexesAreMendedLeaveNoneHalf) {
  const std::string rollout = "sessions/2026/08/01/" + kRollout;
  const auto prepare = [&] {
    Write(rollout, TextOf(DamagedSessions() / "codex/sound" / kRollout));
    Execute(folder_ / "state_5.sqlite",
            "CREATE TABLE threads(id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, title TEXT);"
            "INSERT INTO threads VALUES('" +
                std::string(kThread) + "','/elsewhere/a.jsonl','kept')");
    Write(kSession, TextOf(DamagedSessions() / "claude-code/sound.jsonl"));
    Write("sessions-index.json", R"({"entries":[]})");
  };
  const auto check = [&] {
    EXPECT_THAT(Texts(folder_ / "state_5.sqlite", "SELECT rollout_path || title FROM threads"),
                ElementsAre((folder_ / rollout).string() + "kept"));
    EXPECT_THAT(Names(folder_.path()),
                ElementsAre(kSession, "sessions", "sessions-index.json.before-doctor", "state_5.sqlite"));
    EXPECT_THAT(Run({.jobs = 1}).indexes, IsEmpty());
  };
  EXPECT_GE(KillAtEachStep(InPlace(), prepare, check), 3);
}

}  // namespace
}  // namespace turnlog::killed_runs_test
