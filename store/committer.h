// Gives frames their place in the log and brings them to disk. One thread at a time leads: it writes everything that
// waits in one go and syncs once if anybody asked; meanwhile the others fill the next batch.
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

#include "store/frame.h"
#include "store/segment_set.h"
#include "turnlog/log.h"

namespace turnlog {

// A frame without its place.
struct FrameDraft {
  FrameHeader header;
  std::string_view payload;
  std::uint64_t payload_hash = 0;
};

class Committer {
 public:
  // Goes on at `mark`; everything before it is durable. `last_segment` holds it, or ends there.
  Committer(SegmentSet& segments, SegmentPlace last_segment, LogMark mark, std::uint64_t segment_bytes);

  // Puts the frames of one append behind each other into the open batch and sets `positions`. All or none of them
  // survive a crash. Returns the position behind them.
  Result<std::uint64_t> Reserve(std::span<const FrameDraft> drafts, std::vector<std::uint64_t>& positions);

  // Until everything before `position` has been handed to the operating system, or is durable. After a failed write
  // or sync every call fails with kNeedsReopen: what the disk holds is not known any more.
  Status Wait(std::uint64_t position, Durability durability);

  // True once written() is behind `position`, false when the time is over.
  bool WaitForMore(std::uint64_t position, std::chrono::milliseconds timeout);

  // The store cannot be trusted with more, for a reason outside of the committer.
  void Poison(const Error& reason);
  // kNeedsReopen after a failure.
  Status Check() const;

  // Cuts the last segment to what is used. Nothing may be reserved any more.
  Status Trim();

  LogMark reserved() const;  // behind everything that has a place
  std::uint64_t written() const { return written_.load(std::memory_order_acquire); }
  std::uint64_t durable() const { return durable_.load(std::memory_order_acquire); }
  std::size_t waiting_bytes() const { return waiting_bytes_.load(std::memory_order_relaxed); }
  LogMark written_mark() const;
  // The segment that should stand ready because the one in use is half full.
  std::optional<SegmentPlace> WantedSpare() const;

 private:
  // Bytes for one segment, one behind the other.
  struct Chunk {
    SegmentPlace segment;
    std::uint64_t position = 0;
    std::string bytes;
  };
  enum class Phase : std::uint32_t { kFilling, kWantsLeader, kLed, kDone };
  // What is written in one go, and the threads that wait for it.
  struct Batch {
    std::vector<Chunk> chunks;
    std::uint64_t end = 0;
    Position last;
    bool sync = false;
    std::atomic<Phase> phase{Phase::kFilling};
  };

  void Place(const FrameDraft& draft, std::vector<std::uint64_t>& positions);
  void Roll(std::uint64_t frame_bytes);
  std::string& BytesAt(std::uint64_t position);
  void Lead(std::unique_lock<std::mutex>& lock);
  Status WriteBatch(const Batch& batch, bool sync);
  Status Failure() const;
  bool Reached(std::uint64_t position, Durability durability) const;
  static void Await(Batch& batch);

  SegmentSet& segments_;
  const FrameCodec codec_;
  const std::uint64_t segment_bytes_;

  mutable std::mutex mutex_;  // guards what follows up to the atomics
  std::shared_ptr<Batch> filling_;
  std::shared_ptr<Batch> writing_;  // none: nobody leads
  std::string spare_bytes_;         // keeps its capacity for the next batch
  SegmentPlace segment_;            // where the next frame goes
  std::uint64_t position_ = 0;
  Position tail_;
  std::optional<Error> failure_;
  std::condition_variable more_;

  std::vector<std::shared_ptr<OpenSegment>> dirty_;  // written since the last sync; the leader's
  std::atomic<std::uint64_t> written_, durable_;
  std::atomic<std::size_t> waiting_bytes_ = 0;
};

}  // namespace turnlog
