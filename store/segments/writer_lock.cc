#include "store/segments/writer_lock.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "base/try.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

std::string DescribeHolder(std::string_view holder) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  return fmt::format("process {}{}{}{} on {} since {}", ::getpid(), holder.empty() ? "" : " (", holder,
                     holder.empty() ? "" : ")", host.data(), Timestamp{now / std::chrono::nanoseconds{1}}.ToRfc3339());
}

}  // namespace

Result<std::unique_ptr<FileLock>> AcquireWriterLock(FileSystem& files, const std::filesystem::path& path,
                                                    std::string_view holder) {
  auto lock = files.Lock(path);
  if (!lock && lock.error().code == ErrorCode::kBusy) {
    const auto text = ReadFile(files, path);
    return std::unexpected(
        Error{ErrorCode::kBusy, fmt::format("the store is locked for writing by {}",
                                            text && !text->empty() ? *text : std::string("an unknown process"))});
  }
  if (!lock) return lock;
  const auto file = TURNLOG_TRY(files.Open(path, FileSystem::Access::kWrite));
  TURNLOG_TRY(file->Truncate(0));
  TURNLOG_TRY(file->WriteAt(0, DescribeHolder(holder)));
  return lock;
}

}  // namespace turnlog
