#include "turnlog/inquiry/approval.h"

#include <deque>

#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/event_json.h"
#include "turnlog/inquiry/denials.h"

namespace turnlog::approval_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;
using Kind = Approval::Kind;

class ApprovalTest : public InquiryTest {
 protected:
  ApprovalTest() {
    turn_ = Begin();
    Must(turn_->RequestTools(std::vector{Call("a", "rm", R"({"path":"x"})"), Call("b", "rm", R"({"path":"x"})"),
                                         Call("c", "rm", R"({"path":"y"})")}));
  }

  Responders User(std::deque<PromptReply> replies) {
    return {.user = [this, replies](const InquiryRequest& inquiry, std::string_view) mutable -> Result<PromptReply> {
              prompts_.push_back(inquiry);
              PromptReply reply = replies.front();
              replies.pop_front();
              return reply;
            },
            .who = "ann",
            .via = "page"};
  }
  static PromptReply Says(bool yes, bool remember = false, std::string_view note = "") {
    PromptReply reply{PromptReply::Kind::kAnswer, J(yes ? "true" : "false"), remember, {}};
    reply.note = note;
    return reply;
  }
  static PromptReply Edits(std::string_view arguments) {
    return {.kind = PromptReply::Kind::kAnswer, .reason = {}, .note = "only this", .edited_arguments = J(arguments)};
  }
  Kind Run(std::string_view call, const Responders& responders) { return Must(Approve(*turn_, call, responders)).kind; }

  std::unique_ptr<TurnRecorder> turn_;
  std::vector<InquiryRequest> prompts_;
};

TEST_F(ApprovalTest, ShowsTheExactArgumentsAndLeavesAPair) {
  EXPECT_EQ(Run("a", User({Says(true)})), Kind::kApproved);
  ASSERT_THAT(prompts_, SizeIs(1));
  EXPECT_EQ(prompts_[0].question.text, "Run rm?");
  EXPECT_EQ(prompts_[0].question.context, R"({"path":"x"})");
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("id":"a.approve.1",)"));
  EXPECT_THAT(Events(*log_).back(),
              HasSubstr(R"("answer":true,"responder":{"kind":"user","who":"ann","via":"page"}})"));
}

TEST_F(ApprovalTest, ADenialIsOnRecordWithReasonUserAndArgumentsInTheAppendOfTheAnswer) {
  const std::size_t before = Events(*log_).size();
  EXPECT_EQ(Run("a", User({Says(false, false, "still needed")})), Kind::kDenied);
  const auto events = Events(*log_);
  ASSERT_EQ(events.size(), before + 3);  // the question, its answer, the result
  EXPECT_THAT(events[before + 1], HasSubstr(R"("answer":false,"reason":"still needed")"));
  EXPECT_THAT(events[before + 2],
              HasSubstr(R"("denied":{"reason":"still needed","responder":{"kind":"user","who":"ann",)"
                        R"("via":"page"},"arguments_hash":")" +
                        ArgumentsHash("rm", J(R"({"path":"x"})"))));
  const Approval again = Must(Approve(*turn_, "a", User({})));
  EXPECT_EQ(again.kind, Kind::kDenied);
  EXPECT_EQ(again.reason, "still needed");
  EXPECT_EQ(again.responder.value().who, "ann");
  Must(turn_->DenyTool("a", "still needed"));  // the same decision
  EXPECT_EQ(Events(*log_), events);
}

TEST_F(ApprovalTest, WhatIsRememberedHoldsForTheSameArgumentsOnly) {
  EXPECT_EQ(Run("a", User({Says(true, true, "it is a copy")})), Kind::kApproved);
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("decision":"allow","remember":"turn","responder":{"kind":"user",)"
                                              R"("who":"ann","via":"page"},"reason":"it is a copy"})"));
  turn_ = Crash(std::move(turn_));
  EXPECT_EQ(Run("b", User({})), Kind::kApproved);
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("responder":{"kind":"remembered","who":"ann","via":"page"})"));
  EXPECT_EQ(Run("c", User({Says(false)})), Kind::kDenied);
}

TEST_F(ApprovalTest, APermissionForTheToolHoldsForAllItsCalls) {
  Must(turn_->RememberPermission({"rm"}, Permission::kDeny));
  EXPECT_EQ(Run("a", User({})), Kind::kDenied);
  EXPECT_EQ(Run("c", User({})), Kind::kDenied);
}

TEST_F(ApprovalTest, WhatWasDecidedBeforeACrashIsNotAskedAgain) {
  EXPECT_EQ(Run("a", User({Says(true)})), Kind::kApproved);
  EXPECT_EQ(Run("b", User({PromptReply{}})), Kind::kWaiting);
  turn_ = Crash(std::move(turn_));
  EXPECT_EQ(Run("a", User({})), Kind::kApproved);
  prompts_.clear();
  EXPECT_EQ(Run("b", User({Says(true)})), Kind::kApproved);
  EXPECT_EQ(prompts_.front().id.text, "b.approve.1");
}

TEST_F(ApprovalTest, ADenialThatWasAnsweredElsewhereBecomesTheResult) {
  EXPECT_EQ(Run("a", User({PromptReply{}})), Kind::kWaiting);
  Must(turn_->Answer("a.approve.1", ByUser("false")));
  EXPECT_EQ(Run("a", User({})), Kind::kDenied);
  EXPECT_EQ(Must(UndeliveredDenials(*log_, c_)).size(), 1U);
}

TEST_F(ApprovalTest, ADenialThatAnotherProcessRecordsWhileTheUserIsAskedHolds) {
  for (const bool yes : {false, true}) {
    const Responders user{.user = [&](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
      auto other = Must(TurnRecorder::Resume(*log_, c_));
      const GivenAnswer no = ByUser("false");
      Must(other->DenyTool(yes ? "b" : "a", "no", no.responder,
                           std::vector<Closing>{{yes ? "b.approve.1" : "a.approve.1", no, {}, {}}}));
      other->Suspend();
      return Says(yes);
    }};
    const Approval approval = Must(Approve(*turn_, yes ? "b" : "a", user));
    EXPECT_EQ(approval.kind, Kind::kDenied);
    EXPECT_EQ(approval.reason, yes ? "no" : "");  // the same decision twice is one
  }
  EXPECT_EQ(Must(UndeliveredDenials(*log_, c_)).size(), 2U);
}

TEST_F(ApprovalTest, EditedArgumentsAreAnAnswerFalseThatLetsTheCallRunWithThem) {
  const Approval edited = Must(Approve(*turn_, "a", User({Edits(R"({"path": "y"})")})));
  EXPECT_EQ(edited.kind, Kind::kEdited);
  EXPECT_EQ(edited.arguments.text(), R"({"path":"y"})");
  EXPECT_EQ(edited.reason, "only this");
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("answer":false,"reason":"only this")"));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("metadata":{"edited_arguments":{"path":"y"},"arguments_hash":")" +
                                              ArgumentsHash("rm", J(R"({"path":"y"})"))));
  turn_ = Crash(std::move(turn_));
  const Approval again = Must(Approve(*turn_, "a", User({})));
  EXPECT_EQ(again.kind, Kind::kEdited);
  EXPECT_EQ(again.arguments, edited.arguments);
  EXPECT_EQ(again.responder.value().who, "ann");
  Must(turn_->FinishTool("a", {.content = "failed", .is_error = true, .metadata = {}}));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("content":"failed")"));  // and nothing of an answer no
  EXPECT_THAT(Must(UndeliveredDenials(*log_, c_)), testing::IsEmpty());
}

TEST_F(ApprovalTest, EditedArgumentsThatCannotBeAreAskedForAgain) {
  PromptReply remembered = Edits(R"({"path":"z"})");
  remembered.remember = true;
  EXPECT_EQ(CodeOf(Approve(*turn_, "b", User({remembered}))), "invalid argument");
  EXPECT_EQ(Run("a", User({Edits("[]"), Edits(R"({"path":"x"})"), Says(true)})), Kind::kApproved);
  EXPECT_THAT(prompts_, SizeIs(4));
}

TEST_F(ApprovalTest, OnlyACallThatWaitsForItsApprovalGetsOtherArguments) {
  EXPECT_EQ(Run("a", User({PromptReply{}})), Kind::kWaiting);
  GivenAnswer edited = ByUser("true");
  edited.edited_arguments = J(R"({"path":"y"})");
  EXPECT_EQ(CodeOf(turn_->Answer("a.approve.1", edited)), "invalid argument");
  const InquiryAttempt attempt{"b", "sure", {SourceKind::kTool, "rm", {}}, prompts_[0].question, {}};
  const InquiryId other = Must(turn_->Ask(attempt));
  edited.answer = J("false");
  EXPECT_EQ(CodeOf(turn_->Answer(other.text, edited)), "invalid argument");
  Must(turn_->Answer("a.approve.1", edited));
  EXPECT_EQ(Run("a", User({})), Kind::kEdited);
}

TEST_F(ApprovalTest, EditedArgumentsThatARedactionHasChangedDoNotRun) {
  EXPECT_EQ(Run("a", User({PromptReply{}})), Kind::kWaiting);
  turn_->Suspend();
  Event answer = Must(ParseEvent(
      R"({"type":"inquiry_response","outcome":"answered","id":"a.approve.1","answer":false,"responder":{"kind":"user"}})"));
  answer.metadata = J(R"({"edited_arguments":{"path":"[redacted]"},"arguments_hash":")" +
                      ArgumentsHash("rm", J(R"({"path":"y"})")) + R"("})");
  Must(log_->Append(c_, std::vector{answer}));
  turn_ = Resume();
  EXPECT_EQ(Run("a", User({})), Kind::kDenied);
}

TEST_F(ApprovalTest, ACallThatHasAnotherResultIsAConflict) {
  Must(turn_->FinishTool("a", {.content = "done", .is_error = false, .metadata = {}}));
  EXPECT_EQ(CodeOf(Approve(*turn_, "a", User({}))), "conflict");
}

TEST_F(ApprovalTest, WithoutAUserOrADecisionTheCallMustNotRun) {
  EXPECT_EQ(Run("a", {}), Kind::kCancelled);
  PromptReply declined{PromptReply::Kind::kCancel, {}, false, {}};
  EXPECT_EQ(Run("b", User({declined})), Kind::kCancelled);
  EXPECT_EQ(CodeOf(Approve(*turn_, "z", {})), "not found");
  EXPECT_THAT(Events(*log_), Contains(HasSubstr("no_prompt_backend")));
}

}  // namespace
}  // namespace turnlog::approval_test
