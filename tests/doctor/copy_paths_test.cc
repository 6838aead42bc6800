// Where mended copies go: no two sessions have the same.
#include "doctor/copy_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::copy_paths_test {
namespace {

namespace fs = std::filesystem;

TEST(CopyPathsTest, AreBesideTheFilesWithoutAFolder) {
  const std::array<fs::path, 1> paths{"/s"};
  EXPECT_EQ(CopyPaths(paths, {}).Of("/s/a.jsonl"), "/s/a.jsonl.mended");
  EXPECT_EQ(CopyPaths(paths, {}).Of("/s/a.jsonl.zst"), "/s/a.jsonl.mended");
}

TEST(CopyPathsTest, HaveTheFoldersBelowWhatWasNamed) {
  TempDir folder;
  fs::create_directories(folder / "s/p");
  const std::array<fs::path, 1> one{folder / "s/"}, file{folder / "s/p/a.jsonl"};
  EXPECT_EQ(CopyPaths(one, "/out").Of(folder / "s/p/a.jsonl"), "/out/p/a.jsonl");
  EXPECT_EQ(CopyPaths(one, "/out").Of(folder / "s/a.jsonl"), "/out/a.jsonl");
  EXPECT_EQ(CopyPaths(file, "/out").Of(folder / "s/p/a.jsonl"), "/out/a.jsonl");
  EXPECT_EQ(CopyPaths(one, "/out").Of("/elsewhere/a.jsonl"), "/out/a.jsonl") << "where a link leads to";
}

TEST(CopyPathsTest, HaveTheFoldersBelowWhatIsAroundAllThatWasNamed) {
  TempDir folder;
  fs::create_directories(folder / "s/p");
  fs::create_directories(folder / "s/q");
  const std::array<fs::path, 2> folders{folder / "s/p", folder / "s/q"};
  EXPECT_EQ(CopyPaths(folders, "/out").Of(folder / "s/q/a.jsonl"), "/out/q/a.jsonl");
  const std::array<fs::path, 2> files{folder / "s/p/a.jsonl", folder / "s/p/b.jsonl"};
  EXPECT_EQ(CopyPaths(files, "/out").Of(folder / "s/p/b.jsonl"), "/out/b.jsonl");
}

TEST(CopyPathsTest, SessionsOfTheSameNameHaveCopiesOfTheirOwn) {
  TempDir folder;
  for (const char* name : {"p", "q"}) {
    fs::create_directories(folder / "s" / name);
    WriteText(folder / "s" / name / "a.jsonl", OrphanedCall());
  }
  const std::array<fs::path, 2> paths{folder / "s/p", folder / "s/q"};
  auto plan = Must(ReadPlan(WritePlan(Must(ExamineSessions(paths, {.action = DoctorAction::kPlan})))));
  (void)Must(ExamineSessions(paths, {.action = DoctorAction::kCopy, .out = folder / "out"}));
  ApplyPlan(plan, {.action = DoctorAction::kCopy, .out = folder / "planned"});
  for (const char* out : {"out", "planned"}) {
    for (const char* name : {"p", "q"}) EXPECT_TRUE(fs::exists(folder / out / name / "a.jsonl")) << out << name;
  }
}

class SpelledPathsTest : public testing::Test {
 protected:
  // Two sessions of one name, and a link into the folder of the second.
  SpelledPathsTest() {
    for (const char* name : {"s/p", "t/p"}) {
      fs::create_directories(folder_ / name);
      WriteText(folder_ / name / "a.jsonl", OrphanedCall());
    }
    WriteText(folder_ / "t/a.jsonl", other_);
    fs::create_directory_symlink(folder_ / "t/p", folder_ / "s/link");
  }

  static DoctorReport Copy(std::vector<fs::path> paths, const fs::path& out) {
    return Must(ExamineSessions(paths, {.action = DoctorAction::kCopy, .out = out, .jobs = 4}));
  }

  static std::string ProblemsOf(const DoctorReport& report) {
    std::string problems;
    for (const SessionReport& session : report.sessions) {
      if (session.problem) problems += session.problem->message;
    }
    return problems;
  }

  TempDir folder_;
  const std::string other_ = TextOf(DamagedSessions() / "claude-code/sound.jsonl");
};

TEST_F(SpelledPathsTest, OneFileIsOneSession) {
  const fs::path file = folder_ / "t/p/a.jsonl";
  fs::create_symlink(file, folder_ / "named.jsonl");
  for (const fs::path& other : {folder_ / "t/p/", folder_ / "t/p/../p/a.jsonl", folder_ / "t//p/./a.jsonl",
                                folder_ / "s/link/a.jsonl", folder_ / "s/link/../p/a.jsonl", folder_ / "named.jsonl"}) {
    for (const auto& paths : {std::vector{file, other}, std::vector{other, file}}) {
      const DoctorReport report = Copy(paths, folder_ / "out");
      ASSERT_EQ(report.sessions.size(), 1U) << other;
      EXPECT_EQ(CodeOf(report.sessions.front().problem), "fine") << other;
    }
  }
}

// `s/link/..` is the folder t.
TEST_F(SpelledPathsTest, AParentOfALinkIsNotTheFolderOfTheLink) {
  WriteText(folder_ / "s/a.jsonl", other_);
  WriteText(folder_ / "t/a.jsonl", OrphanedCall());
  const std::array<fs::path, 1> paths{folder_ / "s/link/../a.jsonl"};
  const DoctorReport report =
      Must(ExamineSessions(paths, {.action = DoctorAction::kReplace, .idle_seconds = 0, .jobs = 1}));
  EXPECT_EQ(ProblemsOf(report), "");
  EXPECT_EQ(TextOf(folder_ / "s/a.jsonl"), other_);
  EXPECT_NE(TextOf(folder_ / "t/a.jsonl"), OrphanedCall());
}

TEST_F(SpelledPathsTest, NoCopyReplacesItsSession) {
  for (const fs::path& out : {folder_ / "t/p", folder_ / "t/p/", folder_ / "s/link", folder_ / "s/link/../p",
                              folder_ / "t/none/../p", folder_ / "s/../t/p"}) {
    EXPECT_NE(ProblemsOf(Copy({folder_ / "t/p/a.jsonl"}, out)), "") << out;
    EXPECT_EQ(TextOf(folder_ / "t/p/a.jsonl"), OrphanedCall()) << out;
  }
}

TEST_F(SpelledPathsTest, NoCopyReplacesAnotherSession) {
  fs::create_directories(folder_ / "s/s/p");
  fs::copy_file(folder_ / "s/p/a.jsonl", folder_ / "s/s/p/a.jsonl");
  const std::vector<fs::path> paths{folder_ / "s/p/a.jsonl", folder_ / "s/s/p/a.jsonl", folder_ / "t/p/a.jsonl"};
  const DoctorReport report = Copy(paths, folder_ / "s/link/../../s");
  EXPECT_THAT(ProblemsOf(report), testing::HasSubstr("is a session"));
  for (const fs::path& path : paths) EXPECT_EQ(TextOf(path), OrphanedCall()) << path;
  EXPECT_NE(TextOf(folder_ / "s/t/p/a.jsonl"), OrphanedCall());
}

// Both lose what makes them different: a folder that a link leads to, or the end of the name.
TEST_F(SpelledPathsTest, NoCopyReplacesThatOfAnotherSession) {
  CopyPaths copies(std::array{folder_ / "s/p"}, folder_ / "out");
  const fs::path copy = Must(copies.Take(folder_ / "s/p/a.jsonl"));
  EXPECT_EQ(Must(copies.Take(folder_ / "s/../s/p/a.jsonl")), copy);
  EXPECT_EQ(copies.Take(folder_ / "s/link/a.jsonl").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(copies.Take(folder_ / "s/p/a.jsonl.zst").error().code, ErrorCode::kInvalidArgument);
}

// A copy is replaced by the next run only if doctor has made it and it was not changed since.
class ExistingFilesTest : public testing::Test {
 protected:
  ExistingFilesTest() { WriteText(session_, OrphanedCall()); }

  SessionReport Copy(const fs::path& out = {}) {
    return Examine(session_, {.action = DoctorAction::kCopy, .out = out, .jobs = 1});
  }

  TempDir folder_;
  const fs::path session_ = folder_ / "a.jsonl", copy_ = folder_ / "a.jsonl.mended";
};

TEST_F(ExistingFilesTest, AFileOfOthersStays) {
  fs::create_directory(folder_ / "out");
  for (const fs::path& file : {copy_, folder_ / "out" / "a.jsonl"}) {
    WriteText(file, "of others");
    const SessionReport report = Copy(file == copy_ ? fs::path() : folder_ / "out");
    EXPECT_EQ(CodeOf(report.problem), "invalid argument") << file;
    EXPECT_EQ(report.written, fs::path()) << file;
    EXPECT_EQ(TextOf(file), "of others");
  }
}

TEST_F(ExistingFilesTest, ACopyOfAnEarlierRunIsReplaced) {
  ASSERT_EQ(CodeOf(Copy().problem), "fine");
  const std::string first = TextOf(copy_);
  WriteText(session_, OrphanedCall() + R"({"type":"summary","summary":"more"})" + "\n");
  const SessionReport report = Copy();
  if (report.written.empty()) GTEST_SKIP() << "no extended attributes here";
  EXPECT_EQ(CodeOf(report.problem), "fine");
  EXPECT_NE(TextOf(copy_), first);
}

TEST_F(ExistingFilesTest, ACopyThatWasChangedStays) {
  ASSERT_EQ(CodeOf(Copy().problem), "fine");
  const std::string changed = TextOf(copy_) + "\n";
  WriteText(copy_, changed);
  EXPECT_NE(CodeOf(Copy().problem), "fine");
  EXPECT_EQ(TextOf(copy_), changed);
}

TEST_F(ExistingFilesTest, FilesThatAreCopiedWithTheirFolderReplaceNone) {
  fs::copy(DamagedSessions() / "jp", folder_ / "jp", fs::copy_options::recursive);
  const std::array<fs::path, 1> paths{folder_ / "jp"};
  const DoctorOptions options{.action = DoctorAction::kCopy, .out = folder_ / "out", .jobs = 1};
  (void)Must(ExamineSessions(paths, options));
  std::vector<fs::path> copied;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "out")) {
    if (entry.path().filename() == "base_config.json") copied.push_back(entry.path());
  }
  ASSERT_FALSE(copied.empty());
  for (const fs::path& file : copied) WriteText(file, "of others");
  (void)Must(ExamineSessions(paths, options));
  for (const fs::path& file : copied) EXPECT_EQ(TextOf(file), "of others") << file;
}

}  // namespace
}  // namespace turnlog::copy_paths_test
