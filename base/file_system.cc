#include "base/file_system.h"

#include <fmt/format.h>

#include <system_error>

#include "base/try.h"

namespace turnlog {

std::string_view ToString(FileKind kind) {
  switch (kind) {
    case FileKind::kMissing:
      return "nothing";
    case FileKind::kFile:
      return "a regular file";
    case FileKind::kFolder:
      return "a folder";
    case FileKind::kLink:
      return "a symbolic link";
    case FileKind::kFifo:
      return "a FIFO";
    case FileKind::kSocket:
      return "a socket";
    case FileKind::kDevice:
      return "a device";
  }
  return "something unknown";
}

Result<bool> Exists(FileSystem& fs, const std::filesystem::path& path) {
  return TURNLOG_TRY(fs.KindOf(path)) != FileKind::kMissing;
}

Result<std::string> ReadFile(FileSystem& fs, const std::filesystem::path& path) {
  const auto file = TURNLOG_TRY(fs.Open(path, FileSystem::Access::kRead));
  std::string data(TURNLOG_TRY(file->Size()), '\0');
  data.resize(TURNLOG_TRY(file->ReadAt(0, data)));
  return data;
}

Status MakePrivateFolders(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) return {};
  TURNLOG_TRY(MakePrivateFolders(path.parent_path()));
  TURNLOG_TRY(PosixFileSystem().CreateDirectory(path));
  if (std::filesystem::is_directory(path, error)) return {};
  return std::unexpected(
      Error{ErrorCode::kIo, fmt::format("cannot create folder {}: there is a file of that name", path.string())});
}

Status WriteFile(FileSystem& fs, const std::filesystem::path& path, std::string_view data) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  if (TURNLOG_TRY(Exists(fs, temporary))) TURNLOG_TRY(fs.Remove(temporary));  // remains of a crash
  {
    const auto file = TURNLOG_TRY(fs.Open(temporary, FileSystem::Access::kCreateNew));
    TURNLOG_TRY(file->WriteAt(0, data));
    TURNLOG_TRY(file->Sync());
  }
  TURNLOG_TRY(fs.Rename(temporary, path));
  return fs.SyncDirectory(path.parent_path());
}

}  // namespace turnlog
