// Simulates power losses at any moment.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "store/engine/environment.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/crash_rocks_files.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/fault_rocks_files.h"
#include "tests/support/no_retry_env.h"

namespace turnlog {

// A machine with a disk: stops at the n-th operation, and restarts without unsynced data.
class PowerLossRig {
 public:
  Environment environment() { return {.files = &files_, .index = &index_env_}; }

  // All operations after so many fail; 0: none.
  void StopAfter(std::uint64_t log_operations, std::uint64_t index_operations) {
    if (log_operations > 0) files_.FailMutation(log_operations, FaultMode::kIoError, FaultExtent::kFromThenOn);
    if (index_operations > 0)
      index_files_->FailMutation(index_operations, FaultMode::kIoError, FaultExtent::kFromThenOn);
  }
  // One operation on the log fails, and nothing else.
  void FailOnce(std::uint64_t log_operation) { files_.FailMutation(log_operation); }
  void StopNow() { StopAfter(1, 1); }

  void LosePower(std::uint64_t seed, Loss loss) {
    const Status index_lost = index_disk_->Crash(seed, loss);  // first, because the other one may undo its folder
    EXPECT_TRUE(index_lost) << index_lost.error().message;
    const Status log_lost = disk_.Crash(seed, loss);
    EXPECT_TRUE(log_lost) << log_lost.error().message;
  }
  // REQUIRES: all objects that used it before are destroyed.
  void Restart() {
    disk_.Restart();
    index_disk_->Restart();
    files_.Heal();
    index_files_->Heal();
  }

 private:
  CrashFileSystem disk_{PosixFileSystem()};
  FaultFileSystem files_{disk_};
  std::shared_ptr<CrashRocksFiles> index_disk_ = std::make_shared<CrashRocksFiles>();
  std::shared_ptr<FaultRocksFiles> index_files_ = std::make_shared<FaultRocksFiles>(index_disk_);
  NoRetryEnv index_env_{index_files_};
};

}  // namespace turnlog
