// Walks frames in the order of the log, through one read-ahead window. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "store/segments/frame.h"
#include "store/segments/segment_set.h"
#include "turnlog/damage.h"

namespace turnlog {

// Memory whose beginning is aligned as records want it. Grows, never shrinks, forgets its contents when it grows.
class AlignedBuffer {
 public:
  std::span<char> Take(std::size_t size) {
    if (words_.size() * sizeof(std::uint64_t) < size)
      words_.resize((size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    return {reinterpret_cast<char*>(words_.data()), size};
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Bytes that were stepped over because they hold no valid frame.
struct Unreadable {
  Damage damage;                      // without the conversation's name
  std::optional<FrameHeader> header;  // of the one frame that they are, if its header is intact
};

class FrameScanner {
 public:
  FrameScanner(SegmentSet& segments, std::uint64_t from) : segments_(&segments), position_(from) {}

  // The frame at position(), behind which position() then stands (seals are stepped over), or nothing if no valid
  // frame is there: the end, a tear, or damage. The payload is valid until the next call. kUnsupportedVersion if a
  // later version has written it.
  Result<std::optional<Frame>> Next();

  // Where Next() found no valid frame: goes over the frame at position() if its header is intact, otherwise to the next
  // valid frame, but not beyond `end`. Nothing if there is nothing to step over.
  Result<std::optional<Unreadable>> StepOver(std::uint64_t end);
  // Goes to the next valid frame behind position(), however far; false if there is none. Reads and hashes as many bytes
  // as it skips, times a constant, whatever they are; but segments of version 1 have headers that cannot be checked
  // by themselves, and there it may hash the length that looks like one at every position.
  Result<bool> Resync();
  // The bytes from position() to `end`, which cannot be trusted.
  Damage DamageHere(std::uint64_t end, std::string reason) const;
  // True if zeros stand where a header would be.
  Result<bool> ZerosHere();
  // True if a seal stands here: the log went on in a segment that is not there.
  Result<bool> SealHere();
  // True if everything from position() to `end`, or to the end of the last segment, is zero.
  Result<bool> BlankFromHere(std::uint64_t end = UINT64_MAX);

  // Reads ahead no further than `end`, for what stands behind it may still change.
  void LimitReadAhead(std::uint64_t end) { read_ahead_end_ = end; }

  std::uint64_t position() const { return position_; }
  std::uint64_t hashed_bytes() const { return hashed_bytes_; }  // since this scanner was made

 private:
  enum class Gap { kStop, kSkip };  // what to do where a segment is missing
  struct Found {
    std::optional<Frame> frame;
    std::optional<FrameHeader> intact_header;
  };

  Result<std::string_view> Window(std::uint64_t bytes);
  Result<bool> EnterSegment(Gap gap);
  Result<Found> Look();
  Result<std::optional<Frame>> FrameHere();
  Result<std::optional<FrameHeader>> IntactHeaderHere();

  SegmentSet* segments_;
  std::uint64_t position_;
  std::uint64_t hashed_bytes_ = 0;
  std::uint64_t read_ahead_end_ = UINT64_MAX;
  std::shared_ptr<OpenSegment> segment_;
  Tombstone erased_;  // the frame given last, if it is being erased
  AlignedBuffer buffer_;
  std::uint64_t window_begin_ = 0;
  std::string_view window_;
};

}  // namespace turnlog
