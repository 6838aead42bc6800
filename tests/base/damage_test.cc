#include "turnlog/damage.h"

#include <gtest/gtest.h>

namespace turnlog::damage_test {
namespace {

TEST(Damage, SaysWhereWhatAndWhose) {
  EXPECT_EQ(ToString(Damage{.file = "log/00.seg",
                            .offset = 4128,
                            .length = 96,
                            .conversation = "c",
                            .seq = 7,
                            .reason = "checksum does not match"}),
            "log/00.seg byte 4128 (96 bytes): checksum does not match [conversation \"c\", seq 7]");
}

TEST(Damage, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(ToString(Damage{.reason = "gone"}), "gone");
  EXPECT_EQ(ToString(Damage{.file = "f", .offset = 1, .reason = "gone"}), "f byte 1: gone");
  EXPECT_EQ(ToString(Damage{.conversation = "c", .reason = "gone"}), "gone [conversation \"c\"]");
}

}  // namespace
}  // namespace turnlog::damage_test
