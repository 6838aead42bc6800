#include "migrate/sources/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "migrate/sources/database_lock.h"
#include "migrate/sources/open_source.h"
#include "migrate/sources/zstd_source.h"

namespace turnlog {
namespace {

// A file that others have open, too.
class SharedFile final : public ByteSource {
 public:
  explicit SharedFile(std::shared_ptr<Descriptor> file) : file_(std::move(file)) {}
  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override { return file_->ReadAt(offset, out); }

 private:
  const std::shared_ptr<Descriptor> file_;
};

bool IsNamed(const Descriptor& file) {
  const auto info = file.Stat();
  const auto named = StampOf(file.path(), false);
  return info && named && StampOf(*info).IsSameFile(*named);
}

}  // namespace

Status SourceFile::Open() {
  if (bytes_) return {};
  if (!open_) {
    bytes_ = TURNLOG_TRY(OpenSource(path_, named_));
    return {};
  }
  std::unique_ptr<ByteSource> bytes = TURNLOG_TRY(Decompressed(std::make_unique<SharedFile>(open_), path_));
  // What other programs lock is the file that has the name now.
  if (HasItsName()) bytes = TURNLOG_TRY(LockDatabase(std::move(bytes), path_));
  bytes_ = std::move(bytes);
  return {};
}

Result<std::size_t> SourceFile::ReadAt(std::uint64_t offset, std::span<char> out) {
  TURNLOG_TRY(Open());
  if (offset >= end_) return 0;
  const std::size_t wanted = std::min<std::uint64_t>(out.size(), end_ - offset);
  const std::size_t read = TURNLOG_TRY(bytes_->ReadAt(offset, out.first(wanted)));
  if (read < wanted) end_ = offset + read;
  bytes_read_ += read;
  const std::uint64_t digested = digest_.size();
  if (offset <= digested && digested < offset + read) {
    digest_.Add(std::string_view(out.data(), read).substr(digested - offset));
  }
  if (close_after_reads_) bytes_.reset();
  return read;
}

Result<std::optional<FileStamp>> SourceFile::Stamp() const {
  if (path_.empty() || is_in_memory_) return std::nullopt;
  if (open_) return StampOf(TURNLOG_TRY(open_->Stat()));
  return TURNLOG_TRY(StampOf(path_, named_));
}

bool SourceFile::HasItsName() const { return !is_in_memory_ && (!open_ || IsNamed(*open_)); }

Status SourceFile::DigestUpTo(std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;
  std::string piece;
  while (digest_.size() < bytes) {
    piece.resize(std::min(kPiece, bytes - digest_.size()));
    const std::uint64_t read = TURNLOG_TRY(ReadAt(digest_.size(), piece));
    if (read < piece.size()) break;
  }
  return {};
}

void SourceFile::Reopen() {
  if (is_in_memory_ || open_) return;
  bytes_.reset();
  digest_ = {};
  end_ = UINT64_MAX;
}

// A byte source has no size, because a compressed one does not know it: looks where there are bytes.
Result<std::uint64_t> SourceFile::FindSize() {
  constexpr std::uint64_t kFirst = std::uint64_t{64} << 10;
  TURNLOG_TRY(Open());
  if (end_ != UINT64_MAX) return end_;
  char byte = 0;
  std::uint64_t low = 0, high = kFirst;  // before `low` are bytes, at `high` is none
  while (TURNLOG_TRY(bytes_->ReadAt(high, {&byte, 1})) != 0) low = std::exchange(high, high * 2) + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const bool exists = TURNLOG_TRY(bytes_->ReadAt(middle, {&byte, 1})) != 0;
    (exists ? low : high) = exists ? middle + 1 : middle;
  }
  return end_ = low;
}

Result<std::string> SourceFile::Head(std::size_t bytes) {
  std::string head(bytes, '\0');
  head.resize(TURNLOG_TRY(ReadAt(0, head)));
  return head;
}

Result<std::string> SourceFile::ReadAll() {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::string all;
  for (;;) {
    const std::size_t had = all.size();
    const std::size_t piece = std::max(kPiece, had);
    all.resize(had + piece);
    const std::size_t read = TURNLOG_TRY(ReadAt(had, std::span(all).subspan(had)));
    all.resize(had + read);
    if (all.size() > kMaxEventBytes) {
      return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{}: too large", path_.string())});
    }
    if (read < piece) return all;
  }
}

SourceFile* Source::Find(std::string_view file) {
  const auto found = std::ranges::find(files, file, &SourceFile::name);
  return found == files.end() ? nullptr : &*found;
}

std::string NameOf(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(path, ignored).lexically_normal();
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

Result<std::string> Fingerprint(Source& source) {
  std::string parts = fmt::format("{}\n{}\n", source.folder, source.name);
  for (SourceFile& file : source.files) {
    TURNLOG_TRY(file.DigestUpTo(UINT64_MAX));
    parts += fmt::format("{}\n{} {:016x}\n\n", file.name(), file.digest().size(), file.digest().Value());
  }
  const Hash128 hash = HashId(parts, 0);
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

}  // namespace turnlog
