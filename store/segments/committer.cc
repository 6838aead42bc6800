#include "store/segments/committer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::size_t kFullChunk = 1 << 20;     // the next frame begins another one: nothing large is moved to grow
constexpr std::size_t kKeptCapacity = 8 << 20;  // of all buffers that wait for the next batches
constexpr std::size_t kUnsyncedSegments = 16;   // bounds the files that are kept open

Status SyncAll(const std::vector<std::shared_ptr<OpenSegment>>& segments) {
  for (const auto& segment : segments) TURNLOG_TRY(segment->file->Sync());
  return {};
}

}  // namespace

Committer::Committer(SegmentSet& segments, SegmentExtent last_segment, LogOffset mark, std::uint64_t segment_bytes,
                     std::uint64_t claimed, std::function<void(const SyncReport&)> on_sync)
    : segments_(segments),
      codec_(segments.codec()),
      segment_bytes_(segment_bytes),
      on_sync_(std::move(on_sync)),
      filling_(std::make_shared<Batch>()),
      next_sync_(std::make_shared<WaitGroup>()),
      segment_(last_segment),
      position_(mark.end),
      tail_(mark.tail),
      unclaimed_end_(mark.end),
      claimed_(claimed),
      written_(mark.end),
      durable_(mark.end) {
  filling_->end = mark.end;
  filling_->last = mark.tail;
}

Result<std::uint64_t> Committer::Enqueue(std::span<const PendingFrame> frames, std::vector<std::uint64_t>& positions,
                                         const std::shared_ptr<const void>& memory) {
  positions.clear();
  const std::scoped_lock lock(mutex_);
  if (failure_) return std::unexpected(Failure().error());
  if (std::ranges::any_of(frames, [](const PendingFrame& frame) { return frame.header.seq > kMaxSeq; })) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "the conversation has reached the largest seq"});
  }
  std::size_t bytes = 0;
  for (const PendingFrame& frame : frames) {
    AssignOffset(frame, positions, memory);
    bytes += FrameBytes(frame.payload.size());
  }
  waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  filling_->end = unclaimed_end_ = position_;
  ++filling_->appends;
  return position_;
}

void Committer::AssignOffset(const PendingFrame& frame, std::vector<std::uint64_t>& positions,
                             const std::shared_ptr<const void>& memory) {
  const std::uint64_t bytes = FrameBytes(frame.payload.size());
  // A segment of an older format only gets a seal.
  if (bytes > segment_.end() - position_ || segment_.version != kFormatVersion) Roll(bytes);
  FrameHeader header = frame.header;
  header.length = static_cast<std::uint32_t>(frame.payload.size());
  const std::uint64_t back = (position_ - durable()) / kFrameAlignment;
  header.durable_back = back < kNoDurableClaim ? static_cast<std::uint32_t>(back) : kNoDurableClaim;
  Append(frame, header, memory);
  positions.push_back(position_);
  if (!header.batch_continues) filling_->last = {position_, codec_.Check({header, position_, {}})};
  position_ += bytes;
}

void Committer::Append(const PendingFrame& frame, const FrameHeader& header,
                       const std::shared_ptr<const void>& memory) {
  const std::string_view payload = frame.payload;
  if (memory == nullptr || payload.size() < kLargePayload) {
    return codec_.Append(header, payload, frame.payload_hash, position_, BytesAt(position_));
  }
  const FrameCodec::HeaderBytes bytes = codec_.Header(header, payload, frame.payload_hash, position_);
  BytesAt(position_).append(bytes.data(), bytes.size());
  const std::uint64_t begin = position_ + kFrameHeaderBytes, end = begin + payload.size();
  filling_->chunks.push_back({segment_, begin, {}, payload, memory});
  BytesAt(end).append(position_ + FrameBytes(payload.size()) - end, '\0');
}

void Committer::Roll(std::uint64_t frame_bytes) {
  if (segment_.end() - position_ >= kFrameHeaderBytes) {
    const FrameCodec codec = segments_.codec(segment_.version);
    codec.Append({.type = FrameType::kSeal, .kind = EventKind{0}}, {}, Hash64({}), position_, BytesAt(position_));
  }
  segment_ = {segment_.end(), SegmentBytes(segment_.end(), segment_bytes_, frame_bytes)};
  position_ = segment_.first();
}

std::string& Committer::BytesAt(std::uint64_t position) {
  std::vector<Chunk>& chunks = filling_->chunks;
  const bool full = chunks.empty() || chunks.back().memory != nullptr || chunks.back().bytes.size() >= kFullChunk;
  if (full || chunks.back().segment.base != segment_.base) {
    chunks.push_back({segment_, position, TakeBuffer(), {}, nullptr});
  }
  return chunks.back().bytes;
}

std::string Committer::TakeBuffer() {
  if (spare_.empty()) return {};
  std::string buffer = std::move(spare_.back());
  spare_.pop_back();
  spare_capacity_ -= buffer.capacity();
  return buffer;
}

Status Committer::Wait(std::uint64_t position, Durability durability) {
  const bool sync = durability == Durability::kSync;
  if ((sync ? durable() : written()) >= position) return {};
  Lock lock(mutex_);
  if (position > position_) return std::unexpected(Error{ErrorCode::kInvalidArgument, "not a ticket of this store"});
  if (!sync) {
    TURNLOG_TRY(AwaitWritten(lock, position));
    if (dirty_.size() <= kUnsyncedSegments) return {};
  }
  return AwaitDurable(lock, position);
}

Status Committer::Claim() {
  std::vector<std::uint64_t> positions;
  Lock lock(mutex_);
  TURNLOG_TRY(AwaitDurable(lock, position_));
  if (failure_) return Failure();
  if (unclaimed_end_ <= claimed_) return {};
  AssignOffset({.header = {.type = FrameType::kClaim, .kind = EventKind{0}}, .payload = {}, .payload_hash = Hash64({})},
               positions);
  claimed_ = durable();
  filling_->end = position_;
  return AwaitDurable(lock, position_);
}

Status Committer::AwaitWritten(std::uint64_t position) {
  if (written() >= position) return {};
  Lock lock(mutex_);
  return AwaitWritten(lock, position);
}

Status Committer::AwaitRunningSync() {
  Lock lock(mutex_);
  if (const auto group = running_sync_) (void)Join(lock, *group);
  if (failure_) return Failure();
  return {};
}

Status Committer::AwaitWritten(Lock& lock, std::uint64_t position) {
  while (written() < position) {
    if (failure_) return Failure();
    if (has_writer_) {
      const bool in_flight = writing_ != nullptr && position <= writing_->end;
      const std::shared_ptr<Batch> batch = in_flight ? writing_ : filling_;
      if (Join(lock, batch->written) == WaitGroup::Outcome::kDone || failure_) continue;
    }
    LeadWrite(lock);
  }
  return {};
}

// A thread that is woken to lead does so even if its own position has become durable meanwhile: the rest of its group
// waits for it.
Status Committer::AwaitDurable(Lock& lock, std::uint64_t position) {
  while (durable() < position) {
    if (failure_) return Failure();
    if (has_syncer_) {
      const bool in_flight = running_sync_ != nullptr && position <= sync_end_;
      const std::shared_ptr<WaitGroup> group = in_flight ? running_sync_ : next_sync_;
      if (Join(lock, *group) == WaitGroup::Outcome::kDone || failure_) continue;
    }
    LeadSync(lock);
  }
  return {};
}

WaitGroup::Outcome Committer::Join(Lock& lock, WaitGroup& group) {
  ++group.members;
  lock.unlock();
  const WaitGroup::Outcome outcome = group.Await();
  lock.lock();
  return outcome;
}

void Committer::LeadWrite(Lock& lock) {
  has_writer_ = true;
  const std::shared_ptr<Batch> batch = std::exchange(filling_, std::make_shared<Batch>());
  const std::shared_ptr<Batch> next = filling_;
  writing_ = batch;
  next->end = position_;
  next->last = batch->last;
  waiting_bytes_.store(0, std::memory_order_relaxed);
  lock.unlock();
  const Result<Segments> segments = WriteBatch(*batch);
  lock.lock();
  if (segments) {
    Publish(*batch, *segments);
  } else {
    Fail(segments.error());
  }
  KeepBuffers(*batch);
  writing_ = nullptr;
  has_writer_ = next->written.members > 0;
  const bool pass_on = has_writer_;
  lock.unlock();
  more_.notify_all();
  batch->written.Finish();
  if (pass_on) next->written.HandOver();
  lock.lock();
}

void Committer::LeadSync(Lock& lock) {
  has_syncer_ = true;
  const std::shared_ptr<WaitGroup> group = std::exchange(next_sync_, std::make_shared<WaitGroup>());
  const std::shared_ptr<WaitGroup> next = next_sync_;
  running_sync_ = group;
  sync_end_ = position_;
  if (AwaitWritten(lock, sync_end_)) {
    sync_end_ = written();  // more, if another thread was writing
    const Segments segments = std::exchange(dirty_, {});
    SyncReport report{.took = {}, .appends = std::exchange(unsynced_appends_, 0), .bytes = sync_end_ - durable()};
    lock.unlock();
    const auto begin = std::chrono::steady_clock::now();
    const Status synced = SyncAll(segments);
    report.took = std::chrono::steady_clock::now() - begin;
    if (synced && on_sync_) on_sync_(report);
    lock.lock();
    if (synced) {
      durable_.store(sync_end_, std::memory_order_release);
    } else {
      Fail(synced.error());
    }
  }
  running_sync_ = nullptr;
  has_syncer_ = next->members > 0;
  const bool pass_on = has_syncer_;
  lock.unlock();
  group->Finish();
  if (pass_on) next->HandOver();
  lock.lock();
}

Result<Committer::Segments> Committer::WriteBatch(const Batch& batch) {
  // Create all segments first: a reader that finds a seal must find the next segment.
  Segments targets;
  targets.reserve(batch.chunks.size());
  for (const Chunk& chunk : batch.chunks) targets.push_back(TURNLOG_TRY(segments_.Prepare(chunk.segment)));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Chunk& chunk = batch.chunks[i];
    const std::string_view bytes = chunk.memory == nullptr ? chunk.bytes : chunk.payload;
    TURNLOG_TRY(targets[i]->file->WriteAt(chunk.position - chunk.segment.base, bytes));
  }
  return targets;
}

void Committer::Publish(const Batch& batch, const Segments& segments) {
  for (const auto& segment : segments) {
    if (dirty_.empty() || dirty_.back() != segment) dirty_.push_back(segment);
  }
  unsynced_appends_ += batch.appends;
  tail_ = batch.last;
  written_.store(batch.end, std::memory_order_release);
}

void Committer::KeepBuffers(Batch& batch) {
  for (Chunk& chunk : batch.chunks) {
    if (chunk.bytes.empty() || spare_capacity_ + chunk.bytes.capacity() > kKeptCapacity) continue;
    chunk.bytes.clear();
    spare_capacity_ += chunk.bytes.capacity();
    spare_.push_back(std::move(chunk.bytes));
  }
}

// Releases the groups that have no leader yet; a working leader releases its own group.
void Committer::Fail(const Error& reason) {
  if (!failure_) failure_ = reason;
  filling_->written.Finish();
  next_sync_->Finish();
}

Status Committer::Failure() const {
  return std::unexpected(
      Error{ErrorCode::kNeedsReopen,
            fmt::format("an earlier write failed ({}); acknowledged events are safe: reopen the store to continue",
                        failure_->message)});
}

bool Committer::WaitForMore(std::uint64_t position, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return more_.wait_for(lock, timeout, [&] { return written() > position; });
}

void Committer::Poison(const Error& reason) {
  const std::scoped_lock lock(mutex_);
  Fail(reason);
}

Status Committer::Check() const {
  const std::scoped_lock lock(mutex_);
  if (failure_) return Failure();
  return {};
}

Status Committer::Trim() {
  const std::scoped_lock lock(mutex_);
  if (failure_) return Failure();
  if (segment_.size == 0) return segments_.RemoveFrom(0);
  TURNLOG_TRY(segments_.RemoveFrom(segment_.end()));
  const auto segment = TURNLOG_TRY(segments_.Find(segment_.base));
  if (segment == nullptr) return {};
  return segment->file->Truncate(std::max(position_, segment_.first()) - segment_.base);
}

LogOffset Committer::enqueued() const {
  const std::scoped_lock lock(mutex_);
  return {position_, filling_->last};
}

LogOffset Committer::written_mark() const {
  const std::scoped_lock lock(mutex_);
  return {written(), tail_};
}

Committer::Waiters Committer::waiters() const {
  const std::scoped_lock lock(mutex_);
  const auto members = [](const WaitGroup* group) { return group == nullptr ? 0 : group->members; };
  return {.for_writes = members(&filling_->written) + members(writing_ == nullptr ? nullptr : &writing_->written),
          .for_syncs = members(next_sync_.get()) + members(running_sync_.get())};
}

std::optional<SegmentExtent> Committer::WantedSegment() const {
  const std::scoped_lock lock(mutex_);
  if (failure_ || position_ - segment_.base < segment_.size / 2) return std::nullopt;
  return SegmentExtent{segment_.end(), SegmentBytes(segment_.end(), segment_bytes_, 0)};
}

}  // namespace turnlog
