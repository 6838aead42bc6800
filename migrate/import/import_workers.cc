#include "migrate/import/import_workers.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/try.h"
#include "migrate/import/import_run.h"
#include "migrate/import/source_import.h"

namespace turnlog {
namespace {

using Group = std::vector<std::size_t>;  // of sources that must not run at once, in order

struct Groups {
  std::vector<Group> parallel;
  Group others;  // any of them may have conversations of any source
};

// By the conversations that the names of the sources show.
Groups GroupByConversation(const std::vector<FoundSource>& sources) {
  Groups groups;
  std::map<std::string, std::size_t> group_of;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::vector<ImportProblem> ignored;
    const auto source = LoadSource(sources[i], ignored);
    const auto conversations_of = sources[i].format->import.conversations_of;
    const std::vector<ConversationId> ids = source && !source->files.empty() && conversations_of != nullptr
                                                ? conversations_of(*source)
                                                : std::vector<ConversationId>();
    if (ids.empty()) {
      groups.others.push_back(i);
      continue;
    }
    // A source that belongs to two groups runs with neither.
    std::size_t group = groups.parallel.size();
    bool in_two = false;
    for (const ConversationId& id : ids) {
      const auto known = group_of.find(id.text());
      if (known == group_of.end()) continue;
      in_two |= group != groups.parallel.size() && group != known->second;
      group = known->second;
    }
    if (in_two) {
      groups.others.push_back(i);
      continue;
    }
    if (group == groups.parallel.size()) groups.parallel.emplace_back();
    groups.parallel[group].push_back(i);
    for (const ConversationId& id : ids) group_of.emplace(id.text(), group);
  }
  return groups;
}

void Add(ImportReport&& part, ImportReport& sum) {
  sum.added += part.added;
  sum.extended += part.extended;
  sum.unchanged += part.unchanged;
  sum.failed += part.failed;
  sum.events += part.events;
  sum.bytes_read += part.bytes_read;
  sum.bytes_parsed += part.bytes_parsed;
  const auto move_all = [](auto& from, auto& to) { std::ranges::move(from, std::back_inserter(to)); };
  move_all(part.problems, sum.problems);
  move_all(part.notes, sum.notes);
  move_all(part.bytes, sum.bytes);
}

class Workers {
 public:
  Workers(Log& log, std::vector<FoundSource>& sources, ImportLimits limits)
      : log_(log), sources_(sources), limits_(limits), reports_(sources.size()) {}

  // Calls `progress` on this thread for each source that is done.
  template <class ProgressFn>
  Status Run(const std::vector<Group>& groups, unsigned threads, ProgressFn progress) {
    groups_ = &groups;
    next_ = 0;
    std::size_t shown = done_, in_groups = done_;
    for (const Group& group : groups) in_groups += group.size();
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min<std::size_t>(threads, groups.size()); ++i) {
      workers.emplace_back([this] { Work(); });
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
    ImportRun run(log_, limits_);
    while (const Group* group = NextGroup()) {
      for (const std::size_t source : *group) {
        const Status status = ImportFound(run, sources_[source]);
        if (!Finish(status, run.TakeReport(), source)) return;
      }
    }
    const auto durable = run.Finish();
    const std::scoped_lock lock(mutex_);
    if (!durable && status_) status_ = std::unexpected(durable.error());
    changed_.notify_one();
  }

  const Group* NextGroup() {
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
  std::vector<ImportReport> reports_;  // of the sources
  const std::vector<Group>* groups_ = nullptr;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, done_ = 0;
  Status status_;  // the first error of the log
};

}  // namespace

Status ImportFound(ImportRun& run, FoundSource& found) {
  auto source = LoadSource(found, run.report().notes);
  if (!source) {
    run.Fail({found.path.string(), {}, {}, {}, source.error().message});
    return {};
  }
  return SourceImport(run, *found.format, *source).Import();
}

Status ImportSources(Log& log, std::vector<FoundSource>& sources, unsigned threads,
                     const std::function<void(std::uint64_t done, std::uint64_t total)>& progress,
                     ImportReport& report) {
  const Groups groups = GroupByConversation(sources);
  const std::size_t at_once = std::clamp<std::size_t>(groups.parallel.size(), 1, threads);
  const ImportLimits all;
  const ImportLimits each{.append_bytes = all.append_bytes,
                          .waiting_bytes = all.waiting_bytes / at_once,
                          .kept_bytes = all.kept_bytes / at_once,
                          .unwritten_bytes = all.unwritten_bytes};
  Workers workers(log, sources, each);
  const auto on_done = [&](std::size_t done) {
    if (progress) progress(done, sources.size());
  };
  TURNLOG_TRY(workers.Run(groups.parallel, static_cast<unsigned>(at_once), on_done));
  TURNLOG_TRY(workers.Run({groups.others}, 1, on_done));
  for (ImportReport& part : workers.reports()) Add(std::move(part), report);
  return {};
}

}  // namespace turnlog
