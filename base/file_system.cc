#include "base/file_system.h"

#include "base/try.h"

namespace turnlog {

Result<std::string> ReadFile(FileSystem& fs, const std::filesystem::path& path) {
  const auto file = TURNLOG_TRY(fs.Open(path, FileSystem::Access::kRead));
  std::string data(TURNLOG_TRY(file->Size()), '\0');
  data.resize(TURNLOG_TRY(file->ReadAt(0, data)));
  return data;
}

Status WriteFile(FileSystem& fs, const std::filesystem::path& path, std::string_view data) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  if (TURNLOG_TRY(fs.Exists(temporary))) TURNLOG_TRY(fs.Remove(temporary));  // left behind by a crash
  {
    const auto file = TURNLOG_TRY(fs.Open(temporary, FileSystem::Access::kCreateNew));
    TURNLOG_TRY(file->WriteAt(0, data));
    TURNLOG_TRY(file->Sync());
  }
  TURNLOG_TRY(fs.Rename(temporary, path));
  return fs.SyncDirectory(path.parent_path());
}

}  // namespace turnlog
