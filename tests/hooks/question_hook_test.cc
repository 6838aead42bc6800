// The questions that agents ask with tools of their own.
#include "tests/hooks/hook_fixture.h"

namespace turnlog::question_hook_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kQuestions =
    R"("tool_name":"AskUserQuestion","tool_input":{"questions":[)"
    R"({"question":"Which?","header":"W","options":[{"label":"one","description":"d"},{"label":"two"}],"multiSelect":false},)"
    R"({"question":"What?","header":"X","options":[{"label":"a"},{"label":"b"}],"multiSelect":true}],"metadata":{"n":1.0}})";

class QuestionHookTest : public HookTest {
 protected:
  void AnswerNext(const std::string& fields) {
    const auto ids = Pending();
    EXPECT_EQ(Answer(fmt::format(R"({{"inquiry":"{}",{}}})", ids.front(), fields)).status, 200);
  }
  std::vector<std::string> Pending() { return AwaitPending(Must(log_->Pending({})).size()); }
};

TEST_F(QuestionHookTest, AnswersGoBackInTheArgumentsOfTheCall) {
  auto hook = Start("PermissionRequest", kQuestions);
  AwaitPending(2);
  AnswerNext(R"("answer":"two","note":"as before")");
  AnswerNext(R"("answer":["a","b"])");
  const std::string reply = hook.Reply();
  EXPECT_THAT(reply, AllOf(HasSubstr(R"("decision":{"behavior":"allow","updatedInput":{"questions":[)"),
                           HasSubstr(R"("metadata":{"n":1.0},"answers":{"Which?":"two","What?":"a, b"})"),
                           HasSubstr(R"("annotations":{"Which?":{"notes":"as before"}})")));
  EXPECT_THAT(Recorded(), HasSubstr(R"({\"answers\":{\"Which?\":\"two\",\"What?\":[\"a\",\"b\"]})"));
}

TEST_F(QuestionHookTest, AnyTextIsAnAnswer) {
  auto hook = Start("PreToolUse", kQuestions);
  AwaitPending(2);
  EXPECT_EQ(Answer(R"({"answers":{"Which?":"neither","What?":[]}})").status, 200);
  EXPECT_THAT(hook.Reply(), AllOf(HasSubstr(R"("permissionDecision":"allow","updatedInput":)"),
                                  HasSubstr(R"("answers":{"Which?":"neither","What?":""})")));
}

TEST_F(QuestionHookTest, CodexGetsTheAnswersAsTheReasonOfARefusal) {
  tool_ = AgentTool::kCodex;
  auto hook =
      Start("PreToolUse", R"("tool_name":"request_user_input","tool_use_id":"c","tool_input":{"questions":[)"
                          R"({"id":"q","header":"Q","question":"Which?","options":[{"label":"x","description":"d"}]},)"
                          R"({"id":"r","header":"R","question":"Why?"}]})");
  AwaitPending(2);
  EXPECT_EQ(Answer(R"({"answers":{"Which?":"x","Why?":"because"}})").status, 200);
  EXPECT_THAT(hook.Reply(), AllOf(HasSubstr(R"("permissionDecision":"deny")"),
                                  HasSubstr(R"({\"answers\":{\"Which?\":\"x\",\"Why?\":\"because\"}})"),
                                  Not(HasSubstr("updatedInput"))));
}

TEST_F(QuestionHookTest, WhatIsDeclinedIsMissingAndAllDeclinedIsARefusal) {
  auto hook = Start("PermissionRequest", kQuestions);
  const auto ids = AwaitPending(2);
  const std::string cancel = "/v1/conversations/s%2Flive/cancel";
  EXPECT_EQ(Post(cancel, fmt::format(R"({{"inquiry":"{}","decline":true}})", ids[0])).status, 200);
  AnswerNext(R"("answer":["a"])");
  EXPECT_THAT(hook.Reply(), HasSubstr(R"("answers":{"What?":"a"})"));
  auto again = Start("PermissionRequest", kQuestions);
  for (const std::string& id : AwaitPending(2)) {
    EXPECT_EQ(Post(cancel, fmt::format(R"({{"inquiry":"{}","decline":true}})", id)).status, 200);
  }
  EXPECT_THAT(again.Reply(), AllOf(HasSubstr(R"("behavior":"deny")"), Not(HasSubstr("interrupt"))));
}

TEST_F(QuestionHookTest, CancellingOneEndsTheTurnAndClosesAll) {
  auto hook = Start("PermissionRequest", kQuestions);
  const auto ids = AwaitPending(2);
  EXPECT_EQ(Post("/v1/conversations/s%2Flive/cancel", fmt::format(R"({{"inquiry":"{}"}})", ids[0])).status, 200);
  EXPECT_THAT(hook.Reply(), HasSubstr(R"("interrupt":true)"));
  EXPECT_THAT(Must(log_->Pending({})), IsEmpty());
  EXPECT_THAT(State(), HasSubstr(R"("activity":"idle")"));
}

TEST_F(QuestionHookTest, AnswersAtTheTerminalCloseTheQuestions) {
  auto hook = Start("PermissionRequest", kQuestions);
  AwaitPending(2);
  const std::string ran = std::string(kQuestions) + R"(,"tool_response":{"answers":{"Which?":"one"}})";
  Must(Send("PostToolUse", ran));
  hook.Reply();
  EXPECT_THAT(Recorded(), AllOf(HasSubstr(R"("answer":"one","responder":{"kind":"user","via":"hook"})"),
                                HasSubstr(R"("reason":"user","responder":{"kind":"user","via":"hook"})")));
  EXPECT_THAT(Must(log_->Pending({})), IsEmpty());
}

TEST_F(QuestionHookTest, QuestionsOfAnUnknownFormAreLeftToTheTool) {
  for (const char* input : {"7", "{}", R"({"questions":[]})", R"({"questions":[{"text":"?"}]})",
                            R"({"questions":[{"question":"?","options":[{"text":"a"}]}]})",
                            R"({"questions":[{"question":"?"},{"question":"?"}]})"}) {
    EXPECT_THAT(Must(Send("PermissionRequest", fmt::format(R"("tool_name":"AskUserQuestion","tool_input":{})", input))),
                IsEmpty())
        << input;
  }
  EXPECT_THAT(Must(log_->Pending({})), IsEmpty());
}

}  // namespace
}  // namespace turnlog::question_hook_test
