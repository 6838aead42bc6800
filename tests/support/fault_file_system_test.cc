#include "tests/support/fault_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/try.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/temp_dir.h"

namespace turnlog::fault_file_system_test {
namespace {

using Access = FileSystem::Access;

class FaultFileSystemTest : public testing::Test {
 protected:
  // One of every mutating operation, in a fixed order.
  Status Work() {
    const auto folder = dir_ / "folder";
    TURNLOG_TRY(fs_.CreateDirectory(folder));
    const auto lock = TURNLOG_TRY(fs_.Lock(folder / "lock"));
    {
      const auto file = TURNLOG_TRY(fs_.Open(folder / "a", Access::kCreateNew));
      TURNLOG_TRY(file->Allocate(100));
      TURNLOG_TRY(file->WriteAt(0, "abcdef"));
      TURNLOG_TRY(file->Truncate(6));
      TURNLOG_TRY(file->Sync());
    }
    TURNLOG_TRY(fs_.Rename(folder / "a", folder / "b"));
    TURNLOG_TRY(fs_.SyncDirectory(folder));
    return fs_.Remove(folder / "b");
  }

  void StartAgain() { std::filesystem::remove_all(dir_ / "folder"); }

  TempDir dir_;
  FaultFileSystem fs_{PosixFileSystem()};
};

TEST_F(FaultFileSystemTest, FailsExactlyTheNthOperationAndNamesIt) {
  std::vector<std::string> failed;
  for (std::uint64_t n = 1;; ++n) {
    StartAgain();
    fs_.FailMutation(n);
    const Status status = Work();
    if (status) break;
    EXPECT_EQ(status.error().code, ErrorCode::kIo);
    EXPECT_EQ(fs_.mutations(), n);
    failed.push_back(fs_.failed().substr(0, fs_.failed().find(" /")));
  }
  EXPECT_THAT(failed, testing::ElementsAre("create directory", "lock", "create", "allocate", "write", "truncate",
                                           "sync", "rename", "sync directory", "remove"));
  EXPECT_EQ(fs_.failed(), "");
}

TEST_F(FaultFileSystemTest, OnlyTheNthFailsUnlessAllLaterOnesAreToFailToo) {
  fs_.FailMutation(1);
  EXPECT_FALSE(fs_.CreateDirectory(dir_ / "x"));
  EXPECT_TRUE(fs_.CreateDirectory(dir_ / "x"));
  fs_.FailMutation(2, FaultMode::kIoError, FaultExtent::kFromThenOn);
  EXPECT_TRUE(fs_.CreateDirectory(dir_ / "y"));
  EXPECT_FALSE(fs_.CreateDirectory(dir_ / "z"));
  EXPECT_FALSE(fs_.Remove(dir_ / "y"));
  fs_.Heal();
  EXPECT_TRUE(fs_.CreateDirectory(dir_ / "z"));
}

TEST_F(FaultFileSystemTest, AFullDiskStillRemovesRenamesAndSyncs) {
  ASSERT_TRUE(WriteFile(PosixFileSystem(), dir_ / "a", "abc"));
  fs_.FailMutation(1, FaultMode::kNoSpace, FaultExtent::kFromThenOn);
  const auto file = fs_.Open(dir_ / "a", Access::kWrite);
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->Sync());
  EXPECT_TRUE(fs_.Rename(dir_ / "a", dir_ / "b"));
  const Status write = (*file)->WriteAt(0, "x");
  ASSERT_FALSE(write);
  EXPECT_THAT(write.error().message, testing::HasSubstr("No space left on device"));
  EXPECT_FALSE((*file)->Allocate(10));
  EXPECT_FALSE(fs_.Open(dir_ / "c", Access::kCreateNew));
  EXPECT_TRUE(fs_.Remove(dir_ / "b"));
}

TEST_F(FaultFileSystemTest, AShortWriteLeavesTheFirstHalf) {
  const auto file = fs_.Open(dir_ / "a", Access::kCreateNew);
  ASSERT_TRUE(file);
  fs_.FailMutation(1, FaultMode::kShortWrite);
  EXPECT_TRUE((*file)->Sync());
  EXPECT_FALSE((*file)->WriteAt(0, "abcdef"));
  EXPECT_EQ(ReadFile(PosixFileSystem(), dir_ / "a"), "abc");
}

TEST_F(FaultFileSystemTest, ReadsFailOnDemandAndAreCountedApart) {
  ASSERT_TRUE(WriteFile(fs_, dir_ / "a", "abc"));
  fs_.Heal();
  fs_.FailRead(1);
  EXPECT_FALSE(ReadFile(fs_, dir_ / "a"));
  EXPECT_EQ(fs_.failed(), "read " + (dir_ / "a").string());
  EXPECT_TRUE(ReadFile(fs_, dir_ / "a"));
  EXPECT_EQ(fs_.reads(), 2U);
  EXPECT_EQ(fs_.mutations(), 0U);
  fs_.FailRead(1, FaultExtent::kFromThenOn);
  EXPECT_FALSE(fs_.List(dir_.path()));
  EXPECT_FALSE(Exists(fs_, dir_ / "a"));
}

TEST_F(FaultFileSystemTest, ASyncThatIsTriedAgainAfterAFailureLies) {
  CrashFileSystem crash(PosixFileSystem());
  FaultFileSystem fs(crash);
  const auto file = fs.Open(dir_ / "a", Access::kCreateNew);
  ASSERT_TRUE(file);
  ASSERT_TRUE(fs.SyncDirectory(dir_.path()));
  ASSERT_TRUE((*file)->WriteAt(0, "abc"));
  fs.FailMutation(1);
  EXPECT_FALSE((*file)->Sync());
  EXPECT_TRUE((*file)->Sync());
  ASSERT_TRUE(crash.Crash(1, Loss::kAll));
  EXPECT_EQ(ReadFile(PosixFileSystem(), dir_ / "a"), "");
}

}  // namespace
}  // namespace turnlog::fault_file_system_test
