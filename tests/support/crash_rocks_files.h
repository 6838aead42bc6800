// CrashFileSystem for RocksDB: its files below a power switch, by the same rules (crash_file_system.h). Give
// rocksdb::NewCompositeEnv(...) of it to a database, crash it, destroy the database, restart it, and open again.
// RocksDB's info log and locks are not covered. Operations for recycling, linking or ingesting files return
// NotSupported.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "rocksdb/file_system.h"
#include "tests/support/name_journal.h"
#include "tests/support/page_history.h"
#include "turnlog/result.h"

namespace turnlog {

class CrashRocksFiles final : public rocksdb::FileSystemWrapper {
 public:
  explicit CrashRocksFiles(const std::shared_ptr<rocksdb::FileSystem>& base = rocksdb::FileSystem::Default());

  // Power off: everything fails until Restart, and files opened before it fail for ever.
  Status Crash(std::uint64_t seed, Loss loss = Loss::kRandom);
  void Restart();

  const char* Name() const override { return "CrashRocksFiles"; }
  rocksdb::IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDir(const std::string& path, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteDir(const std::string& path, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override;

  rocksdb::IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus Truncate(const std::string& path, std::size_t size, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override;

 private:
  class CrashFile;
  class CrashDirectory;

  bool Powered() const;
  rocksdb::IOStatus Check(std::uint64_t boot) const;
  rocksdb::IOStatus Track(const std::string& path, std::unique_ptr<rocksdb::FSWritableFile>* file);

  mutable std::mutex mutex_;
  bool on_ = true;
  std::uint64_t boot_ = 0;
  NameJournal names_;
  std::vector<std::shared_ptr<PageHistory>> files_;  // opened for writing since the last crash, in that order
};

}  // namespace turnlog
