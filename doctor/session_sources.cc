#include "doctor/session_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "doctor/tool_home.h"
#include "migrate/sqlite/database.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// SQLite has the log of a database beside the file itself, not beside a link to it.
void FollowLinks(std::vector<FoundSource>& sources) {
  for (FoundSource& source : sources) {
    std::error_code error;
    // A link may lead to a pipe, which can be read only once.
    if (source.is_folder || !fs::is_symlink(source.path, error) || !fs::is_regular_file(source.path, error)) continue;
    SourceFile file(source.path, true);
    if (file.Head(kSqliteMagic.size()).value_or(std::string()) != kSqliteMagic) continue;
    fs::path path = fs::canonical(source.path, error);
    if (error) continue;
    source.path = std::move(path);
    source.file.reset();
  }
}

// One that was found by several names is visited once, by one that is no link if there is one.
void DropDuplicates(std::vector<FoundSource>& sources) {
  std::map<fs::path, const FoundSource*> kept;
  for (const FoundSource& source : sources) {
    std::error_code error;
    const fs::path real = fs::canonical(source.path, error);
    const FoundSource*& known = kept[error ? source.path : real];
    if (known == nullptr || fs::is_symlink(known->path, error)) known = &source;
  }
  std::set<const FoundSource*> visited;
  for (const auto& [path, source] : kept) visited.insert(source);
  std::vector<FoundSource> unique;
  for (FoundSource& source : sources) {
    if (visited.contains(&source)) unique.push_back(std::move(source));
  }
  sources = std::move(unique);
}

bool IsIn(const fs::path& folder, const fs::path& path) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

// One note, with the folders that are nearest to those that were named.
void NoteHidden(std::vector<fs::path> hidden, std::span<const fs::path> searched, DoctorReport& report) {
  constexpr std::size_t kNamed = 8;
  std::erase_if(hidden, [&](const fs::path& folder) {
    return std::ranges::any_of(searched, [&](const fs::path& home) { return IsIn(folder, home); });
  });
  if (hidden.empty()) return;
  std::ranges::sort(hidden, {},
                    [](const fs::path& folder) { return std::pair(std::ranges::distance(folder), folder); });
  std::string names;
  for (const fs::path& folder : std::span(hidden).first(std::min(kNamed, hidden.size())))
    names += (names.empty() ? "" : ", ") + folder.string();
  if (hidden.size() > kNamed) names += fmt::format(" and {} more", hidden.size() - kNamed);
  report.notes.push_back("hidden folders are searched only if they are named: " + names);
}

}  // namespace

SessionSources FindSessionSources(std::span<const fs::path> paths, DoctorReport& report) {
  std::vector<fs::path> homes;
  const auto more_folders = [&](const fs::path& folder) {
    const std::vector<fs::path> some = ToolHomesOf(folder);
    homes.insert(homes.end(), some.begin(), some.end());
    return some;
  };
  FoundSources found = FindSources(paths, nullptr, {.more_folders = more_folders});
  for (const ImportProblem& problem : found.report.problems) report.problems.push_back(ToString(problem));
  for (const ImportProblem& note : found.report.notes) report.notes.push_back(ToString(note));
  NoteHidden(std::move(found.hidden), homes, report);
  FollowLinks(found.sources);
  DropDuplicates(found.sources);
  homes.insert(homes.end(), paths.begin(), paths.end());
  return {std::move(found.sources), std::move(homes)};
}

}  // namespace turnlog
