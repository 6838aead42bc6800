#include "doctor/late_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_system.h"
#include "base/try.h"
#include "doctor/open_files.h"
#include "doctor/replace_file.h"
#include "migrate/sources/descriptor.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

struct Backup {
  fs::path path;
  std::uint64_t done = 0;                 // bytes that the file has
  std::optional<std::uint64_t> intended;  // bytes that it has if a killed run came so far
  unsigned number = 1;
  BackupUse use = BackupUse::kKept;
  struct stat info = {};

  std::uint64_t size() const { return static_cast<std::uint64_t>(info.st_size); }
};

constexpr std::string_view kUnredacted = ".unredacted";

bool TakeNumber(std::string_view& text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool TakeSign(std::string_view& text, char sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(1);
  return true;
}

fs::path NameOf(const fs::path& path, std::uint64_t done, std::optional<std::uint64_t> intended, unsigned number,
                BackupUse use) {
  std::string name = fmt::format("{}.{}", path.filename().string(), done);
  if (intended) name += fmt::format("-{}", *intended);
  if (number > 1) name += fmt::format(".{}", number);
  if (use == BackupUse::kUnredacted) name += kUnredacted;
  return path.parent_path() / name.append(kBackupSuffix);
}

// <file>.<done>[-<intended>][.<number>][.unredacted].before-doctor
std::optional<Backup> ReadName(const fs::path& path, std::string_view name) {
  const std::string prefix = path.filename().string() + ".";
  if (!name.starts_with(prefix) || !name.ends_with(kBackupSuffix)) return std::nullopt;
  if (name.size() < prefix.size() + kBackupSuffix.size()) return std::nullopt;
  std::string_view rest = name.substr(prefix.size(), name.size() - prefix.size() - kBackupSuffix.size());
  Backup backup{.path = path.parent_path() / name};
  if (rest.ends_with(kUnredacted)) {
    backup.use = BackupUse::kUnredacted;
    rest.remove_suffix(kUnredacted.size());
  }
  std::uint64_t number = 1;
  if (!TakeNumber(rest, backup.done)) return std::nullopt;
  if (TakeSign(rest, '-') && !TakeNumber(rest, backup.intended.emplace())) return std::nullopt;
  if (TakeSign(rest, '.') && !TakeNumber(rest, number)) return std::nullopt;
  backup.number = static_cast<unsigned>(number);
  if (!rest.empty() || ::lstat(backup.path.c_str(), &backup.info) != 0 || !S_ISREG(backup.info.st_mode))
    return std::nullopt;
  // Numbers that no run can have written: a name like that is another program's.
  if (backup.done > backup.size()) return std::nullopt;
  if (backup.intended && (*backup.intended < backup.done || *backup.intended > backup.size())) return std::nullopt;
  return backup;
}

Result<std::vector<Backup>> BackupsOf(const fs::path& path) {
  std::vector<Backup> backups;
  const fs::path folder = path.parent_path();
  for (const std::string& name : TURNLOG_TRY(PosixFileSystem().List(folder.empty() ? "." : folder))) {
    if (auto backup = ReadName(path, name)) backups.push_back(*std::move(backup));
  }
  return backups;
}

Status RenameBackup(Backup& backup, const fs::path& path, std::optional<std::uint64_t> intended) {
  for (unsigned number = backup.number;; ++number) {
    const fs::path name = NameOf(path, backup.done, intended, number, backup.use);
    if (name == backup.path) return {};
    if (TURNLOG_TRY(Exists(PosixFileSystem(), name))) continue;
    TURNLOG_TRY(PosixFileSystem().Rename(backup.path, name));
    backup.path = name;
    backup.number = number;
    backup.intended = intended;
    return PosixFileSystem().SyncDirectory(path.parent_path());
  }
}

// Where the line begins that `at` is in.
Result<std::uint64_t> LineBegin(File& file, std::uint64_t at) {
  constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;
  std::string piece;
  while (at > 0) {
    piece.resize(std::min(kPiece, at));
    piece.resize(TURNLOG_TRY(file.ReadAt(at - piece.size(), piece)));
    const std::size_t line_break = piece.rfind('\n');
    if (line_break != std::string::npos) return at - piece.size() + line_break + 1;
    at -= std::min<std::uint64_t>(kPiece, at);
  }
  return 0;
}

// From the beginning of the line, whose beginning may be what was mended.
Result<std::string> ReadLateBytes(const Backup& backup, std::uint64_t end) {
  const auto file = TURNLOG_TRY(PosixFileSystem().Open(backup.path, FileSystem::Access::kRead));
  const std::uint64_t begin = TURNLOG_TRY(LineBegin(*file, backup.done));
  std::string bytes(end - begin, '\0');
  bytes.resize(TURNLOG_TRY(file->ReadAt(begin, bytes)));
  return bytes;
}

Status AppendTo(const fs::path& path, std::string bytes) {
  const int fd = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return FileError("open", path, errno);
  const Descriptor file(fd, path);
  const struct stat info = TURNLOG_TRY(file.Stat());
  char last = '\n';
  if (info.st_size > 0 && ::pread(fd, &last, 1, info.st_size - 1) != 1) return FileError("read", path, errno);
  if (last != '\n') bytes.insert(0, 1, '\n');
  TURNLOG_TRY(file.Append(bytes));
  if (::fsync(fd) != 0) return FileError("sync", path, errno);
  return {};
}

// Appends the backup's bytes up to `end`, and says so in its name.
Status Carry(Backup& backup, const fs::path& path, std::uint64_t end, const OnStep& on_step) {
  TURNLOG_TRY(RenameBackup(backup, path, end));
  if (on_step) on_step("carry");
  std::string late = TURNLOG_TRY(ReadLateBytes(backup, end));
  TURNLOG_TRY(AppendTo(path, std::move(late)));
  if (on_step) on_step("carried");
  backup.done = end;
  return RenameBackup(backup, path, std::nullopt);
}

// What a killed run was about to carry over may be in the file.
Status FinishInterrupted(Backup& backup, const fs::path& path, std::uint64_t& carried, const OnStep& on_step) {
  const std::uint64_t end = *backup.intended;
  const std::string late = TURNLOG_TRY(ReadLateBytes(backup, end));
  const std::string file = TURNLOG_TRY(ReadInput(path));
  if (!file.contains(late)) {
    carried += end - backup.done;
    return Carry(backup, path, end, on_step);
  }
  backup.done = end;
  return RenameBackup(backup, path, std::nullopt);
}

}  // namespace

fs::path BackupName(const fs::path& path, std::uint64_t done, unsigned number, BackupUse use) {
  return NameOf(path, done, std::nullopt, number, use);
}

Status RemoveUnusedLinks(const fs::path& path, ino_t inode, BackupUse use) {
  for (const Backup& backup : TURNLOG_TRY(BackupsOf(path))) {
    if (backup.info.st_ino == inode && backup.use != use) TURNLOG_TRY(PosixFileSystem().Remove(backup.path));
  }
  return {};
}

Result<std::uint64_t> RemoveUnredacted(const fs::path& path) {
  std::uint64_t left = 0;
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0) return left;
  for (const Backup& backup : TURNLOG_TRY(BackupsOf(path))) {
    if (backup.use != BackupUse::kUnredacted) continue;
    const bool is_link = backup.info.st_ino == info.st_ino;
    if (!is_link && (backup.size() > backup.done || FindProcessWith(backup.info))) {
      ++left;
    } else {
      TURNLOG_TRY(PosixFileSystem().Remove(backup.path));
    }
  }
  return left;
}

std::optional<fs::path> FileOfUnredacted(const fs::path& backup) {
  fs::path file = backup;
  if (file.extension() != kBackupSuffix || file.replace_extension().extension() != kUnredacted) return std::nullopt;
  while (file.has_extension()) {
    file.replace_extension();
    if (ReadName(file, backup.filename().string())) return file;
  }
  return std::nullopt;
}

std::uint64_t CountUnredacted(const fs::path& path) {
  const auto backups = BackupsOf(path);
  return backups ? static_cast<std::uint64_t>(std::ranges::count(*backups, BackupUse::kUnredacted, &Backup::use)) : 0;
}

Result<fs::path> LatestBackup(const fs::path& path, ino_t inode) {
  const std::vector<Backup> backups = TURNLOG_TRY(BackupsOf(path));
  for (const Backup& backup : backups) {
    if (backup.info.st_ino == inode) return backup.path;
  }
  return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("{}: the backup is gone", path.string())});
}

bool TakesLateBytes(const fs::path& path) { return path.extension() == ".jsonl"; }

Result<std::uint64_t> CarryOver(const fs::path& path, const OnStep& on_step) {
  std::uint64_t carried = 0;
  if (!TakesLateBytes(path)) return carried;
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0) return FileError("look at", path, errno);
  std::vector<Backup> backups = TURNLOG_TRY(BackupsOf(path));
  for (Backup& backup : backups) {
    if (backup.info.st_ino == info.st_ino) continue;  // not replaced yet
    if (backup.intended) TURNLOG_TRY(FinishInterrupted(backup, path, carried, on_step));
    if (backup.size() <= backup.done) continue;
    carried += backup.size() - backup.done;
    TURNLOG_TRY(Carry(backup, path, backup.size(), on_step));
  }
  return carried;
}

std::uint64_t CountLateBytes(const fs::path& path) {
  std::uint64_t late = 0;
  struct stat info = {};
  const auto backups = BackupsOf(path);
  if (!backups || ::lstat(path.c_str(), &info) != 0) return 0;
  for (const Backup& backup : *backups) {
    if (backup.info.st_ino != info.st_ino && backup.size() > backup.done) late += backup.size() - backup.done;
  }
  return late;
}

}  // namespace turnlog
