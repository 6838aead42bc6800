// Assigns frames their positions in the log and brings them to disk.
//
// There are two roles, each held by one thread at a time: the writer writes all enqueued frames to the file at once;
// the syncer makes all written frames durable. Written frames are published at once, and writes continue while a sync
// runs, so a buffered append does not wait for a sync. A thread that needs a role that is taken joins the wait group of
// the next write or sync. When a role becomes free and its group is not empty, it is handed to exactly one thread of
// the group, which keeps it until the work is done: a role is never released while a thread waits for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/wait_group.h"
#include "store/segments/frame.h"
#include "store/segments/segment_set.h"
#include "turnlog/log.h"
#include "turnlog/segment_log.h"

namespace turnlog {

// A frame that has no log offset yet.
struct PendingFrame {
  FrameHeader header;
  std::string_view payload;
  std::uint64_t payload_hash = 0;
};

class Committer {
 public:
  static constexpr std::size_t kLargePayload = std::size_t{1} << 20;

  // Continues at `mark`; everything before it is durable. `last_segment` contains `mark`, or ends there. `claimed`: the
  // log or the index confirms that everything before it is durable. `on_sync`: as SegmentOptions has it; may be empty.
  Committer(SegmentSet& segments, SegmentExtent last_segment, LogOffset mark, std::uint64_t segment_bytes,
            std::uint64_t claimed, std::function<void(const SyncReport&)> on_sync = {});

  // Adds the frames of one append to the open batch and sets `positions`. All or none of them survive a crash. Returns
  // the end of the last frame. `memory`: of all payloads; then those of kLargePayload or more are not copied, and it is
  // kept until they are written.
  Result<std::uint64_t> Enqueue(std::span<const PendingFrame> frames, std::vector<std::uint64_t>& positions,
                                const std::shared_ptr<const void>& memory = {});

  // Blocks until everything before `position` is written (kBuffered) or durable (kSync). After a failed write or sync
  // every call fails with kNeedsReopen, because the contents of the disk are unknown. A buffered append also waits for
  // a sync if too many segments are unsynced: their files are kept open.
  Status Wait(std::uint64_t position, Durability durability);
  // For readers: blocks until everything before `position` is written. Never waits for a sync.
  Status AwaitWritten(std::uint64_t position);
  // Blocks until the running sync, if any, has ended; fails if it failed, or if any write or sync before it did.
  Status AwaitRunningSync();

  // Makes everything durable and appends a durable claim, unless a claim covers everything already. Without it no frame
  // confirms the last records, and damage to them looks like a torn write.
  Status Claim();

  // True once written() is greater than `position`, false after the timeout.
  bool WaitForMore(std::uint64_t position, std::chrono::milliseconds timeout);

  // Makes every later call fail, because of an error outside of the committer.
  void Poison(const Error& reason);
  // kNeedsReopen after a failure.
  Status Check() const;

  // Truncates the last segment to its used part. Nothing may be enqueued afterwards.
  Status Trim();

  LogOffset enqueued() const;  // the end of all enqueued frames
  std::uint64_t written() const { return written_.load(std::memory_order_acquire); }
  std::uint64_t durable() const { return durable_.load(std::memory_order_acquire); }
  std::size_t waiting_bytes() const { return waiting_bytes_.load(std::memory_order_relaxed); }
  LogOffset written_mark() const;
  // The segment to preallocate, because the current one is half full.
  std::optional<SegmentExtent> WantedSegment() const;

  // Numbers of threads that wait for another thread's write or sync.
  struct Waiters {
    std::size_t for_writes = 0, for_syncs = 0;
  };
  Waiters waiters() const;

 private:
  // Contiguous bytes for one segment.
  struct Chunk {
    SegmentExtent segment;
    std::uint64_t position = 0;
    std::string bytes;
    std::string_view payload;  // instead of them: in `memory`
    std::shared_ptr<const void> memory;
  };
  // Frames that are written together, and the threads that wait for them.
  struct Batch {
    std::vector<Chunk> chunks;
    std::uint64_t end = 0;
    std::uint64_t appends = 0;
    SegmentPosition last;
    WaitGroup written;
  };
  using Segments = std::vector<std::shared_ptr<OpenSegment>>;
  using Lock = std::unique_lock<std::mutex>;

  void AssignOffset(const PendingFrame& frame, std::vector<std::uint64_t>& positions,
                    const std::shared_ptr<const void>& memory = {});
  void Append(const PendingFrame& frame, const FrameHeader& header, const std::shared_ptr<const void>& memory);
  void Roll(std::uint64_t frame_bytes);
  std::string& BytesAt(std::uint64_t position);
  std::string TakeBuffer();

  // All of these are called and return with the mutex held, and release it while they wait or do I/O.
  Status AwaitWritten(Lock& lock, std::uint64_t position);
  Status AwaitDurable(Lock& lock, std::uint64_t position);
  static WaitGroup::Outcome Join(Lock& lock, WaitGroup& group);
  void LeadWrite(Lock& lock);
  void LeadSync(Lock& lock);
  void Fail(const Error& reason);

  Result<Segments> WriteBatch(const Batch& batch);
  void Publish(const Batch& batch, const Segments& segments);
  void KeepBuffers(Batch& batch);
  Status Failure() const;

  SegmentSet& segments_;
  const FrameCodec codec_;
  const std::uint64_t segment_bytes_;
  const std::function<void(const SyncReport&)> on_sync_;

  mutable std::mutex mutex_;  // guards what follows up to the atomics
  std::shared_ptr<Batch> filling_;
  std::shared_ptr<Batch> writing_;  // the batch being written; null if none is
  bool has_writer_ = false;         // a thread has the role, or it was handed to the group filling_->written
  std::shared_ptr<WaitGroup> next_sync_;
  std::shared_ptr<WaitGroup> running_sync_;  // its members' positions are before sync_end_; null if none runs
  std::uint64_t sync_end_ = 0;
  bool has_syncer_ = false;             // a thread has the role, or it was handed to the group next_sync_
  Segments dirty_;                      // written since the last sync began
  std::uint64_t unsynced_appends_ = 0;  // likewise
  std::vector<std::string> spare_;      // empty, with the capacity that earlier batches needed
  std::size_t spare_capacity_ = 0;
  SegmentExtent segment_;  // where the next frame goes
  std::uint64_t position_ = 0;
  SegmentPosition tail_;
  std::uint64_t unclaimed_end_ = 0;  // the end of the last frame other than a claim
  std::uint64_t claimed_ = 0;        // a claim confirms everything before this
  std::optional<Error> failure_;
  std::condition_variable more_;

  std::atomic<std::uint64_t> written_, durable_;
  std::atomic<std::size_t> waiting_bytes_ = 0;
};

}  // namespace turnlog
