// Finds the sources at the paths that the user has named.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "migrate/format.h"
#include "migrate/sources/folder_indexes.h"
#include "migrate/sources/source.h"

namespace turnlog {

struct FoundSource {
  const Format* format = nullptr;
  std::filesystem::path path;
  bool is_folder = false;
  std::optional<SourceFile> file;            // already open: a pipe can be read only once
  std::shared_ptr<FolderIndexes> indexes{};  // of all sources that were found together
  bool format_given = false;                 // by the user
};

struct FoundSources {
  std::vector<FoundSource> sources;
  ImportReport report;                        // of paths that cannot be read, and of what was read to recognise formats
  std::vector<std::filesystem::path> hidden;  // folders that were not searched, because their names say so
};

// The format of a file or folder that was imported before; null: its contents must be looked at.
using FindKnownFn = std::function<const Format*(const std::filesystem::path& path)>;

// Folders to search together with one that the user has named, hidden ones for example.
using MoreFoldersFn = std::function<std::vector<std::filesystem::path>(const std::filesystem::path& folder)>;

// Whether a folder in one of those is to be searched.
using EnterFolderFn = std::function<bool(const std::filesystem::path& folder)>;

struct FindSourcesOptions {
  FindKnownFn find_known{};      // none: no format is known
  MoreFoldersFn more_folders{};  // none: there are no more
  EnterFolderFn enter_folder{};  // none: all are searched
};

// `format`: chosen by the user; null: the contents decide.
FoundSources FindSources(std::span<const std::filesystem::path> paths, const Format* format,
                         const FindSourcesOptions& options = {});

// Lists its files without opening them. Adds a note for each skipped entry that is not a regular file.
Result<Source> LoadSource(const FoundSource& found, std::vector<ImportProblem>& notes);

}  // namespace turnlog
