#include "store/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

std::unexpected<Error> Damaged(std::string_view what) {
  return std::unexpected(
      Error{ErrorCode::kCorruption,
            fmt::format("index: {} is missing or damaged; `logctl reindex` makes the index anew from the log", what)});
}

// A damaged value is an error, an absent one is not.
template <class T>
Result<std::optional<T>> Checked(bool present, std::optional<T> decoded, std::string_view what) {
  if (present && !decoded) return Damaged(what);
  return decoded;
}

}  // namespace

Index::Index(std::unique_ptr<IndexBase> base, const IndexMeta& meta)
    : base_(std::move(base)),
      next_conversation_(meta.next_conversation),
      conversations_(meta.totals.conversations),
      events_(meta.totals.events),
      payload_bytes_(meta.totals.payload_bytes),
      meta_(meta),
      next_meta_(meta) {}

Index::Shard& Index::ShardOf(std::string_view name) const { return shards_[Hash64(name) % shards_.size()]; }

template <class Use>
bool Index::InMemory(const std::string& name, Use use) const {
  const Shard& shard = ShardOf(name);
  std::shared_ptr<const Folds> frozen;
  {
    const std::scoped_lock lock(shard.mutex);
    const auto live = shard.live.find(name);
    if (live != shard.live.end() && use(live->second)) return true;
    frozen = shard.frozen;
  }
  if (frozen == nullptr) return false;
  const auto fold = frozen->find(name);
  return fold != frozen->end() && use(fold->second);
}

// What memory does not have any more when this comes to it is in the base by then: look there afterwards.
template <class Use>
void Index::ForEachInMemory(Use use) const {
  for (const Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    for (const Folds* folds : {&shard.live, shard.frozen.get()}) {
      if (folds == nullptr) continue;
      for (const auto& [name, fold] : *folds) use(name, fold);
    }
  }
}

// --- Appending ---

Result<Index::Held> Index::Hold(const std::string& name) {
  Shard& shard = ShardOf(name);
  Held held;
  held.lock_ = std::unique_lock(shard.mutex);
  held.fold_ = TURNLOG_TRY(Load(shard, name));
  return held;
}

Result<ConversationFold*> Index::Load(Shard& shard, const std::string& name) {
  if (const auto live = shard.live.find(name); live != shard.live.end()) return &live->second;
  if (shard.frozen != nullptr) {
    if (const auto fold = shard.frozen->find(name); fold != shard.frozen->end()) {
      return &shard.live.emplace(name, fold->second.Continue()).first->second;
    }
  }
  auto state = TURNLOG_TRY(LoadState(name));
  if (!state) return nullptr;
  std::vector<FrameRef> last_run;
  if (state->last_seq % kRunLength != 0) {
    last_run = TURNLOG_TRY(LoadRun(state->number, (state->last_seq - 1) / kRunLength));
    if (last_run.size() != state->last_seq % kRunLength) return Damaged("a run of events");
  }
  return &shard.live.emplace(name, ConversationFold(*std::move(state), std::move(last_run))).first->second;
}

void Index::Add(Held& held, const std::string& name, std::uint32_t number) {
  ConversationState state{.number = number, .name = name};
  {
    const std::scoped_lock lock(names_mutex_);
    new_names_.emplace(state.number, name);
  }
  ++conversations_;
  held.fold_ = &ShardOf(name).live.emplace(name, ConversationFold(std::move(state), {})).first->second;
}

void Index::WaitForHolders() const {
  for (const Shard& shard : shards_) const std::scoped_lock lock(shard.mutex);
}

void Index::CountAppended(std::uint64_t events, std::uint64_t bytes) {
  events_ += events;
  payload_bytes_ += bytes;
}

Result<std::optional<std::uint64_t>> Index::FindEventId(const Held& held, const Hash128& id) {
  if (held.fold_ == nullptr) return std::nullopt;
  const auto find = [&](const ConversationFold& fold) -> std::optional<std::uint64_t> {
    const auto known = fold.event_ids().find(id);
    return known == fold.event_ids().end() ? std::nullopt : std::optional(known->second);
  };
  if (const auto seq = find(*held.fold_)) return seq;
  const ConversationState& state = held.fold_->state();
  if (const auto& frozen = ShardOf(state.name).frozen; frozen != nullptr) {
    if (const auto fold = frozen->find(state.name); fold != frozen->end()) {
      if (const auto seq = find(fold->second)) return seq;
    }
  }
  const auto value = TURNLOG_TRY(base_->Get(EventIdKey(state.number, id)));
  return Checked(value.has_value(), value ? DecodeNumber(*value) : std::nullopt, "an event id");
}

// --- Replaying ---

Status Index::ReplayConversation(std::uint32_t number, std::string_view name) {
  const std::string key(name);
  auto held = TURNLOG_TRY(Hold(key));
  if (held.fold() != nullptr) return {};
  Add(held, key, number);
  // Threads that make conversations at once take their numbers in one order and their places in another.
  next_conversation_ = std::max(next_conversation_.load(), number + 1);
  return {};
}

Result<std::optional<std::uint64_t>> Index::ReplayEvent(const Frame& frame, const EventFacts& facts) {
  if (replay_fold_ == nullptr || replay_number_ != frame.header.conversation) {
    const auto name = TURNLOG_TRY(NameOf(frame.header.conversation));
    if (!name) return std::nullopt;
    replay_fold_ = TURNLOG_TRY(Hold(*name)).fold();
    if (replay_fold_ == nullptr) return Damaged("a conversation's number");
    replay_number_ = frame.header.conversation;
  }
  const FrameRef place{frame.position, static_cast<std::uint32_t>(FrameBytes(frame.header.length) / 8)};
  const std::scoped_lock lock(ShardOf(replay_fold_->state().name).mutex);
  const std::uint64_t expected = replay_fold_->state().last_seq + 1;
  if (!replay_fold_->Apply(frame.header.seq, place, facts)) return std::nullopt;
  CountAppended(1, facts.bytes);
  return frame.header.seq - expected;
}

// --- Reading ---

Result<std::optional<ConversationState>> Index::LoadState(const std::string& name) const {
  const auto number_value = TURNLOG_TRY(base_->Get(NameKey(name)));
  if (!number_value) return std::nullopt;
  const auto number = DecodeNumber(*number_value);
  if (!number) return Damaged("a conversation's number");
  const auto value = TURNLOG_TRY(base_->Get(ConversationKey(static_cast<std::uint32_t>(*number))));
  auto state = value ? DecodeState(static_cast<std::uint32_t>(*number), *value) : std::nullopt;
  if (!state || state->name != name) return Damaged("a conversation's entry");
  return state;
}

Result<std::vector<FrameRef>> Index::LoadRun(std::uint32_t number, std::uint64_t run) const {
  const auto value = TURNLOG_TRY(base_->Get(RunKey(number, run)));
  auto refs = value ? DecodeRun(*value) : std::nullopt;
  if (!refs) return Damaged("a run of events");
  return *std::move(refs);
}

Result<std::optional<ConversationState>> Index::Find(const std::string& name) const {
  std::optional<ConversationState> state;
  const bool found = InMemory(name, [&](const ConversationFold& fold) {
    state = fold.state();
    return true;
  });
  if (found) return state;
  return LoadState(name);
}

Result<std::optional<std::string>> Index::NameOf(std::uint32_t number) const {
  {
    const std::shared_lock lock(names_mutex_);
    if (const auto name = new_names_.find(number); name != new_names_.end()) return name->second;
  }
  const auto value = TURNLOG_TRY(base_->Get(ConversationKey(number)));
  if (!value) return std::nullopt;
  auto state = DecodeState(number, *value);
  if (!state) return Damaged("a conversation's entry");
  return std::move(state->name);
}

Result<std::vector<FrameRef>> Index::Locate(const ConversationState& state, std::uint64_t first,
                                            std::uint64_t count) const {
  std::vector<FrameRef> out(count);
  std::uint64_t end = first + count;  // what is in [first, end) is still to be found
  InMemory(state.name, [&](const ConversationFold& fold) {
    const std::uint64_t from = std::max(first, fold.first_seq());
    for (std::uint64_t seq = from; seq < end; ++seq) out[seq - first] = fold.frames()[seq - fold.first_seq()];
    end = std::min(end, from);
    return end == first;
  });
  TURNLOG_TRY(LocateOnDisk(state.number, first, std::span(out).first(end - first)));
  return out;
}

Status Index::LocateOnDisk(std::uint32_t number, std::uint64_t first, std::span<FrameRef> out) const {
  if (out.empty()) return {};
  const std::uint64_t first_run = (first - 1) / kRunLength;
  const std::uint64_t last_run = (first + out.size() - 2) / kRunLength;
  const auto entries =
      TURNLOG_TRY(base_->Range(RunKey(number, first_run), RunKey(number, 0).substr(0, 5), last_run - first_run + 1));
  std::size_t next = 0;
  for (std::uint64_t run = first_run; run <= last_run; ++run) {
    std::optional<std::vector<FrameRef>> refs;
    if (next < entries.size() && entries[next].first == RunKey(number, run)) {
      refs = DecodeRun(entries[next++].second);
      if (!refs) return Damaged("a run of events");
    } else {
      refs = TURNLOG_TRY(LoadRun(number, run));  // says why it is not there
    }
    for (std::size_t i = 0; i < refs->size(); ++i) {
      const std::uint64_t seq = run * kRunLength + i + 1;
      if (seq >= first && seq - first < out.size()) out[seq - first] = (*refs)[i];
    }
  }
  return {};
}

Result<std::optional<std::uint64_t>> Index::TurnStart(const ConversationState& state, std::uint64_t turn) const {
  if (turn == 0 || turn > state.turns) return std::nullopt;
  std::optional<std::uint64_t> seq;
  const bool found = InMemory(state.name, [&](const ConversationFold& fold) {
    const bool here = turn >= fold.first_turn() && turn - fold.first_turn() < fold.turn_starts().size();
    if (here) seq = fold.turn_starts()[turn - fold.first_turn()];
    return here;
  });
  if (found) return seq;
  const auto value = TURNLOG_TRY(base_->Get(TurnKey(state.number, turn)));
  seq = value ? DecodeNumber(*value) : std::nullopt;
  if (!seq) return Damaged("a turn");
  return seq;
}

Result<std::uint64_t> Index::TurnOf(const ConversationState& state, std::uint64_t seq) const {
  std::uint64_t low = 0;  // starts at or before `seq`
  std::uint64_t high = state.turns + 1;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto start = TURNLOG_TRY(TurnStart(state, middle));
    (start && *start <= seq ? low : high) = middle;
  }
  return low;
}

Result<std::vector<InquiryRef>> Index::Inquiries(const ConversationState& state, const Hash128& id) const {
  std::vector<std::vector<InquiryRef>> layers;  // newest first
  InMemory(state.name, [&](const ConversationFold& fold) {
    const auto known = fold.inquiries().find(id);
    if (known != fold.inquiries().end()) layers.push_back(known->second);
    return false;
  });
  std::vector<InquiryRef> refs;
  if (const auto value = TURNLOG_TRY(base_->Get(InquiryKeyOf(state.number, id)))) {
    auto on_disk = DecodeInquiries(*value);
    if (!on_disk) return Damaged("an inquiry");
    refs = *std::move(on_disk);
  }
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) MergeInquiries(refs, *layer);
  return refs;
}

Result<std::vector<std::string>> Index::Names(std::string_view after, std::size_t limit) const {
  std::set<std::string> names;
  ForEachInMemory([&](const std::string& name, const ConversationFold&) {
    if (name > after) names.insert(name);
  });
  const std::string prefix = SpacePrefix(KeySpace::kName);
  std::string from = NameKey(after) + '\0';
  for (std::size_t i = 0; i < limit; ++i) {
    auto entry = TURNLOG_TRY(base_->Seek(from, prefix));
    if (!entry) break;
    from = entry->first + '\0';
    names.insert(entry->first.substr(prefix.size()));
  }
  std::vector<std::string> page(names.begin(), names.end());
  if (page.size() > limit) page.resize(limit);
  return page;
}

Result<std::vector<std::string>> Index::NamesWithPending() const {
  std::set<std::string> names;
  ForEachInMemory([&](const std::string& name, const ConversationFold& fold) {
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

IndexTotals Index::totals() const { return {conversations_, events_, payload_bytes_}; }

IndexMeta Index::meta() const {
  const std::scoped_lock lock(meta_mutex_);
  return meta_;
}

// --- Checkpoints ---

void Index::Freeze() {
  replay_fold_ = nullptr;
  for (Shard& shard : shards_) shard.frozen = std::make_shared<const Folds>(std::exchange(shard.live, {}));
  const std::scoped_lock lock(meta_mutex_);
  next_meta_.next_conversation = next_conversation_;
  next_meta_.totals = totals();
}

Status Index::AddFold(const ConversationFold& fold, IndexBatch& batch) const {
  const ConversationState& state = fold.state();
  batch.puts.emplace_back(NameKey(state.name), EncodeNumber(state.number));
  batch.puts.emplace_back(ConversationKey(state.number), EncodeState(state));
  const FrameRef* frames = fold.frames().data();
  for (std::uint64_t i = 0; i < fold.frames().size(); i += kRunLength) {
    const std::uint64_t end = std::min<std::uint64_t>(i + kRunLength, fold.frames().size());
    batch.puts.emplace_back(RunKey(state.number, (fold.first_seq() - 1 + i) / kRunLength),
                            EncodeRun(frames + i, frames + end));
  }
  for (std::uint64_t i = 0; i < fold.turn_starts().size(); ++i) {
    batch.puts.emplace_back(TurnKey(state.number, fold.first_turn() + i), EncodeNumber(fold.turn_starts()[i]));
  }
  for (const auto& [id, later] : fold.inquiries()) {
    std::string key = InquiryKeyOf(state.number, id);
    std::vector<InquiryRef> refs;
    if (const auto value = TURNLOG_TRY(base_->Get(key))) {
      auto known = DecodeInquiries(*value);
      if (!known) return Damaged("an inquiry");
      refs = *std::move(known);
    }
    MergeInquiries(refs, later);
    batch.puts.emplace_back(std::move(key), EncodeInquiries(refs));
  }
  for (const auto& [id, seq] : fold.event_ids())
    batch.puts.emplace_back(EventIdKey(state.number, id), EncodeNumber(seq));
  if (state.open.empty()) {
    batch.removes.push_back(PendingKey(state.number));
  } else {
    batch.puts.emplace_back(PendingKey(state.number), std::string());
  }
  return {};
}

Status Index::WriteCheckpoint() {
  IndexMeta meta;
  {
    const std::scoped_lock lock(meta_mutex_);
    meta = next_meta_;
  }
  IndexBatch batch;
  for (const Shard& shard : shards_) {
    for (const auto& [name, fold] : *shard.frozen) TURNLOG_TRY(AddFold(fold, batch));
  }
  batch.puts.emplace_back(MetaKey(), EncodeMeta(meta));
  TURNLOG_TRY(base_->Apply(batch));
  for (Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    const std::scoped_lock names_lock(names_mutex_);
    for (const auto& [name, fold] : *shard.frozen) new_names_.erase(fold.state().number);
    shard.frozen = nullptr;
  }
  const std::scoped_lock lock(meta_mutex_);
  meta_ = meta;
  return {};
}

}  // namespace turnlog
