#include "migrate/import/import_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "base/try.h"
#include "migrate/import/copied_history.h"
#include "migrate/import/file_stamp.h"
#include "migrate/import/import_run.h"
#include "migrate/import/source_import.h"
#include "migrate/import/source_outcome.h"

namespace turnlog {
namespace {

using Group = std::vector<std::size_t>;  // of sources that must not run at once, in order

struct Groups {
  std::vector<Group> parallel;
  Group others;                                  // any of them may have conversations of any source
  std::map<std::size_t, std::size_t> same_name;  // sources of a conversation that another one comes before
};

struct SourceKeys {
  // What the source must not be imported beside others for: its conversations, if its name shows them, and if it is
  // new, what it begins with a copy of, or its beginning and the conversation that had this beginning first. Nothing:
  // unknown.
  std::vector<std::string> keys;
  std::size_t conversations = 0;  // how many of the first keys
  bool copy = false;              // of a conversation of the log, or of one that it names
};

SourceKeys KeysOf(Log& log, const FoundSource& found) {
  std::vector<ImportProblem> ignored;
  SourceKeys found_keys;
  std::vector<std::string>& keys = found_keys.keys;
  auto source = LoadSource(found, ignored);
  const ImportFormat& format = found.format->import;
  if (!source || source->files.empty() || format.conversations_of == nullptr) return found_keys;
  for (const ConversationId& id : format.conversations_of(*source)) keys.push_back(id.text());
  found_keys.conversations = keys.size();
  if (keys.empty() || (format.beginning_of == nullptr && format.origin_of == nullptr)) return found_keys;
  const auto outcome = FindOutcome(log, found.path);
  if (outcome && *outcome) return found_keys;
  if (auto origin = format.origin_of != nullptr ? format.origin_of(*source) : std::nullopt) {
    keys.push_back(*std::move(origin));
    found_keys.copy = true;
    return found_keys;
  }
  const auto beginning = format.beginning_of != nullptr ? format.beginning_of(*source) : std::nullopt;
  if (!beginning) return found_keys;
  keys.push_back("beginning " + *beginning);
  const auto first = FindFirst(log, found.format->name, *beginning);
  if (!first || !*first || std::ranges::find(keys, (*first)->text()) != keys.end()) return found_keys;
  keys.push_back((*first)->text());
  found_keys.copy = true;
  return found_keys;
}

SourceAge AgeOf(const FoundSource& found) {
  std::vector<ImportProblem> ignored;
  if (found.format->import.age_of == nullptr) return {};
  auto source = LoadSource(found, ignored);
  return source && !source->files.empty() ? found.format->import.age_of(*source) : SourceAge();
}

// The oldest first: a copy is younger than what it is a copy of. Unless that has grown since, so copies of what the log
// has come last. The times of files decide only if the contents do not.
void SortByAge(const std::vector<FoundSource>& sources, const std::set<std::size_t>& copies, Group& group) {
  using Key = std::tuple<bool, bool, std::int64_t, std::int64_t, std::int64_t, std::size_t>;
  if (group.size() == 1) return;
  const auto nanos = [](const std::optional<Timestamp>& time) { return time ? time->nanos : INT64_MAX; };
  std::map<std::size_t, Key> keys;
  for (const std::size_t source : group) {
    const SourceAge age = AgeOf(sources[source]);
    const auto stamp = StampOf(sources[source].path, true);
    const std::int64_t modified = stamp ? stamp->modified : INT64_MAX;
    keys.emplace(source,
                 Key(copies.contains(source), age.names_another, nanos(age.begins), nanos(age.ends), modified, source));
  }
  std::ranges::sort(group, {}, [&](std::size_t source) { return keys.at(source); });
}

// `own`: the conversations of each source.
void FindSameNames(const std::vector<std::vector<std::string>>& own, Groups& groups) {
  std::map<std::string_view, std::size_t> first;
  for (const Group& group : groups.parallel) {
    for (const std::size_t source : group) {
      for (const std::string& conversation : own[source]) {
        const auto [known, added] = first.emplace(conversation, source);
        if (!added) groups.same_name.emplace(source, known->second);
      }
    }
  }
}

// What may repeat records of others comes after them. What was imported before is not looked at: that is decided.
void PutCopiesLast(Log& log, const std::vector<FoundSource>& sources, Group& group) {
  Group copies;
  std::erase_if(group, [&](std::size_t source) {
    const auto outcome = FindOutcome(log, sources[source].path);
    const bool is_copy = !(outcome && *outcome) && AgeOf(sources[source]).names_another;
    if (is_copy) copies.push_back(source);
    return is_copy;
  });
  SortByAge(sources, {}, copies);
  group.insert(group.end(), copies.begin(), copies.end());
}

Groups GroupSources(Log& log, const std::vector<FoundSource>& sources) {
  Groups groups;
  std::map<std::string, std::size_t> group_of;
  std::set<std::size_t> copies;
  std::vector<std::vector<std::string>> own(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto [keys, conversations, copy] = KeysOf(log, sources[i]);
    own[i].assign(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(conversations));
    if (copy) copies.insert(i);
    if (keys.empty()) {
      groups.others.push_back(i);
      continue;
    }
    // A source that belongs to two groups runs with neither.
    std::size_t group = groups.parallel.size();
    bool in_two = false;
    for (const std::string& key : keys) {
      const auto known = group_of.find(key);
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
    for (const std::string& key : keys) group_of.emplace(key, group);
  }
  for (Group& group : groups.parallel) SortByAge(sources, copies, group);
  PutCopiesLast(log, sources, groups.others);
  FindSameNames(own, groups);
  return groups;
}

// What differs from a conversation may be another one with the same name.
void NameOthers(const Groups& groups, const std::vector<FoundSource>& sources, std::vector<ImportReport>& reports) {
  for (const auto& [source, other] : groups.same_name) {
    for (ImportProblem& problem : reports[source].problems) {
      if (problem.code != ImportProblemCode::kChanged) continue;
      problem.reason +=
          fmt::format("; {} has the same name and was imported before: rename one if they are not the same",
                      sources[other].path.native());
    }
  }
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
  for (const auto& [rule, count] : part.secrets) sum.secrets[rule] += count;
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
  Status Run(const std::vector<Group>& groups, unsigned threads, ProgressFn progress) {
    groups_ = &groups;
    next_ = 0;
    std::size_t shown = done_, in_groups = done_;
    for (const Group& group : groups) in_groups += group.size();
    const std::size_t at_once = std::min<std::size_t>(threads, groups.size());
    if (at_once > 0) readers_ = static_cast<unsigned>((threads_ - 1) / at_once);  // the others, divided and rounded up
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < at_once; ++i) {
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
    ImportRun run(log_, limits_, secrets_);
    run.readers = readers_;
    while (const Group* group = NextGroup()) {
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
  const unsigned threads_;
  const SecretSearch* const secrets_;
  const ImportFoundFn& import_;
  std::vector<ImportReport> reports_;  // of the sources
  const std::vector<Group>* groups_ = nullptr;
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
  const Groups groups = sources.size() == 1 ? Groups{{}, {0}} : GroupSources(log, sources);
  const std::size_t at_once = std::clamp<std::size_t>(groups.parallel.size(), 1, threads);
  const ImportLimits all;
  const ImportLimits each{.append_bytes = all.append_bytes,
                          .waiting_bytes = all.waiting_bytes / at_once,
                          .kept_bytes = all.kept_bytes / at_once,
                          .unwritten_bytes = all.unwritten_bytes};
  Workers workers(log, sources, each, threads, secrets, import);
  const auto on_done = [&](std::size_t done) {
    if (progress) progress(done, sources.size());
  };
  TURNLOG_TRY(workers.Run(groups.parallel, static_cast<unsigned>(at_once), on_done));
  TURNLOG_TRY(workers.Run({groups.others}, 1, on_done));
  NameOthers(groups, sources, workers.reports());
  for (ImportReport& part : workers.reports()) Add(std::move(part), report);
  return {};
}

}  // namespace turnlog
