#include "migrate/import/import_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/try.h"
#include "migrate/import/import_run.h"
#include "migrate/import/source_import.h"
#include "migrate/logged/source_groups.h"

namespace turnlog {
namespace {

// What differs from a conversation may be another one with the same name.
void NameOthers(const SourceGroups& groups, const std::vector<FoundSource>& sources,
                std::vector<ImportReport>& reports) {
  for (const auto& [source, other] : groups.same_name) {
    for (ImportProblem& problem : reports[source].problems) {
      if (problem.code != ImportProblemCode::kChanged) continue;
      problem.reason +=
          fmt::format("; {} has the same name and was imported before: rename one if they are not the same",
                      sources[other].path.native());
    }
  }
}

class Workers {
 public:
  // `threads`: at most, readers included.
  Workers(Log& log, std::vector<FoundSource>& sources, ImportLimits limits, unsigned threads,
          const SecretSearch* secrets, const ImportFoundFn& import)
      : log_(log),
        sources_(sources),
        limits_(limits),
        threads_(threads),
        secrets_(secrets),
        import_(import),
        reports_(sources.size()) {}

  // Calls `progress` on this thread for each source that is done.
  template <class ProgressFn>
  Status Run(const std::vector<SourceGroup>& groups, unsigned threads, ProgressFn progress) {
    groups_ = &groups;
    next_ = 0;
    std::size_t shown = done_, in_groups = done_;
    for (const SourceGroup& group : groups) in_groups += group.size();
    const std::size_t at_once = std::min<std::size_t>(threads, groups.size());
    if (at_once > 0) readers_ = static_cast<unsigned>((threads_ - 1) / at_once);  // the others, divided and rounded up
    std::vector<std::jthread> workers;
    try {
      while (workers.size() < at_once) workers.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {  // there are fewer threads
      if (workers.empty()) Work();
    }
    std::unique_lock lock(mutex_);
    while (shown < in_groups && status_) {
      changed_.wait(lock, [&] { return done_ > shown || !status_; });
      const std::size_t done = done_;
      lock.unlock();
      while (shown < done) progress(++shown);
      lock.lock();
    }
    lock.unlock();
    workers.clear();  // waits for them
    return status_;
  }

  std::vector<ImportReport>& reports() { return reports_; }

 private:
  void Work() {
    ImportRun run(log_, limits_, secrets_);
    run.readers = readers_;
    while (const SourceGroup* group = NextGroup()) {
      for (const std::size_t source : *group) {
        const Status status = import_(run, sources_[source]);
        if (!Finish(status, run.TakeReport(), source)) return;
      }
    }
    const auto durable = run.Finish();
    const std::scoped_lock lock(mutex_);
    if (!durable && status_) status_ = std::unexpected(durable.error());
    changed_.notify_one();
  }

  const SourceGroup* NextGroup() {
    const std::scoped_lock lock(mutex_);
    return status_ && next_ < groups_->size() ? &(*groups_)[next_++] : nullptr;
  }

  bool Finish(const Status& status, ImportReport report, std::size_t source) {
    const std::scoped_lock lock(mutex_);
    if (!status && status_) status_ = status;
    reports_[source] = std::move(report);
    sources_[source].file.reset();
    ++done_;
    changed_.notify_one();
    return status_.has_value();
  }

  Log& log_;
  std::vector<FoundSource>& sources_;
  const ImportLimits limits_;
  const unsigned threads_;
  const SecretSearch* const secrets_;
  const ImportFoundFn& import_;
  std::vector<ImportReport> reports_;  // of the sources
  const std::vector<SourceGroup>* groups_ = nullptr;
  unsigned readers_ = 0;  // for each of them

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, done_ = 0;
  Status status_;  // the first error of the log
};

}  // namespace

Status ImportFound(ImportRun& run, FoundSource& found) {
  auto source = LoadSource(found, run.report().notes);
  if (!source) {
    run.Fail(At({found.path.native()}, WhyUnreadable(source.error())));
    return {};
  }
  return SourceImport(run, *found.format, *source).Import();
}

Status ImportSources(Log& log, std::vector<FoundSource>& sources, unsigned threads, const SecretSearch* secrets,
                     const std::function<void(std::uint64_t done, std::uint64_t total)>& progress, ImportReport& report,
                     const ImportFoundFn& import) {
  const SourceGroups groups = sources.size() == 1 ? SourceGroups{{}, {0}, {}} : GroupSources(log, sources);
  const std::size_t at_once = std::clamp<std::size_t>(groups.parallel.size(), 1, threads);
  const ImportLimits all;
  const ImportLimits each{.append_bytes = all.append_bytes,
                          .waiting_bytes = all.waiting_bytes / at_once,
                          .kept_bytes = all.kept_bytes / at_once,
                          .unwritten_bytes = all.unwritten_bytes,
                          .open = all.open / at_once};
  Workers workers(log, sources, each, threads, secrets, import);
  const auto on_done = [&](std::size_t done) {
    if (progress) progress(done, sources.size());
  };
  TURNLOG_TRY(workers.Run(groups.parallel, static_cast<unsigned>(at_once), on_done));
  TURNLOG_TRY(workers.Run({groups.others}, 1, on_done));
  NameOthers(groups, sources, workers.reports());
  for (ImportReport& part : workers.reports()) report += std::move(part);
  return {};
}

}  // namespace turnlog
