#include "store/index/index.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

// What a conversation and an event come to in memory until a checkpoint has written them, about.
constexpr std::size_t kFoldBytes = 1024;
constexpr std::size_t kEventBytes = 96;

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

// The lock is let go while the disk is read. If a checkpoint has been written meanwhile, what was read may be older
// than what memory has forgotten since: then everything is looked at once more.
Result<Index::LockedConversation> Index::LockConversation(const std::string& name, std::span<const Hash128> event_ids) {
  Shard& shard = ShardOf(name);
  for (;;) {
    const std::uint64_t generation = states_.generation();
    LockedConversation held;
    held.lock_ = std::unique_lock(shard.mutex);
    held.projection_ = FindGrowing(shard, name);
    if (held.projection_ != nullptr && (event_ids.empty() || held.projection_->is_new())) return held;
    std::optional<std::uint32_t> number;
    if (held.projection_ != nullptr) number = held.projection_->state().number;
    held.lock_.unlock();
    std::optional<ConversationProjection> loaded;
    if (!number) loaded = TURNLOG_TRY(LoadFold(name));
    if (loaded) number = loaded->state().number;
    if (number) held.on_disk_ = TURNLOG_TRY(LoadEventIds(*number, event_ids));
    held.lock_.lock();
    if (generation != states_.generation()) continue;
    held.projection_ = FindGrowing(shard, name);
    if (held.projection_ == nullptr && loaded) held.projection_ = AddGrowing(shard, name, *std::move(loaded));
    return held;
  }
}

ConversationProjection* Index::FindGrowing(Shard& shard, const std::string& name) {
  if (const auto live = shard.live.find(name); live != shard.live.end()) return &live->second;
  if (shard.frozen == nullptr) return nullptr;
  const auto fold = shard.frozen->find(name);
  return fold == shard.frozen->end() ? nullptr : AddGrowing(shard, name, fold->second.Continue());
}

ConversationProjection* Index::AddGrowing(Shard& shard, const std::string& name, ConversationProjection fold) {
  growing_bytes_ += kFoldBytes + 3 * name.size();
  return &shard.live.emplace(name, std::move(fold)).first->second;
}

Result<std::optional<ConversationProjection>> Index::LoadFold(const std::string& name) const {
  auto state = TURNLOG_TRY(LoadState(name));
  if (!state) return std::nullopt;
  std::vector<FrameRef> last_block;
  if (const std::uint64_t length = state->last_seq % kBlockLength; length != 0) {
    last_block = TURNLOG_TRY(LoadOffsetBlock(state->number, state->last_seq / kBlockLength));
    if (last_block.size() != length) return IndexDamaged("a run of events");
  }
  std::vector<std::uint64_t> last_turns;
  if (const std::uint64_t length = state->turns % kBlockLength; length != 0) {
    last_turns = TURNLOG_TRY(LoadTurns(state->number, state->turns / kBlockLength));
    if (last_turns.size() != length) return IndexDamaged("a run of turns");
  }
  return ConversationProjection(*std::move(state), std::move(last_block), std::move(last_turns));
}

Result<std::unordered_map<Hash128, std::uint64_t>> Index::LoadEventIds(std::uint32_t number,
                                                                       std::span<const Hash128> ids) const {
  std::unordered_map<Hash128, std::uint64_t> seqs;
  for (const Hash128& id : ids) {
    const auto value = TURNLOG_TRY(base_->Get(EventIdKey(number, id)));
    if (!value) continue;
    const auto seq = DecodeNumber(*value);
    if (!seq) return IndexDamaged("an event id");
    seqs.emplace(id, *seq);
  }
  return seqs;
}

void Index::Add(LockedConversation& held, const std::string& name, std::uint32_t number) {
  Shard& shard = ShardOf(name);
  held.projection_ = AddGrowing(shard, name, ConversationProjection({.number = number, .name = name}, {}, {}));
  ++conversations_;
  const std::scoped_lock lock(names_mutex_);
  new_names_.emplace(number, shard.live.find(name)->first);
}

void Index::WaitForLockHolders() const {
  for (const Shard& shard : shards_) const std::scoped_lock lock(shard.mutex);
}

void Index::CountAppended(std::uint64_t events, std::uint64_t bytes) {
  events_ += events;
  payload_bytes_ += bytes;
  growing_bytes_ += events * kEventBytes;
}

std::optional<std::uint64_t> Index::FindEventId(const LockedConversation& held, const Hash128& id) const {
  if (held.projection_ == nullptr) return std::nullopt;
  const auto find = [&](const std::unordered_map<Hash128, std::uint64_t>& seqs) -> std::optional<std::uint64_t> {
    const auto known = seqs.find(id);
    return known == seqs.end() ? std::nullopt : std::optional(known->second);
  };
  if (const auto seq = find(held.projection_->event_ids())) return seq;
  const std::string& name = held.projection_->state().name;
  if (const auto& frozen = ShardOf(name).frozen; frozen != nullptr) {
    if (const auto fold = frozen->find(name); fold != frozen->end()) {
      if (const auto seq = find(fold->second.event_ids())) return seq;
    }
  }
  return find(held.on_disk_);
}

// --- Replaying ---

Status Index::ReplayConversation(std::uint32_t number, std::string_view name) {
  const std::string key(name);
  auto held = TURNLOG_TRY(LockConversation(key));
  if (held.fold() != nullptr) return {};
  Add(held, key, number);
  // Threads that make conversations at once take their numbers in one order and their places in another.
  next_conversation_ = std::max(next_conversation_.load(), number + 1);
  return {};
}

Result<std::optional<std::uint64_t>> Index::ReplayEvent(const Frame& frame, const IndexedFields& fields,
                                                        std::uint64_t max_missing) {
  if (replay_projection_ == nullptr || replay_number_ != frame.header.conversation) {
    const auto name = TURNLOG_TRY(NameOf(frame.header.conversation));
    if (!name) return std::nullopt;
    replay_projection_ = TURNLOG_TRY(LockConversation(*name)).fold();
    if (replay_projection_ == nullptr) return IndexDamaged("a conversation's number");
    replay_number_ = frame.header.conversation;
  }
  const FrameRef place{frame.position, static_cast<std::uint32_t>(FrameBytes(frame.header.length) / 8)};
  const std::scoped_lock lock(ShardOf(replay_projection_->state().name).mutex);
  const std::uint64_t expected = replay_projection_->state().last_seq + 1;
  if (frame.header.seq > expected && frame.header.seq - expected > max_missing) return std::nullopt;
  if (!replay_projection_->Apply(frame.header.seq, place, fields)) return std::nullopt;
  CountAppended(1, fields.bytes);
  return frame.header.seq - expected;
}

// --- Reading ---

Result<std::optional<ConversationState>> Index::LoadState(const std::string& name) const {
  const auto value = TURNLOG_TRY(base_->Get(NameKey(name)));
  return Checked(value.has_value(), value ? DecodeState(name, *value) : std::nullopt, "a conversation's entry");
}

Result<std::vector<FrameRef>> Index::LoadOffsetBlock(std::uint32_t number, std::uint64_t run) const {
  const auto value = TURNLOG_TRY(base_->Get(OffsetBlockKey(number, run)));
  auto refs = value ? DecodeOffsetBlock(*value) : std::nullopt;
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
  const bool found = InMemory(name, [&](const ConversationProjection& fold) {
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
    for (const NamesByNumber* names : {&new_names_, &frozen_names_}) {
      if (const auto name = names->find(number); name != names->end()) return std::string(name->second);
    }
  }
  return base_->Get(ConversationKey(number));
}

Result<std::vector<FrameRef>> Index::Locate(const ConversationState& state, std::uint64_t first,
                                            std::uint64_t count) const {
  std::vector<FrameRef> out(count);
  std::uint64_t end = first + count;  // what is in [first, end) is still to be found
  InMemory(state.name, [&](const ConversationProjection& fold) {
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
  const std::uint64_t first_run = (first - 1) / kBlockLength;
  const std::uint64_t last_block = (first + out.size() - 2) / kBlockLength;
  std::vector<std::pair<std::string, std::string>> entries;
  if (last_block - first_run > 1) {  // for a few, an iterator is not worth its making
    entries = TURNLOG_TRY(base_->Range(OffsetBlockKey(number, first_run), OffsetBlockKey(number, 0).substr(0, 5),
                                       last_block - first_run + 1));
  }
  std::size_t next = 0;
  for (std::uint64_t run = first_run; run <= last_block; ++run) {
    std::optional<std::vector<FrameRef>> refs;
    if (next < entries.size() && entries[next].first == OffsetBlockKey(number, run)) {
      refs = DecodeOffsetBlock(entries[next++].second);
      if (!refs) return IndexDamaged("a run of events");
    } else {
      refs = TURNLOG_TRY(LoadOffsetBlock(number, run));  // says why it is not there
    }
    for (std::size_t i = 0; i < refs->size(); ++i) {
      const std::uint64_t seq = run * kBlockLength + i + 1;
      if (seq >= first && seq - first < out.size()) out[seq - first] = (*refs)[i];
    }
  }
  return {};
}

Result<std::optional<std::uint64_t>> Index::TurnStart(const ConversationState& state, std::uint64_t turn) const {
  if (turn == 0 || turn > state.turns) return std::nullopt;
  std::optional<std::uint64_t> seq;
  const bool found = InMemory(state.name, [&](const ConversationProjection& fold) {
    const bool here = turn >= fold.first_turn() && turn - fold.first_turn() < fold.turn_starts().size();
    if (here) seq = fold.turn_starts()[turn - fold.first_turn()];
    return here;
  });
  if (found) return seq;
  const auto starts = TURNLOG_TRY(LoadTurns(state.number, (turn - 1) / kBlockLength));
  if (starts.size() <= (turn - 1) % kBlockLength) return IndexDamaged("a run of turns");
  return starts[(turn - 1) % kBlockLength];
}

Result<std::vector<InquiryRef>> Index::Inquiries(const ConversationState& state, const Hash128& id) const {
  std::vector<std::vector<InquiryRef>> layers;  // newest first
  InMemory(state.name, [&](const ConversationProjection& fold) {
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
  InMemory(state.name, [&](const ConversationProjection& fold) {
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
