// Files that are held open while their sources are followed.
#include "migrate/sources/held_files.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::held_files_test {
namespace {

namespace fs = std::filesystem;

using ::testing::SizeIs;

class HeldFilesTest : public ImportTest {
 protected:
  static Source SourceOf(const fs::path& path) {
    Source source{path, path.filename(), path.parent_path().filename(), {}};
    if (fs::exists(path)) source.files.emplace_back(path, false);
    return source;
  }

  static void Hold(HeldFiles& held, const fs::path& path) {
    Source source = SourceOf(path);
    held.Hold(source);
  }

  // What is held of a file that is written to and removed.
  static std::string LastOf(HeldFiles& held, const fs::path& path) {
    std::ofstream(path, std::ios::app) << " and more";
    fs::remove(path);
    auto lost = held.TakeLost(SourceOf(path));
    return lost ? Must(lost->files.front().ReadAll()) : std::string();
  }
};

TEST_F(HeldFilesTest, AreThoseThatWereChangedLastIfTheyAreTooMany) {
  std::vector<fs::path> paths;
  for (const char* name : {"a", "b", "c"}) paths.push_back(Write(name, name));
  HeldFiles held(2);
  for (const fs::path& path : paths) Hold(held, path);
  EXPECT_EQ(LastOf(held, paths[0]), "");
  EXPECT_EQ(LastOf(held, paths[1]), "b and more");
  EXPECT_EQ(LastOf(held, paths[2]), "c and more");
}

TEST_F(HeldFilesTest, SayThatOneOfThemHasGoneSinceTheyWereListed) {
  Source source = SourceOf(Write("a", "a"));
  source.files.emplace_back(Write("b", "b"), false);
  HeldFiles held(4);
  Source once = source;
  EXPECT_TRUE(held.Hold(once));
  fs::remove(dir_ / "b");
  Source held_before = source;
  EXPECT_TRUE(held.Hold(held_before)) << "it is read as it was held";
  fs::remove(dir_ / "a");
  held.TakeLost(SourceOf(dir_ / "a"));
  EXPECT_FALSE(held.Hold(source));
}

// As SQLite's own readers do: its programs cannot write meanwhile.
TEST_F(HeldFilesTest, AreLockedWhileTheyAreReadIfTheyAreDatabases) {
  TestDatabase database(dir_ / "a.db");
  database.Run("CREATE TABLE t (a)");
  HeldFiles held(2);
  Source source = SourceOf(dir_ / "a.db");
  held.Hold(source);
  EXPECT_NO_THROW(database.Run("BEGIN EXCLUSIVE; COMMIT"));
  EXPECT_TRUE(source.files.front().Head(1));
  EXPECT_THROW(database.Run("BEGIN EXCLUSIVE"), std::runtime_error);
}

// The log of a database is removed when the database has all of it; read with it later, it would hide what is newer.
TEST_F(HeldFilesTest, OfADatabaseAreItsLogOnlyIfItIsGoneItself) {
  const fs::path path = Write("a.db", "a");
  HeldFiles held(4);
  const auto with_log = [&] {
    Source source = SourceOf(path);
    source.files.emplace_back(Write("a.db-wal", "rows"), false);
    held.Hold(source);
    fs::remove(dir_ / "a.db-wal");
  };
  with_log();
  EXPECT_FALSE(held.TakeLost(SourceOf(path)));
  with_log();
  fs::remove(path);
  auto lost = held.TakeLost(SourceOf(path));
  ASSERT_TRUE(lost);
  ASSERT_THAT(lost->files, SizeIs(2));
  EXPECT_EQ(Must(lost->files[1].ReadAll()), "rows");
}

TEST_F(HeldFilesTest, AreNotReadAgainIfNothingWasWrittenToThem) {
  const fs::path path = Write("a", "a");
  Settle();
  HeldFiles held(2);
  Hold(held, path);
  fs::rename(Write("b", "b"), path);
  EXPECT_FALSE(held.TakeLost(SourceOf(path)));
}

}  // namespace
}  // namespace turnlog::held_files_test
