// What decides whether something is open is the sanitized view, the same that readers see.
#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/event_walk.h"
#include "turnlog/inquiry/denials.h"
#include "turnlog/inquiry/inquirer.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::repaired_turn_test {
namespace {

class RepairedTurnTest : public InquiryTest {
 protected:
  RepairedTurnTest() {
    turn_ = Begin();
    Must(turn_->RequestTools(std::vector{Call("a"), Call("b")}));
    Must(turn_->Ask(Asks("a", "q", Boolean())));
  }
  void CloseOpen() { Must(Sanitize(*log_, c_, {.close_open = true})); }

  // How often the sanitized view has a response to each.
  int Responses(std::string_view id) {
    int count = 0;
    const auto cursor = Must(log_->Read(c_));
    Must(WalkEvents(*cursor, [&](const Record&, const EventView& event) {
      if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) count += result->id == id ? 1 : 0;
      if (const auto* answer = std::get_if<InquiryResponseView>(&event.body)) count += answer->id.text == id ? 1 : 0;
      return Result<Walk>(Walk::kOn);
    }));
    return count;
  }

  std::unique_ptr<TurnRecorder> turn_;
};

TEST_F(RepairedTurnTest, WhatARepairHasClosedIsNotOpen) {
  CloseOpen();
  EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
  turn_->Suspend();
  turn_ = Resume();
  EXPECT_EQ(Doing(turn_->state()), "calling_model calls:  questions: ");
  EXPECT_EQ(CodeOf(turn_->Answer("a.q.1", ByUser("true"))), "conflict");
  EXPECT_EQ(CodeOf(turn_->FinishTool("b", {"done", false, {}})), "conflict");
  EXPECT_EQ(Responses("a.q.1"), 1);
  EXPECT_EQ(Responses("a"), 1);
  EXPECT_EQ(Responses("b"), 1);
}

TEST_F(RepairedTurnTest, ARecorderTakesInTheRepairsThatOthersAppendMeanwhile) {
  CloseOpen();
  EXPECT_EQ(CodeOf(turn_->Answer("a.q.1", ByUser("true"))), "conflict");
  EXPECT_EQ(CodeOf(turn_->FinishTool("b", {"done", false, {}})), "conflict");
  EXPECT_EQ(Doing(turn_->state()), "calling_model calls:  questions: ");
  Must(turn_->Respond({ChatPart::kMessage, "so"}));
  EXPECT_EQ(Must(LoadTurnState(*log_, c_)).activity(), Activity::kIdle);
  EXPECT_EQ(Responses("a.q.1"), 1);
}

TEST_F(RepairedTurnTest, WhatIsUndoneIsOpenAgain) {
  CloseOpen();
  Must(UndoRepair(*log_, c_, Must(log_->Repairs(c_)).back().seq));
  EXPECT_EQ(Doing(), "awaiting_user calls: a,b questions: a.q.1");
  Must(turn_->Answer("a.q.1", ByUser("true")));
  EXPECT_EQ(Responses("a.q.1"), 1);
}

TEST_F(RepairedTurnTest, AToolThatComesBackToARepairedCallIsToldThatItIsOver) {
  CloseOpen();
  EXPECT_EQ(CodeOf(Inquire(*turn_, Asks("a", "q", Boolean()), Target{}, {})), "conflict");
}

// What was redacted in a question does not come back with its answer.
TEST_F(RepairedTurnTest, ARecorderTakesInRedactions) {
  Must(turn_->Ask(Asks("b", "which", Select({"topsecretvalue", "other"}))));
  RedactionTargets targets;
  targets.values.emplace_back("topsecretvalue");
  Must(Must(Redaction::Plan(*log_, targets))->Apply("test"));
  EXPECT_EQ(CodeOf(turn_->Answer("b.which.1", ByUser(R"("topsecretvalue")"))), "invalid argument");
  Must(turn_->Answer("b.which.1", ByUser(R"("other")")));
}

TEST_F(RepairedTurnTest, ThePendingInquiriesAreThoseOfTheView) {
  EXPECT_EQ(Must(log_->Pending(c_)).size(), 1U);
  CloseOpen();
  EXPECT_TRUE(Must(log_->Pending(c_)).empty());
  EXPECT_TRUE(Must(log_->Pending({})).empty());
}

}  // namespace
}  // namespace turnlog::repaired_turn_test
