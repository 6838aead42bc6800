// Where mended copies go: no two sessions have the same.
#include "doctor/copy_paths.h"

#include <gtest/gtest.h>

#include <array>

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

}  // namespace
}  // namespace turnlog::copy_paths_test
