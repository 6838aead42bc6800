// The index: entries on disk as of the last checkpoint, and in memory everything appended since. Never durable ahead of
// the segments, because only a checkpoint writes, and it syncs the segments first.
//
// Conversations are spread over shards by name; a shard's mutex is held while one of its conversations grows.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/index/conversation_projection.h"
#include "store/index/entry_cache.h"
#include "store/index/index_base.h"
#include "store/index/index_format.h"
#include "store/index/name_filter.h"
#include "store/index/offset_block_cache.h"
#include "store/index/pending_watermarks.h"
#include "store/index/projection_table.h"
#include "store/segments/frame.h"
#include "turnlog/log.h"

namespace turnlog {

// With so many bytes of entries in memory, a checkpoint is due.
inline constexpr std::size_t kManyIndexBytes = std::size_t{24} << 20;

using StatePtr = std::shared_ptr<const ConversationState>;

class Index {
 public:
  Index(std::unique_ptr<IndexBase> base, const IndexMeta& meta);

  // A conversation under the lock of its shard, for appending.
  class LockedConversation {
   public:
    ConversationProjection* projection() const { return projection_; }  // nullptr: there is no such conversation yet

   private:
    friend class Index;
    std::unique_lock<std::mutex> lock_;
    ConversationProjection* projection_ = nullptr;
    std::unordered_map<Hash128, std::uint64_t> on_disk_;  // seqs of event ids in base_
  };
  // `event_ids`: all that FindEventId will be called with. Everything needed from disk is read before the lock is
  // finally taken.
  Result<LockedConversation> LockConversation(const std::string& name, std::span<const Hash128> event_ids = {});
  // Creates the conversation that LockConversation did not find, with the next free number.
  void Create(LockedConversation& locked, const std::string& name) {
    Add(locked, name, next_conversation_.fetch_add(1));
  }
  // Blocks until all conversations that are locked now have been unlocked.
  void WaitForLockHolders() const;
  void CountAppended(std::uint64_t events, std::uint64_t bytes, std::uint64_t repairs);
  // The seq of the event with this id, if any. REQUIRES: the id was passed to LockConversation.
  std::optional<std::uint64_t> FindEventId(const LockedConversation& locked, const Hash128& id) const;

  // Replay: adds a conversation's name, or an event. Returns how many events of the conversation are missing before
  // this one; nothing if the event is inconsistent (its conversation is unknown, or its seq is taken or leaves a gap of
  // more than `max_missing`).
  Status ReplayConversation(std::uint32_t number, std::string_view name);
  Result<std::optional<std::uint64_t>> ReplayEvent(const Frame& frame, const IndexedFields& fields,
                                                   std::uint64_t max_missing);

  // Reading. Null or nothing if there is no such conversation.
  Result<StatePtr> Find(const std::string& name) const;
  Result<std::optional<std::string>> NameOf(std::uint32_t number) const;
  // Offsets of `count` events from `first` on. REQUIRES: all of them exist.
  Result<std::vector<FrameRef>> Locate(const ConversationState& state, std::uint64_t first, std::uint64_t count) const;
  // Seq of the turn's turn_start.
  Result<std::optional<std::uint64_t>> TurnStart(const ConversationState& state, std::uint64_t turn) const;
  Result<std::vector<InquiryRef>> Inquiries(const ConversationState& state, const Hash128& id) const;
  // In order of seq, up to state.last_seq.
  Result<std::vector<RepairRange>> Repairs(const ConversationState& state) const;
  Result<std::optional<Watermark>> FindWatermark(std::string_view consumer, const ConversationState& state) const;
  // Of a conversation that does not exist.
  Result<std::optional<Watermark>> FindAbsentWatermark(std::string_view consumer, const std::string& name) const;

  // In order of their names, `limit` at most, greater than `after`: all conversations,
  Result<std::vector<StatePtr>> Conversations(std::string_view after, std::size_t limit) const;
  // or those that have grown since the consumer's watermark, or have none.
  Result<std::vector<StatePtr>> Changed(std::string_view consumer, std::string_view after, std::size_t limit,
                                        Changes which = Changes::kAll) const;
  // All names of conversations that have open inquiries.
  Result<std::vector<std::string>> NamesWithPending() const;
  IndexTotals totals() const;

  // Kept for the next checkpoint. REQUIRES: the conversation reaches to the watermark's head.
  void SetWatermark(std::string_view consumer, const std::string& name, const Watermark& watermark) {
    watermarks_.Set(consumer, name, watermark);
  }
  std::size_t watermark_bytes() const { return watermarks_.bytes(); }  // not yet taken by a checkpoint

  // Freezes everything appended so far; `end_of_log` is called while all shards are locked. Call WriteCheckpoint once
  // everything before the returned position is durable.
  template <class EndOfLogFn>
  std::uint64_t BeginCheckpoint(EndOfLogFn end_of_log);
  Status WriteCheckpoint();
  // Approximate memory of what was appended since the last checkpoint began, and of everything not yet written.
  std::size_t growing_bytes() const { return growing_bytes_; }
  std::size_t unwritten_bytes() const { return growing_bytes_ + frozen_bytes_; }

  // Goes on with what `rebuilt` has on disk, an index of the same log in another folder, opened with kCreateToReplace.
  // `finish` is called while no conversation can grow: it writes a checkpoint of `rebuilt` that reaches to the end of
  // the log. Afterwards `rebuilt` has the old files, which are in the folder `aside`, and is only good for destruction.
  // After an error nothing has changed. REQUIRES: no checkpoint is written meanwhile.
  Status ReplaceBase(Index& rebuilt, const std::filesystem::path& aside, const std::function<Status()>& finish);

  const IndexBase& base() const { return *base_; }
  IndexBase& base() { return *base_; }
  // See IndexBase::Close. What is in memory can still be read.
  void CloseBase() {
    base_->Close();
    entries_.Clear();
  }
  IndexMeta meta() const;  // as of the last checkpoint

 private:
  struct Shard {
    mutable std::mutex mutex;
    ProjectionTable live;                           // appended to since the last checkpoint began
    std::shared_ptr<const ProjectionTable> frozen;  // being written by a checkpoint
  };
  Shard& ShardOf(std::string_view name) const;
  ConversationProjection* FindGrowing(Shard& shard, const std::string& name);
  ConversationProjection* AddGrowing(Shard& shard, ConversationProjection projection);
  Result<std::optional<ConversationProjection>> LoadProjection(const std::string& name) const;
  Result<std::unordered_map<Hash128, std::uint64_t>> LoadEventIds(std::uint32_t number,
                                                                  std::span<const Hash128> ids) const;
  void Add(LockedConversation& locked, const std::string& name, std::uint32_t number);
  // The entry in base_; null if there is none.
  Result<std::shared_ptr<const ConversationEntry>> FindStored(const std::string& name) const;
  Result<OffsetBlock> LoadOffsetBlock(std::uint32_t number, std::uint64_t block) const;
  Result<std::vector<std::uint64_t>> LoadTurns(std::uint32_t number, std::uint64_t block) const;
  // The first `count`.
  Result<std::vector<RepairRange>> RepairsOnDisk(const ConversationState& state, std::uint64_t count) const;
  Status LocateOnDisk(const ConversationState& state, std::uint64_t first, std::span<FrameRef> out) const;
  // Calls `use` for the projections of the conversation in memory, newest first, until it returns true. Returns whether
  // it did.
  template <class Use>
  bool InMemory(const std::string& name, Use use) const;
  template <class Use>
  void ForEachInMemory(Use use) const;
  struct NamePage;
  Status AddFromDisk(const std::string& prefix, NamePage& page) const;
  // Up to `limit` entries of base_, in order of their names, from `first` on.
  Result<EntryCache::Page> ReadPage(std::string_view first, std::size_t limit) const;
  Result<std::vector<StatePtr>> Unseen(std::string_view consumer, std::string_view after, std::size_t limit,
                                       Changes which) const;
  // Up to which name base_ keeps for the consumer which conversations have changed: no later one has a watermark there.
  // Empty: for none. Nothing: for all.
  Result<std::optional<std::string>> MarkedUpTo(std::string_view consumer) const;
  Result<std::vector<StatePtr>> ChangedSince(std::string_view consumer, std::string_view after, std::size_t limit,
                                             Changes which, const std::optional<std::string>& marked) const;
  Result<bool> HasChanged(std::string_view consumer, const ConversationState& state) const;
  static void AddProjection(const ConversationProjection& fold, IndexBatch& batch);
  Result<std::optional<Watermark>> LoadWatermark(const std::string& key) const;
  // Every consumer that has had watermarks so far, or has some now.
  Result<std::set<std::string>> Consumers(const PendingWatermarks::ByConsumer& watermarks) const;
  // The state of a conversation as of the checkpoint being written. Null if there is none.
  Result<StatePtr> FindFrozen(const std::string& name) const;
  Status AddConsumer(const std::string& consumer, const PendingWatermarks::ByName& watermarks, IndexBatch& batch) const;
  Result<std::string> LastExisting(const PendingWatermarks::ByName& watermarks) const;
  struct Marks;
  Status MarkUpTo(const std::string& last, Marks& marks, IndexBatch& batch) const;
  Status WriteMarks(const std::string& up_to, Marks& marks, std::vector<std::string>& unseen,
                    std::vector<std::string>& seen) const;
  bool HasGrown(const std::string& name) const;
  bool HasNewAfter(const std::string& last) const;
  void AddChanged(const Marks& marks, IndexBatch& batch) const;
  Status AddWatermarks(const Marks& marks, IndexBatch& batch) const;
  void Freeze();
  void DropFrozen();
  std::vector<ProjectionTable> TakeStateOf(const Index& rebuilt);

  std::unique_ptr<IndexBase> base_;
  mutable std::array<Shard, 16> shards_;
  std::atomic<std::uint32_t> next_conversation_;
  std::atomic<std::uint64_t> conversations_, events_, payload_bytes_, repairs_;
  std::atomic<std::size_t> growing_bytes_ = 0, frozen_bytes_ = 0;

  std::uint32_t replay_number_ = 0;  // the conversation replayed last
  ConversationProjection* replay_projection_ = nullptr;

  PendingWatermarks watermarks_;
  mutable EntryCache entries_;              // of base_
  mutable OffsetBlockCache offset_blocks_;  // of base_

  // What MarkedUpTo has found, by consumer, while entries_ had this generation.
  mutable std::mutex marked_mutex_;
  mutable std::uint64_t marked_generation_ = 0;
  mutable std::map<std::string, std::optional<std::string>, std::less<>> marked_;

  NameFilter names_;

  // Of conversations that are not in base_ yet; the texts are in `live` and `frozen`.
  using NamesByNumber = HashMap<std::string_view>;
  mutable std::shared_mutex names_mutex_;
  NamesByNumber new_names_, frozen_names_;

  mutable std::mutex meta_mutex_;
  IndexMeta meta_;       // of base_
  IndexMeta next_meta_;  // of the checkpoint being written
};

template <class Use>
bool Index::InMemory(const std::string& name, Use use) const {
  const Shard& shard = ShardOf(name);
  std::shared_ptr<const ProjectionTable> frozen;
  {
    const std::scoped_lock lock(shard.mutex);
    const ConversationProjection* live = shard.live.Find(name);
    if (live != nullptr && use(*live)) return true;
    frozen = shard.frozen;
  }
  const ConversationProjection* projection = frozen == nullptr ? nullptr : frozen->Find(name);
  return projection != nullptr && use(*projection);
}

// A projection that is dropped from memory during the walk is in base_ by then: read base_ afterwards.
template <class Use>
void Index::ForEachInMemory(Use use) const {
  for (const Shard& shard : shards_) {
    std::shared_ptr<const ProjectionTable> frozen;
    {
      const std::scoped_lock lock(shard.mutex);
      shard.live.ForEach(use);
      frozen = shard.frozen;
    }
    if (frozen != nullptr) frozen->ForEach(use);
  }
}

template <class EndOfLogFn>
std::uint64_t Index::BeginCheckpoint(EndOfLogFn end_of_log) {
  std::vector<std::unique_lock<std::mutex>> locks;
  locks.reserve(shards_.size());
  for (Shard& shard : shards_) locks.emplace_back(shard.mutex);
  Freeze();
  const std::scoped_lock lock(meta_mutex_);
  const LogOffset mark = end_of_log();
  next_meta_.checkpoint = mark.end;
  next_meta_.tail = mark.tail;
  return mark.end;
}

}  // namespace turnlog
