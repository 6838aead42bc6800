// The files of a source that was found.
#include <fmt/format.h>

#include "base/try.h"
#include "base/unicode.h"
#include "migrate/sources/find_sources.h"
#include "migrate/sources/folder_entries.h"
#include "migrate/sources/skipped_entries.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// Adds the files of a companion folder and of those in it, by their names below it; counts those that are left out.
Status AddCompanions(const fs::path& folder, const std::string& prefix, const ImportFormat& format, Source& source,
                     std::size_t& left_out) {
  const Result<FolderEntries> names = ListEntries(folder);
  if (!names && names.error().code == ErrorCode::kNotFound) return {};  // removed just now
  TURNLOG_TRY(names);
  left_out += names->others.size();
  for (const std::string& name : names->files) {
    const bool used = format.uses_file == nullptr || format.uses_file(prefix + name);
    if (used && IsSafeText(name)) {
      source.files.emplace_back(prefix + name, folder / name);
    } else {
      ++left_out;
    }
  }
  for (const std::string& name : names->folders) {
    TURNLOG_TRY(AddCompanions(folder / name, prefix + name + "/", format, source, left_out));
  }
  return {};
}

// They may be many: their descriptors are not kept. Fails if a folder that is there cannot be listed: without its files
// the source would seem to have lost them.
Status AddCompanionFiles(const FoundSource& found, Source& source) {
  if (found.format->import.companion_files == nullptr) return {};
  const fs::path folder = found.path.parent_path();
  Status listed;
  const auto list = [&](const std::string& name) {
    const fs::path path = folder / name;
    source.around.push_back(path);
    auto names = ListEntries(path);
    if (!names && IsThere(path) && TypeOf(path) != fs::file_type::regular) listed = std::unexpected(names.error());
    return names ? std::move(names->files) : std::vector<std::string>();
  };
  const auto read = [&](const std::string& name) {
    return SourceFile(folder / name, false).ReadAll().value_or(std::string());
  };
  const auto head = [&] { return source.files.front().Head(kProbeBytes).value_or(std::string()); };
  FolderIndexes own;
  std::shared_ptr<const FolderIndexes::Index> index;
  const auto by_field = [&](const std::string& name, std::string_view field) -> const FolderIndexes::Index& {
    index = (found.indexes ? *found.indexes : own).Find(folder / name, field);
    return *index;
  };
  for (const std::string& name : found.format->import.companion_files({source.name, head, list, read, by_field})) {
    if (TypeOf(folder / name) != fs::file_type::regular || !IsSafeText(name)) {
      source.around.push_back(folder / name);
      continue;
    }
    source.files.push_back(SourceFile(name, folder / name));
    source.files.back().CloseAfterReads(name.contains('/'));
  }
  return listed;
}

Status AddCompanionFolder(const FoundSource& found, Source& source, std::vector<ImportProblem>& notes) {
  const std::string companion = CompanionOf(*found.format, source.name);
  const fs::path folder = found.path.parent_path() / companion;
  if (companion.empty() || TypeOf(folder) != fs::file_type::directory) return {};
  std::size_t left_out = 0;
  TURNLOG_TRY(AddCompanions(folder, {}, found.format->import, source, left_out));
  if (left_out > 0) notes.push_back(Skipped(folder, fmt::format("{} files are not imported", left_out)));
  return {};
}

}  // namespace

Result<Source> LoadSource(const FoundSource& found, std::vector<ImportProblem>& notes) {
  Source source{found.path, NameOf(found.path), NameOf(found.path / ".."), {}};
  source.format_given = found.format_given;
  if (!found.is_folder) {
    source.files.push_back(found.file ? *found.file : SourceFile(found.path, false));
    TURNLOG_TRY(AddCompanionFiles(found, source));
    TURNLOG_TRY(AddCompanionFolder(found, source, notes));
    return source;
  }
  const auto used = [&](const std::string& name) {
    return found.format->import.uses_file == nullptr || found.format->import.uses_file(name);
  };
  const FolderEntries names = TURNLOG_TRY(ListEntries(found.path));
  for (const std::string& name : names.files) {
    if (!used(name)) continue;
    if (IsSafeText(name)) {
      source.files.emplace_back(found.path / name, false);
    } else {
      notes.push_back(Skipped(found.path / name, "a name with unprintable characters: left out"));
    }
  }
  for (const std::string& name : names.folders) {
    notes.push_back(Skipped(found.path / name, "a folder within a conversation: left out"));
  }
  for (const std::string& name : names.others) {
    if (used(name)) notes.push_back(Skipped(found.path / name, "not a regular file: skipped"));
  }
  return source;
}

}  // namespace turnlog
