#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/try.h"
#include "doctor/earlier_copies.h"
#include "doctor/real_path.h"
#include "doctor/session_index.h"
#include "doctor/session_sources.h"
#include "doctor/source_visit.h"
#include "doctor/surroundings.h"
#include "migrate/sources/find_sources.h"
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

// Visits the sources with several threads; the reports are in the order of the sources. Returns the secrets of all
// sessions that are redacted.
KnownSecrets VisitAll(std::vector<FoundSource> sources, SourceVisitContext context, DoctorReport& report) {
  std::vector<SourceReport> visited(sources.size());
  std::vector<fs::path> paths;
  for (const FoundSource& source : sources) paths.push_back(source.path);
  const unsigned jobs = context.options.jobs;
  const unsigned wanted = jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  context.counts_apart = sources.size() < wanted;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++)
      visited[i] = VisitSource(std::move(sources[i]), context);
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::min<std::size_t>(wanted, sources.size()); ++i) others.emplace_back(work);
    work();
  }
  KnownSecrets known;
  std::map<std::string, std::vector<fs::path>> not_examined;
  for (std::size_t i = 0; i < visited.size(); ++i) {
    SourceReport& some = visited[i];
    known.Add(some.known);
    if (!some.not_examined.empty()) not_examined[some.not_examined].push_back(paths[i]);
    std::ranges::move(some.sessions, std::back_inserter(report.sessions));
    std::ranges::move(some.indexes, std::back_inserter(report.indexes));
    std::ranges::move(some.notes, std::back_inserter(report.notes));
  }
  NoteNotExamined(not_examined, report);
  return known;
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
Status SearchEarlierCopies(NamesByFolder files, const SessionSecrets& secrets, KnownSecrets& known,
                           const DoctorOptions& options, DoctorReport& report) {
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
  return SearchSurroundings(copies, secrets, known, options, report);
}

}  // namespace

std::uint64_t SessionReport::left() const {
  return static_cast<std::uint64_t>(std::ranges::count(findings, false, &SessionFinding::mended));
}

Result<DoctorReport> ExamineSessions(std::span<const fs::path> paths, const DoctorOptions& options) {
  std::optional<SessionSecrets> secrets;
  if (options.secrets || options.redact) secrets = TURNLOG_TRY(SessionSecrets::Make());
  DoctorReport report;
  auto [sources, homes] = FindSessionSources(paths, report);
  CompareIndexes(sources, options, report);
  NamesByFolder files = options.redact ? NamesOfFiles(sources) : NamesByFolder();
  const SearchedPaths around = options.redact ? FindSurroundings(sources, homes, files) : SearchedPaths();
  CopyPaths copies(paths, options.out);
  for (const FoundSource& source : sources) copies.AddSource(source.path);
  KnownSecrets known = VisitAll(std::move(sources), {copies, options, secrets ? &*secrets : nullptr}, report);
  if (!options.redact) return report;
  TURNLOG_TRY(SearchSurroundings(around, *secrets, known, options, report));
  TURNLOG_TRY(SearchEarlierCopies(std::move(files), *secrets, known, options, report));
  return report;
}

}  // namespace turnlog
