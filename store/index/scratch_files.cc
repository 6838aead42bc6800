#include "store/index/scratch_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkostemp is POSIX
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "base/errno_text.h"

namespace turnlog {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus Failed(std::string_view what, int error) {
  const std::string message = ErrnoText(error);
  return error == ENOSPC ? IOStatus::NoSpace(Slice(what.data(), what.size()), message)
                         : IOStatus::IOError(Slice(what.data(), what.size()), message);
}

IOStatus Missing(const std::string& path) { return IOStatus::PathNotFound(path); }

// Falls back to mkostemp and unlink: not every file system supports O_TMPFILE.
int OpenNameless(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
  std::string name = (folder / "turnlog-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) (void)::unlink(name.c_str());
  return named;
}

}  // namespace

// The contents of a file; written sequentially by one writer.
class ScratchFiles::Nameless {
 public:
  explicit Nameless(int fd) : fd_(fd) {}
  ~Nameless() { ::close(fd_); }
  Nameless(const Nameless&) = delete;
  Nameless& operator=(const Nameless&) = delete;

  std::uint64_t size() const { return size_; }

  IOStatus Append(std::string_view data) {
    while (!data.empty()) {
      const ssize_t n = ::pwrite(fd_, data.data(), data.size(), static_cast<off_t>(size_.load()));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Failed("cannot write to a temporary file", errno);
      data.remove_prefix(static_cast<std::size_t>(n));
      size_ += static_cast<std::uint64_t>(n);
    }
    return IOStatus::OK();
  }

  IOStatus Read(std::uint64_t offset, std::size_t length, Slice* result, char* scratch) const {
    std::size_t done = 0;
    while (done < length) {
      const ssize_t n = ::pread(fd_, scratch + done, length - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Failed("cannot read a temporary file", errno);
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    *result = Slice(scratch, done);
    return IOStatus::OK();
  }

  IOStatus Truncate(std::uint64_t size) {
    if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) return Failed("cannot truncate a temporary file", errno);
    size_ = size;
    return IOStatus::OK();
  }

 private:
  const int fd_;
  std::atomic<std::uint64_t> size_ = 0;
};

class ScratchFiles::Writer final : public rocksdb::FSWritableFile {
 public:
  explicit Writer(std::shared_ptr<Nameless> file) : file_(std::move(file)) {}

  using FSWritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    return file_->Append(data.ToStringView());
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions&, IODebugContext*) override { return file_->Truncate(size); }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return file_->size(); }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }  // the file does not outlive the process

 private:
  const std::shared_ptr<Nameless> file_;
};

class ScratchFiles::Reader final : public rocksdb::FSRandomAccessFile {
 public:
  explicit Reader(std::shared_ptr<Nameless> file) : file_(std::move(file)) {}

  IOStatus Read(std::uint64_t offset, std::size_t length, const IOOptions&, Slice* result, char* scratch,
                IODebugContext*) const override {
    return file_->Read(offset, length, result, scratch);
  }

 private:
  const std::shared_ptr<Nameless> file_;
};

class ScratchFiles::Sequence final : public rocksdb::FSSequentialFile {
 public:
  explicit Sequence(std::shared_ptr<Nameless> file) : file_(std::move(file)) {}

  IOStatus Read(std::size_t length, const IOOptions&, Slice* result, char* scratch, IODebugContext*) override {
    IOStatus status = file_->Read(offset_, length, result, scratch);
    if (status.ok()) offset_ += result->size();
    return status;
  }
  IOStatus Skip(std::uint64_t bytes) override {
    offset_ += bytes;
    return IOStatus::OK();
  }

 private:
  const std::shared_ptr<Nameless> file_;
  std::uint64_t offset_ = 0;
};

class ScratchFiles::Folder final : public rocksdb::FSDirectory {
 public:
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
};

ScratchFiles::ScratchFiles(std::filesystem::path folder)
    : FileSystemWrapper(rocksdb::FileSystem::Default()), folder_(std::move(folder)) {}

std::shared_ptr<ScratchFiles::Nameless> ScratchFiles::Find(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const auto known = files_.find(path);
  return known == files_.end() ? nullptr : known->second;
}

IOStatus ScratchFiles::NewSequentialFile(const std::string& path, const rocksdb::FileOptions&,
                                         std::unique_ptr<rocksdb::FSSequentialFile>* file, IODebugContext*) {
  auto found = Find(path);
  if (found == nullptr) return Missing(path);
  *file = std::make_unique<Sequence>(std::move(found));
  return IOStatus::OK();
}

IOStatus ScratchFiles::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions&,
                                           std::unique_ptr<rocksdb::FSRandomAccessFile>* file, IODebugContext*) {
  auto found = Find(path);
  if (found == nullptr) return Missing(path);
  *file = std::make_unique<Reader>(std::move(found));
  return IOStatus::OK();
}

IOStatus ScratchFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions&,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext*) {
  const int fd = OpenNameless(folder_);
  if (fd < 0) return Failed(fmt::format("cannot make a temporary file in {}", folder_.string()), errno);
  auto made = std::make_shared<Nameless>(fd);
  *file = std::make_unique<Writer>(made);
  const std::scoped_lock lock(mutex_);
  files_.insert_or_assign(path, std::move(made));
  return IOStatus::OK();
}

IOStatus ScratchFiles::NewDirectory(const std::string&, const IOOptions&,
                                    std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext*) {
  *directory = std::make_unique<Folder>();
  return IOStatus::OK();
}

IOStatus ScratchFiles::FileExists(const std::string& path, const IOOptions&, IODebugContext*) {
  return Find(path) == nullptr ? IOStatus::NotFound(path) : IOStatus::OK();
}

IOStatus ScratchFiles::GetChildren(const std::string& folder, const IOOptions&, std::vector<std::string>* names,
                                   IODebugContext*) {
  names->clear();
  const std::scoped_lock lock(mutex_);
  for (const auto& entry : files_) {
    const std::filesystem::path path = entry.first;
    if (path.parent_path() == folder) names->push_back(path.filename().string());
  }
  return IOStatus::OK();
}

IOStatus ScratchFiles::GetFileSize(const std::string& path, const IOOptions&, std::uint64_t* size, IODebugContext*) {
  const auto found = Find(path);
  if (found == nullptr) return Missing(path);
  *size = found->size();
  return IOStatus::OK();
}

IOStatus ScratchFiles::GetFileModificationTime(const std::string&, const IOOptions&, std::uint64_t* time,
                                               IODebugContext*) {
  *time = 0;
  return IOStatus::OK();
}

IOStatus ScratchFiles::DeleteFile(const std::string& path, const IOOptions&, IODebugContext*) {
  const std::scoped_lock lock(mutex_);
  return files_.erase(path) > 0 ? IOStatus::OK() : Missing(path);
}

IOStatus ScratchFiles::RenameFile(const std::string& from, const std::string& to, const IOOptions&, IODebugContext*) {
  const std::scoped_lock lock(mutex_);
  auto moved = files_.extract(from);
  if (moved.empty()) return Missing(from);
  files_.insert_or_assign(to, std::move(moved.mapped()));
  return IOStatus::OK();
}

IOStatus ScratchFiles::CreateDir(const std::string&, const IOOptions&, IODebugContext*) { return IOStatus::OK(); }

IOStatus ScratchFiles::CreateDirIfMissing(const std::string&, const IOOptions&, IODebugContext*) {
  return IOStatus::OK();
}

IOStatus ScratchFiles::GetAbsolutePath(const std::string& path, const IOOptions&, std::string* absolute,
                                       IODebugContext*) {
  *absolute = path;
  return IOStatus::OK();
}

IOStatus ScratchFiles::LockFile(const std::string&, const IOOptions&, rocksdb::FileLock** lock, IODebugContext*) {
  *lock = new rocksdb::FileLock;  // RocksDB passes it to UnlockFile
  return IOStatus::OK();
}

IOStatus ScratchFiles::UnlockFile(rocksdb::FileLock* lock, const IOOptions&, IODebugContext*) {
  delete lock;
  return IOStatus::OK();
}

}  // namespace turnlog
