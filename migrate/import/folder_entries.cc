#include "migrate/import/folder_entries.h"

#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/import/file_stamp.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// Whether it is what `doctor` has made of a file beside it.
bool IsMadeByDoctor(std::string_view name) {
  return name.ends_with(".mended") || name.ends_with(".before-doctor") ||
         (name.starts_with('.') && name.ends_with(".new"));
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

ImportProblem Skipped(const fs::path& path, std::string reason) {
  return At({path.native()}, {ImportProblemCode::kSkipped, std::move(reason)});
}

std::string CompanionOf(const Format& format, std::string_view file_name) {
  return format.import.companion_folder == nullptr ? std::string() : format.import.companion_folder(file_name);
}

}  // namespace turnlog
