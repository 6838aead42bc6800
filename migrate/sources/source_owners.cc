#include "migrate/sources/source_owners.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "migrate/format.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// The folder whose files belong to the source; empty: none.
fs::path FolderOf(const FoundSource& found) {
  if (found.is_folder) return found.path;
  const auto companion = found.format->import.companion_folder;
  const std::string name = companion == nullptr ? std::string() : companion(found.path.filename().string());
  return name.empty() ? fs::path() : found.path.parent_path() / name;
}

}  // namespace

fs::path NormalizedPath(const fs::path& path) {
  std::error_code ignored;
  fs::path whole = fs::absolute(path, ignored).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

bool IsWithin(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

std::vector<fs::path> PathsOf(const FoundSource& found, const Source& source) {
  std::vector<fs::path> paths;
  for (const SourceFile& file : source.files) paths.push_back(NormalizedPath(file.path()));
  for (const fs::path& path : source.around) paths.push_back(NormalizedPath(path));
  if (const fs::path folder = FolderOf(found); !folder.empty()) paths.push_back(NormalizedPath(folder));
  std::error_code error;  // what was named may be a link
  if (fs::path target = fs::canonical(found.path, error); found.file && !error) paths.push_back(std::move(target));
  return paths;
}

void SourceOwners::Add(const FoundSource& found, const Source& source) {
  const fs::path owner = NormalizedPath(found.path);
  for (fs::path& path : PathsOf(found, source)) owners_[std::move(path)].insert(owner);
  if (const fs::path folder = FolderOf(found); !folder.empty()) folders_[NormalizedPath(folder)] = owner;
}

std::set<fs::path> SourceOwners::Find(const fs::path& file) const {
  const fs::path path = NormalizedPath(file);
  for (fs::path folder = path.parent_path();; folder = folder.parent_path()) {
    if (const auto owner = folders_.find(folder); owner != folders_.end()) return {owner->second};
    if (folder == folder.parent_path()) break;
  }
  std::set<fs::path> found;
  for (const fs::path& each : {path, path.parent_path()}) {
    if (const auto owners = owners_.find(each); owners != owners_.end())
      found.insert(owners->second.begin(), owners->second.end());
  }
  return found;
}

}  // namespace turnlog
