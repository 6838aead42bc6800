#include "base/file_system.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/fault_file_system.h"
#include "tests/support/temp_dir.h"

namespace turnlog::file_system_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Access = FileSystem::Access;

class FileSystemTest : public testing::Test {
 protected:
  std::string Contents(const std::string& name) { return ReadFile(fs_, folder_ / name).value_or("(error)"); }

  TempDir folder_;
  FileSystem& fs_ = PosixFileSystem();
};

TEST_F(FileSystemTest, ReadsWhatWasWrittenWhereItWasWritten) {
  const auto file = *fs_.Open(folder_ / "f", Access::kCreateNew);
  EXPECT_TRUE(file->WriteAt(0, "hello"));
  EXPECT_TRUE(file->WriteAt(8, "world"));
  EXPECT_TRUE(file->WriteAt(0, ""));
  EXPECT_EQ(*file->Size(), 13U);
  std::string out(20, '?');
  EXPECT_EQ(*file->ReadAt(3, out), 10U);
  using namespace std::string_literals;
  EXPECT_EQ(out.substr(0, 11), "lo\0\0\0world?"s);
  EXPECT_EQ(*file->ReadAt(13, out), 0U);
  EXPECT_EQ(*file->ReadAt(1000, out), 0U);
}

TEST_F(FileSystemTest, AllocatesZerosAndTruncates) {
  const auto file = *fs_.Open(folder_ / "f", Access::kCreateNew);
  EXPECT_TRUE(file->WriteAt(0, "abc"));
  EXPECT_TRUE(file->Allocate(1000));
  EXPECT_EQ(*file->Size(), 1000U);
  EXPECT_EQ(Contents("f"), "abc" + std::string(997, '\0'));
  EXPECT_TRUE(file->Truncate(2));
  EXPECT_TRUE(file->Allocate(4));
  using namespace std::string_literals;
  EXPECT_EQ(Contents("f"), "ab\0\0"s);
  EXPECT_TRUE(file->Sync());
}

TEST_F(FileSystemTest, OpensByAccess) {
  EXPECT_EQ(fs_.Open(folder_ / "f", Access::kRead).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fs_.Open(folder_ / "f", Access::kWrite).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE((*fs_.Open(folder_ / "f", Access::kCreateNew))->WriteAt(0, "abc"));
  EXPECT_EQ(fs_.Open(folder_ / "f", Access::kCreateNew).error().code, ErrorCode::kIo);
  const auto reader = *fs_.Open(folder_ / "f", Access::kRead);
  const Status refused = reader->WriteAt(0, "x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_THAT(refused.error().message, HasSubstr((folder_ / "f").string()));
  EXPECT_TRUE((*fs_.Open(folder_ / "f", Access::kWrite))->WriteAt(1, "x"));
  EXPECT_EQ(Contents("f"), "axc");
}

TEST_F(FileSystemTest, RenamesReplacesAndRemoves) {
  std::ofstream(folder_ / "a") << "a";
  std::ofstream(folder_ / "b") << "b";
  EXPECT_TRUE(fs_.Rename(folder_ / "a", folder_ / "b"));
  EXPECT_EQ(Contents("b"), "a");
  EXPECT_FALSE(*Exists(fs_, folder_ / "a"));
  EXPECT_TRUE(fs_.Remove(folder_ / "b"));
  EXPECT_EQ(fs_.Remove(folder_ / "b").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fs_.Rename(folder_ / "a", folder_ / "b").error().code, ErrorCode::kNotFound);
}

TEST_F(FileSystemTest, MakesAndListsFolders) {
  EXPECT_TRUE(fs_.CreateDirectory(folder_ / "d"));
  EXPECT_TRUE(fs_.CreateDirectory(folder_ / "d"));
  EXPECT_EQ(fs_.CreateDirectory(folder_ / "no/d").error().code, ErrorCode::kNotFound);
  for (const char* name : {"z", "a", "M"}) std::ofstream(folder_ / "d" / name) << "x";
  EXPECT_THAT(*fs_.List(folder_ / "d"), ElementsAre("M", "a", "z"));
  EXPECT_EQ(fs_.List(folder_ / "no").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(fs_.SyncDirectory(folder_ / "d"));
  EXPECT_EQ(fs_.SyncDirectory(folder_ / "no").error().code, ErrorCode::kNotFound);
}

TEST_F(FileSystemTest, KnowsWhetherAFileExists) {
  std::ofstream(folder_ / "f") << "x";
  EXPECT_TRUE(*Exists(fs_, folder_ / "f"));
  EXPECT_TRUE(*Exists(fs_, folder_.path()));
  EXPECT_FALSE(*Exists(fs_, folder_ / "g"));
  EXPECT_FALSE(*Exists(fs_, folder_ / "f/g"));
}

TEST_F(FileSystemTest, LockIsHeldUntilItIsLetGo) {
  auto lock = fs_.Lock(folder_ / "LOCK");
  ASSERT_TRUE(lock);
  const auto second = fs_.Lock(folder_ / "LOCK");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_THAT(second.error().message, HasSubstr("LOCK"));
  EXPECT_TRUE(fs_.Lock(folder_ / "OTHER"));
  lock->reset();
  EXPECT_TRUE(fs_.Lock(folder_ / "LOCK"));
  EXPECT_EQ(fs_.Lock(folder_ / "no/LOCK").error().code, ErrorCode::kNotFound);
}

TEST_F(FileSystemTest, WriteFileReplacesAsAWhole) {
  EXPECT_TRUE(WriteFile(fs_, folder_ / "f", "one"));
  EXPECT_TRUE(WriteFile(fs_, folder_ / "f", "two!"));
  EXPECT_EQ(Contents("f"), "two!");
  EXPECT_THAT(*fs_.List(folder_.path()), ElementsAre("f"));
}

TEST_F(FileSystemTest, WriteFileIsNotDisturbedByWhatACrashLeft) {
  std::ofstream(folder_ / "f.tmp") << "left behind, and longer than what comes";
  EXPECT_TRUE(WriteFile(fs_, folder_ / "f", "new"));
  EXPECT_EQ(Contents("f"), "new");
  EXPECT_THAT(*fs_.List(folder_.path()), ElementsAre("f"));
}

TEST_F(FileSystemTest, WriteFileThatFailsLeavesTheOldFileOrTheNew) {
  for (const FaultMode mode : {FaultMode::kIoError, FaultMode::kNoSpace, FaultMode::kShortWrite}) {
    bool failed = true;
    for (std::uint64_t n = 1; failed; ++n) {
      ASSERT_TRUE(WriteFile(fs_, folder_ / "f", "old"));
      FaultFileSystem faulty(fs_);
      faulty.FailMutation(n, mode);
      failed = !WriteFile(faulty, folder_ / "f", "new");
      const bool renamed = faulty.failed().starts_with("sync directory");
      EXPECT_EQ(Contents("f"), failed && !renamed ? "old" : "new") << faulty.failed();
      EXPECT_EQ(failed, !faulty.failed().empty());
    }
  }
}

TEST_F(FileSystemTest, ReadFileTakesEmptyAndMissingFiles) {
  std::ofstream(folder_ / "empty");
  EXPECT_EQ(*ReadFile(fs_, folder_ / "empty"), "");
  EXPECT_EQ(ReadFile(fs_, folder_ / "missing").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace turnlog::file_system_test
