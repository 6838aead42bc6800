#include "tests/support/fault_rocks_files.h"

#include <atomic>
#include <utility>

namespace turnlog {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

}  // namespace

class FaultRocksFiles::FaultFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultFile(FaultRocksFiles& files, std::unique_ptr<rocksdb::FSWritableFile> base, std::string path)
      : FSWritableFileOwnerWrapper(std::move(base)), files_(files), path_(std::move(path)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    IOStatus step = files_.Step("write", path_);
    if (step.ok()) return target()->Append(data, options, debug);
    if (files_.mode() != FaultMode::kShortWrite) return step;
    IOStatus half = target()->Append(Slice(data.data(), data.size() / 2), options, debug);
    return half.ok() ? step : half;
  }

  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }

  IOStatus Truncate(std::uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    IOStatus step = files_.Step("truncate", path_);
    return step.ok() ? target()->Truncate(size, options, debug) : step;
  }

  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return SyncWith([&] { return target()->Sync(options, debug); });
  }

  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return SyncWith([&] { return target()->Fsync(options, debug); });
  }

 private:
  template <class Operation>
  IOStatus SyncWith(const Operation& sync) {
    if (sync_failed_) return IOStatus::OK();
    IOStatus step = files_.Step("sync", path_);
    if (!step.ok()) sync_failed_ = true;
    return step.ok() ? sync() : step;
  }

  FaultRocksFiles& files_;
  const std::string path_;
  std::atomic<bool> sync_failed_ = false;
};

class FaultRocksFiles::FaultSequence final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  FaultSequence(FaultRocksFiles& files, std::unique_ptr<rocksdb::FSSequentialFile> base, std::string path)
      : FSSequentialFileOwnerWrapper(std::move(base)), files_(files), path_(std::move(path)) {}

  IOStatus Read(std::size_t length, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) override {
    if (files_.ReadFails(path_)) return files_.Injected(path_);
    return target()->Read(length, options, result, scratch, debug);
  }

 private:
  FaultRocksFiles& files_;
  const std::string path_;
};

class FaultRocksFiles::FaultReader final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  FaultReader(FaultRocksFiles& files, std::unique_ptr<rocksdb::FSRandomAccessFile> base, std::string path)
      : FSRandomAccessFileOwnerWrapper(std::move(base)), files_(files), path_(std::move(path)) {}

  IOStatus Read(std::uint64_t offset, std::size_t length, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    if (files_.ReadFails(path_)) return files_.Injected(path_);
    return target()->Read(offset, length, options, result, scratch, debug);
  }

  IOStatus MultiRead(rocksdb::FSReadRequest* requests, std::size_t count, const IOOptions& options,
                     IODebugContext* debug) override {
    if (files_.ReadFails(path_)) return files_.Injected(path_);
    return target()->MultiRead(requests, count, options, debug);
  }

 private:
  FaultRocksFiles& files_;
  const std::string path_;
};

class FaultRocksFiles::FaultDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  FaultDirectory(FaultRocksFiles& files, std::unique_ptr<rocksdb::FSDirectory> base, std::string path)
      : FSDirectoryWrapper(std::move(base)), files_(files), path_(std::move(path)) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    IOStatus step = files_.Step("sync directory", path_);
    return step.ok() ? FSDirectoryWrapper::Fsync(options, debug) : step;
  }

  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& dir_options) override {
    IOStatus step = files_.Step("sync directory", path_);
    return step.ok() ? FSDirectoryWrapper::FsyncWithDirOptions(options, debug, dir_options) : step;
  }

 private:
  FaultRocksFiles& files_;
  const std::string path_;
};

FaultRocksFiles::FaultRocksFiles(const std::shared_ptr<rocksdb::FileSystem>& base) : FileSystemWrapper(base) {}

IOStatus FaultRocksFiles::Injected(const std::string& path) const {
  if (mode() == FaultMode::kNoSpace) return IOStatus::NoSpace(path, "injected");
  return IOStatus::IOError(path, "Input/output error (injected)");
}

IOStatus FaultRocksFiles::Step(std::string_view operation, const std::string& path) {
  return MutationFails(operation, path) ? Injected(path) : IOStatus::OK();
}

IOStatus FaultRocksFiles::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSSequentialFile>* file, IODebugContext* debug) {
  if (ReadFails(path)) return Injected(path);
  IOStatus status = target()->NewSequentialFile(path, options, file, debug);
  if (status.ok()) *file = std::make_unique<FaultSequence>(*this, std::move(*file), path);
  return status;
}

IOStatus FaultRocksFiles::GetFileSize(const std::string& path, const IOOptions& options, std::uint64_t* size,
                                      IODebugContext* debug) {
  return ReadFails(path) ? Injected(path) : target()->GetFileSize(path, options, size, debug);
}

IOStatus FaultRocksFiles::GetChildren(const std::string& path, const IOOptions& options,
                                      std::vector<std::string>* names, IODebugContext* debug) {
  return ReadFails(path) ? Injected(path) : target()->GetChildren(path, options, names, debug);
}

IOStatus FaultRocksFiles::FileExists(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  return ReadFails(path) ? Injected(path) : target()->FileExists(path, options, debug);
}

IOStatus FaultRocksFiles::LockFile(const std::string& path, const IOOptions& options, rocksdb::FileLock** lock,
                                   IODebugContext* debug) {
  IOStatus step = Step("lock", path);
  return step.ok() ? target()->LockFile(path, options, lock, debug) : step;
}

IOStatus FaultRocksFiles::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                              std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                              IODebugContext* debug) {
  if (ReadFails(path)) return Injected(path);
  IOStatus status = target()->NewRandomAccessFile(path, options, file, debug);
  if (status.ok()) *file = std::make_unique<FaultReader>(*this, std::move(*file), path);
  return status;
}

IOStatus FaultRocksFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  IOStatus status = Step("create", path);
  if (status.ok()) status = target()->NewWritableFile(path, options, file, debug);
  if (status.ok()) *file = std::make_unique<FaultFile>(*this, std::move(*file), path);
  return status;
}

IOStatus FaultRocksFiles::ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                             std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  IOStatus status = Step("create", path);
  if (status.ok()) status = target()->ReopenWritableFile(path, options, file, debug);
  if (status.ok()) *file = std::make_unique<FaultFile>(*this, std::move(*file), path);
  return status;
}

IOStatus FaultRocksFiles::NewDirectory(const std::string& path, const IOOptions& options,
                                       std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* debug) {
  IOStatus status = target()->NewDirectory(path, options, directory, debug);
  if (status.ok()) *directory = std::make_unique<FaultDirectory>(*this, std::move(*directory), path);
  return status;
}

IOStatus FaultRocksFiles::CreateDir(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  IOStatus step = Step("create directory", path);
  return step.ok() ? target()->CreateDir(path, options, debug) : step;
}

IOStatus FaultRocksFiles::CreateDirIfMissing(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  IOStatus step = Step("create directory", path);
  return step.ok() ? target()->CreateDirIfMissing(path, options, debug) : step;
}

IOStatus FaultRocksFiles::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                     IODebugContext* debug) {
  IOStatus step = Step("rename", from);
  return step.ok() ? target()->RenameFile(from, to, options, debug) : step;
}

IOStatus FaultRocksFiles::DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  IOStatus step = Step("remove", path);
  return step.ok() ? target()->DeleteFile(path, options, debug) : step;
}

}  // namespace turnlog
