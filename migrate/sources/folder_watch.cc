#include "migrate/sources/folder_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/try.h"
#include "migrate/sources/descriptor.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// What could not be read may be so when its attributes have changed.
constexpr std::uint32_t kEvents = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
                                  IN_ATTRIB | IN_ONLYDIR | IN_EXCL_UNLINK;

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

fs::path FolderAround(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

}  // namespace

Result<std::unique_ptr<FolderWatch>> FolderWatch::Open() {
  const int fd = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (fd < 0) return FileError("watch", "folders", errno);
  return std::unique_ptr<FolderWatch>(new FolderWatch(fd));
}

FolderWatch::~FolderWatch() { ::close(fd_); }

Status FolderWatch::Add(const fs::path& path) {
  const fs::path folder = IsFolder(path) ? path : FolderAround(path);
  if (::faccessat(AT_FDCWD, folder.c_str(), R_OK, AT_EACCESS) != 0 && errno == EACCES) {
    return FileError("watch", folder, errno);
  }
  return AddIfReadable(path);
}

Status FolderWatch::AddIfReadable(const fs::path& path) {
  const fs::path around = FolderAround(path);
  if (!IsFolder(around) && around != path) TURNLOG_TRY(AddIfReadable(around));
  TURNLOG_TRY(AddFolder(around, path.filename().string()));
  return IsFolder(path) ? AddTree(path, nullptr) : Status();
}

// What is in a new folder may have been written before it was watched.
Status FolderWatch::AddTree(const fs::path& folder, Changes* changes) {
  TURNLOG_TRY(AddFolder(folder, {}));
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    const fs::file_type type = entry.symlink_status(ignored).type();
    if (type == fs::file_type::directory) TURNLOG_TRY(AddTree(entry.path(), changes));
    if (type == fs::file_type::regular && changes != nullptr) changes->paths.insert(entry.path());
  }
  return {};
}

Status FolderWatch::AddFolder(const fs::path& folder, const std::string& only) {
  const int number = ::inotify_add_watch(fd_, folder.c_str(), kEvents);
  // Removed or replaced meanwhile, or its files are a secret.
  const bool left_out = number < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES);
  if (left_out) return {};
  if (number < 0) return FileError("watch", folder, errno);
  const auto [entry, added] = watched_.try_emplace(number);
  entry->second.folder = folder;  // it may have been renamed
  const bool all = only.empty() || (!added && entry->second.only.empty());
  if (all) {
    entry->second.only.clear();
  } else {
    entry->second.only.insert(only);
  }
  return {};
}

Result<FolderWatch::Changes> FolderWatch::Wait(int stop, std::optional<std::chrono::steady_clock::time_point> until) {
  Changes changes;
  while (changes.paths.empty() && !changes.lost && !changes.stopped) {
    int milliseconds = -1;
    if (until) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now());
      milliseconds = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    std::array<pollfd, 2> wanted{pollfd{fd_, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
    const int ready = ::poll(wanted.data(), wanted.size(), milliseconds);
    if (ready == 0) break;
    if (ready < 0 && errno != EINTR) return FileError("wait for changes of", "folders", errno);
    if (ready < 0) continue;
    if (wanted[0].revents != 0) TURNLOG_TRY(ReadChanges(changes));
    changes.stopped = wanted[1].revents != 0;
  }
  return changes;
}

Status FolderWatch::ReadChanges(Changes& changes) {
  alignas(inotify_event) std::array<char, std::size_t{64} << 10> buffer;
  for (;;) {
    const ssize_t size = ::read(fd_, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return {};
    if (size < 0) return FileError("read changes of", "folders", errno);
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const std::string name = event.len > 0 ? std::string(buffer.data() + at + sizeof event) : std::string();
      at += sizeof event + event.len;
      changes.lost |= (event.mask & IN_Q_OVERFLOW) != 0;
      const auto watched = watched_.find(event.wd);
      if (watched == watched_.end()) continue;
      if ((event.mask & IN_IGNORED) != 0) {
        watched_.erase(watched);
        continue;
      }
      const auto& [folder, only] = watched->second;
      if (name.empty() || (!only.empty() && !only.contains(name))) continue;
      const fs::path path = folder / name;
      const bool is_folder = (event.mask & IN_ISDIR) != 0;
      if (!is_folder) changes.paths.insert(path);
      if (is_folder && (event.mask & (IN_CREATE | IN_MOVED_TO | IN_ATTRIB)) != 0) TURNLOG_TRY(AddTree(path, &changes));
    }
  }
}

}  // namespace turnlog
