#include "logctl/settings_file.h"

#include <fmt/format.h>

#include <system_error>

#include "base/file_system.h"
#include "base/try.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBackup = ".before-turnlog";
constexpr std::string_view kPending = ".turnlog-new";

}  // namespace

Expected<SettingsFile> SettingsFile::Read(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  if (error) return Failed(fmt::format("{}: {}", Printable(path.string()), error.message()));
  if (!fs::exists(real, error)) return SettingsFile(real, {}, false);
  return SettingsFile(real, TURNLOG_TRY(ReadInput(real)), true);
}

Expected<std::string> SettingsFile::Replace(std::string_view text) {
  if (text == text_) return std::string();
  FileSystem& files = PosixFileSystem();
  std::error_code error;
  if (!exists_) fs::create_directories(path_.parent_path(), error);
  const std::string now = fs::exists(path_, error) ? TURNLOG_TRY(ReadInput(path_)) : std::string();
  if (now != text_) return Failed(fmt::format("{} was changed meanwhile", Printable(path_.string())), "run it again");
  const fs::path backup = path_.string() + std::string(kBackup), pending = path_.string() + std::string(kPending);
  if (exists_) TURNLOG_TRY(WriteFile(files, backup, text_));
  TURNLOG_TRY(WriteFile(files, pending, text));
  if (exists_) {
    const fs::perms mode = fs::status(path_, error).permissions();
    for (const fs::path& written : {backup, pending}) fs::permissions(written, mode, error);
  }
  TURNLOG_TRY(files.Rename(pending, path_));
  TURNLOG_TRY(files.SyncDirectory(path_.parent_path()));
  return exists_ ? backup.string() : std::string();
}

std::string ShellWord(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace turnlog
