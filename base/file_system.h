// The few file operations that the store needs, behind an interface so that tests can make each of them fail.
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

// An open file. Reads and writes name their place, so any thread may use it at any time.
class File {
 public:
  virtual ~File() = default;
  // Fills `out` as far as the file goes; fewer bytes mean its end. kCorruption: the disk has lost some of them (EIO).
  virtual Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) = 0;
  // All of `data`, or an error (and then an unknown part of it may stand there).
  virtual Status WriteAt(std::uint64_t offset, std::string_view data) = 0;
  // The contents are on disk when it returns. After an error they must be taken as lost: a second try may lie.
  virtual Status Sync() = 0;
  // Reserves [0, size) and extends the file to it; new bytes read as zero.
  virtual Status Allocate(std::uint64_t size) = 0;
  virtual Status Truncate(std::uint64_t size) = 0;
  virtual Result<std::uint64_t> Size() = 0;
};

// Held until destroyed; the operating system lets go when the process dies, however it dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// What a path names, itself: links are not followed.
enum class FileKind { kMissing, kFile, kFolder, kLink, kFifo, kSocket, kDevice };
std::string_view ToString(FileKind kind);  // "a symbolic link"

class FileSystem {
 public:
  enum class Access { kRead, kWrite, kCreateNew };

  virtual ~FileSystem() = default;
  // Regular files only: kCorruption if something else has the name, a link included. Never waits for a FIFO's other
  // end.
  virtual Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) = 0;
  virtual Status Rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  virtual Status Remove(const std::filesystem::path& path) = 0;
  virtual Status CreateDirectory(const std::filesystem::path& path) = 0;  // fine if it is there
  // Makes the creating, renaming and removing of names in a folder durable.
  virtual Status SyncDirectory(const std::filesystem::path& path) = 0;
  virtual Result<std::vector<std::string>> List(const std::filesystem::path& directory) = 0;  // names, sorted
  virtual Result<FileKind> KindOf(const std::filesystem::path& path) = 0;
  // kBusy if another process or handle has it; creates the file. Opens as Open does.
  virtual Result<std::unique_ptr<FileLock>> Lock(const std::filesystem::path& path) = 0;
};

FileSystem& PosixFileSystem();

// Files that are not the store's: links are followed, and ReadInput takes pipes and devices, too, to their end.
Result<std::unique_ptr<File>> OpenInput(const std::filesystem::path& path);
Result<std::string> ReadInput(const std::filesystem::path& path);

Result<bool> Exists(FileSystem& fs, const std::filesystem::path& path);

// A small file as a whole. WriteFile goes through a temporary name and is durable, or the old file is untouched.
Result<std::string> ReadFile(FileSystem& fs, const std::filesystem::path& path);
Status WriteFile(FileSystem& fs, const std::filesystem::path& path, std::string_view data);

}  // namespace turnlog
