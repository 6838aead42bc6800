// Sessions of a project whose folder was renamed.
#include "doctor/folder_rename.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::folder_rename_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const FolderRename kRename{"/home/ada/shop", "/home/ada/old/shop.1"};

class FolderRenameTest : public testing::Test {
 protected:
  FolderRenameTest() {
    fs::create_directories(old_ / "s" / "subagents");
    WriteText(old_ / "s.jsonl", text_);
    WriteText(old_ / "s" / "subagents" / "agent-a.jsonl", text_);
    WriteText(old_ / "notes.txt", "/home/ada/shop");
  }

  DoctorReport Run(DoctorAction action = DoctorAction::kReplace) {
    const std::array<fs::path, 1> paths{folder_.path()};
    return Must(
        ExamineSessions(paths, {.action = action, .secrets = false, .rename = kRename, .idle_seconds = 0, .jobs = 1}));
  }

  TempDir folder_;
  const fs::path old_ = folder_ / "-home-ada-shop", new_ = folder_ / "-home-ada-old-shop-1";
  const std::string text_ = TextOf(DamagedSessions() / "claude-code" / "sound.jsonl");
};

TEST_F(FolderRenameTest, IsOfTheFolderAndWhatIsInIt) {
  EXPECT_EQ(RenamedPath("/home/ada/shop", kRename), "/home/ada/old/shop.1");
  EXPECT_EQ(RenamedPath("/home/ada/shop/a", kRename), "/home/ada/old/shop.1/a");
  EXPECT_EQ(RenamedPath("/home/ada/shopping", kRename), std::nullopt);
  EXPECT_EQ(RenamedPath("/home/ada", kRename), std::nullopt);
}

TEST_F(FolderRenameTest, MovesTheSessionWithWhatBelongsToItAndChangesOnlyCwdFields) {
  const DoctorReport report = Run();
  for (const SessionReport& session : report.sessions) EXPECT_EQ(CodeOf(session.problem), "fine");
  EXPECT_EQ(report.sessions.front().moved, new_ / "s.jsonl");
  EXPECT_FALSE(fs::exists(old_ / "s.jsonl"));
  EXPECT_FALSE(fs::exists(old_ / "s"));
  EXPECT_TRUE(fs::exists(old_ / "notes.txt"));
  std::string expected = text_;
  const std::string from = R"("cwd":")" + kRename.from + '"', to = R"("cwd":")" + kRename.to + '"';
  for (std::size_t at = 0; (at = expected.find(from, at)) != std::string::npos;) expected.replace(at, from.size(), to);
  EXPECT_NE(expected, text_);
  EXPECT_EQ(TextOf(new_ / "s.jsonl"), expected);
  EXPECT_EQ(TextOf(new_ / "s" / "subagents" / "agent-a.jsonl"), expected);
  const std::string backup = "s.jsonl." + std::to_string(text_.size()) + ".before-doctor";
  EXPECT_TRUE(fs::exists(new_ / backup));
  EXPECT_EQ(report.sessions.front().backup, new_ / backup);
  for (const SessionReport& session : report.sessions) EXPECT_TRUE(fs::exists(session.backup)) << session.backup;
}

TEST_F(FolderRenameTest, IsContinuedAfterAnInterruption) {
  (void)Run();
  fs::create_directories(old_);
  fs::rename(new_ / "s.jsonl", old_ / "s.jsonl");  // the fields have the new name already
  const DoctorReport report = Run();
  const auto session = std::ranges::find(report.sessions, old_ / "s.jsonl", &SessionReport::path);
  ASSERT_NE(session, report.sessions.end());
  EXPECT_EQ(session->moved, new_ / "s.jsonl");
  const DoctorReport again = Run();
  for (const SessionReport& other : again.sessions) {
    EXPECT_THAT(other.findings, IsEmpty());
    EXPECT_EQ(other.moved, "");
  }
}

TEST_F(FolderRenameTest, ReplacesNothing) {
  fs::create_directories(new_);
  WriteText(new_ / "s.jsonl", "{}\n");
  EXPECT_NE(CodeOf(Run().sessions.front().problem), "fine");
  EXPECT_EQ(TextOf(new_ / "s.jsonl"), "{}\n");
  EXPECT_TRUE(fs::exists(old_ / "s.jsonl"));
}

TEST_F(FolderRenameTest, MovesNoSessionOfAnotherFolder) {
  fs::rename(old_, folder_ / "elsewhere");
  for (const SessionReport& session : Run().sessions) EXPECT_EQ(session.moved, "");
  EXPECT_THAT(TextOf(folder_ / "elsewhere" / "s.jsonl"), HasSubstr(kRename.to));
}

TEST_F(FolderRenameTest, ChangesTheFieldsOfCodex) {
  const std::string name = "rollout-2026-08-01T10-00-00-019fc8be-3658-7ca3-9e29-0123456789ab.jsonl";
  fs::copy_file(DamagedSessions() / "codex/sound" / name, folder_ / name);
  (void)Run();
  EXPECT_THAT(TextOf(folder_ / name), HasSubstr(R"("cwd":"/home/ada/old/shop.1")"));
  EXPECT_THAT(TextOf(folder_ / name), Not(HasSubstr(R"("cwd":"/home/ada/shop")")));
}

}  // namespace
}  // namespace turnlog::folder_rename_test
