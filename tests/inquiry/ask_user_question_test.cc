#include "turnlog/inquiry/ask_user_question.h"

#include <fmt/format.h>

#include "tests/inquiry/inquiry_fixture.h"

namespace turnlog::ask_user_question_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kTwo = R"({"questions":[
  {"question":"Which database?","header":"Database","options":[{"label":"sqlite","description":"a file"},{"label":"pg"}]},
  {"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"a"},{"label":"b"},{"label":"c"}]}]})";

std::vector<std::string> Problems(std::string_view arguments) {
  const auto questions = ParseUserQuestions(J(arguments));
  if (questions) return {"fine"};
  std::vector<std::string> lines;
  for (const SubmissionProblem& problem : questions.error()) lines.push_back(problem.code + " " + problem.path);
  return lines;
}

std::string OneQuestion(std::string_view text, std::string_view header, int options) {
  std::string list;
  for (int i = 0; i < options; ++i) list += fmt::format(R"({}{{"label":"{}"}})", i > 0 ? "," : "", i);
  return fmt::format(R"({{"question":"{}","header":"{}","options":[{}]}})", text, header, list);
}

std::string Questions(int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += (i > 0 ? "," : "") + OneQuestion(fmt::format("Q{}?", i), "h", 2);
  return fmt::format(R"({{"questions":[{}]}})", list);
}

std::string Single(std::string_view header, int options) {
  return fmt::format(R"({{"questions":[{}]}})", OneQuestion("Q?", header, options));
}

TEST(UserQuestions, AreOneToFourWithTwoToFourOptions) {
  EXPECT_THAT(Problems(Questions(0)), ElementsAre("empty questions"));
  EXPECT_THAT(Problems(Questions(1)), ElementsAre("fine"));
  EXPECT_THAT(Problems(Questions(4)), ElementsAre("fine"));
  EXPECT_THAT(Problems(Questions(5)), ElementsAre("too_many questions"));
  EXPECT_THAT(Problems(Single("h", 1)), ElementsAre("number_of_options questions[0].options"));
  EXPECT_THAT(Problems(Single("h", 4)), ElementsAre("fine"));
  EXPECT_THAT(Problems(Single("h", 5)), ElementsAre("number_of_options questions[0].options"));
}

TEST(UserQuestions, HaveHeadersOfTwelveCharactersAtMost) {
  EXPECT_THAT(Problems(Single("123456789012", 2)), ElementsAre("fine"));
  EXPECT_THAT(
      Problems(Single(
          "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 2)),
      ElementsAre("fine"));
  EXPECT_THAT(Problems(Single("1234567890123", 2)), ElementsAre("too_long questions[0].header"));
  EXPECT_THAT(Problems(Single("", 2)), ElementsAre("empty questions[0].header"));
}

TEST(UserQuestions, HaveDifferentTextsAndLabels) {
  EXPECT_THAT(Problems(R"({"questions":[
      {"question":"Q?","header":"h","options":[{"label":"x"},{"label":"\u0078"}]},
      {"question":"Q?","header":"h","options":[{"label":"x"},{"label":"y"}]}]})"),
              ElementsAre("duplicate_label questions[0].options[1].label", "duplicate_question questions[1].question"));
}

TEST(UserQuestions, NeedNoHeaderKeepPreviewsAndOfferNoOther) {
  const auto questions = ParseUserQuestions(J(R"({"questions":[{"question":"Q?","options":[
      {"label":"x","preview":"line 1\nline 2"},{"label":"y"}]}]})"));
  ASSERT_TRUE(questions);
  EXPECT_EQ(questions->front().answer_type.options[0].extra, J(R"({"preview":"line 1\nline 2"})"));
  EXPECT_TRUE(questions->front().answer_type.other);
  EXPECT_EQ(questions->front().extra, Json());
  EXPECT_THAT(Problems(R"({"questions":[{"question":"Q?","options":[{"label":"x"},{"label":"OTHER"}]}]})"),
              ElementsAre("reserved_option questions[0].options[1].label"));
}

TEST(UserQuestions, AllThatIsWrongIsToldAtOnce) {
  EXPECT_THAT(
      Problems(R"({"questions":[{"header":1,"multiSelect":"yes","options":[{"label":""},"x"],"more":1},
                                        {"question":"Q?","header":"h","options":{}}, 7]})"),
      ElementsAre("unknown_field questions[0]", "missing questions[0].question", "wrong_type questions[0].multiSelect",
                  "empty questions[0].options[0].label", "wrong_type questions[0].options[1]",
                  "wrong_type questions[0].header", "wrong_type questions[1].options", "wrong_type questions[2]"));
}

class AskUserQuestionTest : public InquiryTest {
 protected:
  AskUserQuestionTest() {
    turn_ = Begin();
    Must(turn_->RequestTools(std::vector{Call("q", "ask_user_question", kTwo), Call("other")}));
  }
  void Ask() { EXPECT_EQ(Must(AskUserQuestion(*turn_, "q", AgentKind::kMain)).size(), 2U); }
  static std::map<std::string, QuestionAnswer> Answers() {
    return {{"Which database?", {J(R"("pg")")}}, {"Which parts?", {J(R"(["c","a"])")}}};
  }

  const Responder kAnn{"user", {}, "ann", {}, {}};
  static constexpr std::string_view kResult =
      R"({"type":"tool_call_response","id":"q",)"
      R"("content":"{\"answers\":{\"Which database?\":\"pg\",\"Which parts?\":[\"c\",\"a\"]}}","is_error":false})";

  std::unique_ptr<TurnRecorder> turn_;
};

TEST_F(AskUserQuestionTest, WaitsWhileOtherCallsOfTheMessageRun) {
  Ask();
  EXPECT_EQ(Doing(), "awaiting_user calls: q,other questions: q.q1.1,q.q2.1");
  Must(turn_->FinishTool("other", {"done", false, {}}));
  EXPECT_EQ(Doing(), "awaiting_user calls: q questions: q.q1.1,q.q2.1");
}

TEST_F(AskUserQuestionTest, IsRecordedAsTheAssistantsQuestionForAPersonOnly) {
  Ask();
  EXPECT_THAT(
      Events(*log_),
      Contains(HasSubstr(
          R"("source":{"source":"assistant"},"question":{"text":"Which database?","answer_type":{"type":"select",)"
          R"("options":[{"value":"sqlite","description":"a file"},{"value":"pg"}],"other":true},"exclusive":true,"persistence":"none",)"
          R"("header":"Database"})")));
}

TEST_F(AskUserQuestionTest, TheAnswersByQuestionTextBecomeTheResult) {
  Ask();
  Must(AnswerUserQuestion(*turn_, "q", Answers(), kAnn));
  EXPECT_EQ(Events(*log_).back(), kResult);
  EXPECT_EQ(Doing(), "running_tools calls: other questions: ");
}

TEST_F(AskUserQuestionTest, AnAnswerThatIsMissingTooManyOrWrongRecordsNothing) {
  Ask();
  auto answers = Answers();
  answers["Which parts?"].answer = J(R"("a")");
  EXPECT_EQ(CodeOf(AnswerUserQuestion(*turn_, "q", answers, kAnn)), "invalid argument");
  answers = Answers();
  answers.erase("Which parts?");
  const Status missing = AnswerUserQuestion(*turn_, "q", answers, kAnn);
  EXPECT_EQ(CodeOf(missing), "invalid argument");
  EXPECT_THAT(MessageOf(missing), HasSubstr("q.q2.1"));
  answers = Answers();
  answers["Why?"].answer = J(R"("x")");
  EXPECT_EQ(CodeOf(AnswerUserQuestion(*turn_, "q", answers, kAnn)), "invalid argument");
  EXPECT_EQ(Doing(), "awaiting_user calls: q,other questions: q.q1.1,q.q2.1");
}

TEST_F(AskUserQuestionTest, CancellingGivesAnErrorResult) {
  Ask();
  Must(CancelUserQuestion(*turn_, "q", kAnn));
  EXPECT_EQ(Events(*log_).back(),
            R"({"type":"tool_call_response","id":"q","content":"User cancelled the question","is_error":true})");
  EXPECT_EQ(Doing(), "running_tools calls: other questions: ");
  Must(turn_->FinishTool("other", {"done", false, {}}));
  EXPECT_EQ(Doing(), "idle calls:  questions: ");
}

TEST_F(AskUserQuestionTest, DecliningLetsTheAgentGoOn) {
  Ask();
  Must(turn_->Answer("q.q1.1", ByUser(R"("pg")")));
  Must(DeclineUserQuestion(*turn_, "q", kAnn));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("content":"{\"answers\":{\"Which database?\":\"pg\"},)"
                                              R"(\"declined\":[\"Which parts?\"]}","is_error":false)"));
  EXPECT_THAT(Events(*log_), Contains(HasSubstr(R"("reason":"user","responder":{"kind":"user","who":"ann"}})")));
  Must(turn_->FinishTool("other", {"done", false, {}}));
  EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
}

TEST_F(AskUserQuestionTest, AnotherTextAndNotesReachTheModel) {
  Ask();
  auto answers = Answers();
  answers["Which database?"] = {J(R"("duckdb")"), "we have it already"};
  answers["Which parts?"].answer = J(R"(["a","a part of my own"])");
  Must(AnswerUserQuestion(*turn_, "q", answers, kAnn));
  EXPECT_THAT(
      Events(*log_).back(),
      HasSubstr(R"({\"answers\":{\"Which database?\":\"duckdb\",\"Which parts?\":[\"a\",\"a part of my own\"]},)"
                R"(\"notes\":{\"Which database?\":\"we have it already\"}})"));
  EXPECT_THAT(Events(*log_), Contains(HasSubstr(R"("answer":"duckdb","reason":"we have it already","responder":)")));
}

TEST_F(AskUserQuestionTest, AQuestionThatTheSystemClosedIsAnErrorWithTheCause) {
  Ask();
  Must(turn_->Answer("q.q1.1", ByUser(R"("pg")")));
  Must(turn_->Cancel("q.q2.1", "expired"));
  EXPECT_TRUE(Must(SettleUserQuestion(*turn_, "q")));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("content":"The question was not answered: expired","is_error":true)"));
}

TEST_F(AskUserQuestionTest, AQuestionOfTheCallThatIsNoneOfTheirsIsClosedAndTheyAreAsked) {
  Must(turn_->Ask(Asks("q", "q1", Text("Which database?"))));
  Ask();
  EXPECT_EQ(Doing(), "awaiting_user calls: q,other questions: q.q1.2,q.q2.1");
  Must(AnswerUserQuestion(*turn_, "q", Answers(), kAnn));
  EXPECT_EQ(Events(*log_).back(), kResult);
}

TEST_F(AskUserQuestionTest, WaitsAlsoWhenTheRecorderGoes) {
  Ask();
  turn_.reset();
  EXPECT_EQ(Doing(), "awaiting_user calls: q questions: q.q1.1,q.q2.1");
}

TEST_F(AskUserQuestionTest, AnsweringTwiceOrTooLateIsAnError) {
  EXPECT_EQ(CodeOf(AnswerUserQuestion(*turn_, "q", Answers(), kAnn)), "invalid argument");  // it was not asked yet
  Ask();
  Must(AnswerUserQuestion(*turn_, "q", Answers(), kAnn));
  EXPECT_EQ(CodeOf(AnswerUserQuestion(*turn_, "q", Answers(), kAnn)), "conflict");
  EXPECT_EQ(CodeOf(CancelUserQuestion(*turn_, "q", kAnn)), "conflict");
  auto late = Resume();
  turn_ = Begin("next");
  EXPECT_EQ(CodeOf(AnswerUserQuestion(*turn_, "q", Answers(), kAnn)), "not found");
}

TEST_F(AskUserQuestionTest, AnsweringAfterANewTurnBeganIsAConflictAndRecordsNothing) {
  Ask();
  auto next = Begin("never mind");
  const auto events = Events(*log_);
  EXPECT_EQ(CodeOf(AnswerUserQuestion(*turn_, "q", Answers(), kAnn)), "conflict");
  EXPECT_EQ(Events(*log_), events);
}

TEST_F(AskUserQuestionTest, IsNotForSubAgents) {
  EXPECT_THAT(Must(AskUserQuestion(*turn_, "q", AgentKind::kSubAgent)), IsEmpty());
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("content":"ask_user_question is not available to sub-agents")"));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("is_error":true)"));
}

TEST_F(AskUserQuestionTest, WrongArgumentsGetAnErrorResult) {
  Must(turn_->RequestTool(Call("w", "ask_user_question", R"({"questions":[]})")));
  EXPECT_THAT(Must(AskUserQuestion(*turn_, "w", AgentKind::kMain)), IsEmpty());
  EXPECT_THAT(Events(*log_).back(), HasSubstr("invalid_questions"));
}

TEST_F(AskUserQuestionTest, AfterARestartItWaitsStillAndIsNotAskedTwice) {
  Ask();
  turn_ = Crash(std::move(turn_));
  Ask();
  EXPECT_EQ(Doing(), "awaiting_user calls: q,other questions: q.q1.1,q.q2.1");
  Must(AnswerUserQuestion(*turn_, "q", Answers(), kAnn));
  EXPECT_EQ(Events(*log_).back(), kResult);
}

TEST_F(AskUserQuestionTest, AnswersThatOthersGaveOneByOneAreSettled) {
  Ask();
  EXPECT_FALSE(Must(SettleUserQuestion(*turn_, "q")));
  auto other = Resume();
  Must(other->Answer("q.q1.1", ByUser(R"("pg")")));
  EXPECT_FALSE(Must(SettleUserQuestion(*turn_, "q")));
  Must(other->Answer("q.q2.1", ByUser(R"(["c","a"])")));
  other->Suspend();
  EXPECT_TRUE(Must(SettleUserQuestion(*turn_, "q")));
  EXPECT_EQ(Events(*log_).back(), kResult);
}

TEST_F(AskUserQuestionTest, WhatWasAnsweredAlreadyNeedNotBeAnsweredAgain) {
  Ask();
  Must(turn_->Answer("q.q1.1", ByUser(R"("pg")")));
  Must(AnswerUserQuestion(*turn_, "q", {{"Which parts?", {J(R"(["c","a"])")}}}, kAnn));
  EXPECT_EQ(Events(*log_).back(), kResult);
}

TEST_F(AskUserQuestionTest, OneThatIsCancelledCancelsAll) {
  Ask();
  Must(turn_->Cancel("q.q2.1", "end_turn"));
  EXPECT_TRUE(Must(SettleUserQuestion(*turn_, "q")));
  EXPECT_EQ(Events(*log_).back(),
            R"({"type":"tool_call_response","id":"q","content":"User cancelled the question","is_error":true})");
}

// Says these one after another.
Responders Says(std::vector<PromptReply> replies) {
  return {.user = [replies, next = std::size_t{0}](const InquiryRequest&, std::string_view) mutable {
    return Result<PromptReply>(replies.at(next++));
  }};
}

PromptReply Chooses(std::string_view json) {
  return {.kind = PromptReply::Kind::kAnswer, .answer = J(json), .reason = {}};
}

TEST_F(AskUserQuestionTest, AUserWhoIsPresentIsPromptedForEachQuestion) {
  EXPECT_TRUE(
      Must(AskUserQuestion(*turn_, "q", AgentKind::kMain, Says({Chooses(R"("pg")"), Chooses(R"(["c","a"])")}))));
  EXPECT_EQ(Last(1).front(), kResult);
}

TEST_F(AskUserQuestionTest, WhatAUserWhoIsPresentPutsOffIsTakenUpAgain) {
  EXPECT_FALSE(Must(AskUserQuestion(*turn_, "q", AgentKind::kMain, {})));
  EXPECT_FALSE(Must(AskUserQuestion(*turn_, "q", AgentKind::kMain, Says({Chooses(R"("pg")"), PromptReply{}}))));
  turn_ = Crash(std::move(turn_));
  EXPECT_TRUE(Must(AskUserQuestion(*turn_, "q", AgentKind::kMain, Says({Chooses(R"(["c","a"])")}))));
  EXPECT_EQ(Last(1).front(), kResult);
}

TEST_F(AskUserQuestionTest, AUserWhoIsPresentMayStopTheTurnAtAnyQuestion) {
  PromptReply stop{.kind = PromptReply::Kind::kCancel, .answer = {}, .reason = "end_turn"};
  EXPECT_TRUE(Must(AskUserQuestion(*turn_, "q", AgentKind::kMain, Says({stop}))));
  EXPECT_THAT(Last(1).front(), HasSubstr("User cancelled the question"));
  EXPECT_TRUE(Must(AskUserQuestion(*turn_, "other", AgentKind::kSubAgent, {}))) << "refused, so it has its result";
}

}  // namespace
}  // namespace turnlog::ask_user_question_test
