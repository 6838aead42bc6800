#include "migrate/sources/database_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/try.h"
#include "migrate/sources/descriptor.h"
#include "migrate/sqlite/database.h"

namespace turnlog {
namespace {

// Of the format of SQLite's files: sqlite.org/fileformat2.html, sqlite.org/walformat.html.
constexpr std::size_t kReadVersion = 19;
constexpr char kUsesLog = 2;
// Bytes of the database that readers lock, and of the index of its log (-shm): a lock on the second keeps other
// processes from moving the log into the database, one on the third from beginning the log again.
constexpr off_t kPending = 0x40000000, kReserved = kPending + 1, kShared = kPending + 2, kSharedBytes = 510,
                kCheckpoint = 121, kReader = 124;

class LockedDatabase final : public ByteSource {
 public:
  LockedDatabase(std::unique_ptr<ByteSource> bytes, int fd) : bytes_(std::move(bytes)), fd_(fd) {}
  ~LockedDatabase() override {
    if (fd_ >= 0) ::close(fd_);
  }
  LockedDatabase(const LockedDatabase&) = delete;
  LockedDatabase& operator=(const LockedDatabase&) = delete;

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override { return bytes_->ReadAt(offset, out); }
  bool is_raw() const override { return bytes_->is_raw(); }
  std::string damage() const override { return bytes_->damage(); }

  bool LockForReading(bool uses_log) {
    if (fd_ < 0) return true;  // no process has the log open
    if (uses_log) return Lock(F_RDLCK, kCheckpoint, 1) && Lock(F_RDLCK, kReader, 1);
    return Lock(F_RDLCK, kPending, 1) && Lock(F_RDLCK, kShared, kSharedBytes) && Lock(F_UNLCK, kPending, 1);
  }

 private:
  // Of this open file, so that closing another one of this process does not end it.
  bool Lock(int type, off_t begin, off_t size) const {
    struct flock lock = {};
    lock.l_type = static_cast<short>(type);
    lock.l_whence = SEEK_SET;
    lock.l_start = begin;
    lock.l_len = size;
    return ::fcntl(fd_, F_OFD_SETLK, &lock) == 0;
  }

  std::unique_ptr<ByteSource> bytes_;
  int fd_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> LockDatabase(std::unique_ptr<ByteSource> bytes, const std::filesystem::path& path) {
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kPause(20);
  std::array<char, kReadVersion + 1> head{};
  const std::size_t read = TURNLOG_TRY(bytes->ReadAt(0, head));
  if (read < head.size() || !std::string_view(head.data(), head.size()).starts_with(kSqliteMagic)) return bytes;
  const bool uses_log = head[kReadVersion] == kUsesLog;
  const std::string locked = path.string() + (uses_log ? "-shm" : "");
  auto database = std::make_unique<LockedDatabase>(std::move(bytes), ::open(locked.c_str(), O_RDONLY | O_CLOEXEC));
  for (int tries = 0; !database->LockForReading(uses_log); ++tries) {
    if (tries == kTries) {
      return std::unexpected(Error{ErrorCode::kBusy, "locked by another process"});
    }
    std::this_thread::sleep_for(kPause);
  }
  return database;
}

bool HasWriter(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC), path);
  struct flock lock = {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kReserved;
  lock.l_len = 1;
  return ::fcntl(file.fd(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace turnlog
