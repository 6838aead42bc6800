// Sanitizing a conversation in the log: planning against active repairs, writing, reading the view.
#include "turnlog/sanitize/sanitize.h"

#include <gmock/gmock.h>

#include "tests/sanitize/sanitize_fixture.h"
#include "tests/support/story.h"

namespace turnlog::sanitize_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(SanitizeTest, ReadersGetTheSanitizedViewAndTheLogStaysWhole) {
  AppendStory("T CR Q:c1 T CR R:x M");
  const std::vector<Event> before = RawEvents(*log_, "c");
  const SanitizeOutcome outcome = Run();
  EXPECT_THAT(Brief(outcome.plan), ElementsAre("drop 6 orphan-tool-result", "insert 3<3 interrupted-tool-call"));
  EXPECT_THAT(outcome.repairs, ElementsAre(Seq{8}));
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 T CR M");
  std::vector<Event> after = RawEvents(*log_, "c");
  ASSERT_EQ(after.size(), before.size() + 1);
  after.pop_back();
  EXPECT_EQ(after, before);
}

TEST_F(SanitizeTest, SaysWhatItDidInTheRepairEvent) {
  AppendStory("T CR Q:c1 T CR R:x M");
  Run();
  const auto recorded = Must(ListRepairs(*log_, Id("c")));
  ASSERT_THAT(recorded, SizeIs(1));
  EXPECT_EQ(recorded[0].seq, Seq{8});
  EXPECT_TRUE(recorded[0].time);
  EXPECT_EQ(recorded[0].repair.profile, "strict");
  EXPECT_EQ(recorded[0].repair.head, Seq{7});
  EXPECT_EQ(recorded[0].repair.from, Seq{3});
  EXPECT_EQ(recorded[0].repair.to, Seq{6});
  EXPECT_FALSE(recorded[0].undone);
  EXPECT_THAT(recorded[0].in_force, ElementsAre(true, true));
}

TEST_F(SanitizeTest, ASecondRunWritesNothing) {
  AppendStory("T CR Q:c1 T CR R:x M");
  Run();
  const SanitizeOutcome second = Run();
  EXPECT_TRUE(second.plan.empty());
  EXPECT_THAT(second.repairs, IsEmpty());
  EXPECT_EQ(Must(log_->Info(Id("c"))).last, Seq{8});
  EXPECT_THAT(Must(log_->ListChanged("sanitize", "", 10)), IsEmpty());
}

TEST_F(SanitizeTest, ASoundConversationIsOnlyRemembered) {
  AppendStory("T CR Q:c1 R:c1 M");
  EXPECT_THAT(Must(log_->ListChanged("sanitize", "", 10)), SizeIs(1));
  EXPECT_THAT(Run().repairs, IsEmpty());
  EXPECT_THAT(Must(log_->ListChanged("sanitize", "", 10)), IsEmpty());
  EXPECT_THAT(RawEvents(*log_, "c"), SizeIs(5));
}

TEST_F(SanitizeTest, PlanningWritesNothingAndWorksOnAReader) {
  AppendStory("T CR Q:c1 T CR M");
  Close();
  Open(OpenMode::kRead);
  EXPECT_THAT(Brief(Plan()), ElementsAre("insert 3<3 interrupted-tool-call"));
  EXPECT_THAT(Brief(Plan(kLikeJp)), ElementsAre("insert 3<3 interrupted-tool-call"));
  EXPECT_EQ(CodeOf(Sanitize(*log_, Id("c"))), "read only");
  Reopen(OpenMode::kWrite);
  EXPECT_THAT(RawEvents(*log_, "c"), SizeIs(6));
}

TEST_F(SanitizeTest, RefusesAnUnknownConversation) {
  EXPECT_EQ(CodeOf(Sanitize(*log_, Id("nobody"))), "not found");
  EXPECT_EQ(CodeOf(PlanSanitize(*log_, Id("nobody"), kLikeJp)), "not found");
  EXPECT_EQ(CodeOf(ListRepairs(*log_, Id("nobody"))), "not found");
  EXPECT_EQ(CodeOf(UndoRepair(*log_, Id("nobody"), Seq{1})), "not found");
}

TEST_F(SanitizeTest, ReadsOnlyWhatIsNewSinceTheLastRun) {
  for (int i = 0; i < 100; ++i) AppendStory("T CR Q:c1 M");
  EXPECT_GE(Run().plan.events_read, 400U);
  AppendStory("T CR Q:c2 M T");
  const SanitizeOutcome second = Run();
  EXPECT_THAT(Brief(second.plan),
              ElementsAre("insert 399<399 interrupted-tool-call", "insert 404<404 interrupted-tool-call"));
  EXPECT_LE(second.plan.events_read, 10U);
}

TEST_F(SanitizeTest, ReadsEverythingWhenTheWatermarkIsGoneOrOfNoUse) {
  for (int i = 0; i < 10; ++i) AppendStory("T CR M");
  const std::uint64_t all = Run().plan.events_read;
  EXPECT_LT(Plan().events_read, 4U);
  const Watermark good = *Must(log_->FindWatermark("sanitize", Id("c")));
  std::string damaged = good.state;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  for (const Watermark& bad :
       {Watermark{good.head, damaged}, Watermark{good.head, ""}, Watermark{Seq{good.head.value + 1}, good.state}}) {
    Must(log_->SetWatermark("sanitize", Id("c"), bad));
    EXPECT_EQ(Plan().events_read, all);
  }
}

TEST_F(SanitizeTest, LeavesTheOpenTailAloneAndSaysHowMuchIsOpen) {
  AppendStory("T CR Q:c1 I:c1.q");
  EXPECT_TRUE(Plan().empty());
  EXPECT_EQ(Plan().open, 2U);
  EXPECT_THAT(Run().repairs, IsEmpty());
  EXPECT_EQ(Shown(), "T CR Q:c1 I:c1.q");
}

TEST_F(SanitizeTest, ClosesTheOpenTailOnRequest) {
  AppendStory("T CR Q:c1 I:c1.q");
  EXPECT_EQ(Run(kClosing).plan.open, 0U);
  EXPECT_EQ(Shown(), "T CR Q:c1 I:c1.q X:c1.q E:c1");
  EXPECT_THAT(Run(kClosing).repairs, IsEmpty());
  EXPECT_THAT(Run().repairs, IsEmpty()) << "what was closed stays closed";
  EXPECT_EQ(Plan().open, 0U);
}

TEST_F(SanitizeTest, WhatWasClosedOpensAgainWhenTheAnswerComes) {
  AppendStory("T CR Q:c1 I:c1.q");
  Run(kClosing);
  AppendStory("A:c1.q");
  EXPECT_THAT(Brief(Run().plan),
              ElementsAre("retract insert 4<3 interrupted-tool-call", "retract insert 4<4 interrupted-inquiry"));
  EXPECT_EQ(Shown(), "T CR Q:c1 I:c1.q A:c1.q");
  AppendStory("R:c1 M");
  EXPECT_THAT(Run().repairs, IsEmpty());
  EXPECT_EQ(Shown(), "T CR Q:c1 I:c1.q A:c1.q R:c1 M");
}

TEST_F(SanitizeTest, AQuestionAskedAfterTheClosingIsNotClosedByAccident) {
  AppendStory("T CR Q:c1 Q:c2");
  Run(kClosing);
  AppendStory("Q:c3 I:c3.q");
  EXPECT_THAT(Run().repairs, IsEmpty());
  EXPECT_EQ(Plan().open, 2U);
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 Q:c2 E:c2 Q:c3 I:c3.q");
}

TEST_F(SanitizeTest, AnEmptyTurnThatWasClosedIsBackWhenSomethingHappensInIt) {
  AppendStory("T CR M T A:q");
  Run(kClosing);
  EXPECT_EQ(Shown(), "T CR M");
  AppendStory("R:x");
  EXPECT_THAT(Brief(Run().plan), ElementsAre("retract drop 4 empty-turn"));
  EXPECT_EQ(Shown(), "T CR M T R:x");
}

TEST_F(SanitizeTest, ALateResultReplacesTheErrorThatStoodInForIt) {
  AppendStory("T CR Q:c1 T CR M");
  Run();
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 T CR M");
  for (int i = 0; i < 20; ++i) AppendStory("T CR M");
  Run();
  AppendStory("T CR R:c1 M");
  const SanitizeOutcome outcome = Run();
  EXPECT_THAT(Brief(outcome.plan),
              ElementsAre("move 3<70 moved-tool-result", "retract insert 3<3 interrupted-tool-call"));
  EXPECT_LT(outcome.plan.events_read, 10U);
  EXPECT_TRUE(Shown().starts_with("T CR Q:c1 R:c1 T CR M T CR M"));
  EXPECT_TRUE(Shown().ends_with("T CR M T CR M"));
  EXPECT_THAT(Run().repairs, IsEmpty());
}

TEST_F(SanitizeTest, ALateResultInTheOpenTailIsMovedWhenTheTurnIsOver) {
  AppendStory("T CR Q:c1 T CR R:c1");
  Run();
  EXPECT_EQ(Shown(), "T CR Q:c1 E:c1 T CR R:c1");
  AppendStory("M");
  Run();
  EXPECT_EQ(Shown(), "T CR Q:c1 R:c1 T CR M");
}

TEST_F(SanitizeTest, ALateResultThatWasMovedByClosingStaysMoved) {
  AppendStory("T CR Q:c1 T CR R:c1");
  Run();
  Run(kClosing);
  EXPECT_EQ(Shown(), "T CR Q:c1 R:c1 T CR");
  EXPECT_THAT(Run().repairs, IsEmpty());
  ForgetWatermark();
  EXPECT_THAT(Run().repairs, IsEmpty());
  AppendStory("Q:c2");
  EXPECT_THAT(Run().repairs, IsEmpty());
  EXPECT_EQ(Shown(), "T CR Q:c1 R:c1 T CR Q:c2");
}

TEST_F(SanitizeTest, ACompleteTurnThatContinuesStaysAsItWas) {
  AppendStory("T CR A:q M");
  Run();
  EXPECT_EQ(Shown(), "T CR M");
  AppendStory("Q:c1");
  EXPECT_THAT(Run().repairs, IsEmpty());
  EXPECT_EQ(Shown(), "T CR M Q:c1");
}

TEST_F(SanitizeTest, TheFirstRequestMakesWhatStoodBeforeItLeading) {
  AppendStory("T M Q:c1 T M");
  Run();
  EXPECT_EQ(Shown(), "T M Q:c1 E:c1 T M");
  AppendStory("T CR M");
  Run();
  EXPECT_EQ(Shown(), "T CR M");
  EXPECT_THAT(Run().repairs, IsEmpty());
}

TEST_F(SanitizeTest, ACompactionFollowsAgainWhenMoreTurnsGo) {
  AppendStory("T CR M T T CR C{0,2}");
  Run();
  EXPECT_EQ(Shown(), "T CR M T CR C{0,1}");
  AppendStory("T CR M");
  Run();
  EXPECT_EQ(Shown(), "T CR M T CR C{0,1} T CR M");
}

// The same place and cause, another event.
TEST_F(SanitizeTest, AChangedRangeReplacesTheOneBefore) {
  AppendStory("T CR M T T C{0,2}");
  Run();
  EXPECT_EQ(Shown(), "T CR M T C{0,1}");
  AppendStory("T CR M");
  EXPECT_THAT(Brief(Run().plan),
              ElementsAre("drop 5 empty-turn", "insert 6<6 compaction-range", "retract insert 6<6 compaction-range"));
  EXPECT_EQ(Shown(), "T CR M C{0,0} T CR M");
  EXPECT_THAT(Run().repairs, IsEmpty());
}

TEST_F(SanitizeTest, ALongPlanIsWrittenAsSeveralEventsInOneAppend) {
  std::string story = "T CR M ";
  for (int i = 0; i < 2500; ++i) story += "R:x ";
  AppendStory(story + "M T CR M");
  const SanitizeOutcome outcome = Run();
  EXPECT_THAT(outcome.plan.add.drops, SizeIs(2500));
  EXPECT_THAT(outcome.repairs, SizeIs(3));
  EXPECT_EQ(Shown(), "T CR M M T CR M");
  const auto repairs = Must(log_->Repairs(Id("c")));
  ASSERT_THAT(repairs, SizeIs(3));
  EXPECT_LT(repairs[0].to, repairs[1].from);
  EXPECT_LT(repairs[1].to, repairs[2].from);
}

TEST_F(SanitizeTest, SwitchingTheProfileTakesBackWhatTheOtherDid) {
  AppendStory("T CR Q:c1 I:c1.q R:c1 M T CR R:c1 M");
  Run();
  EXPECT_EQ(Shown(), "T CR Q:c1 I:c1.q X:c1.q R:c1 M T CR M");
  Run(kLikeJp);
  EXPECT_EQ(Shown(), "T CR Q:c1 R:c1 M T CR R:c1 M");
  EXPECT_THAT(Run(kLikeJp).repairs, IsEmpty());
  EXPECT_THAT(Must(log_->ListChanged("sanitize", "", 10)), SizeIs(1)) << "strict has not seen it since";
  Run();
  EXPECT_EQ(Shown(), "T CR Q:c1 I:c1.q X:c1.q R:c1 M T CR M");
  EXPECT_THAT(Run().repairs, IsEmpty());
}

TEST_F(SanitizeTest, WhatIsTheSameInBothProfilesStaysActive) {
  AppendStory("T CR Q:c1 T CR M");
  Run();
  EXPECT_THAT(Run(kLikeJp).repairs, IsEmpty());
}

TEST_F(SanitizeTest, RepairsByOtherRulesAreNotTouched) {
  AppendStory("T CR M M T CR Q:c1 T CR M");
  const RepairTarget twice{RepairAction::kDrop, Seq{4}, Seq{4}, "said-twice"};
  const Repair by_hand{.profile = "hand", .head = {10}, .from = {4}, .to = {4}, .items = {{twice, {}}}};
  Must(Append("c", ToEvent(by_hand, {})));
  Run();
  EXPECT_EQ(Shown(), "T CR M T CR Q:c1 E:c1 T CR M");
  Run(kLikeJp);
  EXPECT_EQ(Shown(), "T CR M T CR Q:c1 E:c1 T CR M");
}

TEST_F(SanitizeTest, ErasedEventsStayOutOfTheViewAndAreNotPlannedAgain) {
  AppendStory("T M T CR Q:c1 I:c1.q A:z A:c1.q R:x M T T CR Q:c1 R:c1 M T CR");
  Run();
  const std::string shown = Shown();
  std::vector<Seq> dropped;
  for (const Drop& drop : PlanRepair(kStrictly, RawEvents(*log_, "c")).drops) dropped.push_back(drop.why.seq);
  ASSERT_THAT(dropped, SizeIs(5));
  Must(log_->Erase(Id("c"), dropped));
  EXPECT_EQ(Shown(), shown);
  EXPECT_THAT(Run().repairs, IsEmpty());
  ForgetWatermark();
  EXPECT_THAT(Run().repairs, IsEmpty());
  EXPECT_EQ(Shown(), shown);
}

TEST_F(SanitizeTest, AnErasedTurnThatContinuesGetsAnotherStart) {
  AppendStory("T CR M T");
  Run(kClosing);
  EXPECT_THAT(Must(Scavenge(*log_, Id("c"))).events, IsEmpty());  // the turn may go on
  const Seq start{4};
  Must(log_->Erase(Id("c"), std::span(&start, 1)));
  EXPECT_EQ(Shown(), "T CR M");
  AppendStory("CR");
  EXPECT_THAT(Run().repairs, IsEmpty());
  AppendStory("M");
  Run();
  EXPECT_EQ(Shown(), "T CR M T CR M");
}

}  // namespace
}  // namespace turnlog::sanitize_test
