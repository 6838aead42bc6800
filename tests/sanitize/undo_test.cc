// Undoing repairs, and reinstating them.
#include <gmock/gmock.h>

#include "tests/sanitize/sanitize_fixture.h"

namespace turnlog::undo_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using UndoTest = SanitizeTest;

TEST_F(UndoTest, ShowsTheConversationAsItWasAndSanitizeLeavesItSo) {
  AppendStory("T CR Q:c1 T CR R:x M");
  Run();
  EXPECT_EQ(Undo(Seq{8}), Seq{9});
  EXPECT_EQ(Shown(), "T CR Q:c1 T CR R:x M");
  EXPECT_THAT(Run().repairs, IsEmpty());
  ForgetWatermark();
  EXPECT_THAT(Run().repairs, IsEmpty());
  EXPECT_EQ(Shown(), "T CR Q:c1 T CR R:x M");
}

TEST_F(UndoTest, WhatIsNewIsStillRepaired) {
  AppendStory("T CR Q:c1 T CR M");
  Run();
  Undo(Seq{7});
  AppendStory("T CR Q:c2 T CR M");
  Run();
  EXPECT_EQ(Shown(), "T CR Q:c1 T CR M T CR Q:c2 E:c2 T CR M");
}

TEST_F(UndoTest, UndoingTheUndoingBringsItBack) {
  AppendStory("T CR Q:c1 T CR M");
  Run();
  Undo(Seq{7});
  EXPECT_EQ(Undo(Seq{8}), Seq{9});
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 T CR M");
  EXPECT_THAT(Run().repairs, IsEmpty());
  EXPECT_EQ(Undo(Seq{9}), Seq{10}) << "and so on";
  EXPECT_EQ(Shown(), "T CR Q:c1 T CR M");
}

TEST_F(UndoTest, RefusesWhatIsNoRepairOrUndoneAlready) {
  AppendStory("T CR Q:c1 T CR M");
  Run();
  for (const Seq none : {Seq{0}, Seq{1}, Seq{6}, Seq{8}, Seq{1'000'000}}) {
    EXPECT_EQ(CodeOf(UndoRepair(*log_, Id("c"), none)), "not found") << none.value;
  }
  EXPECT_THAT(MessageOf(UndoRepair(*log_, Id("c"), Seq{6})), HasSubstr("\"c\", event 6"));
  Undo(Seq{7});
  const auto twice = UndoRepair(*log_, Id("c"), Seq{7});
  EXPECT_EQ(CodeOf(twice), "invalid argument");
  EXPECT_THAT(MessageOf(twice), HasSubstr("event 7"));
  EXPECT_THAT(Must(ListRepairs(*log_, Id("c"))), SizeIs(2));
}

TEST_F(UndoTest, ListsWhatIsActive) {
  AppendStory("T CR Q:c1 Q:c2 T CR M");
  Run();
  AppendStory("T CR R:c2 M");
  Run();
  AppendStory("T CR R:x M");
  Run();
  Undo(Seq{18});
  const auto recorded = Must(ListRepairs(*log_, Id("c")));
  ASSERT_THAT(recorded, SizeIs(4));
  EXPECT_THAT(recorded[0].in_force, ElementsAre(true, false)) << "the second was retracted";
  EXPECT_THAT(recorded[1].in_force, ElementsAre(true));
  EXPECT_FALSE(recorded[1].undone);
  EXPECT_THAT(recorded[2].in_force, ElementsAre(false));
  EXPECT_TRUE(recorded[2].undone);
  EXPECT_EQ(recorded[3].repair.profile, "undo");
  EXPECT_THAT(recorded[3].repair.undoes, ElementsAre(Seq{18}));
  EXPECT_EQ(recorded[3].repair.from, recorded[2].repair.from);
  EXPECT_EQ(recorded[3].repair.to, recorded[2].repair.to);
}

TEST_F(UndoTest, UndoingAMoveBringsTheErrorBack) {
  AppendStory("T CR Q:c1 T CR M");
  Run();
  AppendStory("T CR R:c1 M");
  const Seq moved = Run().repairs.front();
  EXPECT_EQ(Shown(), "T CR Q:c1 R:c1 T CR M T CR M");
  Undo(moved);
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 T CR M T CR R:c1 M");
  EXPECT_THAT(Run().repairs, IsEmpty());
}

TEST_F(UndoTest, AResultThatIsNotToBeMovedLeavesItsCallInterrupted) {
  AppendStory("T CR Q:c1 T CR R:c1 M");
  Undo(Run().repairs.front());
  EXPECT_EQ(Shown(), "T CR Q:c1 T CR R:c1 M");
  Run();
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 T CR R:c1 M");
  EXPECT_THAT(Run().repairs, IsEmpty());
}

TEST_F(UndoTest, UndoingARetractionKeepsWhatWasRetracted) {
  AppendStory("T CR Q:c1");
  Run(kClosing);
  AppendStory("R:c1 M");
  const Seq retraction = Run().repairs.front();
  EXPECT_EQ(Shown(), "T CR Q:c1 R:c1 M");
  Undo(retraction);
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 R:c1 M");
  EXPECT_THAT(Run().repairs, IsEmpty());
}

TEST_F(UndoTest, UndoingAClosingOpensTheTurnAgainForGood) {
  AppendStory("T CR Q:c1 I:c1.q");
  const Seq closing = Run(kClosing).repairs.front();
  Undo(closing);
  EXPECT_EQ(Shown(), "T CR Q:c1 I:c1.q");
  EXPECT_EQ(Plan().open, 0U) << "closing would do nothing more";
  EXPECT_THAT(Run(kClosing).repairs, IsEmpty());
  AppendStory("Q:c2");
  Run(kClosing);
  EXPECT_EQ(Shown(), "T CR Q:c1 I:c1.q Q:c2 E:c2");
}

TEST_F(UndoTest, ASwitchOfProfilesCanBeUndone) {
  AppendStory("T CR Q:c1 I:c1.q R:c1 M T CR M");
  Run();
  const Seq switched = Run(kLikeJp).repairs.front();
  EXPECT_EQ(Shown(), "T CR Q:c1 R:c1 M T CR M");
  Undo(switched);
  EXPECT_EQ(Shown(), "T CR Q:c1 I:c1.q X:c1.q R:c1 M T CR M");
  EXPECT_THAT(Run(kLikeJp).repairs, IsEmpty());
  EXPECT_THAT(Run().repairs, IsEmpty());
}

}  // namespace
}  // namespace turnlog::undo_test
