// Simulates power losses at any moment.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "store/engine/environment.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/crash_rocks_files.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/fault_rocks_files.h"
#include "tests/support/no_retry_env.h"
#include "tests/support/ordered_env.h"

namespace turnlog {

enum class FileOrder {
  kFixed,  // the operations of a single thread, and what they cause, always have the same order
  kFree,   // maintenance, flushes and compactions run when their threads do
};

// A machine with a disk: stops at the n-th operation, and restarts without unsynced data.
class PowerLossRig {
 public:
  explicit PowerLossRig(FileOrder order = FileOrder::kFree) : order_(order) {
    files_.Observe([this](std::string_view operation, std::string_view path) {
      ordered_env_.RunJobs();
      Note(operation, path);
    });
    index_files_->Observe([this](std::string_view operation, std::string_view path) { Note(operation, path); });
  }

  Environment environment() {
    if (order_ == FileOrder::kFree) return {.files = &files_, .index = &index_env_};
    return {.files = &files_, .index = &ordered_env_, .await_maintenance = true, .store_id = 7};
  }

  // All operations on the log and on the index that change something, and each power loss with the files that it left.
  const std::vector<std::string>& trace() const { return trace_; }
  // Files outside of it are not traced by their whole paths.
  void TraceBelow(const std::filesystem::path& folder) { folder_ = folder; }

  // All operations after so many fail; 0: none.
  void StopAfter(std::uint64_t log_operations, std::uint64_t index_operations) {
    if (log_operations > 0) files_.FailMutation(log_operations, FaultMode::kIoError, FaultExtent::kFromThenOn);
    if (index_operations > 0)
      index_files_->FailMutation(index_operations, FaultMode::kIoError, FaultExtent::kFromThenOn);
  }
  // One operation on the log fails, and nothing else.
  void FailOnce(std::uint64_t log_operation) { files_.FailMutation(log_operation); }
  void StopNow() {
    ordered_env_.RunJobs();
    StopAfter(1, 1);
  }

  void LosePower(std::uint64_t seed, Loss loss) {
    const Status index_lost = index_disk_->Crash(seed, loss);  // first, because the other one may undo its folder
    EXPECT_TRUE(index_lost) << index_lost.error().message;
    const Status log_lost = disk_.Crash(seed, loss);
    EXPECT_TRUE(log_lost) << log_lost.error().message;
    NoteFiles();
  }
  // REQUIRES: all objects that used it before are destroyed.
  void Restart() {
    disk_.Restart();
    index_disk_->Restart();
    files_.Heal();
    index_files_->Heal();
  }

 private:
  void Note(std::string_view operation, std::string_view path) {
    const std::scoped_lock lock(mutex_);
    trace_.push_back(std::string(operation) + " " + std::filesystem::path(path).lexically_relative(folder_).string());
  }

  // But for LOCK, which names the process.
  void NoteFiles() {
    std::vector<std::string> left;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_, error)) {
      const std::string path = entry.path().lexically_relative(folder_).string();
      if (entry.is_regular_file() && path != "store/LOCK")
        left.push_back("left " + path + " " + std::to_string(entry.file_size()));
    }
    std::ranges::sort(left);
    const std::scoped_lock lock(mutex_);
    trace_.insert(trace_.end(), left.begin(), left.end());
  }

  const FileOrder order_;
  std::mutex mutex_;  // guards trace_
  std::vector<std::string> trace_;
  std::filesystem::path folder_ = "/nowhere";
  CrashFileSystem disk_{PosixFileSystem()};
  FaultFileSystem files_{disk_};
  std::shared_ptr<CrashRocksFiles> index_disk_ = std::make_shared<CrashRocksFiles>();
  std::shared_ptr<FaultRocksFiles> index_files_ = std::make_shared<FaultRocksFiles>(index_disk_);
  NoRetryEnv index_env_{index_files_};
  OrderedEnv ordered_env_{index_files_};
};

// Shows where they part.
inline void ExpectEqualTraces(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  EXPECT_GT(first.size(), 20U) << "hardly anything happened: the test does not test";
  const auto parts = std::ranges::mismatch(first, second);
  if (parts.in1 == first.end() && parts.in2 == second.end()) return;
  std::string shown;
  for (auto line = parts.in1 - std::min<std::ptrdiff_t>(parts.in1 - first.begin(), 5); line != parts.in1; ++line) {
    shown += "  " + *line + "\n";
  }
  shown += "- " + (parts.in1 == first.end() ? "(the end)" : *parts.in1) + "\n";
  shown += "+ " + (parts.in2 == second.end() ? "(the end)" : *parts.in2) + "\n";
  ADD_FAILURE() << "the same seed did not repeat:\n" << shown;
}

// `first`, `second`: made of the same seed. The hash of all operations is in the report, to compare processes by.
inline void ExpectSameTrace(auto& first, auto& second) {
  first.Run();
  second.Run();
  std::string whole;
  for (const std::string& line : first.trace()) whole += line + "\n";
  testing::Test::RecordProperty("operations", std::to_string(std::hash<std::string>{}(whole)));
  ExpectEqualTraces(first.trace(), second.trace());
}

}  // namespace turnlog
