// Appending, and its background work: checkpoints and the next segment.
#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "log/append_checks.h"
#include "store/engine/event_frame.h"
#include "store/engine/event_log.h"

namespace turnlog {
namespace {

constexpr std::size_t kWriteWhenWaiting = 256 << 10;  // appended with AppendLater and not yet written
constexpr std::uint64_t kMaintenanceStep = 1 << 20;
constexpr std::uint64_t kCheckpointsBehind = 4;
constexpr std::size_t kUnwrittenIndexBytes = 2 * kManyIndexBytes;  // of a checkpoint, and of what comes after it

// The memory of payloads that are worth keeping until they are written, instead of being copied; none: the others'.
std::shared_ptr<const void> KeepPayloads(PreparedEvents& prepared, StoredPayloads& stored) {
  if (prepared.memory.size() < Committer::kLargePayload) return nullptr;
  struct Kept {
    WipedMemory events, compressed;
  };
  return std::make_shared<const Kept>(std::move(prepared.memory), stored.TakeMemory());
}

}  // namespace

Result<AppendResult> EventLog::Append(const ConversationId& conversation, std::span<const EventView> events,
                                      const AppendOptions& options) {
  AppendResult result = TURNLOG_TRY(AppendLater(conversation, events, options));
  TURNLOG_TRY(AwaitCommit(result.ticket.handle, options.durability));
  return result;
}

Status EventLog::AwaitCommit(std::uint64_t position, Durability durability) {
  TURNLOG_TRY(committer_->Wait(position, durability));
  if (durability == Durability::kSync) ArmClaim();
  return {};
}

Result<AppendResult> EventLog::AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                           const AppendOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  TURNLOG_TRY(CheckAppend(conversation, events));
  const auto index = TURNLOG_TRY(IndexWithRoom());
  return AppendPrepared(*index, conversation, TURNLOG_TRY(PreparedEvents::Make(events, identity_.salt())), options);
}

Result<AppendResult> EventLog::AppendEncodedLater(const ConversationId& conversation,
                                                  std::span<const EncodedEvent> events, const AppendOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  TURNLOG_TRY(CheckAppend(conversation, events));
  const auto index = TURNLOG_TRY(IndexWithRoom());
  return AppendPrepared(*index, conversation, PreparedEvents::Of(events, identity_.salt()), options);
}

Result<std::shared_ptr<Index>> EventLog::IndexWithRoom() {
  auto index = TURNLOG_TRY(this->index());
  if (HasRoom(*index)) return index;
  index.reset();  // Close may be called while this waits
  TURNLOG_TRY(AwaitRoom());
  return this->index();
}

Result<AppendResult> EventLog::AppendPrepared(Index& index, const ConversationId& conversation, PreparedEvents prepared,
                                              const AppendOptions& options) {
  StoredPayloads stored(prepared, compression_);
  const auto memory = KeepPayloads(prepared, stored);
  AppendResult result = TURNLOG_TRY(AppendStored(index, conversation, prepared, stored, memory, options));
  MarkRedacted(conversation, result);
  if (committer_->waiting_bytes() > kWriteWhenWaiting) {
    TURNLOG_TRY(committer_->Wait(result.ticket.handle, Durability::kBuffered));
  }
  MaintainSoon(index, result.ticket.handle);
  return result;
}

Status EventLog::Wait(Ticket ticket, Durability durability) {
  TURNLOG_TRY(MustBeWritable());
  if (ticket.handle > committer_->enqueued().end) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "the ticket is not of this log: it is past the end"});
  }
  return AwaitCommit(ticket.handle, durability);
}

Result<AppendResult> EventLog::AppendStored(Index& index, const ConversationId& conversation, PreparedEvents& prepared,
                                            const StoredPayloads& stored, const std::shared_ptr<const void>& memory,
                                            const AppendOptions& options) {
  Index::LockedConversation locked = TURNLOG_TRY(index.LockConversation(conversation.text(), EventIds(prepared)));
  TURNLOG_TRY(MustBeOpen());  // Close waits for locked conversations and prevents new locks
  const std::uint64_t last = locked.projection() == nullptr ? 0 : locked.projection()->state().last_seq;
  const std::size_t fresh =
      MarkRepeats(prepared, last + 1, [&](const Hash128& id) { return index.FindEventId(locked, id); });
  // A client that repeats an append after a lost acknowledgement cannot know later events: no check for repeats.
  if (fresh > 0) TURNLOG_TRY(CheckExpected(options.expected_last, last));
  const bool exists = locked.projection() != nullptr;
  static const OpenInquiries none;
  TURNLOG_TRY(RefuseSecrets(exists ? locked.projection()->state().open : none, prepared));
  AppendResult result;
  result.events.reserve(prepared.events.size());
  for (const PreparedEvents::One& one : prepared.events) result.events.push_back(one.result);
  if (fresh == 0) {
    TURNLOG_TRY(committer_->Check());  // the repeated events may be unwritten because of a failure
    result.ticket.handle = committer_->enqueued().end;
    return result;
  }

  const bool is_new = !exists;
  if (is_new) index.Create(locked, conversation.text());
  const std::uint32_t number = locked.projection()->state().number;
  std::vector<PendingFrame> frames;
  frames.reserve(fresh + 1);
  if (is_new) {
    frames.push_back({.header = {.type = FrameType::kConversation, .kind = EventKind{0}, .conversation = number},
                      .payload = conversation.text(),
                      .payload_hash = Hash64(conversation.text())});
  }
  for (std::size_t i = 0; i < prepared.events.size(); ++i) {
    if (!prepared.events[i].result.repeated) frames.push_back(FrameOf(prepared.events[i], stored[i], number));
  }
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) frames[i].header.batch_continues = true;

  thread_local std::vector<std::uint64_t> positions;
  result.ticket.handle = TURNLOG_TRY(committer_->Enqueue(frames, positions, memory));
  std::size_t next = is_new ? 1 : 0;  // in `frames` and `positions`
  std::uint64_t bytes = 0, repairs = 0;
  for (const PreparedEvents::One& one : prepared.events) {
    if (one.result.repeated) continue;
    const FrameRef ref = RefAt(positions[next], frames[next].payload.size());
    locked.projection()->Apply(one.result.seq.value, ref, one.fields);
    ++next;
    bytes += one.payload.size();
    repairs += one.fields.repair ? 1 : 0;
  }
  index.CountAppended(fresh, bytes, repairs);
  return result;
}

// A successful append does not fail because an older event cannot be read.
void EventLog::MarkRedacted(const ConversationId& conversation, AppendResult& result) {
  for (AppendedEvent& event : result.events) {
    if (!event.repeated) continue;
    const auto cursor = ReadRaw(conversation, {.from = event.seq, .limit = 1});
    const auto item = cursor ? (*cursor)->Next() : Result<Item>(EndOfLog{});
    const auto* record = item ? std::get_if<Record>(&*item) : nullptr;
    event.redacted = record != nullptr && record->redacted;
  }
}

// --- Beside appending ---

// The position from which on appends wait for the next checkpoint.
std::uint64_t EventLog::RoomAfter(std::uint64_t checkpoint) const {
  return checkpoint + kCheckpointsBehind * std::max(options_.checkpoint_bytes, kMaintenanceStep);
}

bool EventLog::HasRoom(const Index& index) const {
  return committer_->written() < room_end_.load(std::memory_order_relaxed) &&
         index.unwritten_bytes() < kUnwrittenIndexBytes;
}

// Back-pressure: appends wait for a slow checkpoint. No lock is held while waiting.
Status EventLog::AwaitRoom() {
  std::unique_lock lock(maintenance_mutex_);
  ++held_back_;
  while (!stopping_ && committer_->Check() && !HasRoom(*index_)) {  // Close resets index_ only after stopping_ is set
    maintenance_due_ = true;
    maintenance_wake_.notify_one();
    checkpoint_ended_.wait(lock);
  }
  --held_back_;
  lock.unlock();
  TURNLOG_TRY(MustBeOpen());
  return committer_->Check();
}

void EventLog::MaintainSoon(const Index& index, std::uint64_t enqueued) {
  const bool much_in_memory = index.growing_bytes() > kManyIndexBytes;
  if (!much_in_memory && enqueued < next_maintenance_.load(std::memory_order_relaxed)) return;
  next_maintenance_.store(enqueued + std::min(kMaintenanceStep, options_.segment_bytes / 4), std::memory_order_relaxed);
  WakeMaintenance();
}

// REQUIRES: the caller does not hold checkpoint_mutex_.
void EventLog::WakeMaintenance() {
  std::unique_lock lock(maintenance_mutex_);
  maintenance_due_ = true;
  maintenance_wake_.notify_one();
  if (!environment_.await_maintenance) return;
  checkpoint_ended_.wait(lock, [&] { return stopping_ || (!maintenance_due_ && !maintaining_); });
}

// Costs nothing while the thread is counting already: one wake-up for each idle period, not for each sync.
void EventLog::ArmClaim() {
  if (environment_.idle_claim.count() == 0 || claim_armed_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(maintenance_mutex_);
  claim_armed_ = true;
  maintenance_wake_.notify_one();
}

void EventLog::ClaimIfIdle() {
  const std::uint64_t end = committer_->enqueued().end;
  if (std::exchange(idle_since_, end) != end) return;
  claim_armed_ = false;       // first: a concurrent sync sets it again
  (void)committer_->Claim();  // after a failure, the next append reports it
}

// True if there is work to do, false if it has been quiet.
bool EventLog::AwaitMaintenance(std::unique_lock<std::mutex>& lock) {
  const auto woken = [&] { return maintenance_due_ || stopping_; };
  maintenance_wake_.wait(lock, [&] { return woken() || claim_armed_; });
  const bool due = !claim_armed_ || maintenance_wake_.wait_for(lock, environment_.idle_claim, woken);
  maintenance_due_ = false;
  return due;
}

void EventLog::Maintain() {
  std::unique_lock lock(maintenance_mutex_);
  for (;;) {
    const bool due = AwaitMaintenance(lock);
    if (stopping_) return;
    maintaining_ = true;
    lock.unlock();
    due ? MaintainNow() : ClaimIfIdle();
    lock.lock();
    maintaining_ = false;
    checkpoint_ended_.notify_all();  // also after a failure
  }
}

void EventLog::MaintainNow() {
  // An error here is ignored: the append that needs the segment tries again and reports it.
  if (const auto spare = committer_->WantedSegment()) (void)segments_->Preallocate(*spare);
  const bool much_to_replay = committer_->enqueued().end - index_->meta().checkpoint >= options_.checkpoint_bytes;
  const bool much_in_memory =
      !HasRoom(*index_) || index_->growing_bytes() > kManyIndexBytes || index_->watermark_bytes() > kManyWatermarkBytes;
  if (much_to_replay || much_in_memory) (void)CheckpointNow();
}

Status EventLog::Checkpoint() {
  TURNLOG_TRY(MustBeWritable());
  return CheckpointNow();
}

Status EventLog::CheckpointNow() {
  const auto index = TURNLOG_TRY(this->index());
  const std::scoped_lock lock(checkpoint_mutex_);
  TURNLOG_TRY(committer_->Check());  // no checkpoint after a failed one
  TURNLOG_TRY(committer_->Wait(committer_->enqueued().end, Durability::kSync));
  if (committer_->enqueued().end == index->meta().checkpoint && index->watermark_bytes() == 0) return {};
  const std::uint64_t end = index->BeginCheckpoint([&] { return committer_->enqueued(); });
  TURNLOG_TRY(committer_->Wait(end, Durability::kSync));
  const Status written = index->WriteCheckpoint();
  if (!written) committer_->Poison(written.error());
  room_end_.store(RoomAfter(end), std::memory_order_relaxed);
  const std::scoped_lock wake(maintenance_mutex_);
  checkpoint_ended_.notify_all();
  return written;
}

Status EventLog::Close() {
  if (closed_.exchange(true)) return {};
  const std::scoped_lock reindexing(reindex_mutex_);  // which stops, because closed_ is set
  Status status;
  if (maintenance_.joinable()) {  // opened for writing, and completely
    {
      const std::scoped_lock lock(maintenance_mutex_);
      stopping_ = true;
      maintenance_wake_.notify_one();
      checkpoint_ended_.notify_all();
    }
    maintenance_.join();
    index_->WaitForLockHolders();
    status = CheckpointNow();
    if (status) status = committer_->Trim();
  }
  {
    const std::scoped_lock refreshing(refresh_mutex_);  // a reader's Refresh replaces index_
    const std::scoped_lock lock(index_mutex_);
    // Not when the last cursor goes: the process may be about to end, and RocksDB's globals with it.
    if (index_ != nullptr) index_->CloseBase();
    index_.reset();
    if (segments_ != nullptr) segments_->Close();
  }
  lock_.reset();
  return status;
}

}  // namespace turnlog
