// Calls and results by their ids.
#include "doctor/call_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnlog::call_pairs_test {
namespace {

using Kind = CallPairs::Match::Kind;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

TEST(CallPairsTest, PairsInAnyOrder) {
  CallPairs pairs;
  bool stray = false;
  EXPECT_EQ(pairs.AddResult("b", 0).kind, Kind::kStray);
  pairs.DeferStray("b", [&] { stray = true; });
  EXPECT_EQ(pairs.AddCall("a", {}, 0, 0), "a");
  EXPECT_EQ(pairs.AddCall("b", {}, 1, 0), "b");
  EXPECT_EQ(pairs.AddResult("a", 0).kind, Kind::kAnswer);
  EXPECT_EQ(pairs.AddResult("a", 0).kind, Kind::kRepeated);
  EXPECT_THAT(pairs.Finish(), IsEmpty());
  EXPECT_FALSE(stray);
}

TEST(CallPairsTest, ReportsAResultWithoutACall) {
  CallPairs pairs;
  bool stray = false;
  EXPECT_EQ(pairs.AddResult("a", 0).kind, Kind::kStray);
  pairs.DeferStray("a", [&] { stray = true; });
  (void)pairs.Finish();
  EXPECT_TRUE(stray);
}

TEST(CallPairsTest, ACallIsPassedWhenAnotherRequestFollows) {
  CallPairs pairs;
  (void)pairs.AddCall("a", {}, 0, 0);
  pairs.PassCalls();
  (void)pairs.AddCall("b", {}, 1, 0);
  EXPECT_THAT(pairs.Finish(),
              ElementsAre(Field(&CallWithoutResult::passed, true), Field(&CallWithoutResult::passed, false)));
}

TEST(CallPairsTest, RenamesACallWithAKnownId) {
  CallPairs pairs;
  EXPECT_EQ(pairs.AddCall("a", {}, 0, 7), "a");
  EXPECT_EQ(pairs.AddCall("a", {}, 1, 8), "a_2");
  const CallPairs::Match second = pairs.AddResult("a", 8);
  EXPECT_EQ(second.id, "a_2");
  EXPECT_TRUE(second.renamed);
  const CallPairs::Match first = pairs.AddResult("a", 0);
  EXPECT_EQ(first.id, "a");
  EXPECT_FALSE(first.renamed);
  EXPECT_THAT(pairs.Finish(), IsEmpty());
}

TEST(CallPairsTest, WhatIsForgottenAnswersNothing) {
  CallPairs pairs;
  (void)pairs.AddCall("a", {}, 0, 0);
  pairs.Forget();
  EXPECT_EQ(pairs.AddResult("a", 0).kind, Kind::kStray);
  EXPECT_EQ(pairs.AddCall("a", {}, 1, 0), "a");
  EXPECT_EQ(pairs.AddResult("a", 0).kind, Kind::kAnswer);
  EXPECT_THAT(pairs.Finish(), ElementsAre(Field(&CallWithoutResult::passed, true)));
}

}  // namespace
}  // namespace turnlog::call_pairs_test
