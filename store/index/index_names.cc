// Lists of conversations in order of their names, from memory and from disk, page by page.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "base/try.h"
#include "store/index/index.h"

namespace turnlog {
namespace {

bool Includes(Changes which, const ConversationState& state) { return which == Changes::kAll || state.repairs > 0; }

}  // namespace

// Collects the first `limit` names greater than `after`.
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

Status Index::AddFromDisk(const std::string& prefix, NamePage& page) const {
  for (const auto& [key, value] : TURNLOG_TRY(base_->Range(prefix + page.after + '\0', prefix, page.limit))) {
    page.Add(key.substr(prefix.size()));
  }
  return {};
}

// Keeps the entries in the cache, because their conversations are likely to be read next.
Result<EntryCache::Page> Index::ReadPage(std::string_view first, std::size_t limit) const {
  const std::uint64_t generation = entries_.generation();
  const std::string prefix = SpacePrefix(KeySpace::kName);
  const std::string from = std::string(prefix).append(first);
  auto entries = std::make_shared<std::vector<ConversationEntry>>();
  for (const auto& [key, value] : TURNLOG_TRY(base_->Range(from, prefix, limit))) {
    auto entry = DecodeConversation(std::string_view(key).substr(prefix.size()), value);
    if (!entry) return IndexDamaged("a conversation's entry");
    entries->push_back(*std::move(entry));
  }
  entries_.AddPage(entries, generation);
  return entries;
}

// Memory first: what it does not have any more is on disk by then. Of what both have, memory knows the newer state.
Result<std::vector<StatePtr>> Index::Conversations(std::string_view after, std::size_t limit) const {
  if (limit == 0) return std::vector<StatePtr>();
  std::map<std::string, StatePtr> in_memory;
  ForEachInMemory([&](const ConversationProjection& projection) {
    const std::string& name = projection.state().name;
    if (name <= after || (in_memory.size() >= limit && name > in_memory.rbegin()->first)) return;
    StatePtr& known = in_memory[name];
    if (known == nullptr || known->last_seq < projection.state().last_seq) {
      known = std::make_shared<const ConversationState>(projection.state());
    }
    if (in_memory.size() > limit) in_memory.erase(std::prev(in_memory.end()));
  });
  const EntryCache::Page page = TURNLOG_TRY(ReadPage(std::string(after).append(1, '\0'), limit));
  std::vector<StatePtr> states;
  states.reserve(std::min(limit, page->size() + in_memory.size()));
  auto newer = in_memory.begin();
  for (const ConversationEntry& entry : *page) {
    for (; newer != in_memory.end() && newer->first < entry.state.name; ++newer) states.push_back(newer->second);
    const bool both = newer != in_memory.end() && newer->first == entry.state.name;
    const StatePtr stored(page, &entry.state);
    states.push_back(both && newer->second->last_seq > stored->last_seq ? newer->second : stored);
    if (both) ++newer;
  }
  for (; newer != in_memory.end(); ++newer) states.push_back(newer->second);
  if (states.size() > limit) states.resize(limit);
  return states;
}

// If a checkpoint is written meanwhile, an entry on disk and a watermark in memory may belong to different times: then
// it starts over.
Result<std::vector<StatePtr>> Index::Changed(std::string_view consumer, std::string_view after, std::size_t limit,
                                             Changes which) const {
  if (which == Changes::kRepaired && repairs_ == 0) return std::vector<StatePtr>();
  for (;;) {
    const std::uint64_t generation = entries_.generation();
    const std::optional<std::string> marked = TURNLOG_TRY(MarkedUpTo(consumer));
    std::vector<StatePtr> changed;
    if (!marked || after < *marked) changed = TURNLOG_TRY(ChangedSince(consumer, after, limit, which, marked));
    if (marked && changed.size() < limit) {
      const std::string_view from = std::max<std::string_view>(after, *marked);
      std::ranges::move(TURNLOG_TRY(Unseen(consumer, from, limit - changed.size(), which)),
                        std::back_inserter(changed));
    }
    if (generation == entries_.generation()) return changed;
  }
}

Result<std::optional<std::string>> Index::MarkedUpTo(std::string_view consumer) const {
  const std::uint64_t generation = entries_.generation();
  {
    const std::scoped_lock lock(marked_mutex_);
    if (marked_generation_ != generation) marked_.clear();
    marked_generation_ = generation;
    if (const auto known = marked_.find(consumer); known != marked_.end()) return known->second;
  }
  std::optional<std::string> marked;
  if (!TURNLOG_TRY(base_->Get(ConsumerKey(consumer)))) {
    marked = TURNLOG_TRY(base_->Get(MarkedUpToKey(consumer))).value_or(std::string());
  }
  const std::scoped_lock lock(marked_mutex_);
  if (marked_generation_ == generation && entries_.generation() == generation) marked_.emplace(consumer, marked);
  return marked;
}

// Greater than `after`, for a consumer without watermarks on disk there.
Result<std::vector<StatePtr>> Index::Unseen(std::string_view consumer, std::string_view after, std::size_t limit,
                                            Changes which) const {
  std::vector<StatePtr> unseen;
  for (std::string from(after); unseen.size() < limit;) {
    const auto states = TURNLOG_TRY(Conversations(from, limit));
    for (const StatePtr& state : states) {
      if (!Includes(which, *state)) continue;
      const auto watermark = watermarks_.Find(consumer, state->name);
      const bool seen = watermark && watermark->head.value >= state->last_seq;
      if (!seen && unseen.size() < limit) unseen.push_back(state);
    }
    if (states.size() < limit) break;
    from = states.back()->name;
  }
  return unseen;
}

// For a consumer with watermarks on disk: its key space names the conversations up to `marked` that had changed at the
// last checkpoint. Those that have grown since, or got a watermark since, are looked at.
Result<std::vector<StatePtr>> Index::ChangedSince(std::string_view consumer, std::string_view after, std::size_t limit,
                                                  Changes which, const std::optional<std::string>& marked) const {
  constexpr std::size_t kLookedAtOnce = 256, kLookedUpOneByOne = 16;
  std::vector<StatePtr> changed;
  for (std::string from(after); changed.size() < limit;) {
    NamePage page{from, std::max(limit, kLookedAtOnce)};
    ForEachInMemory([&](const ConversationProjection& projection) {
      if (projection.grown()) page.Add(projection.state().name);
    });
    for (const std::string& name : watermarks_.Names(consumer, from, page.limit)) page.Add(name);
    const std::set<std::string> looked_at = page.names;
    TURNLOG_TRY(AddFromDisk(ChangedPrefix(consumer), page));
    // Finds most of them, if most have changed, at a fraction of the cost.
    if (page.names.size() > kLookedUpOneByOne) (void)TURNLOG_TRY(ReadPage(*page.names.begin(), page.names.size()));
    for (const std::string& name : page.names) {
      if (changed.size() == limit || (marked && name > *marked)) return changed;
      StatePtr state = TURNLOG_TRY(Find(name));
      if (state == nullptr || !Includes(which, *state)) continue;
      if (!looked_at.contains(name) || TURNLOG_TRY(HasChanged(consumer, *state))) changed.push_back(std::move(state));
    }
    if (!page.full()) break;
    from = *page.names.rbegin();
  }
  return changed;
}

Result<bool> Index::HasChanged(std::string_view consumer, const ConversationState& state) const {
  const auto watermark = TURNLOG_TRY(FindWatermark(consumer, state));
  return !watermark || watermark->head.value < state.last_seq;
}

Result<std::vector<std::string>> Index::NamesWithPending() const {
  std::set<std::string> names;
  ForEachInMemory([&](const ConversationProjection& projection) {
    if (!projection.state().open.empty()) names.insert(projection.state().name);
  });
  const std::string prefix = SpacePrefix(KeySpace::kPending);
  for (const auto& [key, value] : TURNLOG_TRY(base_->Range(prefix, prefix, SIZE_MAX))) {
    if (auto name = TURNLOG_TRY(NameOf(NumberOfKey(key)))) names.insert(*std::move(name));
  }
  std::vector<std::string> pending;
  for (const std::string& name : names) {
    const StatePtr state = TURNLOG_TRY(Find(name));
    if (state != nullptr && !state->open.empty()) pending.push_back(name);
  }
  return pending;
}

}  // namespace turnlog
