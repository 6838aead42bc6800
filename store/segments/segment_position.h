// What a Position means to the segment engine.
#pragma once

#include <cstdint>

#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// The offset where the last returned record begins. The fingerprint ties the offset to that record, so that a position
// in a log that lost its unsynced end is refused instead of silently pointing at another record. Default: the
// beginning.
//
// As text "<offset>-<fingerprint>", both in hexadecimal.
struct SegmentPosition {
  std::uint64_t offset = 0;
  std::uint64_t fingerprint = 0;
  bool operator==(const SegmentPosition&) const = default;

  // kInvalidArgument: a position of another engine, or not a position.
  static Result<SegmentPosition> From(const Position& position);
  Position ToPosition() const;
};

}  // namespace turnlog
