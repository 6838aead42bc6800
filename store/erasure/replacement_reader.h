// Reads the new contents of redacted events. One thread at a time.
#pragma once

#include <optional>
#include <string_view>

#include "store/segments/frame_scanner.h"
#include "store/segments/segment_set.h"

namespace turnlog {

inline constexpr std::string_view kReplacementLost = "the event was redacted, and its replacement record is damaged";

class ReplacementReader {
 public:
  explicit ReplacementReader(SegmentSet& segments) : segments_(&segments) {}

  // Returns the kReplacement frame that the tombstone points to, or `erased` itself if the event was erased without a
  // replacement. Nothing if it cannot be read. The payload is valid until the next call.
  Result<std::optional<Frame>> Follow(const Frame& erased);

 private:
  Result<std::optional<Frame>> FrameAt(std::optional<FrameScanner>& scanner, std::uint64_t position, std::uint64_t end);

  SegmentSet* segments_;
  std::optional<FrameScanner> original_, replacement_;
};

}  // namespace turnlog
