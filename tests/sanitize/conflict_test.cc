// A conversation that grows, or is repaired by another process, between planning and writing.
#include <gmock/gmock.h>

#include "tests/sanitize/sanitize_fixture.h"
#include "tests/support/busy_log.h"

namespace turnlog::conflict_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ConflictTest : public SanitizeTest {
 protected:
  // Runs these actions, one before each append.
  std::function<void()> OneByOne(std::vector<std::function<void()>> things) {
    return [things = std::move(things), next = std::size_t{0}]() mutable {
      if (next < things.size()) things[next++]();
    };
  }
};

TEST_F(ConflictTest, WhatWasAppendedMeanwhileIsPlannedToo) {
  AppendStory("T CR Q:c1 T CR Q:c2");
  BusyLog busy(*log_, OneByOne({[&] { AppendStory("T CR M"); }, [&] { AppendStory("T CR R:c1 M"); }}));
  const SanitizeOutcome outcome = Must(Sanitize(busy, Id("c"), kStrictly));
  EXPECT_THAT(Brief(outcome.plan), ElementsAre("move 3<12 moved-tool-result", "insert 6<6 interrupted-tool-call"));
  EXPECT_THAT(outcome.repairs, ElementsAre(Seq{14}));
  EXPECT_EQ(Shown(), "T CR Q:c1 R:c1 T CR Q:c2 E:c2 T CR M T CR M");
  EXPECT_THAT(Run().repairs, IsEmpty());
}

TEST_F(ConflictTest, OnlyWhatIsNewIsReadAgain) {
  for (int i = 0; i < 100; ++i) AppendStory("T CR Q:c1 M");
  BusyLog busy(*log_, OneByOne({[&] { AppendStory("T CR M"); }, [&] { AppendStory("T CR M"); }}));
  EXPECT_LT(Must(Sanitize(busy, Id("c"), kStrictly)).plan.events_read, 420U);
}

TEST_F(ConflictTest, TheFirstRequestMayComeMeanwhile) {
  AppendStory("T M Q:c1 T M");
  BusyLog busy(*log_, OneByOne({[&] { AppendStory("T CR M"); }}));
  Must(Sanitize(busy, Id("c"), kStrictly));
  EXPECT_EQ(Shown(), "T CR M");
}

TEST_F(ConflictTest, AnotherProcessMaySanitizeMeanwhile) {
  AppendStory("T CR Q:c1 T CR M");
  BusyLog busy(*log_, OneByOne({[&] { Run(); }}));
  EXPECT_THAT(Must(Sanitize(busy, Id("c"), kStrictly)).repairs, IsEmpty());
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 T CR M");
  EXPECT_THAT(Must(ListRepairs(*log_, Id("c"))), SizeIs(1));
}

TEST_F(ConflictTest, AnUndoMayComeMeanwhile) {
  AppendStory("T CR Q:c1 T CR M");
  const Seq repair = Run().repairs.front();
  AppendStory("T CR Q:c2 T CR M");
  BusyLog busy(*log_, OneByOne({[&] { Undo(repair); }}));
  Must(Sanitize(busy, Id("c"), kStrictly));
  EXPECT_EQ(Shown(), "T CR Q:c1 T CR M T CR Q:c2 E:c2 T CR M");
}

TEST_F(ConflictTest, TheOtherProfileIsPlannedAgainToo) {
  AppendStory("T CR Q:c1 T CR M");
  BusyLog busy(*log_, OneByOne({[&] { AppendStory("T CR R:c1 M"); }}));
  EXPECT_THAT(Must(Sanitize(busy, Id("c"), kLikeJp)).repairs, IsEmpty()) << "the call has a result now";
}

TEST_F(ConflictTest, AWriterThatNeverPausesEndsInAConflict) {
  AppendStory("T CR Q:c1 T CR M");
  BusyLog busy(*log_, [&] { AppendStory("?"); });
  EXPECT_EQ(CodeOf(Sanitize(busy, Id("c"), kStrictly)), "conflict");
  EXPECT_THAT(Must(ListRepairs(*log_, Id("c"))), IsEmpty());
  EXPECT_EQ(CodeOf(Sanitize(*log_, Id("c"), kStrictly)), "fine");
}

TEST_F(ConflictTest, UndoingLooksAgain) {
  AppendStory("T CR Q:c1 T CR M");
  const Seq repair = Run().repairs.front();
  BusyLog grows(*log_, OneByOne({[&] { AppendStory("T CR M"); }}));
  Must(UndoRepair(grows, Id("c"), repair));
  EXPECT_EQ(Shown(), "T CR Q:c1 T CR M T CR M");
  Undo(Must(ListRepairs(*log_, Id("c"))).back().seq);
  BusyLog undone(*log_, OneByOne({[&] { Undo(repair); }}));
  EXPECT_EQ(CodeOf(UndoRepair(undone, Id("c"), repair)), "invalid argument") << "somebody else was faster";
}

}  // namespace
}  // namespace turnlog::conflict_test
