#include "bench/peers/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "bench/engine.h"

namespace turnlog {

AppendFile::AppendFile(std::filesystem::path path)
    : path_(std::move(path)),
      fd_(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)),
      commit_([this](std::string& bytes, bool sync) { Write(bytes, sync); }) {
  if (fd_ < 0) Fail("cannot open " + path_.string());
}

AppendFile::~AppendFile() { ::close(fd_); }

void AppendFile::Write(std::string& bytes, bool sync) {
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n < 0) Fail("cannot write " + path_.string());
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  bytes.clear();
  if (sync) Sync();
}

void AppendFile::Sync() {
  if (::fdatasync(fd_) != 0) Fail("cannot sync " + path_.string());
}

void AppendFile::ReadAll(std::size_t window_bytes, std::size_t slack, const TakeFn& take) const {
  std::vector<char> buffer(window_bytes + slack);
  std::size_t have = 0;
  for (off_t offset = 0;;) {
    const ssize_t n = ::pread(fd_, buffer.data() + have, window_bytes - have, offset);
    if (n < 0) Fail("cannot read " + path_.string());
    offset += n;
    have += static_cast<std::size_t>(n);
    const std::size_t taken = have == 0 ? 0 : take({buffer.data(), have});
    if (taken == 0 && n == 0) return;
    if (taken == 0 && have == window_bytes) buffer.resize((window_bytes *= 2) + slack);
    have -= taken;
    std::memmove(buffer.data(), buffer.data() + taken, have);
  }
}

}  // namespace turnlog
