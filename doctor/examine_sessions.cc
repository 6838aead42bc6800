#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/try.h"
#include "doctor/folder_rename.h"
#include "doctor/mended_session.h"
#include "doctor/replace_file.h"
#include "doctor/session_index.h"
#include "doctor/surroundings.h"
#include "doctor/write_session.h"
#include "migrate/import/find_sources.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// Where the copy of a session goes. `roots`: the paths that the user has named.
fs::path CopyOf(const fs::path& path, std::span<const fs::path> roots, const DoctorOptions& options) {
  fs::path name = path.filename();
  if (name.extension() == ".zst") name.replace_extension();
  if (options.out.empty()) return path.parent_path() / (name.string() + std::string(kMendedSuffix));
  for (const fs::path& root : roots) {
    const fs::path below = path.lexically_normal().parent_path().lexically_relative(root.lexically_normal());
    if (!below.empty() && *below.begin() != "..") return options.out / (below == "." ? name : below / name);
  }
  return options.out / name;
}

// The sessions of one source.
class SourceVisit {
 public:
  SourceVisit(const FoundSource& found, std::span<const fs::path> roots, const DoctorOptions& options,
              const SessionSecrets* secrets)
      : found_(found), roots_(roots), options_(options), secrets_(secrets) {}

  std::vector<SessionReport> Run() {
    std::vector<ImportProblem> notes;
    Result<Source> source = LoadSource(found_, notes);
    if (!source) return {Failed(source.error().message)};
    std::vector<SessionReport> reports;
    for (const SessionFile& session : SessionFilesOf(*found_.format, *source)) {
      reports.push_back(SessionReport{.path = session.file->path(), .format = std::string(session.format)});
      SessionReport& report = reports.back();
      if (const Status done = Visit(session, report); !done) report.problem = done.error().message;
    }
    if (const Status moved = Move(reports); !moved) reports.front().problem = moved.error().message;
    return reports;
  }

 private:
  SessionReport Failed(std::string why) const {
    return {.path = found_.path, .format = std::string(found_.format->name), .problem = std::move(why)};
  }

  // After all files of the session were replaced.
  Status Move(std::vector<SessionReport>& reports) const {
    const auto failed = [](const SessionReport& report) { return !report.problem.empty() || report.busy; };
    if (!options_.rename || options_.action != DoctorAction::kReplace || found_.format->name != "claude-code")
      return {};
    if (cwd_.empty() || std::ranges::any_of(reports, failed)) return {};
    const auto moved = TURNLOG_TRY(MoveClaudeSession(found_.path, cwd_, *options_.rename));
    if (moved) reports.front().moved = *moved;
    return {};
  }

  Status Visit(const SessionFile& session, SessionReport& report) {
    if (options_.action == DoctorAction::kReplace) {
      report.carried_over = TURNLOG_TRY(CarryOver(report.path, options_.on_step));
    }
    struct stat seen = {};
    if (::lstat(report.path.c_str(), &seen) != 0) seen = {};
    MendedSession mended(session, options_, secrets_);
    TURNLOG_TRY(mended.Run(report));
    if (cwd_.empty()) cwd_ = mended.cwd();
    if (options_.action != DoctorAction::kReplace) NoteLateBytes(report);
    if (report.passes.empty()) return {};
    return WriteMended(mended, seen, CopyOf(report.path, roots_, options_), options_, report);
  }

  static void NoteLateBytes(SessionReport& report) {
    const std::uint64_t late = CountLateBytes(report.path);
    if (late == 0) return;
    report.findings.push_back({"late-append", Verdict::kRefused, 1, 0, std::to_string(late) + " bytes", false});
  }

  const FoundSource& found_;
  const std::span<const fs::path> roots_;
  const DoctorOptions& options_;
  const SessionSecrets* const secrets_;
  std::string cwd_;  // of the first file that has one
};

// Visits the sources with several threads; the reports are in the order of the sources.
std::vector<SessionReport> VisitAll(const std::vector<FoundSource>& sources, std::span<const fs::path> roots,
                                    const DoctorOptions& options, const SessionSecrets* secrets) {
  std::vector<std::vector<SessionReport>> visited(sources.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++) {
      visited[i] = SourceVisit(sources[i], roots, options, secrets).Run();
    }
  };
  const unsigned wanted = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::min<std::size_t>(wanted, sources.size()); ++i) others.emplace_back(work);
    work();
  }
  std::vector<SessionReport> reports;
  for (std::vector<SessionReport>& some : visited) std::ranges::move(some, std::back_inserter(reports));
  return reports;
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
  std::erase_if(found.sources, [&](const FoundSource& source) {
    if (IsExamined(*source.format)) return false;
    report.notes.push_back(
        fmt::format("{}: sessions of {} are not examined", source.path.string(), source.format->name));
    return true;
  });
  CompareIndexes(found.sources, report);
  if (options.redact) TURNLOG_TRY(SearchSurroundings(found.sources, options.jobs, report));
  report.sessions = VisitAll(found.sources, paths, options, secrets ? &*secrets : nullptr);
  return report;
}

}  // namespace turnlog
