#include "migrate/sources/open_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/open_input.h"
#include "base/secret_string.h"
#include "base/try.h"
#include "migrate/sources/database_lock.h"
#include "migrate/sources/descriptor.h"
#include "migrate/sources/zstd_source.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// `may_be_endless`: of devices like /dev/zero, which would fill the disk.
Result<std::unique_ptr<ByteSource>> CopyPipe(const Descriptor& pipe, bool may_be_endless, const fs::path& path) {
  auto copy = TURNLOG_TRY(OpenUnnamed(path));
  WipedVector<char> piece(std::size_t{64} << 10);
  std::size_t read = TURNLOG_TRY(pipe.ReadNext(piece));
  if (read == 0) {  // no program has opened it for writing yet, or it was empty
    const bool written = pipe.AwaitWriter();
    read = TURNLOG_TRY(pipe.ReadNext(piece));
    if (!written && read == 0) {
      return std::unexpected(Error{ErrorCode::kNotFound, "no program writes to this pipe"});
    }
  }
  if (may_be_endless && read > 0) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "is a device; pipe what it has to say"});
  }
  for (; read > 0; read = TURNLOG_TRY(pipe.ReadNext(piece))) TURNLOG_TRY(copy->Append({piece.data(), read}));
  return copy;
}

Result<std::unique_ptr<ByteSource>> OpenAsItIs(const fs::path& path, bool named) {
  constexpr int kCareful = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;
  const int fd = named ? OpenWithoutWaiting(path) : ::open(path.c_str(), kCareful);
  if (fd < 0) return FileError("open", path, errno);
  auto file = std::make_unique<Descriptor>(fd, path);
  const struct stat info = TURNLOG_TRY(file->Stat());
  if (S_ISREG(info.st_mode)) return file;
  if (!named) return std::unexpected(Error{ErrorCode::kInvalidArgument, path.string() + ": not a regular file"});
  if (S_ISDIR(info.st_mode)) return FileError("read", path, EISDIR);
  if (file->CanSeek() && S_ISBLK(info.st_mode)) return file;
  return CopyPipe(*file, S_ISCHR(info.st_mode) && !file->IsTerminal(), path);
}

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenSource(const fs::path& path, bool named) {
  auto file = TURNLOG_TRY(OpenAsItIs(path, named));
  auto plain = TURNLOG_TRY(Decompressed(std::move(file), path));
  return LockDatabase(std::move(plain), path);
}

}  // namespace turnlog
