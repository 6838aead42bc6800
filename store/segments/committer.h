// Assigns frames their positions in the log and brings them to disk.
//
// Two roles, each held by one thread at a time: the writer hands everything that has been reserved to the operating
// system in one go, the syncer makes everything that has been written durable. What is written is published at once;
// writes go on while a sync runs, so nobody who does not ask for a sync waits for one. A thread that needs a role that
// is taken joins the group of those who wait for the next write or sync. When a role becomes free and somebody waits,
// it is passed to exactly one of them, who keeps it until the work is done: a role never becomes free over a waiter.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/segments/frame.h"
#include "store/segments/segment_set.h"
#include "store/segments/wait_group.h"
#include "turnlog/log.h"

namespace turnlog {

// A frame without its place.
struct PendingFrame {
  FrameHeader header;
  std::string_view payload;
  std::uint64_t payload_hash = 0;
};

class Committer {
 public:
  // Goes on at `mark`; everything before it is durable. `last_segment` holds it, or ends there.
  // Up to `claimed` the log, or the index, says itself that it was durable.
  Committer(SegmentSet& segments, SegmentExtent last_segment, LogOffset mark, std::uint64_t segment_bytes,
            std::uint64_t claimed);

  // Puts the frames of one append behind each other into the open batch and sets `positions`. All or none of them
  // survive a crash. Returns the position behind them.
  Result<std::uint64_t> Enqueue(std::span<const PendingFrame> drafts, std::vector<std::uint64_t>& positions);

  // Until everything before `position` has been handed to the operating system, or is durable. After a failed write
  // or sync every call fails with kNeedsReopen: what the disk holds is not known any more. A buffered append also waits
  // for a sync when so many segments are unsynced that no more may be kept open.
  Status Wait(std::uint64_t position, Durability durability);
  // For readers: until everything before `position` has been handed to the operating system. Never waits for a sync.
  Status AwaitWritten(std::uint64_t position);
  // Until the sync that is running now, if any, is over; fails if it failed, or anything before it did.
  Status AwaitRunningSync();

  // Makes everything durable, and appends a durable frame that says so, unless one says it already. Without such a
  // frame nothing behind the last records confirms them, and damage to them looks like a torn write.
  Status Claim();

  // True once written() is behind `position`, false when the time is over.
  bool WaitForMore(std::uint64_t position, std::chrono::milliseconds timeout);

  // The store cannot be trusted with more, for a reason outside of the committer.
  void Poison(const Error& reason);
  // kNeedsReopen after a failure.
  Status Check() const;

  // Cuts the last segment to what is used. Nothing may be reserved any more.
  Status Trim();

  LogOffset reserved() const;  // behind everything that has a place
  std::uint64_t written() const { return written_.load(std::memory_order_acquire); }
  std::uint64_t durable() const { return durable_.load(std::memory_order_acquire); }
  std::size_t waiting_bytes() const { return waiting_bytes_.load(std::memory_order_relaxed); }
  LogOffset written_mark() const;
  // The segment that should stand ready because the one in use is half full.
  std::optional<SegmentExtent> WantedSegment() const;

  // Threads that wait for what others do, in all.
  struct Waiters {
    std::size_t for_writes = 0, for_syncs = 0;
  };
  Waiters waiters() const;

 private:
  // Bytes for one segment, one behind the other.
  struct Chunk {
    SegmentExtent segment;
    std::uint64_t position = 0;
    std::string bytes;
  };
  // What is written in one go, and the threads that wait for it.
  struct Batch {
    std::vector<Chunk> chunks;
    std::uint64_t end = 0;
    SegmentPosition last;
    WaitGroup written;
  };
  using Segments = std::vector<std::shared_ptr<OpenSegment>>;
  using Lock = std::unique_lock<std::mutex>;

  void AssignOffset(const PendingFrame& draft, std::vector<std::uint64_t>& positions);
  void Roll(std::uint64_t frame_bytes);
  std::string& BytesAt(std::uint64_t position);

  // All of these hold the mutex when they are called and when they return, and let go of it to wait or to work.
  Status AwaitWritten(Lock& lock, std::uint64_t position);
  Status AwaitDurable(Lock& lock, std::uint64_t position);
  static WaitGroup::Outcome Join(Lock& lock, WaitGroup& group);
  void LeadWrite(Lock& lock);
  void LeadSync(Lock& lock);
  void Fail(const Error& reason);

  Result<Segments> WriteBatch(const Batch& batch);
  void Publish(const Batch& batch, const Segments& segments);
  void KeepBuffer(Batch& batch);
  Status Failure() const;

  SegmentSet& segments_;
  const FrameCodec codec_;
  const std::uint64_t segment_bytes_;

  mutable std::mutex mutex_;  // guards what follows up to the atomics
  std::shared_ptr<Batch> filling_;
  std::shared_ptr<Batch> writing_;  // the batch that the writer has; none between two
  bool has_writer_ = false;         // a thread, or filling_->written, whose next thread it is
  std::shared_ptr<WaitGroup> next_sync_;
  std::shared_ptr<WaitGroup> running_sync_;  // of those whose positions are before sync_end_; none between two
  std::uint64_t sync_end_ = 0;
  bool has_syncer_ = false;  // a thread, or next_sync_, whose next thread it is
  Segments dirty_;           // written, and no sync has begun since
  std::string spare_bytes_;  // keeps its capacity for the next batch
  SegmentExtent segment_;    // where the next frame goes
  std::uint64_t position_ = 0;
  SegmentPosition tail_;
  std::uint64_t unclaimed_end_ = 0;  // behind the last frame that is no claim
  std::uint64_t claimed_ = 0;        // a claim confirms what is before this
  std::optional<Error> failure_;
  std::condition_variable more_;

  std::atomic<std::uint64_t> written_, durable_;
  std::atomic<std::size_t> waiting_bytes_ = 0;
};

}  // namespace turnlog
