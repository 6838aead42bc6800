#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/try.h"
#include "migrate/format.h"
#include "migrate/import/import_run.h"
#include "migrate/import/import_workers.h"
#include "migrate/import/postponed_sources.h"
#include "migrate/import/secret_search.h"
#include "migrate/import/source_import.h"
#include "migrate/sources/find_sources.h"
#include "migrate/sources/folder_watch.h"
#include "migrate/sources/held_files.h"
#include "migrate/sources/source_owners.h"
#include "turnlog/migrate/import.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

using Clock = PostponedSources::Clock;

bool IsReadable(int descriptor) {
  pollfd wanted{descriptor, POLLIN, 0};
  return ::poll(&wanted, 1, 0) > 0;
}

class Follower {
 public:
  Follower(Log& log, const Format* format, std::span<const fs::path> paths, FolderWatch& watch, int stop,
           const SecretSearch* secrets)
      : log_(log), format_(format), paths_(paths), watch_(watch), stop_(stop), secrets_(secrets) {
    for (const fs::path& path : paths) named_.insert(NormalizedPath(path));
  }

  // Imports all that is there, and what was there.
  Result<ImportReport> ImportAll() {
    for (const fs::path& path : paths_) TURNLOG_TRY(watch_.Add(path));
    FoundSources found = Find(paths_);
    std::erase_if(found.sources, [this](const FoundSource& source) { return IsOfAnother(source); });
    for (const auto& [path, known] : sources_) {
      if (!IsThere(known.path)) found.sources.push_back(known);
    }
    for (const FoundSource& source : found.sources) Know(source);
    NoteEmptyFolders(found);
    std::erase_if(found.report.problems, [this](const ImportProblem& problem) { return IsReported(problem); });
    const auto import = [this](ImportRun& run, FoundSource& source) {
      return IsReadable(stop_) ? Status() : ImportOne(run, source, Wait::kYes);  // the next import goes on here
    };
    return Import(found.sources, std::move(found.report), import);
  }

  Result<ImportReport> ImportChanged(const std::set<fs::path>& changed) {
    std::set<fs::path> touched, unknown;
    for (const fs::path& path : changed) {
      const std::set<fs::path> owners = OwnersOf(path);
      touched.insert(owners.begin(), owners.end());
      if (owners.empty()) unknown.insert(named_.contains(NormalizedPath(path)) ? path : path.parent_path());
    }
    ImportReport report;
    FindNew(unknown, touched, report);
    std::vector<FoundSource> sources;
    for (const fs::path& path : touched) sources.push_back(sources_.at(path));
    const auto import = [this](ImportRun& run, FoundSource& source) { return ImportOne(run, source, Wait::kYes); };
    return Import(sources, std::move(report), import);
  }

  // When a source that was being written has to be imported at the latest; nothing: none waits.
  std::optional<Clock::time_point> NextDue() const { return postponed_.NextDue(); }

  // What is due, or all that waits.
  Result<ImportReport> ImportDue(bool all) {
    std::vector<FoundSource> sources;
    for (const fs::path& path : postponed_.TakeDue(all)) sources.push_back(sources_.at(path));
    const auto import = [this, all](ImportRun& run, FoundSource& source) {
      return ImportOne(run, source, all ? Wait::kNo : Wait::kIfJustWritten);
    };
    return Import(sources, {}, import);
  }

 private:
  enum class Wait : std::uint8_t { kYes, kIfJustWritten, kNo };  // for what is being written

  Result<ImportReport> Import(std::vector<FoundSource>& sources, ImportReport report, const ImportFoundFn& import) {
    TURNLOG_TRY(ImportSources(log_, sources, threads_, secrets_, {}, report, import));
    return report;
  }

  FoundSources Find(std::span<const fs::path> paths, const EnterFolderFn& enter = {}) {
    const auto find_known = [this](const fs::path& path) { return FindKnownFormat(log_, path); };
    return FindSources(paths, format_, {.find_known = find_known, .enter_folder = enter});
  }

  // Something may come into them.
  static void NoteEmptyFolders(FoundSources& found) {
    std::erase_if(found.report.problems, [&](ImportProblem& problem) {
      std::error_code ignored;
      const bool empty = problem.code == ImportProblemCode::kUnknownFormat && fs::is_directory(problem.file, ignored);
      if (empty) found.report.notes.push_back(std::move(problem));
      return empty;
    });
  }

  // The known sources that the file belongs to.
  std::set<fs::path> OwnersOf(const fs::path& file) const {
    std::set<fs::path> owners = owners_.Find(file);
    if (owners.empty() && sources_.contains(NormalizedPath(file))) owners.insert(NormalizedPath(file));
    return owners;
  }

  // Whether it belongs to a source that has more files.
  bool IsOfAnother(const FoundSource& found) const {
    const std::set<fs::path> owners = owners_.Find(found.path);
    return !owners.empty() && !owners.contains(NormalizedPath(found.path));
  }

  // What has appeared there. What is not recognised yet may be so after the next change.
  void FindNew(const std::set<fs::path>& searched, std::set<fs::path>& touched, ImportReport& report) {
    std::vector<fs::path> paths;  // without folders in others, which may be parts of what is found in those
    for (const fs::path& path : searched) {
      if (paths.empty() || !IsWithin(path, paths.back())) paths.push_back(path);
    }
    // Elsewhere nothing has changed, and there may be very much.
    const auto has_changes = [&](const fs::path& folder) {
      const auto first = searched.lower_bound(folder);
      return first != searched.end() && IsWithin(*first, folder);
    };
    FoundSources found = Find(paths, has_changes);
    report.bytes_read += found.report.bytes_read;
    for (const FoundSource& source : found.sources) {
      if (source.file) report.bytes_read += source.file->bytes_read();  // it is opened again
      if (!OwnersOf(source.path).empty()) continue;
      touched.insert(NormalizedPath(source.path));
      Know(source);
    }
    for (ImportProblem& problem : found.report.problems) {
      if (!IsUnreadable(problem) || !IsThere(problem.file) || IsReported(problem)) continue;
      ++report.failed;
      report.problems.push_back(std::move(problem));
    }
  }

  static bool IsUnreadable(const ImportProblem& problem) {
    return problem.code == ImportProblemCode::kUnreadable || problem.code == ImportProblemCode::kBusy;
  }

  // That it cannot be read is said once, until it can.
  bool IsReported(const ImportProblem& problem) {
    return IsUnreadable(problem) && !unreadable_.insert(NormalizedPath(problem.file)).second;
  }

  // A pipe or a link that was named is opened again each time.
  void Know(const FoundSource& source) {
    FoundSource& known = sources_.insert_or_assign(NormalizedPath(source.path), source).first->second;
    if (known.file) known.file.emplace(known.path, true);
    unreadable_.erase(NormalizedPath(source.path));
  }

  // On any thread. Files that are removed meanwhile are no problem of the source: it is looked at once more.
  Status ImportOne(ImportRun& run, FoundSource& found, Wait wait) {
    for (;;) {
      auto source = LoadIfThere(run, found);
      if (!source) {
        run.Fail(At({found.path.native()}, WhyUnreadable(source.error())));
        return {};
      }
      auto [lost, complete] = Hold(*source);
      run.may_postpone = false;
      if (lost) TURNLOG_TRY(SourceImport(run, *found.format, *lost).Import());
      if (!complete) continue;
      if (source->files.empty()) return {};
      run.may_postpone = wait == Wait::kYes || (wait == Wait::kIfJustWritten && IsJustWritten(*source));
      if (wait == Wait::kYes && postponed_.IsInSameLine(*source, run.report().bytes_read)) return {};
      const auto begin = Clock::now();
      const auto stamps = PostponedSources::StampsOf(*source);
      SourceImport import(run, *found.format, *source);
      TURNLOG_TRY(import.Import());
      if (import.postponed()) postponed_.Add(*source, stamps, Clock::now() - begin);
      return {};
    }
  }

  // Whether its tool may be in the middle of it, although it was quiet before.
  static bool IsJustWritten(const Source& source) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::ranges::any_of(source.files, [&](const SourceFile& file) {
      const auto stamp = StampOf(file.path(), true);
      const std::chrono::nanoseconds age =
          stamp ? now - std::chrono::nanoseconds(stamp->modified) : PostponedSources::kQuiet;
      return age >= std::chrono::nanoseconds(0) && age < PostponedSources::kQuiet;
    });
  }

  struct HeldSource {
    std::optional<Source> lost;  // has to be imported before
    bool complete = false;
  };
  HeldSource Hold(Source& source) {
    const std::scoped_lock lock(mutex_);
    HeldSource result{.lost = held_.TakeLost(source)};
    result.complete = held_.Hold(source);
    return result;
  }

  // Without files: it is not there.
  Result<Source> LoadIfThere(ImportRun& run, const FoundSource& found) {
    Result<Source> source = IsThere(found.path) ? Load(run, found) : WithoutFiles(found);
    return IsThere(found.path) ? source : WithoutFiles(found);
  }

  // Its files, of which none appears unseen after they were listed.
  Result<Source> Load(ImportRun& run, const FoundSource& found) {
    for (;;) {
      const std::size_t notes = run.report().notes.size();
      Source source = TURNLOG_TRY(LoadSource(found, run.report().notes));
      const std::scoped_lock lock(mutex_);
      owners_.Add(found, source);
      if (!TURNLOG_TRY(WatchAround(found, source))) return source;
      run.report().notes.resize(notes);
    }
  }

  // Watches what belongs to the source outside of the folders that were named. Whether there was more of it.
  Result<bool> WatchAround(const FoundSource& found, const Source& source) {
    bool more = false;
    for (const fs::path& path : PathsOf(found, source)) {
      if (std::ranges::any_of(named_, [&](const fs::path& named) { return IsWithin(path, named); })) continue;
      if (!watched_.insert(path).second) continue;
      TURNLOG_TRY(watch_.AddIfReadable(path));
      more = true;
    }
    return more;
  }

  static Source WithoutFiles(const FoundSource& found) {
    return {found.path, NameOf(found.path), NameOf(found.path.parent_path()), {}};
  }

  Log& log_;
  const Format* const format_;
  const std::span<const fs::path> paths_;
  std::set<fs::path> named_;  // the same, by NormalizedPath
  FolderWatch& watch_;
  const int stop_;
  const SecretSearch* const secrets_;
  const unsigned threads_ = std::max(1U, std::thread::hardware_concurrency());
  std::map<fs::path, FoundSource> sources_;  // by NormalizedPath
  std::set<fs::path> unreadable_;            // the same; files and folders that were reported
  PostponedSources postponed_;               // of sources_
  std::mutex mutex_;                         // of what follows, and of the watch
  SourceOwners owners_;
  std::set<fs::path> watched_;  // besides what was named
  HeldFiles held_;
};

// Says what is worth it; what was read for nothing counts in the next report.
class FollowReports {
 public:
  using OnReportFn = std::function<void(const ImportReport& report)>;

  explicit FollowReports(const OnReportFn& on_report) : on_report_(on_report) {}

  void Take(ImportReport report) {
    const std::uint64_t read = std::exchange(unsaid_read_, 0), parsed = std::exchange(unsaid_parsed_, 0);
    report.bytes_read += read;
    report.bytes_parsed += parsed;
    if (IsWorthIt(report)) return on_report_(report);
    unsaid_read_ = report.bytes_read;
    unsaid_parsed_ = report.bytes_parsed;
  }

 private:
  static bool IsWorthIt(const ImportReport& report) {
    return report.added + report.extended + report.failed > 0 || !report.problems.empty() || !report.notes.empty();
  }

  const OnReportFn& on_report_;
  std::uint64_t unsaid_read_ = 0, unsaid_parsed_ = 0;
};

}  // namespace

Status FollowImports(Log& log, std::string_view format, std::span<const fs::path> paths, int stop,
                     const std::function<void(const ImportReport& report)>& on_report, SecretDetection detect) {
  const Format* const known = TURNLOG_TRY(FindImportFormat(format));
  const auto watch = TURNLOG_TRY(FolderWatch::Open());
  const auto secrets = TURNLOG_TRY(SecretSearch::Make(detect));
  Follower follower(log, known, paths, *watch, stop, secrets.get());
  on_report(TURNLOG_TRY(follower.ImportAll()));
  FollowReports reports(on_report);
  for (;;) {
    const FolderWatch::Changes changes = TURNLOG_TRY(watch->Wait(stop, follower.NextDue()));
    ImportReport report;
    if (changes.lost) {
      report = TURNLOG_TRY(follower.ImportAll());
    } else if (!changes.paths.empty()) {
      report = TURNLOG_TRY(follower.ImportChanged(changes.paths));
    }
    reports.Take(std::move(report));
    reports.Take(TURNLOG_TRY(follower.ImportDue(changes.stopped)));
    if (changes.stopped) return {};
  }
}

}  // namespace turnlog
