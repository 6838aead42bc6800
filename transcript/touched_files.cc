#include "transcript/touched_files.h"

#include <algorithm>
#include <array>

#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 7> kPathFields{"file_path", "filePath",      "path",     "notebook_path",
                                                      "filename",  "absolute_path", "file_name"};
constexpr std::array<std::string_view, 3> kPatchFields{"input", "patch", "patchText"};
constexpr std::array<std::string_view, 4> kPatchHeaders{
    "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "};

void AddOnce(std::string path, std::vector<std::string>& paths) {
  if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
}

void AddPatched(std::string_view patch, std::vector<std::string>& paths) {
  while (!patch.empty()) {
    const std::string_view line = patch.substr(0, patch.find('\n'));
    for (const std::string_view header : kPatchHeaders) {
      if (line.starts_with(header)) AddOnce(std::string(line.substr(header.size())), paths);
    }
    patch.remove_prefix(std::min(line.size() + 1, patch.size()));
  }
}

}  // namespace

std::vector<std::string> TouchedFiles(std::string_view arguments) {
  std::vector<std::string> paths;
  for (const std::string_view field : kPathFields) {
    if (auto path = FindJsonString(arguments, field)) AddOnce(*std::move(path), paths);
  }
  for (const std::string_view field : kPatchFields) {
    if (const auto patch = FindJsonString(arguments, field)) AddPatched(*patch, paths);
  }
  return paths;
}

}  // namespace turnlog
