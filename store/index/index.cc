#include "store/index/index.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

// Approximate memory of a conversation and of an event until a checkpoint has written them.
constexpr std::size_t kConversationBytes = sizeof(ConversationProjection) + 384;
constexpr std::size_t kEventBytes = 96;

// Numbers are given one after the other: they are spread as they are.
Hash128 NumberHash(std::uint32_t number) { return {number, number}; }

std::optional<OffsetBlock> DecodeComplete(std::string_view value) {
  const auto refs = DecodeOffsetBlock(value);
  if (!refs || refs->size() != kBlockLength) return std::nullopt;
  OffsetBlock block;
  std::ranges::copy(*refs, block.begin());
  return block;
}

}  // namespace

Index::Index(std::unique_ptr<IndexBase> base, const IndexMeta& meta)
    : base_(std::move(base)),
      next_conversation_(meta.next_conversation),
      conversations_(meta.totals.conversations),
      events_(meta.totals.events),
      payload_bytes_(meta.totals.payload_bytes),
      repairs_(meta.totals.repairs),
      names_(meta.totals.conversations == 0),
      meta_(meta),
      next_meta_(meta) {}

Index::Shard& Index::ShardOf(std::string_view name) const { return shards_[Hash64(name) % shards_.size()]; }

// --- Appending ---

// The lock is released while the disk is read. If a checkpoint was written meanwhile, the data read may be older than
// what was dropped from memory: then everything is looked up once more.
Result<Index::LockedConversation> Index::LockConversation(const std::string& name, std::span<const Hash128> event_ids) {
  Shard& shard = ShardOf(name);
  for (;;) {
    const std::uint64_t generation = entries_.generation();
    LockedConversation locked;
    locked.lock_ = std::unique_lock(shard.mutex);
    locked.projection_ = FindGrowing(shard, name);
    if (locked.projection_ != nullptr && (event_ids.empty() || locked.projection_->is_new())) return locked;
    if (locked.projection_ == nullptr && names_.Excludes(name)) return locked;
    std::optional<std::uint32_t> number;
    if (locked.projection_ != nullptr) number = locked.projection_->state().number;
    locked.lock_.unlock();
    std::optional<ConversationProjection> loaded;
    if (!number) loaded = TURNLOG_TRY(LoadProjection(name));
    if (loaded) number = loaded->state().number;
    if (number) locked.on_disk_ = TURNLOG_TRY(LoadEventIds(*number, event_ids));
    locked.lock_.lock();
    if (generation != entries_.generation()) continue;
    locked.projection_ = FindGrowing(shard, name);
    if (locked.projection_ == nullptr && loaded) locked.projection_ = AddGrowing(shard, *std::move(loaded));
    return locked;
  }
}

ConversationProjection* Index::FindGrowing(Shard& shard, const std::string& name) {
  if (ConversationProjection* live = shard.live.Find(name)) return live;
  const ConversationProjection* frozen = shard.frozen == nullptr ? nullptr : shard.frozen->Find(name);
  return frozen == nullptr ? nullptr : AddGrowing(shard, frozen->Continue());
}

ConversationProjection* Index::AddGrowing(Shard& shard, ConversationProjection projection) {
  growing_bytes_ += kConversationBytes + projection.state().name.size();
  return &shard.live.Add(std::move(projection));
}

Result<std::optional<ConversationProjection>> Index::LoadProjection(const std::string& name) const {
  const auto entry = TURNLOG_TRY(FindStored(name));
  if (entry == nullptr) return std::nullopt;
  return ConversationProjection(*entry);
}

Result<std::unordered_map<Hash128, std::uint64_t>> Index::LoadEventIds(std::uint32_t number,
                                                                       std::span<const Hash128> ids) const {
  std::unordered_map<Hash128, std::uint64_t> seqs;
  for (const Hash128& id : ids) {
    const auto value = TURNLOG_TRY(base_->Get(EventIdKey(number, id), IndexBase::Expect::kAbsent));
    if (!value) continue;
    const auto seq = DecodeNumber(*value);
    if (!seq) return IndexDamaged("an event id");
    seqs.emplace(id, *seq);
  }
  return seqs;
}

void Index::Add(LockedConversation& locked, const std::string& name, std::uint32_t number) {
  Shard& shard = ShardOf(name);
  names_.Add(name);
  locked.projection_ = AddGrowing(shard, ConversationProjection({{.number = number, .name = name}, {}, {}}));
  ++conversations_;
  const std::scoped_lock lock(names_mutex_);
  new_names_.TryEmplace(NumberHash(number), locked.projection_->state().name);
}

void Index::WaitForLockHolders() const {
  for (const Shard& shard : shards_) const std::scoped_lock lock(shard.mutex);
}

void Index::CountAppended(std::uint64_t events, std::uint64_t bytes, std::uint64_t repairs) {
  events_ += events;
  payload_bytes_ += bytes;
  if (repairs > 0) repairs_ += repairs;
  growing_bytes_ += events * kEventBytes;
}

std::optional<std::uint64_t> Index::FindEventId(const LockedConversation& locked, const Hash128& id) const {
  if (locked.projection_ == nullptr) return std::nullopt;
  if (const std::uint64_t* seq = locked.projection_->event_ids().Find(id)) return *seq;
  const std::string& name = locked.projection_->state().name;
  if (const auto& frozen = ShardOf(name).frozen; frozen != nullptr) {
    const ConversationProjection* projection = frozen->Find(name);
    const std::uint64_t* seq = projection == nullptr ? nullptr : projection->event_ids().Find(id);
    if (seq != nullptr) return *seq;
  }
  const auto on_disk = locked.on_disk_.find(id);
  return on_disk == locked.on_disk_.end() ? std::nullopt : std::optional(on_disk->second);
}

// --- Replaying ---

Status Index::ReplayConversation(std::uint32_t number, std::string_view name) {
  const std::string key(name);
  auto locked = TURNLOG_TRY(LockConversation(key));
  if (locked.projection() != nullptr) return {};
  Add(locked, key, number);
  replay_number_ = number;
  replay_projection_ = locked.projection();
  // Concurrent threads may take conversation numbers in one order and log offsets in another.
  next_conversation_ = std::max(next_conversation_.load(), number + 1);
  return {};
}

Result<std::optional<std::uint64_t>> Index::ReplayEvent(const Frame& frame, const IndexedFields& fields,
                                                        std::uint64_t max_missing) {
  if (replay_projection_ == nullptr || replay_number_ != frame.header.conversation) {
    const auto name = TURNLOG_TRY(NameOf(frame.header.conversation));
    if (!name) return std::nullopt;
    replay_projection_ = TURNLOG_TRY(LockConversation(*name)).projection();
    if (replay_projection_ == nullptr) return IndexDamaged("a conversation's number");
    replay_number_ = frame.header.conversation;
  }
  const FrameRef ref{frame.position, static_cast<std::uint32_t>(FrameBytes(frame.header.length) / 8)};
  const std::scoped_lock lock(ShardOf(replay_projection_->state().name).mutex);
  const std::uint64_t expected = replay_projection_->state().last_seq + 1;
  if (frame.header.seq > expected && frame.header.seq - expected > max_missing) return std::nullopt;
  if (!replay_projection_->Apply(frame.header.seq, ref, fields)) return std::nullopt;
  CountAppended(1, fields.bytes, fields.repair ? 1 : 0);
  return frame.header.seq - expected;
}

// --- Reading ---

Result<std::shared_ptr<const ConversationEntry>> Index::FindStored(const std::string& name) const {
  const std::uint64_t generation = entries_.generation();
  if (auto known = entries_.Find(name)) return known;
  if (names_.Excludes(name)) return nullptr;
  const auto value = TURNLOG_TRY(base_->Get(NameKey(name)));
  if (!value) return nullptr;
  auto decoded = DecodeConversation(name, *value);
  if (!decoded) return IndexDamaged("a conversation's entry");
  auto entry = std::make_shared<const ConversationEntry>(*std::move(decoded));
  entries_.Add(entry, generation);
  return entry;
}

Result<OffsetBlock> Index::LoadOffsetBlock(std::uint32_t number, std::uint64_t block) const {
  if (const auto known = offset_blocks_.Find({number, block})) return *known;
  const std::uint64_t generation = offset_blocks_.generation();
  const auto value = TURNLOG_TRY(base_->Get(OffsetBlockKey(number, block)));
  const auto refs = value ? DecodeComplete(*value) : std::nullopt;
  if (!refs) return IndexDamaged("a block of events");
  offset_blocks_.Add({number, block}, *refs, generation);
  return *refs;
}

Result<std::vector<std::uint64_t>> Index::LoadTurns(std::uint32_t number, std::uint64_t block) const {
  const auto value = TURNLOG_TRY(base_->Get(TurnKey(number, block)));
  auto starts = value ? DecodeTurns(*value) : std::nullopt;
  if (!starts) return IndexDamaged("a block of turns");
  return *std::move(starts);
}

Result<StatePtr> Index::Find(const std::string& name) const {
  StatePtr state;
  InMemory(name, [&](const ConversationProjection& projection) {
    state = std::make_shared<const ConversationState>(projection.state());
    return true;
  });
  if (state != nullptr) return state;
  const auto entry = TURNLOG_TRY(FindStored(name));
  return entry == nullptr ? nullptr : StatePtr(entry, &entry->state);
}

Result<std::optional<std::string>> Index::NameOf(std::uint32_t number) const {
  {
    const std::shared_lock lock(names_mutex_);
    for (const NamesByNumber* names : {&new_names_, &frozen_names_}) {
      if (const std::string_view* name = names->Find(NumberHash(number))) return std::string(*name);
    }
  }
  const auto value = TURNLOG_TRY(base_->Get(NamesKey(number)));
  if (!value) return std::nullopt;
  const auto names = DecodeNames(*value);
  if (!names) return IndexDamaged("the name of a conversation");
  const std::string_view name = (*names)[PlaceInNameBlock(number)];
  return name.empty() ? std::nullopt : std::optional(std::string(name));
}

Result<std::vector<FrameRef>> Index::Locate(const ConversationState& state, std::uint64_t first,
                                            std::uint64_t count) const {
  std::vector<FrameRef> out(count);
  std::uint64_t end = first + count;  // [first, end) is not located yet
  InMemory(state.name, [&](const ConversationProjection& projection) {
    const std::uint64_t from = std::max(first, projection.first_seq());
    for (std::uint64_t seq = from; seq < end; ++seq)
      out[seq - first] = projection.frames()[seq - projection.first_seq()];
    end = std::min(end, from);
    return end == first;
  });
  TURNLOG_TRY(LocateOnDisk(state, first, std::span(out).first(end - first)));
  return out;
}

Status Index::LocateOnDisk(const ConversationState& state, std::uint64_t first, std::span<FrameRef> out) const {
  if (out.empty()) return {};
  const auto copy = [&](std::uint64_t block, std::span<const FrameRef> refs) {
    for (std::size_t i = 0; i < refs.size(); ++i) {
      const std::uint64_t seq = block * kBlockLength + i + 1;
      if (seq >= first && seq - first < out.size()) out[seq - first] = refs[i];
    }
  };
  const auto entry = TURNLOG_TRY(FindStored(state.name));
  if (entry == nullptr) return IndexDamaged("a conversation's entry");
  const std::uint64_t complete = entry->state.last_seq / kBlockLength;
  const std::uint64_t begin = (first - 1) / kBlockLength;
  const std::uint64_t end = std::min((first + out.size() - 2) / kBlockLength + 1, complete);
  std::vector<std::pair<std::string, std::string>> blocks;
  if (begin + 2 < end) {  // an iterator does not pay for few blocks
    blocks = TURNLOG_TRY(
        base_->Range(OffsetBlockKey(state.number, begin), OffsetBlockKey(state.number, 0).substr(0, 5), end - begin));
  }
  std::size_t next = 0;
  for (std::uint64_t block = begin; block < end; ++block) {
    if (next < blocks.size() && blocks[next].first == OffsetBlockKey(state.number, block)) {
      const auto refs = DecodeComplete(blocks[next++].second);
      if (!refs) return IndexDamaged("a block of events");
      copy(block, *refs);
    } else {
      copy(block, TURNLOG_TRY(LoadOffsetBlock(state.number, block)));  // returns the reason
    }
  }
  copy(complete, entry->last_block);
  return {};
}

Result<std::optional<std::uint64_t>> Index::TurnStart(const ConversationState& state, std::uint64_t turn) const {
  if (turn == 0 || turn > state.turns) return std::nullopt;
  std::optional<std::uint64_t> seq;
  const bool found = InMemory(state.name, [&](const ConversationProjection& projection) {
    const bool here =
        turn >= projection.first_turn() && turn - projection.first_turn() < projection.turn_starts().size();
    if (here) seq = projection.turn_starts()[turn - projection.first_turn()];
    return here;
  });
  if (found) return seq;
  const std::uint64_t block = (turn - 1) / kBlockLength;
  const auto entry = TURNLOG_TRY(FindStored(state.name));
  if (entry == nullptr) return IndexDamaged("a conversation's entry");
  const bool complete = block < entry->state.turns / kBlockLength;
  const auto starts = complete ? TURNLOG_TRY(LoadTurns(state.number, block)) : entry->last_turns;
  if (starts.size() <= (turn - 1) % kBlockLength) return IndexDamaged("a block of turns");
  return starts[(turn - 1) % kBlockLength];
}

Result<std::vector<InquiryRef>> Index::Inquiries(const ConversationState& state, const Hash128& id) const {
  std::vector<std::vector<InquiryRef>> layers;  // newest first
  InMemory(state.name, [&](const ConversationProjection& projection) {
    if (const auto* known = projection.inquiries().Find(id)) layers.push_back(*known);
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

Result<std::vector<RepairRange>> Index::Repairs(const ConversationState& state) const {
  std::vector<RepairRange> later;
  std::uint64_t end = state.repairs + 1;  // what comes before it is not found yet
  if (end == 1) return later;
  InMemory(state.name, [&](const ConversationProjection& projection) {
    const std::vector<RepairRange>& repairs = projection.repairs();
    const std::uint64_t first = projection.first_repair();
    if (first >= end || first + repairs.size() < end) return false;
    later.insert(later.begin(), repairs.begin(), repairs.begin() + static_cast<std::ptrdiff_t>(end - first));
    end = first;
    return end == 1;
  });
  auto all = TURNLOG_TRY(RepairsOnDisk(state, end - 1));
  all.insert(all.end(), later.begin(), later.end());
  return all;
}

Result<std::vector<RepairRange>> Index::RepairsOnDisk(const ConversationState& state, std::uint64_t count) const {
  std::vector<RepairRange> repairs;
  if (count == 0) return repairs;
  const auto entry = TURNLOG_TRY(FindStored(state.name));
  if (entry == nullptr) return IndexDamaged("a conversation's entry");
  const std::uint64_t complete = entry->state.repairs / kBlockLength;
  for (std::uint64_t block = 0; block < complete && repairs.size() < count; ++block) {
    const auto value = TURNLOG_TRY(base_->Get(RepairsKey(state.number, block)));
    const auto some = value ? DecodeRepairs(*value) : std::nullopt;
    if (!some || some->size() != kBlockLength) return IndexDamaged("a block of repairs");
    repairs.insert(repairs.end(), some->begin(), some->end());
  }
  repairs.insert(repairs.end(), entry->last_repairs.begin(), entry->last_repairs.end());
  if (repairs.size() < count) return IndexDamaged("a repair");
  repairs.resize(count);
  return repairs;
}

Result<std::optional<Watermark>> Index::FindWatermark(std::string_view consumer, const ConversationState& state) const {
  if (auto pending = watermarks_.Find(consumer, state.name)) return pending;
  const std::optional<std::string> marked = TURNLOG_TRY(MarkedUpTo(consumer));
  if (marked && state.name > *marked) return std::nullopt;
  return LoadWatermark(WatermarkKey(state.number, consumer));
}

Result<std::optional<Watermark>> Index::FindAbsentWatermark(std::string_view consumer, const std::string& name) const {
  if (auto pending = watermarks_.Find(consumer, name)) return pending;
  return LoadWatermark(AbsentWatermarkKey(consumer, name));
}

Result<std::optional<Watermark>> Index::LoadWatermark(const std::string& key) const {
  const auto value = TURNLOG_TRY(base_->Get(key));
  if (!value) return std::nullopt;
  auto watermark = DecodeWatermark(*value);
  if (!watermark) return IndexDamaged("a watermark");
  return watermark;
}

IndexTotals Index::totals() const { return {conversations_, events_, payload_bytes_, repairs_}; }

IndexMeta Index::meta() const {
  const std::scoped_lock lock(meta_mutex_);
  return meta_;
}

}  // namespace turnlog
