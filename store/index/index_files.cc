#include "store/index/index_files.h"

#include <sys/stat.h>

#include "store/index/table_tail.h"

namespace turnlog {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

void MakePrivate(const std::string& path) { (void)::chmod(path.c_str(), 0600); }  // the folder is private, too

}  // namespace

class IndexFiles::Sequential final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  Sequential(IndexFiles& files, std::unique_ptr<rocksdb::FSSequentialFile> base)
      : FSSequentialFileOwnerWrapper(std::move(base)), files_(files) {}

  IOStatus Read(std::size_t length, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) override {
    return files_.Note(target()->Read(length, options, result, scratch, debug));
  }

 private:
  IndexFiles& files_;
};

class IndexFiles::RandomAccess final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  RandomAccess(IndexFiles& files, std::unique_ptr<rocksdb::FSRandomAccessFile> base)
      : FSRandomAccessFileOwnerWrapper(std::move(base)), files_(files) {}

  IOStatus Read(std::uint64_t offset, std::size_t length, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    // The offset comes from a damaged footer: this is corruption, not an error of the operating system.
    if (offset > kMostBytes) return IOStatus::Corruption("a block far beyond the end of the file");
    return files_.Note(target()->Read(offset, length, options, result, scratch, debug));
  }

 private:
  IndexFiles& files_;
};

std::string IndexFiles::refusal() const {
  const std::scoped_lock lock(mutex_);
  return refusal_;
}

IOStatus IndexFiles::Note(IOStatus status) {
  if (status.IsIOError() && !status.IsPathNotFound()) {
    const std::scoped_lock lock(mutex_);
    if (refusal_.empty()) refusal_ = status.ToString();
  }
  return status;
}

IOStatus IndexFiles::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSSequentialFile>* file, IODebugContext* debug) {
  IOStatus status = Note(target()->NewSequentialFile(path, options, file, debug));
  if (status.ok()) *file = std::make_unique<Sequential>(*this, std::move(*file));
  return status;
}

IOStatus IndexFiles::NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                         std::unique_ptr<rocksdb::FSRandomAccessFile>* file, IODebugContext* debug) {
  IOStatus status = Note(target()->NewRandomAccessFile(path, options, file, debug));
  if (status.ok()) *file = std::make_unique<RandomAccess>(*this, std::move(*file));
  return status.ok() && path.ends_with(".sst") ? CheckTable(path, **file) : std::move(status);
}

IOStatus IndexFiles::CheckTable(const std::string& path, const rocksdb::FSRandomAccessFile& file) {
  std::uint64_t size = 0;
  IOStatus status = GetFileSize(path, {}, &size, nullptr);
  if (!status.ok()) return status;
  const bool sound = IsTableTailSound(size, [&](std::uint64_t offset, std::size_t length) {
    std::string bytes(length, '\0');
    Slice read;
    status = file.Read(offset, length, {}, &read, bytes.data(), nullptr);
    return status.ok() && read.size() == length ? std::optional(read.ToString()) : std::nullopt;
  });
  if (sound || !status.ok()) return status;
  return IOStatus::Corruption("the end of a table is damaged");
}

IOStatus IndexFiles::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  IOStatus status = Note(target()->NewWritableFile(path, options, file, debug));
  if (status.ok()) MakePrivate(path);
  return status;
}

IOStatus IndexFiles::GetFileSize(const std::string& path, const IOOptions& options, std::uint64_t* size,
                                 IODebugContext* debug) {
  return Note(target()->GetFileSize(path, options, size, debug));
}

IOStatus IndexFiles::GetChildren(const std::string& path, const IOOptions& options, std::vector<std::string>* names,
                                 IODebugContext* debug) {
  return Note(target()->GetChildren(path, options, names, debug));
}

IOStatus IndexFiles::FileExists(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  return Note(target()->FileExists(path, options, debug));
}

IOStatus IndexFiles::LockFile(const std::string& path, const IOOptions& options, rocksdb::FileLock** lock,
                              IODebugContext* debug) {
  IOStatus status = Note(target()->LockFile(path, options, lock, debug));
  if (status.ok()) MakePrivate(path);
  return status;
}

}  // namespace turnlog
