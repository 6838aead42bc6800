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

// Memory first: what it does not have any more is on disk by then. Of what both have, memory knows the newer state.
Result<std::vector<ConversationState>> Index::Conversations(std::string_view after, std::size_t limit) const {
  const std::string first(after);
  std::map<std::string, ConversationState> page;
  const auto add = [&](const std::string& name, auto get_state) -> Status {
    if (name <= first || (page.size() >= limit && (limit == 0 || name > page.rbegin()->first))) return {};
    ConversationState state = TURNLOG_TRY(get_state());
    const auto [known, is_new] = page.try_emplace(name, std::move(state));
    if (!is_new && known->second.last_seq < state.last_seq) known->second = std::move(state);
    if (page.size() > limit) page.erase(std::prev(page.end()));
    return {};
  };
  ForEachInMemory([&](const std::string& name, const ConversationProjection& fold) {
    (void)add(name, [&] { return Result<ConversationState>(fold.state()); });
  });
  const std::string prefix = SpacePrefix(KeySpace::kName);
  for (const auto& [key, value] : TURNLOG_TRY(base_->Range(prefix + first + '\0', prefix, limit))) {
    const std::string name = key.substr(prefix.size());
    const auto decode = [&]() -> Result<ConversationState> {
      auto state = DecodeState(name, value);
      if (!state) return IndexDamaged("a conversation's entry");
      return *std::move(state);
    };
    TURNLOG_TRY(add(name, decode));
  }
  const auto states = std::views::values(page);
  return std::vector<ConversationState>(std::make_move_iterator(states.begin()), std::make_move_iterator(states.end()));
}

// Conversations that have grown since the last checkpoint, or got a watermark since, are looked at; of all others the
// disk knows. A consumer that never had a watermark there has seen none of them.
Result<std::vector<ConversationState>> Index::Changed(std::string_view consumer, std::string_view after,
                                                      std::size_t limit) const {
  constexpr std::size_t kLookedAtOnce = 256;
  const bool known = TURNLOG_TRY(base_->Get(ConsumerKey(consumer))).has_value();
  const std::string prefix = known ? ChangedPrefix(consumer) : SpacePrefix(KeySpace::kName);
  std::vector<ConversationState> changed;
  std::string from(after);
  while (changed.size() < limit) {
    NamePage page{from, std::max(limit, kLookedAtOnce)};
    ForEachInMemory([&](const std::string& name, const ConversationProjection& projection) {
      if (projection.grown()) page.Add(name);
    });
    for (const std::string& name : watermarks_.Names(consumer, from, page.limit)) page.Add(name);
    TURNLOG_TRY(AddFromDisk(prefix, page));
    for (const std::string& name : page.names) {
      if (changed.size() == limit) break;
      auto state = TURNLOG_TRY(Find(name));
      if (state && TURNLOG_TRY(HasChanged(consumer, *state))) changed.push_back(*std::move(state));
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

// Writes in pieces: a store may have millions of conversations. If a crash prevents the consumer's own kConsumer entry,
// the entries written so far are never read.
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
  ForEachInMemory([&](const std::string& name, const ConversationProjection& projection) {
    if (!projection.state().open.empty()) names.insert(name);
  });
  const std::string prefix = SpacePrefix(KeySpace::kPending);
  for (const auto& [key, value] : TURNLOG_TRY(base_->Range(prefix, prefix, SIZE_MAX))) {
    if (auto name = TURNLOG_TRY(NameOf(NumberOfKey(key)))) names.insert(*std::move(name));
  }
  std::vector<std::string> pending;
  for (const std::string& name : names) {
    const auto state = TURNLOG_TRY(Find(name));
    if (state && !state->open.empty()) pending.push_back(name);
  }
  return pending;
}

}  // namespace turnlog
