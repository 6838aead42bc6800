// Checkpoints: write everything appended since the last one as entries on disk.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/try.h"
#include "store/index/index.h"

namespace turnlog {
namespace {

// Calls `use` for each complete block; `first`: the index of values[0], from 0. Returns the incomplete one.
template <class T, class Use>
std::span<const T> ForEachBlock(std::span<const T> values, std::uint64_t first, Use use) {
  for (; values.size() >= kBlockLength; first += kBlockLength) {
    use(first / kBlockLength, values.first(kBlockLength));
    values = values.subspan(kBlockLength);
  }
  return values;
}

void AddNames(std::vector<const ConversationState*> created, IndexBatch& batch) {
  std::ranges::sort(created, {}, &ConversationState::number);
  std::string names;
  for (std::size_t i = 0; i < created.size(); ++i) {
    const std::string key = NamesKey(created[i]->number);
    names += EncodeName(created[i]->number, created[i]->name);
    if (i + 1 < created.size() && NamesKey(created[i + 1]->number) == key) continue;
    batch.Append(key, names);
    names.clear();
  }
}

}  // namespace

void Index::Freeze() {
  replay_projection_ = nullptr;
  for (Shard& shard : shards_) shard.frozen = std::make_shared<const ProjectionTable>(std::exchange(shard.live, {}));
  frozen_bytes_ = growing_bytes_.exchange(0);
  {
    const std::scoped_lock lock(names_mutex_);
    frozen_names_ = std::exchange(new_names_, {});
  }
  watermarks_.Freeze();
  const std::scoped_lock lock(meta_mutex_);
  next_meta_.next_conversation = next_conversation_;
  next_meta_.totals = totals();
}

Status Index::WriteCheckpoint() {
  IndexMeta meta;
  {
    const std::scoped_lock lock(meta_mutex_);
    meta = next_meta_;
  }
  IndexBatch batch;
  const auto watermarks = watermarks_.frozen();
  std::vector<const ConversationState*> created;
  for (const Shard& shard : shards_) {
    shard.frozen->ForEach([&](const ConversationProjection& projection) {
      AddProjection(projection, batch);
      if (projection.is_new()) created.push_back(&projection.state());
    });
  }
  AddNames(std::move(created), batch);
  static const PendingWatermarks::ByName none;
  for (const std::string& consumer : TURNLOG_TRY(Consumers(*watermarks))) {
    const auto its = watermarks->find(consumer);
    TURNLOG_TRY(AddConsumer(consumer, its == watermarks->end() ? none : its->second, batch));
  }
  batch.Put(MetaKey(), EncodeMeta(meta));
  batch.Sort();
  TURNLOG_TRY(base_->Apply(batch));
  entries_.Clear();  // before DropFrozen: these entries are outdated now
  DropFrozen();
  watermarks_.Written();
  const std::scoped_lock lock(meta_mutex_);
  meta_ = meta;
  return {};
}

// Destroys the frozen projections without a lock: there may be hundreds of thousands. First the names, which point into
// the projections.
void Index::DropFrozen() {
  NamesByNumber names;
  {
    const std::scoped_lock lock(names_mutex_);
    std::swap(names, frozen_names_);
  }
  for (Shard& shard : shards_) {
    std::shared_ptr<const ProjectionTable> frozen;  // outlives the lock
    const std::scoped_lock lock(shard.mutex);
    frozen.swap(shard.frozen);
  }
  frozen_bytes_ = 0;
}

void Index::AddProjection(const ConversationProjection& projection, IndexBatch& batch) {
  const ConversationState& state = projection.state();
  if (!projection.is_new() && !projection.grown()) return;  // it was only read
  const auto last_block = ForEachBlock(
      std::span(projection.frames()), projection.first_seq() - 1,
      [&](std::uint64_t block, auto refs) { batch.Put(OffsetBlockKey(state.number, block), EncodeOffsetBlock(refs)); });
  const auto last_turns = ForEachBlock(
      std::span(projection.turn_starts()), projection.first_turn() - 1,
      [&](std::uint64_t block, auto starts) { batch.Put(TurnKey(state.number, block), EncodeTurns(starts)); });
  const auto last_repairs = ForEachBlock(
      std::span(projection.repairs()), projection.first_repair() - 1,
      [&](std::uint64_t block, auto repairs) { batch.Put(RepairsKey(state.number, block), EncodeRepairs(repairs)); });
  batch.Put(NameKey(state.name), EncodeConversation(state, {last_block, last_turns, last_repairs}));
  projection.inquiries().ForEachWithKey([&](const Hash128& id, const std::vector<InquiryRef>& refs) {
    batch.Append(InquiryKeyOf(state.number, id), EncodeInquiries(refs));
  });
  projection.event_ids().ForEachWithKey(
      [&](const Hash128& id, std::uint64_t seq) { batch.Put(EventIdKey(state.number, id), EncodeNumber(seq)); });
  if (!state.open.empty() && !projection.had_open()) batch.Put(PendingKey(state.number));
  if (state.open.empty() && projection.had_open()) batch.Remove(PendingKey(state.number));
}

}  // namespace turnlog
