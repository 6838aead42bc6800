#include "sanitize/file_search.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "base/file_system.h"
#include "base/secret_string.h"
#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;
// A value grows by so much at most when it is escaped four times over and then encoded in base64 twice, and then some.
constexpr std::size_t kGrowth = 32;
constexpr std::size_t kAround = std::size_t{64} << 10;

// Most of the room that is kept for a log's next events.
bool IsZero(std::span<const char> bytes) {
  return bytes.empty() || (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace

Result<FileFinds> SearchFile(const std::filesystem::path& path, const EchoFinder& finder, std::size_t longest,
                             const std::function<void(std::uint64_t)>& on_bytes) {
  const auto file = TURNLOG_TRY(PosixFileSystem().Open(path, FileSystem::Access::kRead));
  const std::size_t around = std::max(kAround, kGrowth * longest);
  const std::size_t step = std::max(kPiece, around);
  FileFinds finds;
  std::optional<std::uint64_t> end;  // of the last find
  SecretString buffer;
  for (std::uint64_t at = 0;; at += step) {
    const std::uint64_t begin = at - std::min<std::uint64_t>(at, around);
    const std::span<char> room = buffer.Resize(at - begin + step + around);
    const std::size_t size = TURNLOG_TRY(file->ReadAt(begin, room));
    if (begin + size <= at && at > 0) return finds;
    const std::span<const char> piece = room.first(size);
    finds.bytes = begin + size;
    for (const TextSpan& span : IsZero(piece) ? std::vector<TextSpan>() : finder.Find({piece.data(), piece.size()})) {
      // Found from both sides of a border it is one.
      if (!end || begin + span.begin > *end) finds.offsets.push_back(begin + span.begin);
      end = std::max(end.value_or(0), begin + span.end);
    }
    on_bytes(std::min<std::uint64_t>(begin + size, at + step));
    if (size < room.size()) return finds;
  }
}

}  // namespace turnlog
