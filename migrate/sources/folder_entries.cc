#include "migrate/sources/folder_entries.h"

#include <algorithm>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/sources/file_stamp.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBackup = ".before-doctor";

// Whether it is what `doctor` has made of a file beside it.
bool IsMadeByDoctor(std::string_view name) {
  return name.ends_with(".mended") || name.ends_with(kBackup) || (name.starts_with('.') && name.ends_with(".new"));
}

}  // namespace

Result<FolderEntries> ListEntries(const fs::path& folder) {
  FolderEntries entries;
  for (std::string& name : TURNLOG_TRY(PosixFileSystem().List(folder))) {
    if (IsMadeByDoctor(name)) continue;
    const fs::file_type type = TypeOf(folder / name);
    if (type == fs::file_type::not_found) continue;  // removed just now
    auto& to = type == fs::file_type::regular     ? entries.files
               : type == fs::file_type::directory ? entries.folders
                                                  : entries.others;
    to.push_back(std::move(name));
  }
  return entries;
}

bool HasBackupOfDoctor(const fs::path& source) {
  const bool folder = TypeOf(source) == fs::file_type::directory;
  const std::string begin = folder ? std::string() : source.filename().native() + ".";
  const auto names = PosixFileSystem().List(folder ? source : source.parent_path());
  return names && std::ranges::any_of(*names, [&](const std::string& name) {
           return name.starts_with(begin) && name.ends_with(kBackup);
         });
}

std::string CompanionOf(const Format& format, std::string_view file_name) {
  return format.import.companion_folder == nullptr ? std::string() : format.import.companion_folder(file_name);
}

}  // namespace turnlog
