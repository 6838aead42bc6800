// A report says what was written, what is in use and which secrets are left as it is, also if a step fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "doctor/replace_file.h"
#include "tests/doctor/database_fixture.h"
#include "tests/doctor/session_files.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::outcome_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t kLong = 1'000'000;

class OutcomeTest : public DatabaseTest {
 protected:
  // `id`: of a database.
  static SessionReport Replace(const fs::path& path, DoctorOptions options, const std::string& id = {}) {
    options.action = DoctorAction::kReplace;
    const std::array<fs::path, 1> paths{path};
    DoctorReport report = Must(ExamineSessions(paths, options));
    const auto found = std::ranges::find(report.sessions, id, &SessionReport::session);
    EXPECT_NE(found, report.sessions.end());
    return found == report.sessions.end() ? SessionReport() : *found;
  }

  // With something to mend, and a secret.
  fs::path MakeSession() const {
    std::string text = OrphanedCall();
    text.replace(text.find("List the files"), 14, kFakeToken);
    WriteText(folder_ / "a.jsonl", text);
    return folder_ / "a.jsonl";
  }

  static void RemoveBackups(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".before-doctor") fs::remove(entry.path());
    }
  }
};

TEST_F(OutcomeTest, WhatFailsAfterTheReplacementDoesNotUndoIt) {
  const fs::path path = MakeSession();
  const SessionReport session = Replace(path, {.idle_seconds = 0, .on_step = [&](std::string_view step) {
                                                 if (step == "replaced") RemoveBackups(folder_.path());
                                               }});
  EXPECT_EQ(session.written, path);
  EXPECT_EQ(CodeOf(session.problem), "not found");
}

TEST_F(OutcomeTest, WhatIsInUseIsNotWritten) {
  const SessionReport session = Replace(MakeSession(), {.redact = true, .idle_seconds = kLong});
  EXPECT_TRUE(session.written.empty());
  EXPECT_EQ(CodeOf(session.problem), "busy");
  EXPECT_EQ(session.redacted, 0U);
  EXPECT_GT(session.not_redacted, 0U);
}

TEST_F(OutcomeTest, WhatIsRefusedIsNotInUse) {
  fs::create_symlink(MakeSession(), folder_ / "link.jsonl");
  const SessionReport session = Replace(folder_ / "link.jsonl", {.redact = true, .idle_seconds = 0});
  EXPECT_EQ(CodeOf(session.problem), "unsupported");
  EXPECT_TRUE(session.written.empty());
  EXPECT_GT(session.not_redacted, 0U);
}

TEST_F(OutcomeTest, RowsOfADatabaseInUseAreNotRedacted) {
  const fs::path database = Make("openai-agents");
  Execute(database,
          R"(UPDATE agent_messages SET message_data='{"role":"user","content":")" + kFakeToken + R"("}' WHERE id=1)");
  for (const std::uint64_t idle : {kLong, std::uint64_t{0}}) {
    if (idle == 0) fs::create_hard_link(database, folder_ / "other.db");  // refused
    const SessionReport session = Replace(database, {.redact = true, .idle_seconds = idle}, "sound");
    EXPECT_EQ(CodeOf(session.problem), idle > 0 ? "busy" : "unsupported");
    EXPECT_TRUE(session.written.empty() && session.redacted == 0);
    EXPECT_EQ(session.not_redacted, 1U);
  }
}

TEST_F(OutcomeTest, APlanThatIsRefusedRedactsNothing) {
  const fs::path path = MakeSession();
  const std::array<fs::path, 1> paths{path};
  auto plan = Must(ReadPlan(WritePlan(Must(ExamineSessions(paths, {.action = DoctorAction::kPlan, .redact = true})))));
  WriteText(path, OrphanedCall());
  ApplyPlan(plan, {.action = DoctorAction::kReplace, .idle_seconds = 0});
  EXPECT_TRUE(plan.front().written.empty() && plan.front().redacted == 0 && !plan.front().is_busy());
  EXPECT_GT(plan.front().not_redacted, 0U);
}

// A log of a tool, beside its sessions.
TEST_F(OutcomeTest, WhatIsNotCleanedWasLookedAt) {
  const fs::path home = folder_ / ".codex", history = home / "history.jsonl";
  const std::string rollout = "rollout-2026-08-01T10-00-00-019fc8be-3658-7ca3-9e29-0123456789ab.jsonl";
  fs::create_directories(home / "sessions");
  fs::copy_file(DamagedSessions() / "codex/sound" / rollout, home / "sessions" / rollout);
  WriteText(history, "token " + kFakeToken + "\n");
  fs::create_directory(home / ".history.jsonl.new");
  const auto history_of = [&](std::uint64_t idle) {
    const std::array<fs::path, 1> paths{home / "sessions"};
    const DoctorReport report = Must(
        ExamineSessions(paths, {.action = DoctorAction::kReplace, .redact = true, .idle_seconds = idle, .jobs = 1}));
    return *std::ranges::find(report.surroundings, history, &SurroundingReport::path);
  };
  const SurroundingReport failed = history_of(0), busy = history_of(kLong);
  EXPECT_TRUE(failed.busy.empty() && failed.not_read.empty());
  EXPECT_THAT(failed.not_cleaned, testing::ElementsAre(HasSubstr("history.jsonl: ")));
  EXPECT_THAT(busy.busy, testing::ElementsAre(HasSubstr("history.jsonl: not cleaned: it was written")));
  EXPECT_TRUE(busy.not_cleaned.empty() && busy.not_read.empty());
}

}  // namespace
}  // namespace turnlog::outcome_test
