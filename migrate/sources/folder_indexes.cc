#include "migrate/sources/folder_indexes.h"

#include <system_error>
#include <utility>

#include "base/file_system.h"
#include "migrate/sources/source.h"
#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

FolderIndexes::Index MakeIndex(const fs::path& folder, std::string_view field) {
  FolderIndexes::Index index;
  auto names = PosixFileSystem().List(folder);
  if (!names) return index;
  for (std::string& name : *names) {
    const fs::path path = folder / name;
    if (!name.ends_with(".json") || TypeOf(path) != fs::file_type::regular) continue;
    const std::string text = SourceFile(path, false).ReadAll().value_or(std::string());
    index[FindJsonString(text, field).value_or("")].push_back(std::move(name));
  }
  return index;
}

bool IsSame(const FileStamp& one, const FileStamp& other) {
  return one.settled && one.IsSameFile(other) && one.modified == other.modified && one.changed == other.changed;
}

}  // namespace

std::shared_ptr<const FolderIndexes::Index> FolderIndexes::Find(const fs::path& folder, std::string_view field) {
  const fs::path path = folder.lexically_normal();
  const auto stamp = StampOf(path, false);
  const std::scoped_lock lock(mutex_);
  Known& known = known_[{path, std::string(field)}];
  if (known.index && stamp && IsSame(known.stamp, *stamp)) return known.index;
  known = {stamp.value_or(FileStamp()), std::make_shared<const Index>(MakeIndex(path, field))};
  return known.index;
}

}  // namespace turnlog
