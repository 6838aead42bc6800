#include "store/index/movable_folder.h"

#include <mutex>
#include <utility>

namespace turnlog {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

}  // namespace

// On some file systems RocksDB syncs a renamed file instead of its folder, by its path.
class MovableFolder::Directory final : public rocksdb::FSDirectoryWrapper {
 public:
  Directory(MovableFolder& folder, std::unique_ptr<rocksdb::FSDirectory> base)
      : FSDirectoryWrapper(std::move(base)), folder_(folder) {}

  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& what) override {
    if (what.renamed_new_name.empty()) return FSDirectoryWrapper::FsyncWithDirOptions(options, debug, what);
    return folder_.At(what.renamed_new_name, [&](const std::string& renamed) {
      rocksdb::DirFsyncOptions moved = what;
      moved.renamed_new_name = renamed;
      return FSDirectoryWrapper::FsyncWithDirOptions(options, debug, moved);
    });
  }

 private:
  MovableFolder& folder_;
};

template <class Use>
IOStatus MovableFolder::At(const std::string& path, Use use) {
  const std::shared_lock lock(mutex_);
  return use(Present(path));
}

std::string MovableFolder::Present(const std::string& path) const {
  const bool inside = path.starts_with(path_) && (path.size() == path_.size() || path[path_.size()] == '/');
  return inside ? now_ + path.substr(path_.size()) : path;
}

IOStatus MovableFolder::MoveTo(const std::filesystem::path& to) {
  const std::unique_lock lock(mutex_);
  IOStatus status = target()->RenameFile(now_, to.string(), {}, nullptr);
  if (status.ok()) now_ = to.string();
  return status;
}

IOStatus MovableFolder::Sync() {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  IOStatus status = NewDirectory(path_, {}, &directory, nullptr);
  return status.ok() ? directory->Fsync({}, nullptr) : status;
}

IOStatus MovableFolder::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSSequentialFile>* file, IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->NewSequentialFile(now, options, file, debug); });
}

IOStatus MovableFolder::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSRandomAccessFile>* file, IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->NewRandomAccessFile(now, options, file, debug); });
}

IOStatus MovableFolder::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->NewWritableFile(now, options, file, debug); });
}

IOStatus MovableFolder::ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->ReopenWritableFile(now, options, file, debug); });
}

IOStatus MovableFolder::NewDirectory(const std::string& path, const IOOptions& options,
                                     std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* debug) {
  IOStatus status =
      At(path, [&](const std::string& now) { return target()->NewDirectory(now, options, directory, debug); });
  if (status.ok()) *directory = std::make_unique<Directory>(*this, std::move(*directory));
  return status;
}

IOStatus MovableFolder::FileExists(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->FileExists(now, options, debug); });
}

IOStatus MovableFolder::GetChildren(const std::string& path, const IOOptions& options, std::vector<std::string>* names,
                                    IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->GetChildren(now, options, names, debug); });
}

IOStatus MovableFolder::GetChildrenFileAttributes(const std::string& path, const IOOptions& options,
                                                  std::vector<rocksdb::FileAttributes>* files, IODebugContext* debug) {
  return At(path,
            [&](const std::string& now) { return target()->GetChildrenFileAttributes(now, options, files, debug); });
}

IOStatus MovableFolder::DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->DeleteFile(now, options, debug); });
}

IOStatus MovableFolder::CreateDir(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->CreateDir(now, options, debug); });
}

IOStatus MovableFolder::CreateDirIfMissing(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->CreateDirIfMissing(now, options, debug); });
}

IOStatus MovableFolder::GetFileSize(const std::string& path, const IOOptions& options, std::uint64_t* size,
                                    IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->GetFileSize(now, options, size, debug); });
}

IOStatus MovableFolder::GetFileModificationTime(const std::string& path, const IOOptions& options, std::uint64_t* time,
                                                IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->GetFileModificationTime(now, options, time, debug); });
}

IOStatus MovableFolder::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                   IODebugContext* debug) {
  return At(from, [&](const std::string& now) { return target()->RenameFile(now, Present(to), options, debug); });
}

IOStatus MovableFolder::GetFreeSpace(const std::string& path, const IOOptions& options, std::uint64_t* free,
                                     IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->GetFreeSpace(now, options, free, debug); });
}

IOStatus MovableFolder::IsDirectory(const std::string& path, const IOOptions& options, bool* is_folder,
                                    IODebugContext* debug) {
  return At(path, [&](const std::string& now) { return target()->IsDirectory(now, options, is_folder, debug); });
}

IOStatus MovableFolder::LockFile(const std::string& path, const IOOptions& options, rocksdb::FileLock** lock,
                                 IODebugContext* debug) {
  if (locks_) return At(path, [&](const std::string& now) { return target()->LockFile(now, options, lock, debug); });
  *lock = new rocksdb::FileLock;  // RocksDB gives it back to UnlockFile
  return IOStatus::OK();
}

IOStatus MovableFolder::UnlockFile(rocksdb::FileLock* lock, const IOOptions& options, IODebugContext* debug) {
  if (locks_) return target()->UnlockFile(lock, options, debug);
  const std::unique_ptr<rocksdb::FileLock> released(lock);
  return IOStatus::OK();
}

}  // namespace turnlog
