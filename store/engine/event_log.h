// turnlog::Log on segments and an index.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "log/encoded_log.h"
#include "log/prepared_events.h"
#include "store/engine/environment.h"
#include "store/engine/stored_payloads.h"
#include "store/erasure/replacement_reader.h"
#include "store/index/index.h"
#include "store/index/replay.h"
#include "store/segments/committer.h"
#include "store/segments/segment_set.h"
#include "store/segments/store_identity.h"
#include "turnlog/maintenance.h"
#include "turnlog/segment_log.h"

namespace turnlog {

// Whether to rebuild the index even if the old one is intact.
struct Rebuild {
  bool wanted = false;
  Progress progress;
};

// A checkpoint is due when the pending watermarks reach this size. At twice the size, setting one waits for it.
inline constexpr std::size_t kManyWatermarkBytes = 4 << 20;

class EventLog : public Log, public EncodedLog {
 public:
  static Result<std::unique_ptr<EventLog>> Open(const std::filesystem::path& path, const SegmentOptions& options,
                                                const Environment& environment, const Rebuild& rebuild = {});
  ~EventLog() override;

  Capabilities capabilities() const override;
  using Log::Append;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override;
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override;
  Result<AppendResult> AppendEncodedLater(const ConversationId& conversation, std::span<const EncodedEvent> events,
                                          const AppendOptions& options) override;
  Status Wait(Ticket ticket, Durability durability) override;
  Result<EraseReport> Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                            const EraseOptions& options) override;
  Result<RedactReport> Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                              const EventView& redaction, const RedactOptions& options) override;
  Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& conversation, const ReadOptions& options) override;
  Result<ConversationInfo> Info(const ConversationId& conversation) override;
  Result<std::vector<ConversationInfo>> List(std::string_view after, std::size_t limit) override;
  Result<std::vector<InquiryRecord>> FindInquiryRaw(const ConversationId& conversation,
                                                    const InquiryIdView& id) override;
  Result<std::vector<PendingInquiry>> PendingRaw(const std::optional<ConversationId>& conversation) override;
  Result<std::vector<RepairRange>> Repairs(const ConversationId& conversation) override;
  Result<std::optional<Watermark>> FindWatermark(std::string_view consumer,
                                                 const ConversationId& conversation) override;
  Status SetWatermark(std::string_view consumer, const ConversationId& conversation,
                      const Watermark& watermark) override;
  Result<std::vector<ConversationInfo>> ListChanged(std::string_view consumer, std::string_view after,
                                                    std::size_t limit, Changes which) override;
  Result<std::unique_ptr<Tail>> Follow(const Position& from,
                                       const std::optional<ConversationId>& conversation) override;
  Result<Position> End() override;
  Result<StoreStats> Stats() override;
  Status VisitStorage(const StorageScan& scan, StorageVisitor& visitor) override;
  std::vector<std::string> OpenNotes() const override { return open_notes_; }
  Status Refresh() override;
  Status Checkpoint() override;
  Status Close() override;

  // See turnlog::SetCompression.
  Status SetCompression(Compression compression);
  // See ReindexLog.
  Result<bool> Reindex(const ReindexOptions& options);

  // Damage found by opening; readers only (a damaged log is not opened for writing).
  const std::vector<Damage>& open_damage() const { return open_damage_; }
  // The end of the last complete append that may be read.
  std::uint64_t VisibleEnd() const;
  // True once VisibleEnd() is greater than `position`, false after the timeout.
  Result<bool> WaitForMore(std::uint64_t position, std::chrono::milliseconds timeout);
  Status MustBeOpen() const;
  // Called by the maintenance thread when Environment::idle_claim has passed since a sync and no other work is due: if
  // nothing has been appended since the last call, appends a claim that confirms the log.
  void ClaimIfIdle();
  std::size_t held_back() const { return held_back_; }  // appends that wait for a checkpoint
  Result<std::shared_ptr<Index>> index() const;
  const std::shared_ptr<SegmentSet>& segments() const { return segments_; }

 private:
  // An event as it is stored in the log.
  struct StoredEvent {
    IndexedFields fields;                  // of the appended event
    Tombstone original;                    // its tombstone; without fields yet
    std::optional<Tombstone> replacement;  // the tombstone of its replacement, if it has one
    std::uint64_t bytes = 0;               // of its current payload; 0: erased
  };

  EventLog(StorePaths paths, SegmentOptions options, const Environment& environment);

  // Opening.
  Status OpenStore(const Rebuild& rebuild);
  Status OpenForWriting(const Rebuild& rebuild);
  Result<LogEnd> SettleLogEnd(std::uint64_t from, std::uint64_t known);
  Status StartWriting(const LogEnd& log_end, const ReplayReport& replayed, bool erased);
  // From its checkpoint on, with the store's own salt and distance of checkpoints.
  Result<ReplayReport> ReplayTo(Index& index, std::uint64_t end, ReplayOptions options);
  Result<ReplayReport> RebuildIndex(std::shared_ptr<Index> old, bool lost, std::uint64_t end, const Progress& progress);
  Status OpenForReading();
  void NoteDamage();
  Result<std::shared_ptr<Index>> OpenIndex(IndexBase::Access access, const std::filesystem::path& folder);
  Status CatchUp(std::shared_ptr<Index> index, bool fresh);

  // Rebuilding the index of an open log; reindex_mutex_ is held.
  struct Rebuilding;
  Result<bool> RebuildBeside(Rebuilding& rebuilding);
  Result<bool> IndexMore(Rebuilding& rebuilding, std::uint64_t end);
  Result<bool> IndexRest(Rebuilding& rebuilding);
  Status TakeRebuilt(Rebuilding& rebuilding);

  // Appending.
  Result<std::shared_ptr<Index>> IndexWithRoom();
  Result<AppendResult> AppendPrepared(Index& index, const ConversationId& conversation, PreparedEvents prepared,
                                      const AppendOptions& options);
  Result<AppendResult> AppendStored(Index& index, const ConversationId& conversation, PreparedEvents& prepared,
                                    const StoredPayloads& stored, const std::shared_ptr<const void>& memory,
                                    const AppendOptions& options);
  void MarkRedacted(const ConversationId& conversation, AppendResult& result);
  Status AwaitCommit(std::uint64_t position, Durability durability);
  std::uint64_t RoomAfter(std::uint64_t checkpoint) const;
  bool HasRoom(const Index& index) const;
  Status AwaitRoom();
  void MaintainSoon(const Index& index, std::uint64_t enqueued);
  void WakeMaintenance();
  void ArmClaim();
  bool AwaitMaintenance(std::unique_lock<std::mutex>& lock);
  void Maintain();
  void MaintainNow();
  Status CheckpointNow();

  // Erasing and redacting; checkpoint_mutex_ is held.
  Result<std::vector<StoredEvent>> FindStored(const ConversationState& state, const std::vector<std::uint64_t>& seqs);
  Result<StoredEvent> FindStored(const ConversationState& state, std::uint64_t seq, const FrameRef& ref,
                                 ReplacementReader& replacements);
  std::unexpected<Error> CannotRead(const ConversationState& state, std::uint64_t seq, const FrameRef& ref,
                                    std::string_view reason) const;
  static Result<PendingFrame> AnnouncementOf(std::vector<Tombstone>& frames, std::string& payload);
  Result<std::uint64_t> AnnounceErasure(const ConversationState& state, std::vector<Tombstone>& frames,
                                        const EraseOptions& options);
  struct Redaction;
  Status CheckReplacements(const Redaction& redaction) const;
  static Status ListFrames(Redaction& redaction, std::span<const std::uint64_t> positions);
  static Status CheckIntent(Redaction& redaction);
  Result<std::uint64_t> AnnounceRedaction(Redaction& redaction, const RedactOptions& options);
  Status CarryOut(std::uint64_t announced, const std::vector<Tombstone>& frames);
  Status Overwrite(std::span<const Tombstone> frames);
  Status ReportErased();
  Status EraseOrphans(std::span<const Tombstone> orphans);

  Result<StatePtr> FindVisible(const std::string& name);
  Result<StatePtr> FindIfVisible(const std::string& name);
  Result<RawView> FindView(const ConversationId& conversation, const ReadOptions& options) override;
  Result<std::unique_ptr<Cursor>> ReadState(StatePtr state, const ReadOptions& options);
  Result<std::vector<RepairRange>> RepairsOf(const ConversationState& state);
  template <class FindFn>
  Result<std::vector<ConversationInfo>> ListVisible(FindFn find);
  Result<bool> Matches(const StatePtr& state, const InquiryRef& ref, const InquiryIdView& id);
  Result<std::unique_ptr<IndexBase>> OpenToVisit();
  Status MustBeWritable() const;

  const StorePaths paths_;
  const SegmentOptions options_;
  const Environment environment_;
  StoreIdentity identity_;
  std::atomic<Compression> compression_ = Compression::kNone;  // of new events
  std::unique_ptr<FileLock> lock_;
  std::shared_ptr<SegmentSet> segments_;
  std::unique_ptr<Committer> committer_;  // writers only
  std::vector<Damage> open_damage_;
  std::vector<std::string> open_notes_;
  std::atomic<bool> closed_ = false;

  mutable std::mutex index_mutex_;
  std::shared_ptr<Index> index_;  // replaced by a reader's Refresh; guarded by index_mutex_
  bool scratch_ = false;          // the index is a temporary one, because a reader found no usable index

  std::shared_mutex refresh_mutex_;          // shared by what reads, exclusive to a Refresh
  LogOffset read_mark_;                      // readers: the end of what index_ covers; guarded by refresh_mutex_
  std::atomic<std::uint64_t> read_end_ = 0;  // read_mark_.end, for VisibleEnd

  std::mutex reindex_mutex_;  // taken before checkpoint_mutex_
  std::mutex checkpoint_mutex_;
  std::mutex maintenance_mutex_;
  std::condition_variable maintenance_wake_, checkpoint_ended_;
  std::atomic<std::uint64_t> room_end_ = 0;  // appends beyond this position wait until the next checkpoint has ended
  std::atomic<std::size_t> held_back_ = 0;
  bool maintenance_due_ = false, maintaining_ = false, stopping_ = false;  // guarded by maintenance_mutex_
  std::atomic<std::uint64_t> next_maintenance_ = 0;                        // maintenance is due from this position on
  std::atomic<bool> claim_armed_ = false;  // something was synced, and no claim has been considered since
  std::uint64_t idle_since_ = 0;           // the end of the log at the last call of ClaimIfIdle
  std::thread maintenance_;
};

}  // namespace turnlog
