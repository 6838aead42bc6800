// FaultFileSystem for RocksDB: the n-th operation of its files fails, by the same rules and names
// (fault_file_system.h). Give rocksdb::NewCompositeEnv(...) of it to a database; it may be put above CrashRocksFiles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/file_system.h"
#include "tests/support/fault_plan.h"

namespace turnlog {

class FaultRocksFiles final : public rocksdb::FileSystemWrapper, public FaultPlan {
 public:
  explicit FaultRocksFiles(const std::shared_ptr<rocksdb::FileSystem>& base = rocksdb::FileSystem::Default());

  const char* Name() const override { return "FaultRocksFiles"; }
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
  rocksdb::IOStatus GetFileSize(const std::string& path, const rocksdb::IOOptions& options, std::uint64_t* size,
                                rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetChildren(const std::string& path, const rocksdb::IOOptions& options,
                                std::vector<std::string>* names, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus FileExists(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LockFile(const std::string& path, const rocksdb::IOOptions& options, rocksdb::FileLock** lock,
                             rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDir(const std::string& path, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  rocksdb::IOStatus Step(std::string_view operation, const std::string& path);
  rocksdb::IOStatus Injected(const std::string& path) const;

  class FaultFile;
  class FaultSequence;
  class FaultReader;
  class FaultDirectory;
};

}  // namespace turnlog
