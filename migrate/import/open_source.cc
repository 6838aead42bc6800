#include "migrate/import/open_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errno_text.h"
#include "base/try.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> Failed(std::string_view what, const fs::path& path, int error = errno) {
  const ErrorCode code = error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return std::unexpected(
      Error{code, fmt::format("cannot {} {}: {}", what, path.string(), ErrnoText(error))});
}

class Descriptor final : public ByteSource {
 public:
  Descriptor(int fd, fs::path path) : fd_(fd), path_(std::move(path)) {}
  ~Descriptor() override { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t n = ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Failed("read", path_);
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  // Reads the next bytes of a file without offsets; 0 at the end.
  Result<std::size_t> ReadNext(std::span<char> out) const {
    for (;;) {
      const ssize_t n = ::read(fd_, out.data(), out.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Failed("read", path_);
      return static_cast<std::size_t>(n);
    }
  }

  Status Append(std::string_view data) const {
    while (!data.empty()) {
      const ssize_t n = ::write(fd_, data.data(), data.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return Failed("write a copy of", path_);
      data.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
  }

  bool CanSeek() const { return ::lseek(fd_, 0, SEEK_CUR) >= 0; }

  Result<struct stat> Stat() const {
    struct stat info = {};
    if (::fstat(fd_, &info) != 0) return Failed("look at", path_);
    return info;
  }

 private:
  int fd_;
  fs::path path_;
};

// No other process can open it, and it disappears with this process.
Result<std::unique_ptr<Descriptor>> OpenUnnamed(const fs::path& source) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) return Failed("find a folder for a copy of", source, error.value());
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {  // not supported by every file system
    std::string name = (folder / "turnlog-import-XXXXXX").string();
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) ::unlink(name.c_str());
  }
  if (fd < 0) return Failed("make a copy of", source);
  return std::make_unique<Descriptor>(fd, source);
}

Result<std::unique_ptr<ByteSource>> CopyPipe(const Descriptor& pipe, const fs::path& path) {
  auto copy = TURNLOG_TRY(OpenUnnamed(path));
  std::vector<char> piece(std::size_t{64} << 10);
  while (const std::size_t read = TURNLOG_TRY(pipe.ReadNext(piece))) {
    TURNLOG_TRY(copy->Append({piece.data(), read}));
  }
  return copy;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenSource(const fs::path& path, bool named) {
  const int careful = named ? 0 : O_NOFOLLOW | O_NONBLOCK;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | careful);
  if (fd < 0) return Failed("open", path);
  auto file = std::make_unique<Descriptor>(fd, path);
  const struct stat info = TURNLOG_TRY(file->Stat());
  if (S_ISREG(info.st_mode)) return file;
  if (!named) return std::unexpected(Error{ErrorCode::kInvalidArgument, path.string() + ": not a regular file"});
  if (S_ISDIR(info.st_mode)) return Failed("read", path, EISDIR);
  if (file->CanSeek() && S_ISBLK(info.st_mode)) return file;
  return CopyPipe(*file, path);
}

}  // namespace turnlog
