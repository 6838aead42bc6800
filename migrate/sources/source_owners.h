// Which sources may change with a file.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "migrate/sources/find_sources.h"
#include "migrate/sources/source.h"

namespace turnlog {

// The path of a file or folder, however it is written.
std::filesystem::path NormalizedPath(const std::filesystem::path& path);

// Whether it is the folder, or anything in it; both by NormalizedPath.
bool IsWithin(const std::filesystem::path& path, const std::filesystem::path& folder);

// All that belongs to a source, also what may come, by NormalizedPath.
std::vector<std::filesystem::path> PathsOf(const FoundSource& found, const Source& source);

class SourceOwners {
 public:
  void Add(const FoundSource& found, const Source& source);
  // The sources that the file belongs to, by NormalizedPath.
  std::set<std::filesystem::path> Find(const std::filesystem::path& file) const;

 private:
  std::map<std::filesystem::path, std::set<std::filesystem::path>> owners_;  // of files, and of those right in a folder
  std::map<std::filesystem::path, std::filesystem::path> folders_;  // the source that all in a folder belong to
};

}  // namespace turnlog
