// What the file system says of a file, to see without reading it that it has not changed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "turnlog/result.h"

namespace turnlog {

// Of a link itself.
std::filesystem::file_type TypeOf(const std::filesystem::path& path);
// Also if it may not be looked at.
bool IsThere(const std::filesystem::path& path);

struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modified = 0, changed = 0;  // nanoseconds since 1970
  // Whether a later change must have another time: it is not when the clock of the file system may still show the same.
  bool settled = false;

  bool IsSameFile(const FileStamp& other) const { return device == other.device && inode == other.inode; }
};

// `follow`: of the file that a link leads to.
Result<FileStamp> StampOf(const std::filesystem::path& path, bool follow);

// The same of a file's `stat`.
FileStamp StampOf(const struct stat& info);

// Appends all of it but `settled`.
void AppendStamp(const FileStamp& stamp, std::string& out);

}  // namespace turnlog
