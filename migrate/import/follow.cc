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
      : log_(log), format_(format), paths_(paths), watch_(watch), stop_(stop), secrets_(secrets) {}

  // Imports all that is there.
  Result<ImportReport> ImportAll() {
    for (const fs::path& path : paths_) TURNLOG_TRY(watch_.Add(path));
    ImportRun run(log_, {}, secrets_);
    FoundSources found = Find(paths_);
    run.report().problems = std::move(found.problems);
    run.report().notes = std::move(found.notes);
    run.report().failed = found.failed;
    run.report().bytes_read = found.bytes_read;
    for (FoundSource& source : found.sources) {
      const fs::path path = source.path;
      sources_.insert_or_assign(path, std::move(source));
      if (IsReadable(stop_)) break;  // the next import goes on here
      TURNLOG_TRY(ImportOne(run, sources_.at(path)));
    }
    return run.Finish();
  }

  Result<ImportReport> ImportChanged(const std::set<fs::path>& changed) {
    ImportRun run(log_, {}, secrets_);
    std::set<fs::path> touched;
    for (const fs::path& path : changed) {
      if (const auto owner = OwnerOf(path)) {
        touched.insert(*owner);
      } else {
        FindNew(path, touched);
      }
    }
    for (const fs::path& path : touched) TURNLOG_TRY(ImportOne(run, sources_.at(path)));
    return run.Finish();
  }

 private:
  FoundSources Find(std::span<const fs::path> paths) {
    return FindSources(paths, format_, [this](const fs::path& path) { return FindKnownFormat(log_, path); });
  }

  // The folder whose files belong to the source; empty: none.
  static fs::path FolderOf(const FoundSource& source) {
    if (source.is_folder) return source.path;
    const auto companion = source.format->import.companion_folder;
    const std::string name = companion == nullptr ? std::string() : companion(source.path.filename().string());
    return name.empty() ? fs::path() : source.path.parent_path() / name;
  }

  // The path of the known source that the file belongs to.
  std::optional<fs::path> OwnerOf(const fs::path& file) const {
    if (sources_.contains(file)) return file;
    for (fs::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path()) {
      if (const auto owner = folders_.find(folder); owner != folders_.end()) return owner->second;
      if (folder == folder.parent_path()) break;
    }
    return std::nullopt;
  }

  // What has appeared where the file is. What is not recognised yet may be so after the next change.
  void FindNew(const fs::path& file, std::set<fs::path>& touched) {
    const bool named = std::ranges::find(paths_, file) != paths_.end();
    const fs::path searched = named ? file : file.parent_path();
    for (FoundSource& source : Find({&searched, 1}).sources) {
      const fs::path path = source.path;
      if (OwnerOf(path)) continue;
      touched.insert(path);
      sources_.insert_or_assign(path, std::move(source));
    }
  }

  Status ImportOne(ImportRun& run, FoundSource& found) {
    const fs::path folder = FolderOf(found);
    if (!folder.empty()) folders_[folder] = found.path;
    std::error_code ignored;
    const bool there = fs::exists(fs::symlink_status(found.path, ignored));
    found.file.reset();  // it may have been replaced
    auto source = there ? LoadSource(found, run.report().notes) : Result<Source>(WithoutFiles(found));
    if (!source) {
      run.Fail(At({found.path.native()}, WhyUnreadable(source.error())));
      return {};
    }
    std::optional<Source> lost = held_.TakeLost(*source);
    held_.Hold(*source);
    if (lost) TURNLOG_TRY(SourceImport(run, *found.format, *lost).Import());
    return there ? SourceImport(run, *found.format, *source).Import() : Status();
  }

  static Source WithoutFiles(const FoundSource& found) {
    return {found.path, NameOf(found.path), NameOf(found.path.parent_path()), {}};
  }

  Log& log_;
  const Format* const format_;
  const std::span<const fs::path> paths_;
  FolderWatch& watch_;
  const int stop_;
  const SecretSearch* const secrets_;
  std::map<fs::path, FoundSource> sources_;
  std::map<fs::path, fs::path> folders_;  // the source that the files in a folder belong to
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
