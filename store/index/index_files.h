// The file system under RocksDB: creates private files and records errors of the operating system. RocksDB reports some
// of these as corruption or as a missing file, and an index is rebuilt only if it is proven lost or damaged. Any thread
// may call any member.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace turnlog {

class IndexFiles final : public rocksdb::FileSystemWrapper {
 public:
  explicit IndexFiles(const std::shared_ptr<rocksdb::FileSystem>& base) : FileSystemWrapper(base) {}

  // The first operation that failed for another reason than a missing file; empty if none did.
  std::string refusal() const;

  const char* Name() const override { return "turnlog.IndexFiles"; }
  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFileSize(const std::string& path, const rocksdb::IOOptions& options, std::uint64_t* size,
                                rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetChildren(const std::string& path, const rocksdb::IOOptions& options,
                                std::vector<std::string>* names, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus FileExists(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LockFile(const std::string& path, const rocksdb::IOOptions& options, rocksdb::FileLock** lock,
                             rocksdb::IODebugContext* debug) override;

 private:
  class Sequential;
  class RandomAccess;

  rocksdb::IOStatus Note(rocksdb::IOStatus status);
  rocksdb::IOStatus CheckTable(const std::string& path, const rocksdb::FSRandomAccessFile& file);

  mutable std::mutex mutex_;
  std::string refusal_;
};

// An environment on these files, with the clock and the background jobs of `base`.
class IndexEnv final : public rocksdb::EnvWrapper {
 public:
  IndexEnv(rocksdb::Env& base, const std::shared_ptr<rocksdb::FileSystem>& files)
      : EnvWrapper(rocksdb::NewCompositeEnv(files)), base_(base) {
    file_system_ = files;
    system_clock_ = base.GetSystemClock();
  }

  void Schedule(void (*job)(void*), void* argument, Priority priority, void* tag, void (*undo)(void*)) override {
    base_.Schedule(job, argument, priority, tag, undo);
  }
  int UnSchedule(void* tag, Priority priority) override { return base_.UnSchedule(tag, priority); }

 private:
  rocksdb::Env& base_;
};

}  // namespace turnlog
