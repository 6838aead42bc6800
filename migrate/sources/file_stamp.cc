#include "migrate/sources/file_stamp.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/coding.h"
#include "migrate/sources/descriptor.h"

namespace turnlog {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// A tick of the kernel's clock is at most 10 ms; file systems without nanoseconds count in up to two seconds.
constexpr std::int64_t kFineTick = kSecond / 50, kCoarseTick = 2 * kSecond;

std::int64_t Nanos(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

}  // namespace

std::filesystem::file_type TypeOf(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::symlink_status(path, ignored).type();
}

bool IsThere(const std::filesystem::path& path) { return TypeOf(path) != std::filesystem::file_type::not_found; }

Result<FileStamp> StampOf(const std::filesystem::path& path, bool follow) {
  struct stat info = {};
  if ((follow ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info)) != 0) {
    return FileError("look at", path, errno);
  }
  return StampOf(info);
}

FileStamp StampOf(const struct stat& info) {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  FileStamp stamp{.device = info.st_dev,
                  .inode = info.st_ino,
                  .size = static_cast<std::uint64_t>(info.st_size),
                  .modified = Nanos(info.st_mtim),
                  .changed = Nanos(info.st_ctim)};
  const std::int64_t tick = stamp.changed % kSecond == 0 ? kCoarseTick : kFineTick;
  const bool has_stamp = S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
  // The time of the last write may be any that a program has given to the file, also a later one than now.
  const auto is_past = [&](std::int64_t time) { return time + tick < Nanos(now); };
  stamp.settled = has_stamp && is_past(stamp.changed) && (is_past(stamp.modified) || stamp.modified > Nanos(now));
  return stamp;
}

void AppendStamp(const FileStamp& stamp, std::string& out) {
  AppendVarint(out, stamp.device);
  AppendVarint(out, stamp.inode);
  AppendVarint(out, stamp.size);
  AppendVarint(out, ZigZag(stamp.modified));
  AppendVarint(out, ZigZag(stamp.changed));
}

}  // namespace turnlog
