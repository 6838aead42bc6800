// What a checkpoint writes for the consumers of the log: their watermarks, and which conversations have grown since.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/try.h"
#include "store/index/index.h"

namespace turnlog {
namespace {

constexpr std::size_t kMarkedAtOnce = 1 << 16, kReadAtOnce = 4096;

}  // namespace

// Of one consumer. Conversations are marked if they have grown since its watermark, or have none; but only those up to
// `up_to`, which covers all with watermarks. So a consumer that sees all conversations in order of their names, as the
// sanitizer does when a store is new to it, needs no marks.
struct Index::Marks {
  const std::string& consumer;
  const PendingWatermarks::ByName& watermarks;  // of this checkpoint
  std::optional<std::string> up_to;             // nothing: all conversations
  std::optional<std::string> on_disk = up_to;   // base_ may have marks up to here

  bool Cover(const std::string& name) const { return !up_to || name <= *up_to; }
  bool MayInclude(const std::string& name) const { return !on_disk || name <= *on_disk; }
  bool Need(const std::string& name) const { return Cover(name) && !watermarks.contains(name); }
};

Result<std::set<std::string>> Index::Consumers(const PendingWatermarks::ByConsumer& watermarks) const {
  std::set<std::string> consumers;
  for (const KeySpace space : {KeySpace::kConsumer, KeySpace::kMarkedUpTo}) {
    const std::string prefix = SpacePrefix(space);
    for (const auto& [key, value] : TURNLOG_TRY(base_->Range(prefix, prefix, SIZE_MAX))) {
      consumers.insert(key.substr(prefix.size()));
    }
  }
  for (const auto& [consumer, its] : watermarks) consumers.insert(consumer);
  return consumers;
}

Result<StatePtr> Index::FindFrozen(const std::string& name) const {
  const auto& frozen = ShardOf(name).frozen;
  if (const auto* projection = frozen->Find(name)) return StatePtr(frozen, &projection->state());
  const auto stored = TURNLOG_TRY(FindStored(name));
  return stored == nullptr ? nullptr : StatePtr(stored, &stored->state);
}

Status Index::AddConsumer(const std::string& consumer, const PendingWatermarks::ByName& watermarks,
                          IndexBatch& batch) const {
  Marks marks{.consumer = consumer, .watermarks = watermarks, .up_to = TURNLOG_TRY(MarkedUpTo(consumer))};
  if (marks.up_to) {
    // Earlier versions have left some if they were interrupted while they marked everything.
    const std::string beyond = ChangedKey(consumer, *marks.up_to + '\0');
    if (!TURNLOG_TRY(base_->Range(beyond, ChangedPrefix(consumer), 1)).empty()) marks.on_disk.reset();
    const std::string last = TURNLOG_TRY(LastExisting(watermarks));
    if (last > *marks.up_to) TURNLOG_TRY(MarkUpTo(last, marks, batch));
  }
  AddChanged(marks, batch);
  return AddWatermarks(marks, batch);
}

// The last conversation with a watermark; empty if there is none.
Result<std::string> Index::LastExisting(const PendingWatermarks::ByName& watermarks) const {
  for (auto entry = watermarks.rbegin(); entry != watermarks.rend(); ++entry) {
    if (TURNLOG_TRY(FindFrozen(entry->first)) != nullptr) return entry->first;
  }
  return std::string();
}

// Marks the conversations on disk from where the marks end up to `last`, except those with a watermark in this
// checkpoint. If they are many, they are written in pieces, which mark the others, too: this batch may never be
// written.
Status Index::MarkUpTo(const std::string& last, Marks& marks, IndexBatch& batch) const {
  const std::string prefix = SpacePrefix(KeySpace::kName);
  std::string after = *std::exchange(marks.up_to, last);
  std::vector<std::string> unseen, seen;
  bool at_end = false, beyond = false;
  while (!at_end && !beyond) {
    const auto page = TURNLOG_TRY(base_->Range(std::string(prefix).append(after).append(1, '\0'), prefix, kReadAtOnce));
    at_end = page.size() < kReadAtOnce;
    for (const auto& [key, value] : page) {
      std::string name = key.substr(prefix.size());
      beyond = name > last;
      if (beyond) break;
      after = name;
      (marks.Need(name) ? unseen : seen).push_back(std::move(name));
    }
    if (unseen.size() >= kMarkedAtOnce) TURNLOG_TRY(WriteMarks(after, marks, unseen, seen));
  }
  for (const std::string& name : unseen) {
    if (!HasGrown(name)) batch.Put(ChangedKey(marks.consumer, name));  // AddChanged marks the others
  }
  if (!beyond && !HasNewAfter(last)) {
    marks.up_to.reset();
    batch.Put(ConsumerKey(marks.consumer));
    batch.Remove(MarkedUpToKey(marks.consumer));
  } else {
    batch.Put(MarkedUpToKey(marks.consumer), last);
  }
  return {};
}

Status Index::WriteMarks(const std::string& up_to, Marks& marks, std::vector<std::string>& unseen,
                         std::vector<std::string>& seen) const {
  IndexBatch piece;
  for (std::vector<std::string>* names : {&unseen, &seen}) {
    for (const std::string& name : *names) piece.Put(ChangedKey(marks.consumer, name));
    names->clear();
  }
  piece.Put(MarkedUpToKey(marks.consumer), up_to);
  piece.Sort();
  TURNLOG_TRY(base_->Apply(piece));
  if (marks.on_disk) marks.on_disk = up_to;
  return {};
}

// In this checkpoint.
bool Index::HasGrown(const std::string& name) const {
  const auto* projection = ShardOf(name).frozen->Find(name);
  return projection != nullptr && (projection->is_new() || projection->grown());
}

// Whether this checkpoint creates a conversation after it.
bool Index::HasNewAfter(const std::string& last) const {
  bool some = false;
  for (const Shard& shard : shards_) {
    shard.frozen->ForEach([&](const ConversationProjection& projection) {
      some = some || (projection.is_new() && projection.state().name > last);
    });
  }
  return some;
}

// Marks the conversations that have grown, except those with a watermark in this checkpoint.
void Index::AddChanged(const Marks& marks, IndexBatch& batch) const {
  if (marks.up_to && marks.up_to->empty()) return;
  for (const Shard& shard : shards_) {
    shard.frozen->ForEach([&](const ConversationProjection& projection) {
      const bool grown = projection.is_new() || projection.grown();
      const std::string& name = projection.state().name;
      if (grown && marks.Need(name)) batch.Put(ChangedKey(marks.consumer, name));
    });
  }
}

Status Index::AddWatermarks(const Marks& marks, IndexBatch& batch) const {
  for (const auto& [name, watermark] : marks.watermarks) {
    const StatePtr state = TURNLOG_TRY(FindFrozen(name));
    if (state == nullptr) {
      if (watermark.head.value > 0) return IndexDamaged("a conversation's entry");
      batch.Put(AbsentWatermarkKey(marks.consumer, name), EncodeWatermark(watermark));
      continue;
    }
    batch.Put(WatermarkKey(state->number, marks.consumer), EncodeWatermark(watermark));
    if (state->last_seq != watermark.head.value) {
      batch.Put(ChangedKey(marks.consumer, name));
    } else if (marks.MayInclude(name)) {
      batch.Remove(ChangedKey(marks.consumer, name));
    }
  }
  return {};
}

}  // namespace turnlog
