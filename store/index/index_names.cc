// Lists of conversations: names in order, from memory and from disk, page by page.
#include <algorithm>
#include <set>
#include <utility>

#include "base/try.h"
#include "store/index/index.h"

namespace turnlog {

// The first `limit` of the names behind `after` that are added.
struct Index::NamePage {
  const std::string after;
  const std::size_t limit;
  std::set<std::string> names{};

  bool full() const { return names.size() >= limit; }
  bool EndsBefore(const std::string& name) const { return full() && (limit == 0 || name > *names.rbegin()); }
  void Add(const std::string& name) {
    if (name <= after || EndsBefore(name)) return;
    names.insert(name);
    if (names.size() > limit) names.erase(std::prev(names.end()));
  }
};

// Entry by entry: what RocksDB passes over in a damaged block does not go unnoticed then, as it does with Range.
Status Index::AddFromDisk(const std::string& prefix, NamePage& page) const {
  std::string from = prefix + page.after + '\0';
  for (std::size_t i = 0; i < page.limit; ++i) {
    const auto entry = TURNLOG_TRY(base_->Seek(from, prefix));
    if (!entry) break;
    const std::string name = entry->first.substr(prefix.size());
    if (page.EndsBefore(name)) break;
    page.Add(name);
    from = entry->first + '\0';
  }
  return {};
}

Result<std::vector<std::string>> Index::Names(std::string_view after, std::size_t limit) const {
  NamePage page{std::string(after), limit};
  ForEachInMemory([&](const std::string& name, const ConversationProjection&) { page.Add(name); });
  TURNLOG_TRY(AddFromDisk(SpacePrefix(KeySpace::kName), page));
  return std::vector<std::string>(page.names.begin(), page.names.end());
}

// Conversations that have grown since the last checkpoint, or got a watermark since, are looked at; of all others the
// disk knows. A consumer that never had a watermark there has seen none of them.
Result<std::vector<std::string>> Index::NamesOfChanged(std::string_view consumer, std::string_view after,
                                                       std::size_t limit) const {
  constexpr std::size_t kLookedAtOnce = 256;
  const bool known = TURNLOG_TRY(base_->Get(ConsumerKey(consumer))).has_value();
  const std::string prefix = known ? ChangedPrefix(consumer) : SpacePrefix(KeySpace::kName);
  std::vector<std::string> changed;
  std::string from(after);
  while (changed.size() < limit) {
    NamePage page{from, std::max(limit, kLookedAtOnce)};
    ForEachInMemory([&](const std::string& name, const ConversationProjection& fold) {
      if (fold.grown()) page.Add(name);
    });
    for (const std::string& name : watermarks_.Names(consumer, from, page.limit)) page.Add(name);
    TURNLOG_TRY(AddFromDisk(prefix, page));
    for (const std::string& name : page.names) {
      if (changed.size() < limit && TURNLOG_TRY(Changed(consumer, name))) changed.push_back(name);
    }
    if (!page.full()) break;
    from = *page.names.rbegin();
  }
  return changed;
}

Result<bool> Index::Changed(std::string_view consumer, const std::string& name) const {
  const auto state = TURNLOG_TRY(Find(name));
  if (!state) return false;
  const auto watermark = TURNLOG_TRY(FindWatermark(consumer, *state));
  return !watermark || watermark->head.value < state->last_seq;
}

// In pieces: a store may have millions of conversations. Entries of a consumer that does not get its own entry, because
// of a crash, do no harm: nothing reads them.
Status Index::MarkAllChanged(const std::string& consumer) const {
  constexpr std::size_t kMarkedAtOnce = 1 << 16;
  for (std::string after;;) {
    NamePage page{after, kMarkedAtOnce};
    TURNLOG_TRY(AddFromDisk(SpacePrefix(KeySpace::kName), page));
    if (page.names.empty()) return {};
    IndexBatch batch;
    for (const std::string& name : page.names) batch.puts.emplace_back(ChangedKey(consumer, name), std::string());
    TURNLOG_TRY(base_->Apply(batch));
    after = *page.names.rbegin();
  }
}

Result<std::vector<std::string>> Index::NamesWithPending() const {
  std::set<std::string> names;
  ForEachInMemory([&](const std::string& name, const ConversationProjection& fold) {
    if (!fold.state().open.empty()) names.insert(name);
  });
  const std::string prefix = SpacePrefix(KeySpace::kPending);
  std::string from = prefix;
  while (const auto entry = TURNLOG_TRY(base_->Seek(from, prefix))) {
    from = entry->first + '\0';
    if (auto name = TURNLOG_TRY(NameOf(NumberOfKey(entry->first)))) names.insert(*std::move(name));
  }
  std::vector<std::string> pending;
  for (const std::string& name : names) {
    const auto state = TURNLOG_TRY(Find(name));
    if (state && !state->open.empty()) pending.push_back(name);
  }
  return pending;
}

}  // namespace turnlog
