// A tail's position: how far it has read each lane. Within a lane positions are dense and become visible in order, so
// that nothing is missed; between lanes there is no order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/sql/schema.h"
#include "turnlog/types.h"

namespace turnlog {

struct LanePosition {
  std::uint64_t pos = 0;
  std::uint32_t tag = 0;  // of the append at `pos`: a lost append and the one in its place differ in it
  bool operator==(const LanePosition&) const = default;
};

// Of a lane, appends up to `last` are read in the order of a page: those after the lane's position, by conversation.
// `events` of them have been returned.
struct OpenPage {
  std::uint32_t lane = 0;
  LanePosition last;
  std::uint64_t events = 0;
  bool operator==(const OpenPage&) const = default;
};

struct LanePositions {
  std::vector<LanePosition> lanes;
  std::optional<OpenPage> page;

  static LanePositions Beginning(const SqlStoreIdentity& store);
  // kInvalidArgument: not a position of this engine; kConflict: of another store.
  static Result<LanePositions> From(const SqlStoreIdentity& store, const Position& position);
  Position ToPosition(const SqlStoreIdentity& store) const;
};

}  // namespace turnlog
