// A conversation that grows, or is repaired by somebody else, between planning and writing.
#include <gmock/gmock.h>

#include "tests/sanitize/busy_log.h"
#include "tests/sanitize/sanitize_fixture.h"

namespace turnlog::conflict_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ConflictTest : public SanitizeTest {
 protected:
  // Does these things, one before each append.
  std::function<void()> OneByOne(std::vector<std::function<void()>> things) {
    return [things = std::move(things), next = std::size_t{0}]() mutable {
      if (next < things.size()) things[next++]();
    };
  }
};

TEST_F(ConflictTest, WhatWasAppendedMeanwhileIsPlannedToo) {
  Tell("T CR Q:c1 T CR Q:c2");
  BusyLog busy(*log_, OneByOne({[&] { Tell("T CR M"); }, [&] { Tell("T CR R:c1 M"); }}));
  const SanitizeOutcome outcome = Must(Sanitize(busy, Id("c"), kStrictly));
  EXPECT_THAT(Brief(outcome.plan), ElementsAre("move 3<12 moved-tool-result", "insert 6<6 interrupted-tool-call"));
  EXPECT_THAT(outcome.repairs, ElementsAre(Seq{14}));
  EXPECT_EQ(Shown(), "T CR Q:c1 R:c1 T CR Q:c2 E:c2 T CR M T CR M");
  EXPECT_THAT(Run().repairs, IsEmpty());
}

TEST_F(ConflictTest, OnlyWhatIsNewIsReadAgain) {
  for (int i = 0; i < 100; ++i) Tell("T CR Q:c1 M");
  BusyLog busy(*log_, OneByOne({[&] { Tell("T CR M"); }, [&] { Tell("T CR M"); }}));
  EXPECT_LT(Must(Sanitize(busy, Id("c"), kStrictly)).plan.events_read, 420U);
}

TEST_F(ConflictTest, TheFirstRequestMayComeMeanwhile) {
  Tell("T M Q:c1 T M");
  BusyLog busy(*log_, OneByOne({[&] { Tell("T CR M"); }}));
  Must(Sanitize(busy, Id("c"), kStrictly));
  EXPECT_EQ(Shown(), "T CR M");
}

TEST_F(ConflictTest, SomebodyElseMaySanitizeMeanwhile) {
  Tell("T CR Q:c1 T CR M");
  BusyLog busy(*log_, OneByOne({[&] { Run(); }}));
  EXPECT_THAT(Must(Sanitize(busy, Id("c"), kStrictly)).repairs, IsEmpty());
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 T CR M");
  EXPECT_THAT(Must(ListRepairs(*log_, Id("c"))), SizeIs(1));
}

TEST_F(ConflictTest, SomebodyMayUndoMeanwhile) {
  Tell("T CR Q:c1 T CR M");
  const Seq repair = Run().repairs.front();
  Tell("T CR Q:c2 T CR M");
  BusyLog busy(*log_, OneByOne({[&] { Undo(repair); }}));
  Must(Sanitize(busy, Id("c"), kStrictly));
  EXPECT_EQ(Shown(), "T CR Q:c1 T CR M T CR Q:c2 E:c2 T CR M");
}

TEST_F(ConflictTest, TheOtherProfileIsPlannedAgainToo) {
  Tell("T CR Q:c1 T CR M");
  BusyLog busy(*log_, OneByOne({[&] { Tell("T CR R:c1 M"); }}));
  EXPECT_THAT(Must(Sanitize(busy, Id("c"), kLikeJp)).repairs, IsEmpty()) << "the call has a result now";
}

TEST_F(ConflictTest, WhoeverNeverPausesIsNotWaitedForForEver) {
  Tell("T CR Q:c1 T CR M");
  BusyLog busy(*log_, [&] { Tell("?"); });
  EXPECT_EQ(CodeOf(Sanitize(busy, Id("c"), kStrictly)), "conflict");
  EXPECT_THAT(Must(ListRepairs(*log_, Id("c"))), IsEmpty());
  EXPECT_EQ(CodeOf(Sanitize(*log_, Id("c"), kStrictly)), "fine");
}

TEST_F(ConflictTest, UndoingLooksAgain) {
  Tell("T CR Q:c1 T CR M");
  const Seq repair = Run().repairs.front();
  BusyLog grows(*log_, OneByOne({[&] { Tell("T CR M"); }}));
  Must(UndoRepair(grows, Id("c"), repair));
  EXPECT_EQ(Shown(), "T CR Q:c1 T CR M T CR M");
  Undo(Must(ListRepairs(*log_, Id("c"))).back().seq);
  BusyLog undone(*log_, OneByOne({[&] { Undo(repair); }}));
  EXPECT_EQ(CodeOf(UndoRepair(undone, Id("c"), repair)), "invalid argument") << "somebody else was faster";
}

}  // namespace
}  // namespace turnlog::conflict_test
