// A failed sync: nothing is acknowledged after it, no thread waits for ever, and data that is only in memory is written
// again when the store is opened.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/try.h"
#include "store/engine/event_log.h"
#include "tests/store/deterministic_workload.h"
#include "tests/support/copy_store.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/fault_rocks_files.h"
#include "tests/support/forwarding_file_system.h"
#include "tests/support/no_retry_env.h"
#include "tests/support/temp_dir.h"
#include "turnlog/maintenance.h"

namespace turnlog::failed_sync_test {
namespace {

// Files after a failed sync on Linux: the data can still be read and counts as clean, but it is not on disk until it is
// written again.
class FailedSyncDisk final : public ForwardingFileSystem {
 public:
  // The next sync of a file with unsynced data fails.
  void FailNextSync() { sync_fails_ = true; }
  // After a power loss, its lost data reads as zeros.
  void LosePower() {
    for (const auto& [path, length_in_words] : lost_) {
      if (length_in_words.empty()) continue;
      const auto file = ForwardingFileSystem::Open(path, Access::kWrite);
      ASSERT_TRUE(file);
      for (const std::uint64_t unit : length_in_words)
        ASSERT_TRUE((*file)->WriteAt(unit * kUnit, std::string(kUnit, '\0')));
    }
    lost_.clear();
  }
  std::size_t lost() const {
    std::size_t length_in_words = 0;
    for (const auto& entry : lost_) length_in_words += entry.second.size();
    return length_in_words;
  }

  // Into segments.
  std::uint64_t writes() const { return writes_; }

  Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) override {
    return std::make_unique<FailedSyncFile>(*this, path.string(),
                                            TURNLOG_TRY(ForwardingFileSystem::Open(path, access)));
  }

 private:
  static constexpr std::uint64_t kUnit = 8;
  using Units = std::set<std::uint64_t>;

  class FailedSyncFile final : public ForwardingFile {
   public:
    FailedSyncFile(FailedSyncDisk& disk, std::string path, std::unique_ptr<File> file)
        : ForwardingFile(std::move(file)), disk_(disk), path_(std::move(path)) {}

    Status WriteAt(std::uint64_t offset, std::string_view data) override {
      const std::scoped_lock lock(disk_.mutex_);
      if (path_.ends_with(".seg")) ++disk_.writes_;
      for (std::uint64_t at = offset; at < offset + data.size(); at += kUnit) {
        disk_.unsynced_[path_].insert(at / kUnit);
        disk_.lost_[path_].erase(at / kUnit);
      }
      return ForwardingFile::WriteAt(offset, data);
    }
    Status Sync() override {
      const std::scoped_lock lock(disk_.mutex_);
      Units length_in_words = std::move(disk_.unsynced_[path_]);
      disk_.unsynced_.erase(path_);
      if (!disk_.sync_fails_ || path_.ends_with(".tmp")) return {};
      disk_.sync_fails_ = false;
      disk_.lost_[path_].merge(length_in_words);
      return std::unexpected(Error{ErrorCode::kIo, "sync " + path_ + ": Input/output error"});
    }

   private:
    FailedSyncDisk& disk_;
    const std::string path_;
  };

  std::mutex mutex_;
  std::atomic<bool> sync_fails_ = false;
  std::atomic<std::uint64_t> writes_ = 0;
  std::map<std::string, Units> unsynced_, lost_;
};

class FailedSyncTest : public testing::Test {
 protected:
  template <class LogPointer>
  static Status Append(const LogPointer& log, LastSeqs& last, Durability durability) {
    Log& any = *log;
    const auto result = any.Append(NameOf(0), BatchAt(0, last[0] + 1), {.durability = durability});
    if (!result) return std::unexpected(result.error());
    last[0] = result->events.back().seq.value;
    return {};
  }
  std::unique_ptr<EventLog> Open(FileSystem& files) {
    auto log = EventLog::Open(store_, {.segment_bytes = 8 << 10}, {.files = &files});
    EXPECT_TRUE(log) << log.error().message;
    return log ? *std::move(log) : nullptr;
  }

  TempDir folder_;
  const std::filesystem::path store_ = folder_ / "store";
};

TEST_F(FailedSyncTest, WhatItLeftInMemoryIsWrittenAgainBeforeAnythingIsBuiltOnIt) {
  for (int unsynced = 0; unsynced < 12; ++unsynced) {
    SCOPED_TRACE(unsynced);
    std::filesystem::remove_all(store_);
    FailedSyncDisk disk;
    LastSeqs last;
    auto log = Open(disk);
    ASSERT_TRUE(Append(log, last, Durability::kSync));
    for (int i = 0; i < unsynced; ++i) ASSERT_TRUE(Append(log, last, Durability::kBuffered));
    disk.FailNextSync();
    const Status failed = Append(log, last, Durability::kSync);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::kNeedsReopen);
    const Status refused = Append(log, last, Durability::kBuffered);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kNeedsReopen);
    EXPECT_FALSE(log->Close());
    ASSERT_GT(disk.lost(), 0U);

    log = Open(disk);
    LastSeqs found = ExpectBeginnings(*log, last);
    ASSERT_TRUE(Append(log, found, Durability::kSync));
    CopyStore(store_, folder_ / "as the power goes");
    log.reset();
    std::filesystem::remove_all(store_);
    std::filesystem::rename(folder_ / "as the power goes", store_);
    disk.LosePower();

    log = Open(disk);
    ASSERT_NE(log, nullptr);
    ExpectBeginnings(*log, found);
  }
}

TEST_F(FailedSyncTest, AfterACleanShutdownNothingIsWrittenAgain) {
  FailedSyncDisk disk;
  LastSeqs last;
  auto log = Open(disk);
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(Append(log, last, Durability::kBuffered));
  ASSERT_TRUE(log->Close());
  const std::uint64_t written = disk.writes();
  EXPECT_GT(written, 0U);
  for (int i = 0; i < 2; ++i) {
    std::filesystem::remove_all(store_ / "index");
    log = Open(disk);
    EXPECT_EQ(disk.writes(), written);
    EXPECT_EQ(ExpectBeginnings(*log, last), last);
    ASSERT_TRUE(log->Close());
  }
}

// Eight threads wait for syncs when the n-th operation of the log or of the index fails; each gets an error.
class FailureAmongThreads : public FailedSyncTest {
 protected:
  void Run(FaultPlan& plan, std::uint64_t n) {
    SCOPED_TRACE(fmt::format("n = {}", n));
    std::filesystem::remove_all(store_);
    std::mutex mutex;
    LastSeqs acknowledged;
    {
      const auto opened = EventLog::Open(store_, {.segment_bytes = 8 << 10, .checkpoint_bytes = 8 << 10}, environment_);
      ASSERT_TRUE(opened) << opened.error().message;
      Log& log = **opened;
      plan.FailMutation(n, FaultMode::kIoError, FaultExtent::kFromThenOn);
      std::vector<std::thread> threads;
      for (std::uint32_t thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&, thread] {
          std::uint64_t last = 0;
          for (;;) {
            const Durability durability = (last + thread) % 3 == 0 ? Durability::kBuffered : Durability::kSync;
            const auto result = log.Append(NameOf(thread), BatchAt(thread, last + 1), {.durability = durability});
            if (!result) return;
            last = result->events.back().seq.value;
            const std::scoped_lock lock(mutex);
            acknowledged[thread] = last;
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      EXPECT_FALSE(log.Append(NameOf(99), EventAt(99, 1)));
    }
    plan.Heal();
    const auto log = EventLog::Open(store_, {}, environment_);
    ASSERT_TRUE(log) << log.error().message;
    ExpectBeginnings(**log, acknowledged);
  }

  FaultFileSystem files_{PosixFileSystem()};
  std::shared_ptr<FaultRocksFiles> index_files_ = std::make_shared<FaultRocksFiles>();
  NoRetryEnv index_env_{index_files_};
  const Environment environment_{.files = &files_, .index = &index_env_};
};

TEST_F(FailureAmongThreads, OfTheLogFailsAllThreads) {
  for (std::uint64_t n = 1; n <= 60; n += 2) Run(files_, n);
}

TEST_F(FailureAmongThreads, OfTheIndexFailsAllThreads) {
  for (std::uint64_t n = 1; n <= 40; n += 2) Run(*index_files_, n);
}

}  // namespace
}  // namespace turnlog::failed_sync_test
