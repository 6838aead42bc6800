#include "migrate/logged/source_groups.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "migrate/logged/copied_history.h"
#include "migrate/logged/source_outcome.h"
#include "migrate/sources/file_stamp.h"

namespace turnlog {
namespace {

// What a source must not be imported beside others for.
struct SourceKeys {
  std::vector<std::string> conversations;  // if its name shows them; none: unknown
  // Of a new one: what it begins with a copy of, a conversation of the log or one that it names; and its beginning.
  std::optional<std::string> copy_of, beginning;

  std::vector<std::string> All() const {
    std::vector<std::string> keys = conversations;
    if (beginning) keys.push_back("beginning " + *beginning);
    if (copy_of) keys.push_back(*copy_of);
    return keys;
  }
};

SourceKeys KeysOf(Log& log, const FoundSource& found) {
  std::vector<ImportProblem> ignored;
  SourceKeys keys;
  const ImportFormat& format = found.format->import;
  if (format.conversations_of == nullptr) return keys;
  auto source = LoadSource(found, ignored);
  if (!source || source->files.empty()) return keys;
  for (const ConversationId& id : format.conversations_of(*source)) keys.conversations.push_back(id.text());
  if (keys.conversations.empty() || (format.beginning_of == nullptr && format.origin_of == nullptr)) return keys;
  const auto outcome = FindOutcome(log, found.path);
  if (outcome && *outcome) return keys;
  if (format.origin_of != nullptr) keys.copy_of = format.origin_of(*source);
  if (keys.copy_of || format.beginning_of == nullptr) return keys;
  keys.beginning = format.beginning_of(*source);
  if (!keys.beginning) return keys;
  const auto first = FindFirst(log, found.format->name, *keys.beginning);
  const bool known = first && *first;
  const bool own = known && std::ranges::find(keys.conversations, (*first)->text()) != keys.conversations.end();
  if (known && !own) keys.copy_of = (*first)->text();
  return keys;
}

SourceAge AgeOf(const FoundSource& found) {
  std::vector<ImportProblem> ignored;
  if (found.format->import.age_of == nullptr) return {};
  auto source = LoadSource(found, ignored);
  return source && !source->files.empty() ? found.format->import.age_of(*source) : SourceAge();
}

// The sources that have a key in common, directly or by way of others.
class CommonKeys {
 public:
  explicit CommonKeys(std::size_t sources) : before_(sources) { std::iota(before_.begin(), before_.end(), 0); }

  void Add(std::size_t source, const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      const auto [known, added] = first_.emplace(key, source);
      if (!added) Join(known->second, source);
    }
  }

  // The first of the sources.
  std::size_t Find(std::size_t source) {
    while (before_[source] != source) source = before_[source] = before_[before_[source]];
    return source;
  }

 private:
  void Join(std::size_t one, std::size_t other) {
    const auto [first, second] = std::minmax({Find(one), Find(other)});
    before_[second] = first;
  }

  std::vector<std::size_t> before_;           // an earlier source with the same keys; its own number: none
  std::map<std::string, std::size_t> first_;  // by key
};

class Grouping {
 public:
  Grouping(Log& log, const std::vector<FoundSource>& sources) : log_(log), sources_(sources) {}

  SourceGroups Group() {
    SourceGroups groups;
    for (const FoundSource& source : sources_) keys_.push_back(KeysOf(log_, source));
    CommonKeys common(sources_.size());
    std::map<std::size_t, SourceGroup> by_first;
    for (std::size_t i = 0; i < sources_.size(); ++i) common.Add(i, keys_[i].All());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      (keys_[i].conversations.empty() ? groups.others : by_first[common.Find(i)]).push_back(i);
    }
    for (auto& [first, group] : by_first) groups.parallel.push_back(std::move(group));
    for (SourceGroup& group : groups.parallel) {
      SortByAge(group);
      PutOriginsFirst(group);
    }
    PutCopiesLast(groups.others);
    FindSameNames(groups);
    return groups;
  }

 private:
  // The oldest first: a copy is younger than what it is a copy of. Unless that has grown since, so copies come last.
  // The times of files decide only if the contents do not.
  void SortByAge(SourceGroup& group) const {
    using Key = std::tuple<bool, bool, std::int64_t, std::int64_t, std::int64_t, std::size_t>;
    if (group.size() == 1) return;
    const auto nanos = [](const std::optional<Timestamp>& time) { return time ? time->nanos : INT64_MAX; };
    std::map<std::size_t, Key> keys;
    for (const std::size_t source : group) {
      const SourceAge age = AgeOf(sources_[source]);
      const auto stamp = StampOf(sources_[source].path, true);
      const std::int64_t modified = stamp ? stamp->modified : INT64_MAX;
      keys.emplace(source, Key(keys_[source].copy_of.has_value(), age.names_another, nanos(age.begins), nanos(age.ends),
                               modified, source));
    }
    std::ranges::sort(group, {}, [&](std::size_t source) { return keys.at(source); });
  }

  // A copy may be older than a copy of it, and end later. Sessions that claim to be copies of one another come in some
  // order.
  void PutOriginsFirst(SourceGroup& group) const {
    std::map<std::string_view, std::size_t> owners;
    for (const std::size_t source : group) {
      for (const std::string& conversation : keys_[source].conversations) owners.emplace(conversation, source);
    }
    std::set<std::size_t> placed;
    SourceGroup ordered;
    for (const std::size_t source : group) {
      SourceGroup chain;  // from the copy to its origin
      for (std::optional next = source; next && placed.insert(*next).second; next = OriginOf(*next, owners)) {
        chain.push_back(*next);
      }
      ordered.insert(ordered.end(), chain.rbegin(), chain.rend());
    }
    group = std::move(ordered);
  }

  std::optional<std::size_t> OriginOf(std::size_t copy, const std::map<std::string_view, std::size_t>& owners) const {
    const auto& origin = keys_[copy].copy_of;
    const auto owner = origin ? owners.find(*origin) : owners.end();
    return owner == owners.end() ? std::nullopt : std::optional(owner->second);
  }

  // What may repeat records of others comes after them. What was imported before is not looked at: that is decided.
  void PutCopiesLast(SourceGroup& group) const {
    SourceGroup copies;
    std::erase_if(group, [&](std::size_t source) {
      const auto outcome = FindOutcome(log_, sources_[source].path);
      const bool is_copy = !(outcome && *outcome) && AgeOf(sources_[source]).names_another;
      if (is_copy) copies.push_back(source);
      return is_copy;
    });
    SortByAge(copies);
    group.insert(group.end(), copies.begin(), copies.end());
  }

  void FindSameNames(SourceGroups& groups) const {
    std::map<std::string_view, std::size_t> first;
    for (const SourceGroup& group : groups.parallel) {
      for (const std::size_t source : group) {
        for (const std::string& conversation : keys_[source].conversations) {
          const auto [known, added] = first.emplace(conversation, source);
          if (!added) groups.same_name.emplace(source, known->second);
        }
      }
    }
  }

  Log& log_;
  const std::vector<FoundSource>& sources_;
  std::vector<SourceKeys> keys_;
};

}  // namespace

SourceGroups GroupSources(Log& log, const std::vector<FoundSource>& sources) { return Grouping(log, sources).Group(); }

}  // namespace turnlog
