#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/errno_text.h"
#include "base/file_system.h"
#include "base/open_input.h"
#include "base/secret_string.h"
#include "base/try.h"

namespace turnlog {
namespace {

std::unexpected<Error> Failed(std::string_view what, const std::filesystem::path& path, int error = errno) {
  const ErrorCode code = error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return std::unexpected(Error{code, fmt::format("cannot {} {}: {}", what, path.string(), ErrnoText(error))});
}

FileKind KindOf(const struct stat& info) {
  if (S_ISREG(info.st_mode)) return FileKind::kFile;
  if (S_ISDIR(info.st_mode)) return FileKind::kFolder;
  if (S_ISLNK(info.st_mode)) return FileKind::kLink;
  if (S_ISFIFO(info.st_mode)) return FileKind::kFifo;
  return S_ISSOCK(info.st_mode) ? FileKind::kSocket : FileKind::kDevice;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// In a folder that others may write to, another user's file would show them what is written. Root gives files away, and
// file systems without owners may show its name.
bool MayWriteTo(const struct stat& info) {
  const uid_t user = ::geteuid();
  return user == 0 || info.st_uid == user || info.st_uid == 0;
}

// Opens a FIFO without blocking and does not follow links; both are refused.
Result<int> OpenRegular(const std::filesystem::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
  const int error = errno;
  struct stat info = {};
  const bool known = (fd >= 0 ? ::fstat(fd, &info) : ::lstat(path.c_str(), &info)) == 0;
  if (known && !S_ISREG(info.st_mode)) {
    if (fd >= 0) ::close(fd);
    return std::unexpected(Error{ErrorCode::kCorruption,
                                 fmt::format("{} is {}, not a regular file", path.string(), ToString(KindOf(info)))});
  }
  if (fd < 0) return Failed((flags & O_EXCL) != 0 ? "create" : "open", path, error);
  if ((flags & O_RDWR) != 0 && !MayWriteTo(info)) {
    ::close(fd);
    return std::unexpected(Error{ErrorCode::kInvalidArgument, path.string() + " belongs to another user"});
  }
  return fd;
}

class PosixFile : public File {
 public:
  PosixFile(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t n = ::pread(fd_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EIO) {
        return std::unexpected(Error{ErrorCode::kCorruption, Failed("read", path_).error().message});
      }
      if (n < 0) return Failed("read", path_);
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  Status WriteAt(std::uint64_t offset, std::string_view data) override {
    while (!data.empty()) {
      const ssize_t n = ::pwrite(fd_.get(), data.data(), data.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Failed("write", path_);
      data.remove_prefix(static_cast<std::size_t>(n));
      offset += static_cast<std::uint64_t>(n);
    }
    return {};
  }

  Status Sync() override {
    if (::fdatasync(fd_.get()) != 0) return Failed("sync", path_);
    return {};
  }

  Status Allocate(std::uint64_t size) override {
    if (const int error = ::posix_fallocate(fd_.get(), 0, static_cast<off_t>(size)); error != 0) {
      return Failed("reserve space for", path_, error);
    }
    return {};
  }

  Status Truncate(std::uint64_t size) override {
    if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) return Failed("truncate", path_);
    return {};
  }

  Result<std::uint64_t> Size() override {
    struct stat info = {};
    if (::fstat(fd_.get(), &info) != 0) return Failed("look at", path_);
    return static_cast<std::uint64_t>(info.st_size);
  }

 private:
  Descriptor fd_;
  std::filesystem::path path_;
};

class PosixFileLock : public FileLock {
 public:
  explicit PosixFileLock(int fd) : fd_(fd) {}

 private:
  Descriptor fd_;
};

class PosixFiles : public FileSystem {
 public:
  Result<std::unique_ptr<File>> Open(const std::filesystem::path& path, Access access) override {
    int flags = O_RDONLY;
    if (access == Access::kWrite) flags = O_RDWR;
    if (access == Access::kCreateNew) flags = O_RDWR | O_CREAT | O_EXCL;
    return std::make_unique<PosixFile>(TURNLOG_TRY(OpenRegular(path, flags)), path);
  }

  Status Rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return Failed("rename", from);
    return {};
  }

  Status Remove(const std::filesystem::path& path) override {
    if (::unlink(path.c_str()) != 0) return Failed("remove", path);
    return {};
  }

  Status CreateDirectory(const std::filesystem::path& path) override {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return Failed("create folder", path);
    return {};
  }

  Status SyncDirectory(const std::filesystem::path& path) override {
    const Descriptor fd(::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return Failed("open folder", path);
    if (::fsync(fd.get()) != 0) return Failed("sync folder", path);
    return {};
  }

  Result<std::vector<std::string>> List(const std::filesystem::path& directory) override {
    DIR* handle = ::opendir(directory.c_str());
    if (handle == nullptr) return Failed("list folder", directory);
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(handle)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    ::closedir(handle);
    std::ranges::sort(names);
    return names;
  }

  Result<FileKind> KindOf(const std::filesystem::path& path) override {
    struct stat info = {};
    if (::lstat(path.c_str(), &info) == 0) return turnlog::KindOf(info);
    if (errno == ENOENT || errno == ENOTDIR) return FileKind::kMissing;
    return Failed("look at", path);
  }

  Result<std::unique_ptr<FileLock>> Lock(const std::filesystem::path& path) override {
    const int fd = TURNLOG_TRY(OpenRegular(path, O_RDWR | O_CREAT));
    auto lock = std::make_unique<PosixFileLock>(fd);
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) return Failed("lock", path);
    return std::unexpected(Error{ErrorCode::kBusy, fmt::format("{} is held by another process", path.string())});
  }
};

}  // namespace

FileSystem& PosixFileSystem() {
  static PosixFiles files;
  return files;
}

Result<std::unique_ptr<File>> OpenInput(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return Failed("open", path);
  return std::make_unique<PosixFile>(fd, path);
}

int OpenWithoutWaiting(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return fd;
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0) (void)::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
  return fd;
}

Result<std::string> ReadInput(const std::filesystem::path& path) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  const Descriptor fd(OpenWithoutWaiting(path));
  if (fd.get() < 0) return Failed("open", path);
  SecretString data;  // it may contain secrets: no copies are left while it grows
  for (std::size_t size = 0;;) {
    const std::span<char> room = data.Resize(size + kPiece).subspan(size);
    const ssize_t n = ::read(fd.get(), room.data(), room.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read", path);
    if (n == 0) return std::string(data.view().substr(0, size));
    size += static_cast<std::size_t>(n);
  }
}

}  // namespace turnlog
