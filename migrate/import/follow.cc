#include <poll.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/try.h"
#include "migrate/format.h"
#include "migrate/import/find_sources.h"
#include "migrate/import/folder_watch.h"
#include "migrate/import/held_files.h"
#include "migrate/import/import_run.h"
#include "migrate/import/secret_search.h"
#include "migrate/import/source_import.h"
#include "migrate/import/source_owners.h"
#include "turnlog/migrate/import.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

bool IsReadable(int descriptor) {
  pollfd wanted{descriptor, POLLIN, 0};
  return ::poll(&wanted, 1, 0) > 0;
}

class Follower {
 public:
  Follower(Log& log, const Format* format, std::span<const fs::path> paths, FolderWatch& watch, int stop,
           const SecretSearch* secrets)
      : log_(log), format_(format), paths_(paths), watch_(watch), stop_(stop), secrets_(secrets) {
    for (const fs::path& path : paths) named_.insert(OnePath(path));
  }

  // Imports all that is there, and what was there.
  Result<ImportReport> ImportAll() {
    for (const fs::path& path : paths_) TURNLOG_TRY(watch_.Add(path));
    ImportRun run(log_, {}, secrets_);
    FoundSources found = Find(paths_);
    run.report().problems = std::move(found.problems);
    run.report().notes = std::move(found.notes);
    run.report().failed = found.failed;
    run.report().bytes_read = found.bytes_read;
    for (FoundSource& source : found.sources) sources_.insert_or_assign(OnePath(source.path), std::move(source));
    for (auto& [path, source] : sources_) {
      if (IsReadable(stop_)) break;  // the next import goes on here
      TURNLOG_TRY(ImportOne(run, source));
    }
    return run.Finish();
  }

  Result<ImportReport> ImportChanged(const std::set<fs::path>& changed) {
    ImportRun run(log_, {}, secrets_);
    std::set<fs::path> touched, unknown;
    for (const fs::path& path : changed) {
      const std::set<fs::path> owners = OwnersOf(path);
      touched.insert(owners.begin(), owners.end());
      if (owners.empty()) unknown.insert(named_.contains(OnePath(path)) ? path : path.parent_path());
    }
    FindNew(unknown, touched);
    for (const fs::path& path : touched) TURNLOG_TRY(ImportOne(run, sources_.at(path)));
    return run.Finish();
  }

 private:
  FoundSources Find(std::span<const fs::path> paths) {
    return FindSources(paths, format_, [this](const fs::path& path) { return FindKnownFormat(log_, path); });
  }

  // The known sources that the file belongs to.
  std::set<fs::path> OwnersOf(const fs::path& file) const {
    std::set<fs::path> owners = owners_.Find(file);
    if (owners.empty() && sources_.contains(OnePath(file))) owners.insert(OnePath(file));
    return owners;
  }

  // What has appeared there. What is not recognised yet may be so after the next change.
  void FindNew(const std::set<fs::path>& searched, std::set<fs::path>& touched) {
    const std::vector<fs::path> paths(searched.begin(), searched.end());
    for (FoundSource& source : Find(paths).sources) {
      if (!OwnersOf(source.path).empty()) continue;
      touched.insert(OnePath(source.path));
      sources_.insert_or_assign(OnePath(source.path), std::move(source));
    }
  }

  Status ImportOne(ImportRun& run, FoundSource& found) {
    std::error_code ignored;
    const bool there = fs::exists(fs::symlink_status(found.path, ignored));
    auto source = there ? Load(run, found) : Result<Source>(WithoutFiles(found));
    if (found.file) found.file.emplace(found.path, true);  // it may be another one next time
    if (!source) {
      run.Fail(At({found.path.native()}, WhyUnreadable(source.error())));
      return {};
    }
    std::optional<Source> lost = held_.TakeLost(*source);
    held_.Hold(*source);
    if (lost) TURNLOG_TRY(SourceImport(run, *found.format, *lost).Import());
    return there ? SourceImport(run, *found.format, *source).Import() : Status();
  }

  // Its files, of which none appears unseen after they were listed.
  Result<Source> Load(ImportRun& run, const FoundSource& found) {
    for (;;) {
      const std::size_t notes = run.report().notes.size();
      Source source = TURNLOG_TRY(LoadSource(found, run.report().notes));
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
  std::set<fs::path> named_;  // the same, by OnePath
  FolderWatch& watch_;
  const int stop_;
  const SecretSearch* const secrets_;
  std::map<fs::path, FoundSource> sources_;  // by OnePath
  SourceOwners owners_;
  std::set<fs::path> watched_;  // besides what was named
  HeldFiles held_;
};

bool IsWorthReporting(const ImportReport& report) {
  return report.added + report.extended + report.failed > 0 || !report.problems.empty() || !report.notes.empty();
}

}  // namespace

Status FollowImports(Log& log, std::string_view format, std::span<const fs::path> paths, int stop,
                     const std::function<void(const ImportReport& report)>& on_report, SecretDetection detect) {
  const Format* const known = TURNLOG_TRY(FindImportFormat(format));
  const auto watch = TURNLOG_TRY(FolderWatch::Open());
  const auto secrets = TURNLOG_TRY(SecretSearch::Make(detect));
  Follower follower(log, known, paths, *watch, stop, secrets.get());
  on_report(TURNLOG_TRY(follower.ImportAll()));
  for (;;) {
    const FolderWatch::Changes changes = TURNLOG_TRY(watch->Wait(stop));
    const ImportReport report =
        TURNLOG_TRY(changes.lost ? follower.ImportAll() : follower.ImportChanged(changes.paths));
    if (IsWorthReporting(report)) on_report(report);
    if (changes.stopped) return {};
  }
}

}  // namespace turnlog
