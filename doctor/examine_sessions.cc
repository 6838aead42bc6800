#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/try.h"
#include "doctor/earlier_copies.h"
#include "doctor/real_path.h"
#include "doctor/session_index.h"
#include "doctor/source_visit.h"
#include "doctor/surroundings.h"
#include "migrate/import/find_sources.h"
#include "migrate/sqlite/database.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// One note for each format.
void NoteNotExamined(const std::map<std::string, std::vector<fs::path>>& sources, DoctorReport& report) {
  for (const auto& [format, paths] : sources) {
    const std::string more = paths.size() > 1 ? fmt::format(" and {} more", paths.size() - 1) : std::string();
    report.notes.push_back(fmt::format("{}{}: not examined ({})", paths.front().string(), more, format));
  }
}

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

// Visits the sources with several threads; the reports are in the order of the sources.
void VisitAll(std::vector<FoundSource> sources, const SourceVisitContext& context, DoctorReport& report) {
  std::vector<SourceReport> visited(sources.size());
  std::vector<fs::path> paths;
  for (const FoundSource& source : sources) paths.push_back(source.path);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++)
      visited[i] = VisitSource(std::move(sources[i]), context);
  };
  const unsigned jobs = context.options.jobs;
  const unsigned wanted = jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::min<std::size_t>(wanted, sources.size()); ++i) others.emplace_back(work);
    work();
  }
  std::map<std::string, std::vector<fs::path>> not_examined;
  for (std::size_t i = 0; i < visited.size(); ++i) {
    SourceReport& some = visited[i];
    if (!some.not_examined.empty()) not_examined[some.not_examined].push_back(paths[i]);
    std::ranges::move(some.sessions, std::back_inserter(report.sessions));
    std::ranges::move(some.indexes, std::back_inserter(report.indexes));
    std::ranges::move(some.notes, std::back_inserter(report.notes));
  }
  NoteNotExamined(not_examined, report);
}

// Where a session was moved to, its backups are, too.
void AddMoved(const DoctorReport& report, NamesByFolder& files) {
  for (const SessionReport& session : report.sessions) {
    if (session.moved.empty()) continue;
    std::error_code ignored;
    const fs::path moved = NormalPath(fs::absolute(session.moved, ignored));
    files[moved.parent_path()].insert(moved.filename());
  }
}

// Also those that this run has left. What a search has found already is searched once.
Status SearchEarlierCopies(NamesByFolder files, const SessionSecrets& secrets, const DoctorOptions& options,
                           DoctorReport& report) {
  AddMoved(report, files);
  for (const SurroundingReport& some : report.surroundings) {
    files[some.path.parent_path()].insert(some.path.filename());
  }
  SearchedPaths copies;
  for (const fs::path& copy : FindEarlierCopies(files)) {
    const bool is_known =
        std::ranges::find(report.surroundings, copy, &SurroundingReport::path) != report.surroundings.end();
    if (!is_known) copies.emplace(copy, false);
  }
  return SearchSurroundings(copies, secrets, options, report);
}

}  // namespace

std::uint64_t SessionReport::left() const {
  return static_cast<std::uint64_t>(std::ranges::count(findings, false, &SessionFinding::mended));
}

Result<DoctorReport> ExamineSessions(std::span<const fs::path> paths, const DoctorOptions& options) {
  std::optional<SessionSecrets> secrets;
  if (options.secrets || options.redact) secrets = TURNLOG_TRY(SessionSecrets::Make());
  FoundSources found = FindSources(paths, nullptr);
  DoctorReport report;
  for (const ImportProblem& problem : found.problems) report.problems.push_back(ToString(problem));
  for (const ImportProblem& note : found.notes) report.notes.push_back(ToString(note));
  FollowLinks(found.sources);
  DropDuplicates(found.sources);
  CompareIndexes(found.sources, options, report);
  const SearchedPaths around = options.redact ? FindSurroundings(found.sources) : SearchedPaths();
  NamesByFolder files = options.redact ? NamesOfFiles(found.sources) : NamesByFolder();
  CopyPaths copies(paths, options.out);
  for (const FoundSource& source : found.sources) copies.AddSource(source.path);
  VisitAll(std::move(found.sources), {copies, options, secrets ? &*secrets : nullptr}, report);
  if (!options.redact) return report;
  TURNLOG_TRY(SearchSurroundings(around, *secrets, options, report));
  TURNLOG_TRY(SearchEarlierCopies(std::move(files), *secrets, options, report));
  return report;
}

}  // namespace turnlog
