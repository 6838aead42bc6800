// What becomes of a turn's open calls and inquiries when its recorder goes, is closed, or the next turn begins.
#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog::turn_end_test {
namespace {

using testing::Contains;
using testing::HasSubstr;

using TurnEndTest = InquiryTest;

TEST_F(TurnEndTest, WhatTheUserCanStillAnswerIsLeftWaitingWhenTheRecorderGoes) {
  {
    auto turn = Begin();
    Must(turn->RequestTools(std::vector{Call("a"), Call("b")}));
    Must(turn->Ask(Asks("a", "q", Boolean())));
  }
  EXPECT_EQ(Last(1).front(),
            R"({"type":"tool_call_response","id":"b","content":"Tool call was interrupted.","is_error":true})");
  EXPECT_EQ(Doing(), "awaiting_user calls: a questions: a.q.1");
  Must(Resume()->Answer("a.q.1", ByUser("true")));
}

TEST_F(TurnEndTest, AnInquiryThatNoCallWaitsForIsClosedWhenTheRecorderGoes) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(Append("c", Ask(Opaque("old"))));
  turn.reset();
  turn = Resume();
  turn.reset();
  EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
}

TEST_F(TurnEndTest, WhatWasDeferredIsLeftWaitingAlsoWhenItsUserThrows) {
  const auto work = [&] {
    auto turn = Begin();
    Must(turn->RequestTool(Call("a")));
    turn->Defer(Must(turn->Ask(Asks("a", "q", Boolean()))).text);
    throw std::runtime_error("the tool failed");
  };
  EXPECT_THROW(work(), std::runtime_error);
  EXPECT_EQ(Doing(), "awaiting_user calls: a questions: a.q.1");
}

TEST_F(TurnEndTest, WhatIsOpenIsClosedWhenItsUserThrows) {
  const auto work = [&] {
    auto turn = Begin();
    Must(turn->RequestTool(Call("a")));
    Must(turn->Ask(Asks("a", "q", Boolean())));
    throw std::runtime_error("the tool failed");
  };
  EXPECT_THROW(work(), std::runtime_error);
  EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
  EXPECT_THAT(Events(*log_), Contains(HasSubstr(R"("reason":"interrupted")")));
}

TEST_F(TurnEndTest, CloseSaysWhyAndNothingIsAcceptedAfterwards) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  Must(turn->Close(cancellation::kRunTerminated));
  EXPECT_THAT(Last(2).front(), HasSubstr("run_terminated"));
  EXPECT_EQ(CodeOf(turn->Respond({ChatPart::kMessage, "more"})), "invalid argument");
  EXPECT_EQ(CodeOf(turn->Refresh()), "invalid argument");
}

TEST_F(TurnEndTest, AFailedTurnIsClosedAndItsLastMessageSaysSo) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  Must(turn->Fail("no credit"));
  EXPECT_EQ(Last(1).front(), R"({"type":"chat_response","message":"no credit","metadata":{"failed":true}})");
  EXPECT_EQ(Doing(), "idle calls:  questions: ");
  EXPECT_EQ(CodeOf(turn->Refresh()), "invalid argument");
}

TEST_F(TurnEndTest, ASuspendedTurnStaysOpenAndIsResumed) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  const TurnState before = turn->state();
  turn->Suspend();
  turn.reset();
  Reopen();
  turn = Resume();
  EXPECT_EQ(turn->state(), before);
  Must(turn->Answer("a.q.1", ByUser("true")));
  EXPECT_EQ(Doing(turn->state()), "running_tools calls: a questions: ");
}

TEST_F(TurnEndTest, ANewTurnClosesWhatWaitsAsSupersededInOneAppend) {
  auto turn = Begin();
  Must(turn->RequestTools(std::vector{Call("a"), Call("b")}));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  turn->Suspend();
  Begin("never mind");
  const auto events = Last(5);
  EXPECT_THAT(events[0], HasSubstr(R"("reason":"superseded")"));
  EXPECT_THAT(events[1], HasSubstr(R"("id":"a","content":"Tool call was interrupted.")"));
  EXPECT_THAT(events[2], HasSubstr(R"("id":"b","content":"Tool call was interrupted.")"));
  EXPECT_EQ(events[3], R"({"type":"turn_start"})");
  EXPECT_EQ(events[4], R"({"type":"chat_request","content":"never mind"})");
  EXPECT_THAT(Must(log_->Pending(c_)), testing::IsEmpty());
}

}  // namespace
}  // namespace turnlog::turn_end_test
