// What a Position means to the segment engine.
#pragma once

#include <cstdint>

#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// Where the last record that was given begins. The fingerprint ties the offset to that record, so that a position in a
// log that lost its unsynced end is refused instead of silently pointing at another record. Default: the beginning.
//
// As text "<offset>-<fingerprint>", both in hexadecimal.
struct SegmentPosition {
  std::uint64_t offset = 0;
  std::uint64_t fingerprint = 0;
  bool operator==(const SegmentPosition&) const = default;

  // kInvalidArgument: another engine's position, or none at all.
  static Result<SegmentPosition> From(const Position& position);
  Position ToPosition() const;
};

}  // namespace turnlog
