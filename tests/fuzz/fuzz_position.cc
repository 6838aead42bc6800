// Any text as a tail's position: refused by an engine, or one that is written and read again as the same.
#include <string_view>

#include "store/segments/segment_position.h"
#include "store/sql/lane_positions.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace turnlog;

void ReadSegmentPosition(const Position& position) {
  const auto read = SegmentPosition::From(position);
  if (read) Require(SegmentPosition::From(read->ToPosition()) == *read);
}

void ReadLanePositions(const Position& position, std::uint32_t lanes) {
  SqlStoreIdentity store;
  store.lanes = lanes;
  const auto read = LanePositions::From(store, position);
  if (!read) return;
  Require(read->lanes.size() == lanes);
  const auto again = LanePositions::From(store, read->ToPosition(store));
  Require(again && again->lanes == read->lanes && again->page == read->page);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto position = Position::Parse({reinterpret_cast<const char*>(data), size});
  if (!position) return 0;
  Require(Position::Parse(position->ToText()) == *position);
  ReadSegmentPosition(*position);
  for (const std::uint32_t lanes : {1U, 2U, kSqlLanes}) ReadLanePositions(*position, lanes);
  return 0;
}
