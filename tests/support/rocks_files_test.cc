#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "tests/support/crash_rocks_files.h"
#include "tests/support/fault_rocks_files.h"
#include "tests/support/temp_dir.h"

namespace turnlog::rocks_files_test {
namespace {

class Database {
 public:
  Database(const std::shared_ptr<rocksdb::FileSystem>& files, const std::filesystem::path& path)
      : env_(rocksdb::NewCompositeEnv(files)) {
    rocksdb::Options options;
    options.env = env_.get();
    options.create_if_missing = true;
    options.disable_auto_compactions = true;  // one that fails makes RocksDB sleep for a second
    rocksdb::DB* db = nullptr;
    status_ = rocksdb::DB::Open(options, path.string(), &db);
    db_.reset(db);
  }

  const rocksdb::Status& status() const { return status_; }
  rocksdb::DB* operator->() const { return db_.get(); }

  rocksdb::Status Put(const std::string& key, bool sync) {
    rocksdb::WriteOptions options;
    options.sync = sync;
    return db_->Put(options, key, std::string(3000, 'v'));
  }
  bool Has(const std::string& key) {
    std::string value;
    return db_->Get({}, key, &value).ok();
  }

 private:
  std::unique_ptr<rocksdb::Env> env_;
  rocksdb::Status status_;
  std::unique_ptr<rocksdb::DB> db_;
};

class CrashRocksFilesTest : public testing::Test {
 protected:
  void CrashAndOpen(std::uint64_t seed, Loss loss) {
    ASSERT_TRUE(files_->Crash(seed, loss));
    db_.reset();
    files_->Restart();
    db_.emplace(files_, path_);
    ASSERT_TRUE(db_->status().ok()) << db_->status().ToString();
  }
  std::size_t Keys() {
    std::size_t count = 0;
    const std::unique_ptr<rocksdb::Iterator> iterator((*db_)->NewIterator({}));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) ++count;
    return count;
  }

  TempDir dir_;
  std::filesystem::path path_ = dir_ / "db";
  std::shared_ptr<CrashRocksFiles> files_ = std::make_shared<CrashRocksFiles>();
  std::optional<Database> db_{std::in_place, files_, path_};
};

// RocksDB never syncs the folder above its own, so the caller must do that to make a database durable.
class DurableCrashRocksFilesTest : public CrashRocksFilesTest {
 protected:
  void SetUp() override {
    std::unique_ptr<rocksdb::FSDirectory> directory;
    ASSERT_TRUE(files_->NewDirectory(dir_.path().string(), {}, &directory, nullptr).ok());
    ASSERT_TRUE(directory->Fsync({}, nullptr).ok());
  }
};

TEST_F(DurableCrashRocksFilesTest, SyncedWritesSurviveAndOthersAreGone) {
  ASSERT_TRUE(db_->Put("synced", true).ok());
  ASSERT_TRUE(db_->Put("unsynced", false).ok());
  CrashAndOpen(1, Loss::kAll);
  EXPECT_TRUE(db_->Has("synced"));
  EXPECT_FALSE(db_->Has("unsynced"));
}

TEST_F(DurableCrashRocksFilesTest, AFlushSurvives) {
  ASSERT_TRUE(db_->Put("flushed", false).ok());
  ASSERT_TRUE((*db_)->Flush({}).ok());
  ASSERT_TRUE(db_->Put("unsynced", false).ok());
  CrashAndOpen(1, Loss::kAll);
  EXPECT_TRUE(db_->Has("flushed"));
  EXPECT_FALSE(db_->Has("unsynced"));
}

TEST_F(DurableCrashRocksFilesTest, ARandomLossKeepsAnyPrefixOfTheUnsyncedWrites) {
  std::set<std::size_t> counts;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ASSERT_TRUE((*db_)->DeleteRange({}, (*db_)->DefaultColumnFamily(), "a", "z").ok());
    ASSERT_TRUE(db_->Put("synced", true).ok());
    for (char key = 'a'; key < 'h'; ++key) ASSERT_TRUE(db_->Put(std::string(1, key), false).ok());
    CrashAndOpen(seed, Loss::kRandom);
    EXPECT_TRUE(db_->Has("synced"));
    for (char key = 'b'; key < 'h'; ++key) {
      EXPECT_TRUE(db_->Has(std::string(1, static_cast<char>(key - 1))) || !db_->Has(std::string(1, key)));
    }
    counts.insert(Keys());
  }
  EXPECT_EQ(*counts.begin(), 1U);
  EXPECT_GT(counts.size(), 3U);
}

TEST_F(CrashRocksFilesTest, AnUnsyncedFolderIsGone) {
  ASSERT_TRUE(db_->Put("synced", true).ok());
  ASSERT_TRUE(files_->Crash(1, Loss::kAll));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(CrashRocksFilesTest, ADatabaseWithoutPowerFailsAndLeavesTheDiskAlone) {
  ASSERT_TRUE(files_->Crash(1, Loss::kAll));
  EXPECT_FALSE(db_->Put("late", true).ok());
  db_.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(Database(files_, path_).status().ok());
}

TEST(FaultRocksFilesTest, OpenFailsAtEveryOperationUntilThereAreNoMore) {
  std::set<std::string> failed;
  std::uint64_t failed_opens = 0;
  for (std::uint64_t n = 1;; ++n) {
    const TempDir dir;
    const auto files = std::make_shared<FaultRocksFiles>();
    files->FailMutation(n, FaultMode::kIoError, FaultExtent::kFromThenOn);
    const bool opened = Database(files, dir / "db").status().ok();
    if (files->failed().empty()) {
      EXPECT_TRUE(opened);
      break;
    }
    failed.insert(files->failed().substr(0, files->failed().find(" /")));
    failed_opens += opened ? 0 : 1;
  }
  EXPECT_GT(failed_opens, 6U);
  EXPECT_THAT(failed,
              testing::IsSupersetOf({"create", "create directory", "rename", "sync", "sync directory", "write"}));
}

TEST(FaultRocksFilesTest, AFullDiskIsReportedAsSuch) {
  const TempDir dir;
  const auto files = std::make_shared<FaultRocksFiles>();
  Database db(files, dir / "db");
  ASSERT_TRUE(db.status().ok());
  files->FailMutation(1, FaultMode::kNoSpace, FaultExtent::kFromThenOn);
  EXPECT_TRUE(db.Put("key", true).IsNoSpace());
}

TEST(FaultRocksFilesTest, AShortWriteLeavesTheFirstHalf) {
  const TempDir dir;
  FaultRocksFiles files;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  ASSERT_TRUE(files.NewWritableFile((dir / "a").string(), {}, &file, nullptr).ok());
  files.FailMutation(1, FaultMode::kShortWrite);
  EXPECT_FALSE(file->Append("abcdef", {}, nullptr).ok());
  EXPECT_TRUE(file->Close({}, nullptr).ok());
  EXPECT_EQ(std::filesystem::file_size(dir / "a"), 3U);
}

TEST(FaultRocksFilesTest, ReadsFailOnDemand) {
  const TempDir dir;
  const auto files = std::make_shared<FaultRocksFiles>();
  Database db(files, dir / "db");
  ASSERT_TRUE(db.Put("key", true).ok());
  ASSERT_TRUE(db->Flush({}).ok());
  files->FailRead(1, FaultExtent::kFromThenOn);
  std::string value;
  EXPECT_TRUE(db->Get({}, "key", &value).IsIOError());
}

}  // namespace
}  // namespace turnlog::rocks_files_test
