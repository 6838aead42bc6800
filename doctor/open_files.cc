#include "doctor/open_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

bool HasOpen(const std::string& process, const struct stat& file) {
  const Folder folder(::opendir(("/proc/" + process + "/fd").c_str()));
  if (folder == nullptr) return false;
  while (const dirent* entry = ::readdir(folder.get())) {
    struct stat info = {};
    if (::fstatat(::dirfd(folder.get()), entry->d_name, &info, 0) != 0) continue;
    if (info.st_dev == file.st_dev && info.st_ino == file.st_ino) return true;
  }
  return false;
}

Status CheckFileIdle(const std::string& path, std::uint64_t idle_seconds) {
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0) return {};
  if (!S_ISREG(info.st_mode)) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{}: not a regular file", path)});
  }
  auto busy = WhyBusy(info, idle_seconds);
  return busy ? std::unexpected(Error{ErrorCode::kBusy, *std::move(busy)}) : Status();
}

}  // namespace

std::optional<int> FindProcessWith(const struct stat& file) {
  const Folder folder(::opendir("/proc"));
  if (folder == nullptr) return std::nullopt;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    int process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc() || end != name.data() + name.size() || process == ::getpid()) continue;
    if (HasOpen(name, file)) return process;
  }
  return std::nullopt;
}

std::optional<std::string> WhyBusy(const struct stat& file, std::uint64_t idle_seconds) {
  if (const auto process = FindProcessWith(file)) return fmt::format("process {} has it open", *process);
  timespec clock = {};
  (void)::clock_gettime(CLOCK_REALTIME, &clock);
  const auto age = clock.tv_sec - file.st_mtim.tv_sec;
  if (age < static_cast<std::int64_t>(idle_seconds)) return fmt::format("it was written {} s ago", age);
  return std::nullopt;
}

Status CheckIdle(const std::filesystem::path& database, std::uint64_t idle_seconds) {
  TURNLOG_TRY(CheckFileIdle(database, idle_seconds));
  for (const std::string_view log : kDatabaseLogs) {
    TURNLOG_TRY(CheckFileIdle(database.string() + std::string(log), idle_seconds));
  }
  return {};
}

}  // namespace turnlog
