// An agent that runs but does not wait: others answer its questions, and record what follows from the answers.
#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/ask_user_question.h"
#include "turnlog/inquiry/pending_inquiry_responder.h"

namespace turnlog::followed_up_test {
namespace {

constexpr std::string_view kForm = R"({"questions":[{"id":"a","text":"A?"},{"id":"b","text":"B?"}]})";
constexpr std::string_view kQuestions =
    R"({"questions":[{"question":"Which?","header":"Db","options":[{"label":"pg"},{"label":"my"}]}]})";

class FollowedUpTest : public InquiryTest {
 protected:
  // A turn with a call that asks, and one that runs meanwhile.
  std::unique_ptr<TurnRecorder> BeginWith(const ToolCallRequest& call) {
    auto turn = Begin();
    Must(turn->RequestTools(std::vector{call, Call("other")}));
    return turn;
  }
  void AnswerElsewhere(const std::string& inquiry, std::string_view json) {
    const auto once = [&, done = false](const InquiryRequest&, std::string_view) mutable -> Result<PromptReply> {
      return std::exchange(done, true) ? PromptReply{} : PromptReply{PromptReply::Kind::kAnswer, J(json), false, {}};
    };
    Must(Must(PendingInquiryResponder::Open(*log_, c_)).Respond(inquiry, {.user = once}));
  }
  static Result<PromptReply> Defer(const InquiryRequest&, std::string_view) { return PromptReply{}; }
};

TEST_F(FollowedUpTest, TheResultOfAnsweredQuestionsIsTakenIn) {
  auto turn = BeginWith(Call("q", "ask_user_question", kQuestions));
  Must(AskUserQuestion(*turn, "q", AgentKind::kMain));
  AnswerElsewhere("q.q1.1", R"("pg")");
  Must(turn->FinishTool("other", {"done", false, {}}));
  EXPECT_TRUE(Must(SettleUserQuestion(*turn, "q")));
  EXPECT_EQ(CodeOf(turn->FinishTool("q", {"mine", false, {}})), "conflict");
  EXPECT_EQ(Doing(turn->state()), "calling_model calls:  questions: ");
  Must(turn->Respond({ChatPart::kMessage, "I see."}));
}

TEST_F(FollowedUpTest, TheNextQuestionOfAFormIsTakenInAndTakenUp) {
  auto turn = BeginWith(Call("f", "ask_user", kForm));
  EXPECT_EQ(Must(AskUser(*turn, "f", {.user = Defer})).kind, FormOutcome::Kind::kWaits);
  AnswerElsewhere("f.a.1", R"("one")");
  Must(turn->FinishTool("other", {"done", false, {}}));
  EXPECT_EQ(Doing(turn->state()), "awaiting_user calls: f questions: f.b.1");
  EXPECT_EQ(Must(AskUser(*turn, "f", {.user = Defer})).kind, FormOutcome::Kind::kWaits);
  AnswerElsewhere("f.b.1", R"("two")");
  Must(turn->Respond({ChatPart::kMessage, "I see."}));
  EXPECT_EQ(CodeOf(AskUser(*turn, "f", {.user = Defer})), "conflict");
}

TEST_F(FollowedUpTest, WhatFollowsFromNoAnswerIsOfAnotherWriter) {
  for (const bool asks : {false, true}) {
    auto turn = BeginWith(Call("q"));
    if (asks) Must(turn->Ask(Asks("q", "x", Boolean())));
    Must(Append("c", Event{.body = ToolCallResponse{"q", "from elsewhere", false, {}}}));
    EXPECT_EQ(CodeOf(turn->FinishTool("other", {"done", false, {}})), "conflict");
    EXPECT_EQ(CodeOf(turn->Respond({ChatPart::kMessage, "I see."})), "conflict");
  }
}

TEST_F(FollowedUpTest, AQuestionOfACallThatHasAskedNothingIsOfAnotherWriter) {
  auto turn = BeginWith(Call("q"));
  auto other = Resume();
  Must(other->Ask(Asks("q", "x", Boolean())));
  other->Suspend();
  EXPECT_EQ(CodeOf(turn->FinishTool("other", {"done", false, {}})), "conflict");
}

}  // namespace
}  // namespace turnlog::followed_up_test
