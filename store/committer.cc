#include "store/committer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::size_t kKeptCapacity = 4 << 20;
constexpr std::size_t kUnsyncedSegments = 16;  // bounds the files that are kept open

}  // namespace

Committer::Committer(SegmentSet& segments, SegmentPlace last_segment, LogMark mark, std::uint64_t segment_bytes)
    : segments_(segments),
      codec_(segments.codec()),
      segment_bytes_(segment_bytes),
      filling_(std::make_shared<Batch>()),
      segment_(last_segment),
      position_(mark.end),
      tail_(mark.tail),
      written_(mark.end),
      durable_(mark.end) {
  filling_->end = mark.end;
  filling_->last = mark.tail;
}

Result<std::uint64_t> Committer::Reserve(std::span<const FrameDraft> drafts, std::vector<std::uint64_t>& positions) {
  positions.clear();
  const std::scoped_lock lock(mutex_);
  if (failure_) return std::unexpected(Failure().error());
  for (const FrameDraft& draft : drafts) Place(draft, positions);
  filling_->end = position_;
  return position_;
}

void Committer::Place(const FrameDraft& draft, std::vector<std::uint64_t>& positions) {
  const std::uint64_t bytes = FrameBytes(draft.payload.size());
  if (bytes > segment_.end() - position_) Roll(bytes);
  FrameHeader header = draft.header;
  header.length = static_cast<std::uint32_t>(draft.payload.size());
  const std::uint64_t back = (position_ - durable()) / kFrameAlignment;
  header.durable_back = back < kNoDurableClaim ? static_cast<std::uint32_t>(back) : kNoDurableClaim;
  codec_.Append(header, draft.payload, draft.payload_hash, position_, BytesAt(position_));
  positions.push_back(position_);
  if (!header.batch_continues) filling_->last = {position_, codec_.Check({header, position_, {}})};
  position_ += bytes;
  waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void Committer::Roll(std::uint64_t frame_bytes) {
  if (segment_.end() - position_ >= kFrameHeaderBytes) {
    codec_.Append({.type = FrameType::kSeal, .kind = EventKind{0}}, {}, Hash64({}), position_, BytesAt(position_));
  }
  segment_ = {segment_.end(), SegmentBytes(segment_.end(), segment_bytes_, frame_bytes)};
  position_ = segment_.first();
}

std::string& Committer::BytesAt(std::uint64_t position) {
  std::vector<Chunk>& chunks = filling_->chunks;
  if (chunks.empty()) {
    chunks.push_back({segment_, position, std::move(spare_bytes_)});
    spare_bytes_ = {};
  } else if (chunks.back().segment.base != segment_.base) {
    chunks.push_back({segment_, position, {}});
  }
  return chunks.back().bytes;
}

bool Committer::Reached(std::uint64_t position, Durability durability) const {
  return (durability == Durability::kSync ? durable() : written()) >= position;
}

Status Committer::Wait(std::uint64_t position, Durability durability) {
  const bool sync = durability == Durability::kSync;
  std::unique_lock lock(mutex_);
  if (position > position_) return std::unexpected(Error{ErrorCode::kInvalidArgument, "not a ticket of this store"});
  while (!Reached(position, durability)) {
    if (failure_) return Failure();
    if (writing_ == nullptr) {
      filling_->sync = filling_->sync || sync;
      Lead(lock);
      continue;
    }
    const bool in_flight = position <= writing_->end && (!sync || writing_->sync);
    const std::shared_ptr<Batch> batch = in_flight ? writing_ : filling_;
    if (!in_flight) batch->sync = batch->sync || sync;
    lock.unlock();
    Await(*batch);
    lock.lock();
  }
  return {};
}

// Returns when the batch is done, or when it is on this thread to see whether somebody must lead it.
void Committer::Await(Batch& batch) {
  for (;;) {
    Phase phase = batch.phase.load(std::memory_order_acquire);
    if (phase == Phase::kDone) return;
    if (phase == Phase::kWantsLeader && batch.phase.compare_exchange_strong(phase, Phase::kLed)) return;
    batch.phase.wait(phase, std::memory_order_acquire);
  }
}

void Committer::Lead(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<Batch> batch = std::exchange(filling_, std::make_shared<Batch>());
  writing_ = batch;
  batch->phase.store(Phase::kLed, std::memory_order_relaxed);
  filling_->end = position_;
  filling_->last = batch->last;
  waiting_bytes_.store(0, std::memory_order_relaxed);
  lock.unlock();
  const Status status = WriteBatch(*batch, batch->sync);
  lock.lock();
  if (!status && !failure_) failure_ = status.error();
  if (!batch->chunks.empty() && batch->chunks.back().bytes.capacity() <= kKeptCapacity) {
    spare_bytes_ = std::move(batch->chunks.back().bytes);
    spare_bytes_.clear();
  }
  writing_ = nullptr;
  const std::shared_ptr<Batch> next = filling_;
  const bool failed = failure_.has_value();
  next->phase.store(failed ? Phase::kDone : Phase::kWantsLeader, std::memory_order_release);
  batch->phase.store(Phase::kDone, std::memory_order_release);
  lock.unlock();
  if (status) more_.notify_all();
  batch->phase.notify_all();
  // Exactly one of those who wait for the next batch is woken to lead it.
  if (failed) {
    next->phase.notify_all();
  } else {
    next->phase.notify_one();
  }
  lock.lock();
}

Status Committer::WriteBatch(const Batch& batch, bool sync) {
  // All segments first: whoever finds a seal finds the segment behind it.
  std::vector<std::shared_ptr<OpenSegment>> targets;
  targets.reserve(batch.chunks.size());
  for (const Chunk& chunk : batch.chunks) targets.push_back(TURNLOG_TRY(segments_.Prepare(chunk.segment)));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Chunk& chunk = batch.chunks[i];
    TURNLOG_TRY(targets[i]->file->WriteAt(chunk.position - chunk.segment.base, chunk.bytes));
    if (dirty_.empty() || dirty_.back() != targets[i]) dirty_.push_back(targets[i]);
  }
  sync = sync || dirty_.size() > kUnsyncedSegments;
  if (sync) {
    for (const auto& segment : dirty_) TURNLOG_TRY(segment->file->Sync());
    dirty_.clear();
  }
  const std::scoped_lock lock(mutex_);
  tail_ = batch.last;
  written_.store(batch.end, std::memory_order_release);
  if (sync) durable_.store(batch.end, std::memory_order_release);
  return {};
}

Status Committer::Failure() const {
  return std::unexpected(
      Error{ErrorCode::kNeedsReopen,
            fmt::format("an earlier write failed ({}); what was acknowledged is safe: open the store again to go on",
                        failure_->message)});
}

bool Committer::WaitForMore(std::uint64_t position, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return more_.wait_for(lock, timeout, [&] { return written() > position; });
}

void Committer::Poison(const Error& reason) {
  const std::scoped_lock lock(mutex_);
  if (!failure_) failure_ = reason;
  // Whoever was woken to lead the next batch leaves without doing so; the others must not wait for it.
  filling_->phase.store(Phase::kDone, std::memory_order_release);
  filling_->phase.notify_all();
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

LogMark Committer::reserved() const {
  const std::scoped_lock lock(mutex_);
  return {position_, filling_->last};
}

LogMark Committer::written_mark() const {
  const std::scoped_lock lock(mutex_);
  return {written(), tail_};
}

std::optional<SegmentPlace> Committer::WantedSpare() const {
  const std::scoped_lock lock(mutex_);
  if (failure_ || position_ - segment_.base < segment_.size / 2) return std::nullopt;
  return SegmentPlace{segment_.end(), SegmentBytes(segment_.end(), segment_bytes_, 0)};
}

}  // namespace turnlog
