// The file operations that the store needs, as an interface so that tests can make each of them fail.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/result.h"

namespace turnlog {

// An open file. Reads and writes take an offset, so any thread may use it at any time.
class File {
 public:
  virtual ~File() = default;
  // Fills `out` up to the end of the file. kCorruption: the disk cannot read some of the bytes (EIO).
  virtual Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) = 0;
  // Writes all of `data`, or fails after writing an unknown part of it.
  virtual Status WriteAt(std::uint64_t offset, std::string_view data) = 0;
  // The contents are on disk when it returns. After an error they are lost: a retry may succeed without writing them.
  virtual Status Sync() = 0;
  // Reserves [0, size) and extends the file to it; new bytes read as zero.
  virtual Status Allocate(std::uint64_t size) = 0;
  virtual Status Truncate(std::uint64_t size) = 0;
  virtual Result<std::uint64_t> Size() = 0;
};

// Held until destroyed; the operating system releases it when the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// The kind of a path itself: links are not followed.
enum class FileKind { kMissing, kFile, kFolder, kLink, kFifo, kSocket, kDevice };
std::string_view ToString(FileKind kind);  // "a symbolic link"

class FileSystem {
 public:
  enum class Access { kRead, kWrite, kCreateNew };

  virtual ~FileSystem() = default;
  // Regular files only: kCorruption if the path is anything else, a link included. Never blocks on a
  // FIFO.
  virtual Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) = 0;
  virtual Status Rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  virtual Status Remove(const std::filesystem::path& path) = 0;
  virtual Status CreateDirectory(const std::filesystem::path& path) = 0;  // succeeds if it exists
  // Makes created, renamed and removed names in a folder durable.
  virtual Status SyncDirectory(const std::filesystem::path& path) = 0;
  virtual Result<std::vector<std::string>> List(const std::filesystem::path& directory) = 0;  // names, sorted
  virtual Result<FileKind> KindOf(const std::filesystem::path& path) = 0;
  // kBusy if another process or handle has the lock; creates the file. Opens it as Open does.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::filesystem::path& path) = 0;
};

FileSystem& PosixFileSystem();

// For the user's files: links are followed, and ReadInput also reads pipes and devices to their end.
Result<std::unique_ptr<File>> OpenInput(const std::filesystem::path& path);
Result<std::string> ReadInput(const std::filesystem::path& path);

Result<bool> Exists(FileSystem& fs, const std::filesystem::path& path);

// Creates a folder with those around it. What is in them is its owner's alone, whatever the umask says; a folder that
// exists keeps its permissions.
Status MakePrivateFolders(const std::filesystem::path& path);

// Read or write a whole small file. WriteFile uses a temporary name: the new file is durable, or the old one untouched.
Result<std::string> ReadFile(FileSystem& fs, const std::filesystem::path& path);
Status WriteFile(FileSystem& fs, const std::filesystem::path& path, std::string_view data);

}  // namespace turnlog
