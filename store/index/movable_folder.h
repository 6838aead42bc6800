// A folder of an open database that can be moved. RocksDB goes on using the path at which it opened its files: here the
// path leads to wherever the folder is now. Any thread may call any member.
#pragma once

#include <filesystem>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "rocksdb/file_system.h"

namespace turnlog {

class MovableFolder final : public rocksdb::FileSystemWrapper {
 public:
  // `locks`: RocksDB may lock the folder. The lock keeps the path at which it was taken, so that a folder which is
  // about to be moved is not locked: the next database there could not be opened.
  MovableFolder(const std::shared_ptr<rocksdb::FileSystem>& base, const std::filesystem::path& folder, bool locks)
      : FileSystemWrapper(base), path_(folder.string()), locks_(locks), now_(path_) {}

  // REQUIRES: nothing is at `to`.
  rocksdb::IOStatus MoveTo(const std::filesystem::path& to);
  // Makes its entries durable.
  rocksdb::IOStatus Sync();

  const char* Name() const override { return "turnlog.MovableFolder"; }
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
  rocksdb::IOStatus FileExists(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetChildren(const std::string& path, const rocksdb::IOOptions& options,
                                std::vector<std::string>* names, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetChildrenFileAttributes(const std::string& path, const rocksdb::IOOptions& options,
                                              std::vector<rocksdb::FileAttributes>* files,
                                              rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDir(const std::string& path, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFileSize(const std::string& path, const rocksdb::IOOptions& options, std::uint64_t* size,
                                rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFileModificationTime(const std::string& path, const rocksdb::IOOptions& options,
                                            std::uint64_t* time, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options, std::uint64_t* free,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus IsDirectory(const std::string& path, const rocksdb::IOOptions& options, bool* is_folder,
                                rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LockFile(const std::string& path, const rocksdb::IOOptions& options, rocksdb::FileLock** lock,
                             rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus UnlockFile(rocksdb::FileLock* lock, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  class Directory;

  // Calls `use` with the present path of what RocksDB calls `path`; the folder is not moved meanwhile.
  template <class Use>
  rocksdb::IOStatus At(const std::string& path, Use use);
  std::string Present(const std::string& path) const;

  const std::string path_;  // as RocksDB knows it
  const bool locks_;
  std::shared_mutex mutex_;
  std::string now_;  // guarded by mutex_
};

}  // namespace turnlog
