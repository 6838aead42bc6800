#include "store/segments/segment_position.h"

#include <gtest/gtest.h>

namespace turnlog::segment_position_test {
namespace {

TEST(SegmentPosition, ComesBackFromAPosition) {
  for (const SegmentPosition position : {SegmentPosition{}, {0x1f40, 0x9b3c}, {UINT64_MAX, UINT64_MAX}}) {
    const auto back = SegmentPosition::From(position.ToPosition());
    ASSERT_TRUE(back) << position.ToPosition().ToText();
    EXPECT_EQ(*back, position);
  }
}

TEST(SegmentPosition, KeepsTheTextsThatTailsHavePrinted) {
  EXPECT_EQ((SegmentPosition{0x1f40, 0x9b3c}).ToPosition().ToText(), "1f40-9b3c");
  EXPECT_EQ(SegmentPosition().ToPosition(), Position());
}

TEST(SegmentPosition, RefusesPositionsOfOtherEngines) {
  for (const char* text : {"-", "0", "0-", "-0", "1-2-3", "x-1", "1-x", "0x1-2", "+1-2", "1--2", "11111111111111111-0",
                           "0-11111111111111111"}) {
    const auto position = SegmentPosition::From(*Position::Parse(text));
    ASSERT_FALSE(position) << text;
    EXPECT_EQ(position.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace turnlog::segment_position_test
