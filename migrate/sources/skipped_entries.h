// Notes of what a folder has that is not imported.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/migrate/import.h"

namespace turnlog {

// A note that the entry is left out.
ImportProblem Skipped(const std::filesystem::path& path, std::string reason);

// The first of them, for messages.
std::string SomeOf(const std::vector<std::string>& names);

// Files that may be sessions, and are not of what is sought. None: there are no such files.
std::optional<ImportProblem> SkippedFiles(const std::filesystem::path& folder, const std::vector<std::string>& files,
                                          std::string_view sought);
// Files and folders of the format that belong to no source. None: they have no files.
std::optional<ImportProblem> SkippedUnowned(const std::filesystem::path& folder, const std::vector<std::string>& names,
                                            std::string_view format);
// Links to folders. None: there are no such links.
std::optional<ImportProblem> SkippedLinks(const std::filesystem::path& folder, const std::vector<std::string>& names);

}  // namespace turnlog
