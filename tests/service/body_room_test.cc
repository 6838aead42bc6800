#include "http/body_room.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>

namespace turnlog::body_room_test {
namespace {

using Grant = BodyBudget::Grant;

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

class BodyRoomTest : public testing::Test {
 protected:
  BodyBudget budget_{std::uint64_t{80} * kMib};
  BodyRoom first_{budget_}, second_{budget_}, third_{budget_};
};

TEST_F(BodyRoomTest, WhatIsGivenBackCanBeTakenByOthers) {
  EXPECT_EQ(first_.GrowTo(60 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(40 * kMib), Grant::kWait);
  EXPECT_EQ(budget_.taken(), 60 * kMib);
  first_.Release();
  EXPECT_EQ(second_.GrowTo(40 * kMib), Grant::kTaken);
  EXPECT_EQ(budget_.taken(), 40 * kMib);
}

TEST_F(BodyRoomTest, WhatDoesNotFitIntoAllOfItIsTooLarge) {
  EXPECT_EQ(first_.GrowTo(81 * kMib), Grant::kTooLarge);
  EXPECT_EQ(first_.GrowTo(80 * kMib), Grant::kTaken);
}

TEST_F(BodyRoomTest, OneIsRefusedWhenAllOthersWaitToo) {
  EXPECT_EQ(first_.GrowTo(30 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(30 * kMib), Grant::kTaken);
  EXPECT_EQ(first_.GrowTo(60 * kMib), Grant::kWait);
  EXPECT_EQ(second_.GrowTo(60 * kMib), Grant::kRefused);
  second_.Release();
  EXPECT_EQ(first_.GrowTo(60 * kMib), Grant::kTaken);
}

// Otherwise those that come would take what those that wait need, and none of them would ever end.
TEST_F(BodyRoomTest, WhoComesLetsThoseThatWaitGoFirst) {
  EXPECT_EQ(first_.GrowTo(60 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(10 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(50 * kMib), Grant::kWait);
  first_.Release();
  EXPECT_EQ(third_.GrowTo(kMib), Grant::kTaken);
  EXPECT_EQ(third_.GrowTo(5 * kMib), Grant::kWait);
  EXPECT_EQ(second_.GrowTo(50 * kMib), Grant::kTaken);
  EXPECT_EQ(third_.GrowTo(5 * kMib), Grant::kTaken);
}

// A client that sends little, and slowly, gives nothing back for long.
TEST_F(BodyRoomTest, SmallBodiesAreNobodyToWaitFor) {
  EXPECT_EQ(first_.GrowTo(kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(40 * kMib), Grant::kTaken);
  EXPECT_EQ(third_.GrowTo(30 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(60 * kMib), Grant::kWait);
  EXPECT_EQ(third_.GrowTo(60 * kMib), Grant::kRefused);
}

TEST_F(BodyRoomTest, SmallBodiesFindRoomBesideLargeOnes) {
  EXPECT_EQ(first_.GrowTo(80 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(2 * kMib), Grant::kWait);
}

TEST_F(BodyRoomTest, WhatIsClaimedIsLeftToTheBodyWhileItComes) {
  first_.Claim(50 * kMib, Clock::now() + std::chrono::hours(1));
  EXPECT_EQ(first_.GrowTo(2 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(40 * kMib), Grant::kWait);
  EXPECT_EQ(third_.GrowTo(2 * kMib), Grant::kWait) << "after those that came before";
  EXPECT_EQ(first_.GrowTo(50 * kMib), Grant::kTaken);
  first_.Release();
  EXPECT_EQ(third_.GrowTo(2 * kMib), Grant::kWait);
  EXPECT_EQ(second_.GrowTo(40 * kMib), Grant::kTaken);
  EXPECT_EQ(third_.GrowTo(2 * kMib), Grant::kTaken);
}

TEST_F(BodyRoomTest, ABodyThatIsSlowLosesItsClaim) {
  first_.Claim(80 * kMib, Clock::now());
  EXPECT_EQ(first_.GrowTo(2 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(70 * kMib), Grant::kTaken);
}

TEST_F(BodyRoomTest, AClaimOfMoreThanThereIsIsOneOfAll) {
  first_.Claim(500 * kMib, Clock::now() + std::chrono::hours(1));
  EXPECT_EQ(first_.GrowTo(2 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(2 * kMib), Grant::kWait);
}

TEST_F(BodyRoomTest, WhoGivesUpLetsOthersPass) {
  EXPECT_EQ(first_.GrowTo(60 * kMib), Grant::kTaken);
  EXPECT_EQ(second_.GrowTo(40 * kMib), Grant::kWait);
  EXPECT_EQ(third_.GrowTo(10 * kMib), Grant::kWait);
  second_.Release();
  EXPECT_EQ(third_.GrowTo(10 * kMib), Grant::kTaken);
}

// Bodies of unknown length hold their beginnings while they wait: not what large ones need.
TEST_F(BodyRoomTest, BeginningsDoNotTakeTheRoomOfLargeBodies) {
  std::deque<BodyRoom> beginnings;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(beginnings.emplace_back(budget_).GrowTo(kMib), Grant::kTaken);
  EXPECT_EQ(first_.GrowTo(kMib), Grant::kWait);
  EXPECT_EQ(second_.GrowTo(80 * kMib), Grant::kTaken);
  EXPECT_EQ(beginnings.front().GrowTo(2 * kMib), Grant::kWait);
  second_.Release();
  for (BodyRoom& room : beginnings) EXPECT_EQ(room.GrowTo(8 * kMib), Grant::kTaken);
}

TEST_F(BodyRoomTest, AllIsGivenBackAtTheEnd) {
  {
    BodyRoom room(budget_);
    EXPECT_EQ(room.GrowTo(10 * kMib), Grant::kTaken);
    EXPECT_EQ(room.GrowTo(5 * kMib), Grant::kTaken);
    EXPECT_EQ(budget_.taken(), 10 * kMib);
    EXPECT_EQ(room.GrowTo(81 * kMib), Grant::kTooLarge);
  }
  EXPECT_EQ(budget_.taken(), 0U);
}

}  // namespace
}  // namespace turnlog::body_room_test
