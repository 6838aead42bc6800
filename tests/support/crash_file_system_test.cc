#include "tests/support/crash_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/support/temp_dir.h"

namespace turnlog::crash_file_system_test {
namespace {

using Access = FileSystem::Access;
constexpr std::size_t kPage = 4096;

std::string Pages(char letter, std::size_t count) { return std::string(count * kPage, letter); }

class CrashFileSystemTest : public testing::Test {
 protected:
  std::unique_ptr<File> Create(const std::string& name) {
    auto file = fs_.Open(dir_ / name, Access::kCreateNew);
    EXPECT_TRUE(file);
    return std::move(*file);
  }
  // A file that is on disk with its name.
  std::unique_ptr<File> CreateDurable(const std::string& name, std::string_view content) {
    auto file = Create(name);
    EXPECT_TRUE(file->WriteAt(0, content));
    EXPECT_TRUE(file->Sync());
    EXPECT_TRUE(fs_.SyncDirectory(dir_.path()));
    return file;
  }
  std::string Content(const std::string& name) {
    const auto content = ReadFile(PosixFileSystem(), dir_ / name);
    return content ? *content : "(" + std::string(ToString(content.error().code)) + ")";
  }
  std::vector<std::string> Names() { return *PosixFileSystem().List(dir_.path()); }
  // What a file holds after each of many crashes in which a random part was lost.
  std::set<std::string> AfterCrashes(const std::function<void(const std::string& name)>& work) {
    std::set<std::string> contents;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const std::string name = std::to_string(seed);
      work(name);
      EXPECT_TRUE(fs_.Crash(seed));
      fs_.Restart();
      contents.insert(Content(name));
    }
    return contents;
  }

  TempDir dir_;
  CrashFileSystem fs_{PosixFileSystem()};
};

TEST_F(CrashFileSystemTest, UnsyncedDataIsGoneAndSyncedDataIsThere) {
  const auto file = CreateDurable("a", Pages('s', 2));
  ASSERT_TRUE(file->WriteAt(kPage - 2, "unsynced"));
  ASSERT_TRUE(file->WriteAt(5 * kPage, "more"));
  EXPECT_NE(Content("a"), Pages('s', 2));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), Pages('s', 2));
}

TEST_F(CrashFileSystemTest, EachSyncMovesTheLine) {
  const auto file = CreateDurable("a", "one");
  ASSERT_TRUE(file->WriteAt(0, "two"));
  ASSERT_TRUE(file->Sync());
  ASSERT_TRUE(file->WriteAt(0, "six"));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), "two");
}

TEST_F(CrashFileSystemTest, WhatWasThereBeforeIsDurable) {
  ASSERT_TRUE(WriteFile(PosixFileSystem(), dir_ / "a", "old"));
  const auto file = fs_.Open(dir_ / "a", Access::kWrite);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->WriteAt(1, "new and longer"));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), "old");
}

TEST_F(CrashFileSystemTest, ClosingAFileDoesNotSyncIt) {
  auto file = CreateDurable("a", "old");
  ASSERT_TRUE(file->WriteAt(0, "new"));
  file.reset();
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), "old");
}

TEST_F(CrashFileSystemTest, AnotherHandleSyncsTheSameFile) {
  auto file = CreateDurable("a", "old");
  ASSERT_TRUE(file->WriteAt(0, "new"));
  file.reset();
  ASSERT_TRUE((*fs_.Open(dir_ / "a", Access::kWrite))->Sync());
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), "new");
}

TEST_F(CrashFileSystemTest, AllocatedSizeNeedsASync) {
  const auto file = CreateDurable("a", "abc");
  ASSERT_TRUE(file->Allocate(3 * kPage));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), "abc");
  fs_.Restart();
  const auto again = fs_.Open(dir_ / "a", Access::kWrite);
  ASSERT_TRUE((*again)->Allocate(kPage));
  ASSERT_TRUE((*again)->Sync());
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), "abc" + std::string(kPage - 3, '\0'));
}

TEST_F(CrashFileSystemTest, ATruncationIsTakenBackWithWhatItCut) {
  const auto file = CreateDurable("a", Pages('s', 3));
  ASSERT_TRUE(file->Truncate(10));
  ASSERT_TRUE(file->WriteAt(8, "written after it"));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), Pages('s', 3));
}

TEST_F(CrashFileSystemTest, ARandomLossMayKeepALaterPageAndDropAnEarlierOne) {
  const auto contents = AfterCrashes([&](const std::string& name) {
    const auto file = CreateDurable(name, Pages('s', 2));
    ASSERT_TRUE(file->WriteAt(0, Pages('n', 2)));
  });
  EXPECT_THAT(contents, testing::IsSupersetOf({Pages('s', 2), Pages('n', 2), Pages('s', 1) + Pages('n', 1),
                                               Pages('n', 1) + Pages('s', 1)}));
}

TEST_F(CrashFileSystemTest, ARandomLossMayTearAPageBetweenSectorsOnly) {
  const auto contents = AfterCrashes([&](const std::string& name) {
    const auto file = CreateDurable(name, Pages('s', 1));
    ASSERT_TRUE(file->WriteAt(0, Pages('n', 1)));
  });
  EXPECT_GT(contents.size(), 3U);
  for (const std::string& content : contents) {
    const std::size_t fresh = std::min(content.find('s'), content.size());
    EXPECT_EQ(fresh % 512, 0U);
    EXPECT_EQ(content, std::string(fresh, 'n') + std::string(kPage - fresh, 's'));
  }
}

TEST_F(CrashFileSystemTest, ARandomLossOfGrowthLeavesAnyLengthAndZerosForLostPages) {
  const auto contents = AfterCrashes([&](const std::string& name) {
    const auto file = CreateDurable(name, "s");
    ASSERT_TRUE(file->WriteAt(1, Pages('n', 2)));
  });
  std::set<std::size_t> sizes;
  for (const std::string& content : contents) {
    sizes.insert(content.size());
    EXPECT_EQ(content[0], 's');
    EXPECT_EQ(content.find_first_not_of(std::string_view("sn\0", 3)), std::string::npos);
  }
  EXPECT_EQ(*sizes.begin(), 1U);
  EXPECT_EQ(*sizes.rbegin(), 1 + 2 * kPage);
  EXPECT_GT(sizes.size(), 10U);
}

TEST_F(CrashFileSystemTest, ARandomLossTakesATruncationBackAsAWholeOrNotAtAll) {
  const auto contents = AfterCrashes([&](const std::string& name) {
    const auto file = CreateDurable(name, Pages('s', 3));
    ASSERT_TRUE(file->Truncate(kPage));
    ASSERT_TRUE(file->WriteAt(kPage, Pages('n', 2)));
  });
  EXPECT_TRUE(contents.contains(Pages('s', 3)));
  EXPECT_TRUE(contents.contains(Pages('s', 1) + Pages('n', 2)));
  EXPECT_TRUE(contents.contains(Pages('s', 1) + Pages('\0', 1) + Pages('n', 1)));
  for (const std::string& content : contents) {  // truncated bytes never appear among new ones
    EXPECT_TRUE(content == Pages('s', 3) || content.find('s', kPage) == std::string::npos);
  }
}

TEST_F(CrashFileSystemTest, SyncedBytesSurviveEveryRandomLoss) {
  const auto contents = AfterCrashes([&](const std::string& name) {
    const auto file = CreateDurable(name, Pages('s', 2));
    ASSERT_TRUE(file->WriteAt(2 * kPage, Pages('n', 2)));
  });
  EXPECT_GT(contents.size(), 4U);
  for (const std::string& content : contents) EXPECT_TRUE(content.starts_with(Pages('s', 2)));
}

TEST_F(CrashFileSystemTest, TheSameSeedLosesTheSame) {
  const auto run = [&](const std::string& name) {
    CrashFileSystem fs(PosixFileSystem());
    const auto file = fs.Open(dir_ / name, Access::kCreateNew);
    EXPECT_TRUE(fs.SyncDirectory(dir_.path()));
    for (int i = 0; i < 20; ++i) EXPECT_TRUE((*file)->WriteAt(static_cast<std::uint64_t>(i) * 3000, Pages('n', 1)));
    EXPECT_TRUE(fs.Crash(7));
    return Content(name);
  };
  EXPECT_EQ(run("a"), run("b"));
}

TEST_F(CrashFileSystemTest, ANewNameNeedsASyncOfItsFolder) {
  const auto file = Create("a");
  ASSERT_TRUE(file->WriteAt(0, "abc"));
  ASSERT_TRUE(file->Sync());
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_THAT(Names(), testing::IsEmpty());
}

TEST_F(CrashFileSystemTest, ASyncedNameSurvivesButItsUnsyncedContentDoesNot) {
  const auto file = Create("a");
  ASSERT_TRUE(file->WriteAt(0, "abc"));
  ASSERT_TRUE(fs_.SyncDirectory(dir_.path() / "."));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), "");
}

TEST_F(CrashFileSystemTest, ARenameIsTakenBackAndWhatItReplacedReturns) {
  CreateDurable("old", "old");
  CreateDurable("new", "new");
  ASSERT_TRUE(fs_.Rename(dir_ / "new", dir_ / "old"));
  EXPECT_EQ(Content("old"), "new");
  EXPECT_THAT(Names(), testing::ElementsAre("old"));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("old"), "old");
  EXPECT_EQ(Content("new"), "new");
}

TEST_F(CrashFileSystemTest, ARenameLastsWhenItsFolderIsSynced) {
  CreateDurable("old", "old");
  CreateDurable("new", "new");
  ASSERT_TRUE(fs_.Rename(dir_ / "new", dir_ / "old"));
  ASSERT_TRUE(fs_.SyncDirectory(dir_.path()));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("old"), "new");
  EXPECT_THAT(Names(), testing::ElementsAre("old"));
}

TEST_F(CrashFileSystemTest, ARemovalIsTakenBackUntilItsFolderIsSynced) {
  CreateDurable("a", "abc");
  ASSERT_TRUE(fs_.Remove(dir_ / "a"));
  EXPECT_EQ(Content("a"), "(not found)");
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), "abc");
  fs_.Restart();
  ASSERT_TRUE(fs_.Remove(dir_ / "a"));
  ASSERT_TRUE(fs_.SyncDirectory(dir_.path()));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_EQ(Content("a"), "(not found)");
}

TEST_F(CrashFileSystemTest, ANewFolderGoesWithAllThatIsInIt) {
  ASSERT_TRUE(fs_.CreateDirectory(dir_ / "folder"));
  const auto file = Create("folder/a");
  ASSERT_TRUE(fs_.SyncDirectory(dir_ / "folder"));
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  EXPECT_THAT(Names(), testing::IsEmpty());
}

TEST_F(CrashFileSystemTest, ARandomLossOfNamesKeepsWhatDependsOnEachOtherConsistent) {
  std::set<std::vector<std::string>> outcomes;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Create("x.tmp");
    ASSERT_TRUE(fs_.Rename(dir_ / "x.tmp", dir_ / "x"));
    Create("y");
    ASSERT_TRUE(fs_.Crash(seed));
    outcomes.insert(Names());
    for (const std::string& name : Names()) ASSERT_TRUE(PosixFileSystem().Remove(dir_ / name));
    fs_.Restart();
  }
  using Outcome = std::vector<std::string>;
  EXPECT_THAT(outcomes, testing::UnorderedElementsAre(Outcome{}, Outcome{"x"}, Outcome{"x.tmp"}, Outcome{"y"},
                                                      Outcome{"x", "y"}, Outcome{"x.tmp", "y"}));
}

TEST_F(CrashFileSystemTest, HandlesFromBeforeTheCrashAreDeadForEver) {
  const auto file = CreateDurable("a", "abc");
  const auto reader = fs_.Open(dir_ / "a", Access::kRead);
  ASSERT_TRUE(fs_.Crash(1));
  fs_.Restart();
  std::string buffer(3, ' ');
  EXPECT_EQ(file->WriteAt(0, "x").error().code, ErrorCode::kIo);
  EXPECT_EQ(file->Sync().error().code, ErrorCode::kIo);
  EXPECT_EQ(file->Allocate(10).error().code, ErrorCode::kIo);
  EXPECT_EQ(file->Truncate(0).error().code, ErrorCode::kIo);
  EXPECT_EQ(file->Size().error().code, ErrorCode::kIo);
  EXPECT_EQ((*reader)->ReadAt(0, buffer).error().code, ErrorCode::kIo);
  EXPECT_EQ(Content("a"), "abc");
}

TEST_F(CrashFileSystemTest, NothingWorksBetweenCrashAndRestart) {
  CreateDurable("a", "abc");
  ASSERT_TRUE(fs_.Crash(1));
  EXPECT_FALSE(fs_.Open(dir_ / "a", Access::kRead));
  EXPECT_FALSE(fs_.Open(dir_ / "b", Access::kCreateNew));
  EXPECT_FALSE(fs_.Rename(dir_ / "a", dir_ / "b"));
  EXPECT_FALSE(fs_.Remove(dir_ / "a"));
  EXPECT_FALSE(fs_.CreateDirectory(dir_ / "c"));
  EXPECT_FALSE(fs_.SyncDirectory(dir_.path()));
  EXPECT_FALSE(fs_.List(dir_.path()));
  EXPECT_FALSE(Exists(fs_, dir_ / "a"));
  EXPECT_FALSE(fs_.Lock(dir_ / "lock"));
  fs_.Restart();
  EXPECT_EQ(ReadFile(fs_, dir_ / "a"), "abc");
}

TEST_F(CrashFileSystemTest, ALockGoesWithThePower) {
  const auto lock = fs_.Lock(dir_ / "lock");
  ASSERT_TRUE(lock);
  ASSERT_EQ(fs_.Lock(dir_ / "lock").error().code, ErrorCode::kBusy);
  ASSERT_TRUE(fs_.Crash(1));
  fs_.Restart();
  EXPECT_TRUE(fs_.Lock(dir_ / "lock"));
}

TEST_F(CrashFileSystemTest, ErrorsAreThoseOfTheFilesBelow) {
  EXPECT_EQ(fs_.Open(dir_ / "a", Access::kWrite).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fs_.Remove(dir_ / "a").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fs_.Rename(dir_ / "a", dir_ / "b").error().code, ErrorCode::kNotFound);
  CreateDurable("a", "");
  EXPECT_EQ(fs_.Open(dir_ / "a", Access::kCreateNew).error().code, ErrorCode::kIo);
  EXPECT_EQ((*fs_.Open(dir_ / "a", Access::kRead))->WriteAt(0, "x").error().code, ErrorCode::kIo);
}

TEST_F(CrashFileSystemTest, ACrashMayComeWhileThreadsAreWriting) {
  const auto file = CreateDurable("a", "");
  std::atomic<std::uint64_t> synced = 0;
  std::jthread writer([&] {
    for (std::uint64_t page = 0;; ++page) {
      if (!file->WriteAt(page * kPage, Pages('n', 1)) || !file->Sync()) return;
      synced = page + 1;
    }
  });
  while (synced < 20) std::this_thread::yield();
  ASSERT_TRUE(fs_.Crash(1, Loss::kAll));
  writer.join();
  EXPECT_GE(Content("a").size(), synced * kPage);
  EXPECT_EQ(Content("a").find_first_not_of('n'), std::string::npos);
}

}  // namespace
}  // namespace turnlog::crash_file_system_test
