// Appending, and what happens beside it: checkpoints and the next segment.
#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "store/engine/event_log.h"

namespace turnlog {
namespace {

constexpr std::size_t kWriteWhenWaiting = 256 << 10;  // appended with AppendLater and not yet written
constexpr std::uint64_t kMaintenanceStep = 1 << 20;
constexpr std::uint64_t kCheckpointsBehind = 4;

std::unexpected<Error> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

}  // namespace

Status EventLog::CheckExpected(const std::optional<Seq>& expected, std::uint64_t last) {
  if (!expected || expected->value == last) return {};
  return std::unexpected(Error{ErrorCode::kConflict,
                               fmt::format("the conversation's last seq is {}, not {}", last, expected->value), last});
}

Result<AppendResult> EventLog::Append(const ConversationId& conversation, std::span<const EventView> events,
                                      const AppendOptions& options) {
  AppendResult receipt = TURNLOG_TRY(AppendLater(conversation, events, options));
  TURNLOG_TRY(AwaitCommit(receipt.ticket.handle, options.durability));
  return receipt;
}

Status EventLog::AwaitCommit(std::uint64_t position, Durability durability) {
  TURNLOG_TRY(committer_->Wait(position, durability));
  if (durability == Durability::kSync) ArmClaim();
  return {};
}

Result<AppendResult> EventLog::AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                           const AppendOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  if (events.empty()) return Refuse(ErrorCode::kInvalidArgument, "an append needs at least one event");
  auto index = TURNLOG_TRY(this->index());
  if (!HasRoom(*index)) {
    index.reset();  // Close may come while we wait
    TURNLOG_TRY(AwaitRoom());
    index = TURNLOG_TRY(this->index());
  }
  EncodedEvents prepared = TURNLOG_TRY(EncodedEvents::Make(events, identity_.salt()));
  AppendResult receipt = TURNLOG_TRY(AppendEncoded(*index, conversation, prepared, options));
  MarkRedacted(conversation, receipt);
  if (committer_->waiting_bytes() > kWriteWhenWaiting) {
    TURNLOG_TRY(committer_->Wait(receipt.ticket.handle, Durability::kBuffered));
  }
  MaintainSoon(*index, receipt.ticket.handle);
  return receipt;
}

Status EventLog::Wait(Ticket ticket, Durability durability) {
  TURNLOG_TRY(MustBeWritable());
  if (ticket.handle > committer_->reserved().end) {
    return Refuse(ErrorCode::kInvalidArgument, "the ticket is not of this log: nothing has been appended there yet");
  }
  return AwaitCommit(ticket.handle, durability);
}

namespace {

// Marks the events whose event_id is taken, in the log or earlier in the same append. Returns how many are new.
template <class Ones>
std::size_t MarkRepeats(const Index& index, const Index::LockedConversation& held, Ones& events,
                        std::uint64_t next_seq) {
  std::unordered_map<Hash128, std::uint64_t> here;
  std::size_t fresh = 0;
  for (auto& one : events) {
    if (one.fields.event_id) {
      const auto [known, is_new] = here.emplace(*one.fields.event_id, next_seq + fresh);
      const auto seq = is_new ? index.FindEventId(held, *one.fields.event_id) : std::optional(known->second);
      if (seq) {
        known->second = *seq;
        one.result = {.seq = {*seq}, .repeated = true};
        continue;
      }
    }
    one.result.seq = {next_seq + fresh++};
  }
  return fresh;
}

std::vector<Hash128> EventIds(const EncodedEvents& prepared) {
  std::vector<Hash128> ids;
  for (const EncodedEvents::One& one : prepared.events) {
    if (one.fields.event_id) ids.push_back(*one.fields.event_id);
  }
  return ids;
}

// An answer in clear to a question that asked for a secret never reaches the log.
template <class Ones>
Status RefuseSecrets(const ConversationProjection* fold, const Ones& events) {
  const auto answered = [](const auto& one) { return one.fields.answered && !one.result.repeated; };
  if (std::ranges::none_of(events, answered)) return {};
  OpenInquiries open = fold == nullptr ? OpenInquiries() : fold->state().open;
  for (const auto& one : events) {
    if (one.result.repeated) continue;
    if (one.fields.kind == EventKind::kTurnStart) open.StartTurn();
    if (!one.fields.inquiry) continue;
    const std::string key = OpenInquiryKey(*one.fields.inquiry);
    if (one.fields.kind == EventKind::kInquiryRequest) {
      open.Open(key, one.result.seq.value, one.fields.secret);
      continue;
    }
    const auto secret = open.SecretOf(key);
    if (secret && one.fields.answered) {
      return Refuse(ErrorCode::kSecretRefused,
                    fmt::format("the inquiry asked at seq {} wants a secret: its answer is not stored; append the "
                                "outcome `redacted` instead",
                                *secret));
    }
    open.Close(key);
  }
  return {};
}

}  // namespace

Result<AppendResult> EventLog::AppendEncoded(Index& index, const ConversationId& conversation, EncodedEvents& prepared,
                                             const AppendOptions& options) {
  Index::LockedConversation held = TURNLOG_TRY(index.LockConversation(conversation.text(), EventIds(prepared)));
  TURNLOG_TRY(MustBeOpen());  // Close lets those who hold a conversation finish, and nobody begin
  const std::uint64_t last = held.fold() == nullptr ? 0 : held.fold()->state().last_seq;
  const std::size_t fresh = MarkRepeats(index, held, prepared.events, last + 1);
  // Whoever repeats what was written, because the acknowledgement got lost, cannot know what came behind it.
  if (fresh > 0) TURNLOG_TRY(CheckExpected(options.expected_last, last));
  TURNLOG_TRY(RefuseSecrets(held.fold(), prepared.events));
  AppendResult receipt{.events = {}, .ticket = {committer_->reserved().end}};
  for (const EncodedEvents::One& one : prepared.events) receipt.events.push_back(one.result);
  if (fresh == 0) {
    TURNLOG_TRY(committer_->Check());  // what they repeat may be what a failed write or sync has left
    return receipt;
  }

  const bool is_new = held.fold() == nullptr;
  if (is_new) index.Create(held, conversation.text());
  const std::uint32_t number = held.fold()->state().number;
  std::vector<PendingFrame> drafts;
  drafts.reserve(fresh + 1);
  if (is_new) {
    drafts.push_back({.header = {.type = FrameType::kConversation, .kind = EventKind{0}, .conversation = number},
                      .payload = conversation.text(),
                      .payload_hash = Hash64(conversation.text())});
  }
  for (const EncodedEvents::One& one : prepared.events) {
    if (one.result.repeated) continue;
    drafts.push_back(prepared.Draft(one, number));
  }
  for (std::size_t i = 0; i + 1 < drafts.size(); ++i) drafts[i].header.batch_continues = true;

  thread_local std::vector<std::uint64_t> positions;
  receipt.ticket.handle = TURNLOG_TRY(committer_->Enqueue(drafts, positions));
  std::size_t next = is_new ? 1 : 0;
  std::uint64_t bytes = 0;
  for (const EncodedEvents::One& one : prepared.events) {
    if (one.result.repeated) continue;
    held.fold()->Apply(one.result.seq.value, RefAt(positions[next++], one.length), one.fields);
    bytes += one.length;
  }
  index.CountAppended(fresh, bytes);
  return receipt;
}

// An append that has succeeded does not fail for what cannot be said of an older event.
void EventLog::MarkRedacted(const ConversationId& conversation, AppendResult& receipt) {
  for (AppendedEvent& event : receipt.events) {
    if (!event.repeated) continue;
    const auto cursor = ReadRaw(conversation, {.from = event.seq, .limit = 1});
    const auto item = cursor ? (*cursor)->Next() : Result<Item>(EndOfLog{});
    const auto* record = item ? std::get_if<Record>(&*item) : nullptr;
    event.redacted = record != nullptr && record->redacted;
  }
}

// --- Beside appending ---

// Beyond so much that no checkpoint has written yet, appends wait for one.
std::uint64_t EventLog::RoomBehind(std::uint64_t checkpoint) const {
  return checkpoint + kCheckpointsBehind * std::max(options_.checkpoint_bytes, kMaintenanceStep);
}

bool EventLog::HasRoom(const Index& index) const {
  return committer_->written() < room_end_.load(std::memory_order_relaxed) &&
         index.unwritten_bytes() < kCheckpointsBehind * kManyIndexBytes;
}

// Appends do not outrun the checkpoints without bound. No lock of the log is held meanwhile.
Status EventLog::AwaitRoom() {
  std::unique_lock lock(maintenance_mutex_);
  ++held_back_;
  while (!stopping_ && committer_->Check() && !HasRoom(*index_)) {  // Close lets go of index_ only when stopping_
    maintenance_due_ = true;
    maintenance_wake_.notify_one();
    checkpoint_ended_.wait(lock);
  }
  --held_back_;
  lock.unlock();
  TURNLOG_TRY(MustBeOpen());
  return committer_->Check();
}

void EventLog::MaintainSoon(const Index& index, std::uint64_t reserved) {
  const bool much_in_memory = index.growing_bytes() > kManyIndexBytes;
  if (!much_in_memory && reserved < next_maintenance_.load(std::memory_order_relaxed)) return;
  next_maintenance_.store(reserved + std::min(kMaintenanceStep, options_.segment_bytes / 4), std::memory_order_relaxed);
  WakeMaintenance();
}

void EventLog::WakeMaintenance() {
  const std::scoped_lock lock(maintenance_mutex_);
  maintenance_due_ = true;
  maintenance_wake_.notify_one();
}

// Costs nothing while the thread is counting already: one wake-up for each idle period, not for each sync.
void EventLog::ArmClaim() {
  if (environment_.idle_claim.count() == 0 || claim_armed_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(maintenance_mutex_);
  claim_armed_ = true;
  maintenance_wake_.notify_one();
}

void EventLog::ClaimIfIdle() {
  const std::uint64_t end = committer_->reserved().end;
  if (std::exchange(idle_since_, end) != end) return;
  claim_armed_ = false;       // first: what is synced meanwhile arms it again
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
    lock.unlock();
    due ? MaintainNow() : ClaimIfIdle();
    lock.lock();
    checkpoint_ended_.notify_all();  // after a failure, too
  }
}

void EventLog::MaintainNow() {
  // If this fails, whoever needs the segment tries again and reports.
  if (const auto spare = committer_->WantedSegment()) (void)segments_->Preallocate(*spare);
  const bool much_to_replay = committer_->reserved().end - index_->meta().checkpoint >= options_.checkpoint_bytes;
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
  TURNLOG_TRY(committer_->Check());  // a checkpoint is never tried again over a failed one
  TURNLOG_TRY(committer_->Wait(committer_->reserved().end, Durability::kSync));
  if (committer_->reserved().end == index->meta().checkpoint && index->watermark_bytes() == 0) return {};
  const std::uint64_t end = index->BeginCheckpoint([&] { return committer_->reserved(); });
  TURNLOG_TRY(committer_->Wait(end, Durability::kSync));
  const Status written = index->WriteCheckpoint();
  if (!written) committer_->Poison(written.error());
  room_end_.store(RoomBehind(end), std::memory_order_relaxed);
  const std::scoped_lock wake(maintenance_mutex_);
  checkpoint_ended_.notify_all();
  return written;
}

Status EventLog::Close() {
  if (closed_.exchange(true)) return {};
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
    const std::scoped_lock lock(index_mutex_);
    index_.reset();  // the next writer's index must find RocksDB's own lock free
  }
  lock_.reset();
  return status;
}

}  // namespace turnlog
