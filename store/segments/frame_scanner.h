// Walks frames in the order of the log, through one window of the file. Who reads much of it has the next windows read
// by a thread of their own. One thread may call the members.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "store/segments/frame.h"
#include "store/segments/segment_prefetcher.h"
#include "store/segments/segment_set.h"
#include "turnlog/damage.h"

namespace turnlog {

// Bytes that were skipped because they hold no valid frame.
struct Unreadable {
  Damage damage;                      // without the conversation's name
  std::optional<FrameHeader> header;  // set if the bytes are one frame with an intact header
};

class FrameScanner {
 public:
  FrameScanner(SegmentSet& segments, std::uint64_t from) : segments_(&segments), position_(from) {}

  // Returns the frame at position() and advances position() to its end; skips seals. Null if there is no valid
  // frame: the end, a torn tail, or damage. The frame is valid until the next call. kUnsupportedVersion: a later
  // version wrote the frame.
  Result<const Frame*> Next();

  // Where Next() found no valid frame: skips the frame at position() if its header is intact, otherwise all bytes up to
  // the next valid frame, but never beyond `end`. Nothing if there is nothing to skip.
  Result<std::optional<Unreadable>> StepOver(std::uint64_t end);
  // Advances to the next valid frame after position(), however far; false if there is none. Reads and hashes at most a
  // constant factor of the bytes that it skips, whatever they contain. Segments of version 1 are an exception: their
  // headers have no check of their own, so every position may cost hashing the length that it seems to claim.
  Result<bool> Resync();
  // The bytes from position() to `end` as damage.
  Damage DamageHere(std::uint64_t end, std::string reason) const;
  // True if the next header is all zeros.
  Result<bool> ZerosHere();
  // True if there is a seal at position(): the log continues in a segment that is missing.
  Result<bool> SealHere();
  // True if everything from position() to `end`, or to the end of the last segment, is zero.
  Result<bool> BlankFromHere(std::uint64_t end = UINT64_MAX);

  // Limits read-ahead to `end`, because later bytes may still change.
  void LimitReadAhead(std::uint64_t end) { read_ahead_end_ = end; }

  std::uint64_t position() const { return position_; }
  std::uint64_t hashed_bytes() const { return hashed_bytes_; }  // since this scanner was made

 private:
  enum class Gap { kStop, kSkip };  // what to do if a segment is missing
  struct Found {
    const Frame* frame = nullptr;
    std::optional<FrameHeader> intact_header;
  };

  Result<std::string_view> Window(std::uint64_t bytes);
  Status ReadWindow(std::uint64_t bytes);
  Result<bool> TakePrefetched(std::uint64_t bytes);
  bool ReadsAhead(std::uint64_t from);
  bool InSegment() const;
  Result<bool> EnterSegment(Gap gap);
  Result<Found> Look();
  Result<const Frame*> FrameHere();
  const Frame* FrameInWindow();
  Result<std::optional<FrameHeader>> IntactHeaderHere();

  SegmentSet* segments_;
  std::uint64_t position_;
  std::uint64_t hashed_bytes_ = 0;
  std::uint64_t read_ahead_end_ = UINT64_MAX;
  std::shared_ptr<OpenSegment> segment_;
  std::optional<Frame> frame_;  // the last one found
  Tombstone erased_;            // its contents, if it is being erased
  AlignedBuffer buffer_;
  std::uint64_t window_begin_ = 0;
  std::string_view window_;             // in buffer_ or prefetched_
  std::uint64_t read_at_ = UINT64_MAX;  // where window_ begins, if none of it was read before it was asked for

  std::uint64_t in_a_row_ = 0;  // bytes of windows that followed one another
  std::unique_ptr<SegmentPrefetcher> prefetcher_;
  AlignedBuffer prefetched_;
};

}  // namespace turnlog
