#include "tests/support/crash_rocks_files.h"

#include <ranges>
#include <utility>

#include "base/file_system.h"

namespace turnlog {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus PowerIsOff() { return IOStatus::IOError("the power is off"); }

IOStatus ToIoStatus(const Status& status) {
  return status ? IOStatus::OK() : IOStatus::IOError(status.error().message);
}

IOStatus ToIoStatus(const std::string& path, const std::error_code& error) {
  if (!error) return IOStatus::OK();
  const bool missing = error == std::errc::no_such_file_or_directory;
  return missing ? IOStatus::PathNotFound(path, error.message()) : IOStatus::IOError(path, error.message());
}

}  // namespace

class CrashRocksFiles::CrashFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  CrashFile(CrashRocksFiles& files, std::unique_ptr<rocksdb::FSWritableFile> base, std::shared_ptr<PageHistory> history,
            std::uint64_t size)
      : FSWritableFileOwnerWrapper(std::move(base)),
        files_(files),
        boot_(files.boot_),
        history_(std::move(history)),
        size_(size) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard lock(files_.mutex_);
    IOStatus status = WillAppend(data.size());
    if (status.ok()) status = target()->Append(data, options, debug);
    return status;
  }

  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }

  IOStatus PositionedAppend(const Slice&, std::uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::NotSupported("PositionedAppend");
  }

  IOStatus PositionedAppend(const Slice&, std::uint64_t, const IOOptions&, const rocksdb::DataVerificationInfo&,
                            IODebugContext*) override {
    return IOStatus::NotSupported("PositionedAppend");
  }

  IOStatus Truncate(std::uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard lock(files_.mutex_);
    IOStatus status = files_.Check(boot_);
    if (status.ok()) status = ToIoStatus(history_->WillTruncate(size));
    if (status.ok()) status = target()->Truncate(size, options, debug);
    if (status.ok()) size_ = size;
    return status;
  }

  IOStatus Flush(const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard lock(files_.mutex_);
    IOStatus status = files_.Check(boot_);
    return status.ok() ? target()->Flush(options, debug) : status;
  }

  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    const std::lock_guard lock(files_.mutex_);
    IOStatus status = files_.Check(boot_);
    if (status.ok()) history_->Synced();
    return status;
  }

  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override { return Sync(options, debug); }

  IOStatus RangeSync(std::uint64_t, std::uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }

  // A file from before a crash must not touch the disk any more, and closing truncates its preallocated end.
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    const std::lock_guard lock(files_.mutex_);
    IOStatus status = files_.Check(boot_);
    return status.ok() ? target()->Close(options, debug) : status;
  }

 private:
  IOStatus WillAppend(std::size_t length) {
    IOStatus status = files_.Check(boot_);
    if (status.ok()) status = ToIoStatus(history_->WillWrite(size_, length));
    size_ += length;
    return status;
  }

  CrashRocksFiles& files_;
  const std::uint64_t boot_;
  const std::shared_ptr<PageHistory> history_;
  std::uint64_t size_;
};

class CrashRocksFiles::CrashDirectory final : public rocksdb::FSDirectory {
 public:
  CrashDirectory(CrashRocksFiles& files, std::string path)
      : files_(files), boot_(files.boot_), path_(std::move(path)) {}

  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    const std::lock_guard lock(files_.mutex_);
    IOStatus status = files_.Check(boot_);
    if (status.ok()) files_.names_.SyncDirectory(path_);
    return status;
  }

  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

 private:
  CrashRocksFiles& files_;
  const std::uint64_t boot_;
  const std::string path_;
};

CrashRocksFiles::CrashRocksFiles(const std::shared_ptr<rocksdb::FileSystem>& base) : FileSystemWrapper(base) {}

Status CrashRocksFiles::Crash(std::uint64_t seed, Loss loss) {
  const std::lock_guard lock(mutex_);
  on_ = false;
  ++boot_;
  CrashRandom random(seed);
  for (const auto& file : files_ | std::views::reverse) {
    if (const Status status = file->Crash(random, loss); !status) return status;
  }
  files_.clear();
  if (const auto error = names_.Crash(random, loss)) {
    return std::unexpected(Error{ErrorCode::kIo, "crash: " + error.message()});
  }
  return {};
}

void CrashRocksFiles::Restart() {
  const std::lock_guard lock(mutex_);
  on_ = true;
}

bool CrashRocksFiles::Powered() const {
  const std::lock_guard lock(mutex_);
  return on_;
}

IOStatus CrashRocksFiles::Check(std::uint64_t boot) const {
  return on_ && boot == boot_ ? IOStatus::OK() : PowerIsOff();
}

IOStatus CrashRocksFiles::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSSequentialFile>* file, IODebugContext* debug) {
  return Powered() ? target()->NewSequentialFile(path, options, file, debug) : PowerIsOff();
}

IOStatus CrashRocksFiles::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                              std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                              IODebugContext* debug) {
  return Powered() ? target()->NewRandomAccessFile(path, options, file, debug) : PowerIsOff();
}

IOStatus CrashRocksFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  IOStatus status = Check(boot_);
  if (status.ok() && std::filesystem::exists(path)) status = ToIoStatus(path, names_.Remove(path));
  if (status.ok()) status = target()->NewWritableFile(path, options, file, debug);
  if (!status.ok()) return status;
  names_.Created(path);
  return Track(path, file);
}

IOStatus CrashRocksFiles::ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                             std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  IOStatus status = Check(boot_);
  const bool is_new = !std::filesystem::exists(path);
  if (status.ok()) status = target()->ReopenWritableFile(path, options, file, debug);
  if (!status.ok()) return status;
  if (is_new) names_.Created(path);
  return Track(path, file);
}

// The history works through a handle of its own: RocksDB's can neither read nor write in the middle.
IOStatus CrashRocksFiles::Track(const std::string& path, std::unique_ptr<rocksdb::FSWritableFile>* file) {
  std::erase_if(files_, [](const auto& history) { return history.use_count() == 1 && history->clean(); });
  auto handle = PosixFileSystem().Open(path, turnlog::FileSystem::Access::kWrite);
  if (!handle) return IOStatus::IOError(handle.error().message);
  const auto size = (*handle)->Size();
  if (!size) return IOStatus::IOError(size.error().message);
  files_.push_back(std::make_shared<PageHistory>(std::move(*handle)));
  *file = std::make_unique<CrashFile>(*this, std::move(*file), files_.back(), *size);
  return IOStatus::OK();
}

IOStatus CrashRocksFiles::NewDirectory(const std::string& path, const IOOptions&,
                                       std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext*) {
  const std::lock_guard lock(mutex_);
  IOStatus status = Check(boot_);
  if (status.ok() && !std::filesystem::is_directory(path)) return IOStatus::PathNotFound(path);
  if (status.ok()) *directory = std::make_unique<CrashDirectory>(*this, path);
  return status;
}

IOStatus CrashRocksFiles::CreateDir(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  IOStatus status = Check(boot_);
  if (status.ok()) status = target()->CreateDir(path, options, debug);
  if (status.ok()) names_.Created(path);
  return status;
}

IOStatus CrashRocksFiles::CreateDirIfMissing(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  if (std::filesystem::is_directory(path)) return Powered() ? IOStatus::OK() : PowerIsOff();
  return CreateDir(path, options, debug);
}

IOStatus CrashRocksFiles::RenameFile(const std::string& from, const std::string& to, const IOOptions&,
                                     IODebugContext*) {
  const std::lock_guard lock(mutex_);
  IOStatus status = Check(boot_);
  return status.ok() ? ToIoStatus(from, names_.Rename(from, to)) : status;
}

IOStatus CrashRocksFiles::DeleteFile(const std::string& path, const IOOptions&, IODebugContext*) {
  const std::lock_guard lock(mutex_);
  IOStatus status = Check(boot_);
  return status.ok() ? ToIoStatus(path, names_.Remove(path)) : status;
}

IOStatus CrashRocksFiles::DeleteDir(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  return DeleteFile(path, options, debug);
}

IOStatus CrashRocksFiles::ReuseWritableFile(const std::string&, const std::string&, const rocksdb::FileOptions&,
                                            std::unique_ptr<rocksdb::FSWritableFile>*, IODebugContext*) {
  return IOStatus::NotSupported("ReuseWritableFile");
}

IOStatus CrashRocksFiles::NewRandomRWFile(const std::string&, const rocksdb::FileOptions&,
                                          std::unique_ptr<rocksdb::FSRandomRWFile>*, IODebugContext*) {
  return IOStatus::NotSupported("NewRandomRWFile");
}

IOStatus CrashRocksFiles::LinkFile(const std::string&, const std::string&, const IOOptions&, IODebugContext*) {
  return IOStatus::NotSupported("LinkFile");
}

IOStatus CrashRocksFiles::Truncate(const std::string&, std::size_t, const IOOptions&, IODebugContext*) {
  return IOStatus::NotSupported("Truncate");
}

}  // namespace turnlog
