// What an erased event says since it was redacted. Any number of them, one thread at a time.
#pragma once

#include <optional>
#include <string_view>

#include "store/segments/frame_scanner.h"
#include "store/segments/segment_set.h"

namespace turnlog {

inline constexpr std::string_view kReplacementLost =
    "the event was redacted, and the record of its redacted form is not intact";

class ReplacementReader {
 public:
  explicit ReplacementReader(SegmentSet& segments) : segments_(&segments) {}

  // The kReplacement frame that an erased event points to, or `erased` itself if its contents are gone for good.
  // Nothing if it cannot be read. The payload is valid until the next call.
  Result<std::optional<Frame>> Follow(const Frame& erased);

 private:
  Result<std::optional<Frame>> FrameAt(std::optional<FrameScanner>& scanner, std::uint64_t position, std::uint64_t end);

  SegmentSet* segments_;
  std::optional<FrameScanner> original_, replacement_;
};

}  // namespace turnlog
