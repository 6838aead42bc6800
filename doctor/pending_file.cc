#include "doctor/pending_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/file_system.h"
#include "migrate/sources/descriptor.h"

namespace turnlog {

PendingFile::PendingFile(PendingFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, std::filesystem::path())) {}

PendingFile::~PendingFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<PendingFile> PendingFile::Create(const std::filesystem::path& path) {
  // One that a killed process has left is replaced.
  std::filesystem::path temporary = path.parent_path() / fmt::format(".{}.new", path.filename().string());
  (void)::unlink(temporary.c_str());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return FileError("create", temporary, errno);
  return PendingFile(fd, path, std::move(temporary));
}

Status PendingFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError("write", temporary_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status PendingFile::Complete(const struct stat& like) {
  if (::fchmod(fd_, like.st_mode & 07777) != 0) return FileError("set the permissions of", temporary_, errno);
  if (::geteuid() == 0 && ::fchown(fd_, like.st_uid, like.st_gid) != 0) {
    return FileError("set the owner of", temporary_, errno);
  }
  const std::array<timespec, 2> times{like.st_atim, like.st_mtim};
  if (::futimens(fd_, times.data()) != 0) return FileError("set the time of", temporary_, errno);
  if (::fsync(fd_) != 0) return FileError("sync", temporary_, errno);
  return {};
}

Status PendingFile::Rename() {
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return FileError("rename", temporary_, errno);
  temporary_.clear();
  return PosixFileSystem().SyncDirectory(path_.parent_path());
}

}  // namespace turnlog
