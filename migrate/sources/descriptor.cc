#include "migrate/sources/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "base/errno_text.h"
#include "base/try.h"

namespace turnlog {

namespace fs = std::filesystem;

std::unexpected<Error> FileError(std::string_view what, const fs::path& path, int error) {
  const ErrorCode code = error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return std::unexpected(Error{code, fmt::format("cannot {} {}: {}", what, path.string(), ErrnoText(error))});
}

Descriptor::~Descriptor() { ::close(fd_); }

Result<std::size_t> Descriptor::ReadAt(std::uint64_t offset, std::span<char> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError("read", path_, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

Result<std::size_t> Descriptor::ReadNext(std::span<char> out) const {
  for (;;) {
    const ssize_t n = ::read(fd_, out.data(), out.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError("read", path_, errno);
    return static_cast<std::size_t>(n);
  }
}

bool Descriptor::AwaitWriter() const {
  constexpr int kMilliseconds = 5'000;
  pollfd pipe{.fd = fd_, .events = POLLIN, .revents = 0};
  return ::poll(&pipe, 1, kMilliseconds) > 0;
}

Status Descriptor::Append(std::string_view data) const {
  while (!data.empty()) {
    const ssize_t n = ::write(fd_, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError("write a copy of", path_, errno);
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

bool Descriptor::CanSeek() const { return ::lseek(fd_, 0, SEEK_CUR) >= 0; }

bool Descriptor::IsTerminal() const { return ::isatty(fd_) == 1; }

Result<struct stat> Descriptor::Stat() const {
  struct stat info = {};
  if (::fstat(fd_, &info) != 0) return FileError("look at", path_, errno);
  return info;
}

Result<std::unique_ptr<Descriptor>> OpenUnnamed(const fs::path& source) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) {
    const char* const named = std::getenv("TMPDIR");
    return FileError("make a copy of " + source.string() + " in TMPDIR", named == nullptr ? "" : named, error.value());
  }
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {  // not supported by every file system
    std::string name = (folder / "turnlog-import-XXXXXX").string();
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) ::unlink(name.c_str());
  }
  if (fd < 0) return FileError("make a copy of", source, errno);
  return std::make_unique<Descriptor>(fd, source);
}

}  // namespace turnlog
