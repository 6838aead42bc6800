#include "store/index.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

// A damaged value is an error, an absent one is not.
template <class T>
Result<std::optional<T>> Checked(bool present, std::optional<T> decoded, std::string_view what) {
  if (present && !decoded) return IndexDamaged(what);
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
  if (const std::uint64_t length = state->last_seq % kRunLength; length != 0) {
    last_run = TURNLOG_TRY(LoadRun(state->number, state->last_seq / kRunLength));
    if (last_run.size() != length) return IndexDamaged("a run of events");
  }
  std::vector<std::uint64_t> last_turns;
  if (const std::uint64_t length = state->turns % kRunLength; length != 0) {
    last_turns = TURNLOG_TRY(LoadTurns(state->number, state->turns / kRunLength));
    if (last_turns.size() != length) return IndexDamaged("a run of turns");
  }
  ConversationFold fold(*std::move(state), std::move(last_run), std::move(last_turns));
  return &shard.live.emplace(name, std::move(fold)).first->second;
}

void Index::Add(Held& held, const std::string& name, std::uint32_t number) {
  ConversationState state{.number = number, .name = name};
  {
    const std::scoped_lock lock(names_mutex_);
    new_names_.emplace(state.number, name);
  }
  ++conversations_;
  held.fold_ = &ShardOf(name).live.emplace(name, ConversationFold(std::move(state), {}, {})).first->second;
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

Result<std::optional<std::uint64_t>> Index::ReplayEvent(const Frame& frame, const EventFacts& facts,
                                                        std::uint64_t max_missing) {
  if (replay_fold_ == nullptr || replay_number_ != frame.header.conversation) {
    const auto name = TURNLOG_TRY(NameOf(frame.header.conversation));
    if (!name) return std::nullopt;
    replay_fold_ = TURNLOG_TRY(Hold(*name)).fold();
    if (replay_fold_ == nullptr) return IndexDamaged("a conversation's number");
    replay_number_ = frame.header.conversation;
  }
  const FrameRef place{frame.position, static_cast<std::uint32_t>(FrameBytes(frame.header.length) / 8)};
  const std::scoped_lock lock(ShardOf(replay_fold_->state().name).mutex);
  const std::uint64_t expected = replay_fold_->state().last_seq + 1;
  if (frame.header.seq > expected && frame.header.seq - expected > max_missing) return std::nullopt;
  if (!replay_fold_->Apply(frame.header.seq, place, facts)) return std::nullopt;
  CountAppended(1, facts.bytes);
  return frame.header.seq - expected;
}

// --- Reading ---

Result<std::optional<ConversationState>> Index::LoadState(const std::string& name) const {
  const auto number_value = TURNLOG_TRY(base_->Get(NameKey(name)));
  if (!number_value) return std::nullopt;
  const auto number = DecodeNumber(*number_value);
  if (!number) return IndexDamaged("a conversation's number");
  const auto value = TURNLOG_TRY(base_->Get(ConversationKey(static_cast<std::uint32_t>(*number))));
  auto state = value ? DecodeState(static_cast<std::uint32_t>(*number), *value) : std::nullopt;
  if (!state || state->name != name) return IndexDamaged("a conversation's entry");
  return state;
}

Result<std::vector<FrameRef>> Index::LoadRun(std::uint32_t number, std::uint64_t run) const {
  const auto value = TURNLOG_TRY(base_->Get(RunKey(number, run)));
  auto refs = value ? DecodeRun(*value) : std::nullopt;
  if (!refs) return IndexDamaged("a run of events");
  return *std::move(refs);
}

Result<std::vector<std::uint64_t>> Index::LoadTurns(std::uint32_t number, std::uint64_t run) const {
  const auto value = TURNLOG_TRY(base_->Get(TurnKey(number, run)));
  auto starts = value ? DecodeTurns(*value) : std::nullopt;
  if (!starts) return IndexDamaged("a run of turns");
  return *std::move(starts);
}

Result<std::optional<ConversationState>> Index::Find(const std::string& name) const {
  const std::uint64_t generation = states_.generation();
  std::optional<ConversationState> state;
  const bool found = InMemory(name, [&](const ConversationFold& fold) {
    state = fold.state();
    return true;
  });
  if (found) return state;
  if (const auto known = states_.Find(name)) return *known;
  state = TURNLOG_TRY(LoadState(name));
  if (state) states_.Add(std::make_shared<const ConversationState>(*state), generation);
  return state;
}

Result<std::optional<std::string>> Index::NameOf(std::uint32_t number) const {
  {
    const std::shared_lock lock(names_mutex_);
    if (const auto name = new_names_.find(number); name != new_names_.end()) return name->second;
  }
  const auto value = TURNLOG_TRY(base_->Get(ConversationKey(number)));
  if (!value) return std::nullopt;
  auto state = DecodeState(number, *value);
  if (!state) return IndexDamaged("a conversation's entry");
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
  std::vector<std::pair<std::string, std::string>> entries;
  if (last_run - first_run > 1) {  // for a few, an iterator is not worth its making
    entries =
        TURNLOG_TRY(base_->Range(RunKey(number, first_run), RunKey(number, 0).substr(0, 5), last_run - first_run + 1));
  }
  std::size_t next = 0;
  for (std::uint64_t run = first_run; run <= last_run; ++run) {
    std::optional<std::vector<FrameRef>> refs;
    if (next < entries.size() && entries[next].first == RunKey(number, run)) {
      refs = DecodeRun(entries[next++].second);
      if (!refs) return IndexDamaged("a run of events");
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
  const auto starts = TURNLOG_TRY(LoadTurns(state.number, (turn - 1) / kRunLength));
  if (starts.size() <= (turn - 1) % kRunLength) return IndexDamaged("a run of turns");
  return starts[(turn - 1) % kRunLength];
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
    if (!on_disk) return IndexDamaged("an inquiry");
    refs = *std::move(on_disk);
  }
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) MergeInquiries(refs, *layer);
  return refs;
}

Result<std::vector<RepairPlace>> Index::Repairs(const ConversationState& state) const {
  std::map<std::uint64_t, RepairPlace> repairs;
  if (state.repairs == 0) return std::vector<RepairPlace>();
  InMemory(state.name, [&](const ConversationFold& fold) {
    for (const RepairPlace& repair : fold.repairs()) repairs.emplace(repair.seq.value, repair);
    return false;
  });
  const std::string first = RepairKey(state.number, 0);
  const std::string_view prefix = std::string_view(first).substr(0, ConversationKey(0).size());
  for (const auto& [key, value] : TURNLOG_TRY(base_->Range(first, prefix, state.repairs))) {
    const auto repair = DecodeRepair(key, value);
    if (!repair) return IndexDamaged("a repair");
    repairs.emplace(repair->seq.value, *repair);
  }
  if (repairs.size() < state.repairs) return IndexDamaged("a repair");
  const auto places = std::views::values(repairs);
  return std::vector<RepairPlace>(places.begin(), places.end());
}

Result<std::optional<Watermark>> Index::FindWatermark(std::string_view consumer, const ConversationState& state) const {
  if (auto pending = watermarks_.Find(consumer, state.name)) return pending;
  const auto value = TURNLOG_TRY(base_->Get(WatermarkKey(state.number, consumer)));
  return Checked(value.has_value(), value ? DecodeWatermark(*value) : std::nullopt, "a watermark");
}

IndexTotals Index::totals() const { return {conversations_, events_, payload_bytes_}; }

IndexMeta Index::meta() const {
  const std::scoped_lock lock(meta_mutex_);
  return meta_;
}

}  // namespace turnlog
