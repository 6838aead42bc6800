#include "turnlog/inquiry/ask_user.h"

#include <fmt/format.h>

#include "tests/inquiry/inquiry_fixture.h"

namespace turnlog::ask_user_test {
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

TEST(UserQuestions, AllThatIsWrongIsToldAtOnce) {
  EXPECT_THAT(
      Problems(R"({"questions":[{"header":1,"multiSelect":"yes","options":[{"label":""},"x"],"more":1},
                                        {"question":"Q?","header":"h","options":{}}, 7]})"),
      ElementsAre("unknown_field questions[0]", "missing questions[0].question", "wrong_type questions[0].multiSelect",
                  "empty questions[0].options[0].label", "wrong_type questions[0].options[1]",
                  "wrong_type questions[0].header", "wrong_type questions[1].options", "wrong_type questions[2]"));
}

class AskUserTest : public InquiryTest {
 protected:
  AskUserTest() {
    turn_ = Begin();
    Must(turn_->RequestTools(std::vector{Call("q", "ask_user_question", kTwo), Call("other")}));
  }
  void Ask() { EXPECT_EQ(Must(AskUser(*turn_, "q", AgentKind::kMain)).size(), 2U); }
  static std::map<std::string, Json> Answers() {
    return {{"Which database?", J(R"("pg")")}, {"Which parts?", J(R"(["c","a"])")}};
  }

  static constexpr std::string_view kResult =
      R"({"type":"tool_call_response","id":"q",)"
      R"("content":"{\"Which database?\":\"pg\",\"Which parts?\":[\"c\",\"a\"]}","is_error":false})";

  std::unique_ptr<TurnRecorder> turn_;
};

TEST_F(AskUserTest, WaitsWhileOtherCallsOfTheMessageRun) {
  Ask();
  EXPECT_EQ(Doing(), "awaiting_user calls: q,other questions: q.q1.1,q.q2.1");
  Must(turn_->FinishTool("other", {"done", false, {}}));
  EXPECT_EQ(Doing(), "awaiting_user calls: q questions: q.q1.1,q.q2.1");
}

TEST_F(AskUserTest, IsRecordedAsTheAssistantsQuestionForAPersonOnly) {
  Ask();
  EXPECT_THAT(
      Events(*log_),
      Contains(HasSubstr(
          R"("source":{"source":"assistant"},"question":{"text":"Which database?","answer_type":{"type":"select",)"
          R"("options":[{"value":"sqlite","description":"a file"},{"value":"pg"}]},"exclusive":true,"persistence":"none",)"
          R"("header":"Database"})")));
}

TEST_F(AskUserTest, TheAnswersByQuestionTextBecomeTheResult) {
  Ask();
  Must(AnswerUser(*turn_, "q", Answers()));
  EXPECT_EQ(Events(*log_).back(), kResult);
  EXPECT_EQ(Doing(), "running_tools calls: other questions: ");
}

TEST_F(AskUserTest, AnAnswerThatIsMissingTooManyOrWrongRecordsNothing) {
  Ask();
  auto answers = Answers();
  answers["Which database?"] = J(R"("oracle")");
  EXPECT_EQ(CodeOf(AnswerUser(*turn_, "q", answers)), "invalid argument");
  answers = Answers();
  answers.erase("Which parts?");
  EXPECT_EQ(MessageOf(AnswerUser(*turn_, "q", answers)), "inquiry q.q2.1 has no answer");
  answers = Answers();
  answers["Why?"] = J(R"("x")");
  EXPECT_EQ(MessageOf(AnswerUser(*turn_, "q", answers)), "there is an answer to a question that does not wait");
  EXPECT_EQ(Doing(), "awaiting_user calls: q,other questions: q.q1.1,q.q2.1");
}

TEST_F(AskUserTest, CancellingGivesAnErrorResult) {
  Ask();
  Must(CancelUser(*turn_, "q"));
  EXPECT_EQ(Events(*log_).back(),
            R"({"type":"tool_call_response","id":"q","content":"User cancelled the question","is_error":true})");
  EXPECT_EQ(Doing(), "running_tools calls: other questions: ");
}

TEST_F(AskUserTest, AnsweringTwiceOrTooLateIsAnError) {
  EXPECT_EQ(CodeOf(AnswerUser(*turn_, "q", Answers())), "invalid argument");  // it was not asked yet
  Ask();
  Must(AnswerUser(*turn_, "q", Answers()));
  EXPECT_EQ(CodeOf(AnswerUser(*turn_, "q", Answers())), "not found");
  EXPECT_EQ(CodeOf(CancelUser(*turn_, "q")), "not found");
  auto late = Resume();
  turn_ = Begin("next");
  EXPECT_EQ(CodeOf(AnswerUser(*turn_, "q", Answers())), "not found");
}

TEST_F(AskUserTest, AnsweringAfterANewTurnBeganIsAConflictAndRecordsNothing) {
  Ask();
  auto next = Begin("never mind");
  const auto events = Events(*log_);
  EXPECT_EQ(CodeOf(AnswerUser(*turn_, "q", Answers())), "conflict");
  EXPECT_EQ(Events(*log_), events);
}

TEST_F(AskUserTest, IsNotForSubAgents) {
  EXPECT_THAT(Must(AskUser(*turn_, "q", AgentKind::kSubAgent)), IsEmpty());
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("content":"Only the main agent may ask the user.)"));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("is_error":true)"));
}

TEST_F(AskUserTest, WrongArgumentsGetAnErrorResult) {
  Must(turn_->RequestTool(Call("w", "ask_user_question", R"({"questions":[]})")));
  EXPECT_THAT(Must(AskUser(*turn_, "w", AgentKind::kMain)), IsEmpty());
  EXPECT_THAT(Events(*log_).back(), HasSubstr("invalid_questions"));
}

TEST_F(AskUserTest, AfterARestartItWaitsStillAndIsNotAskedTwice) {
  Ask();
  turn_ = Crash(std::move(turn_));
  Ask();
  EXPECT_EQ(Doing(), "awaiting_user calls: q,other questions: q.q1.1,q.q2.1");
  Must(AnswerUser(*turn_, "q", Answers()));
  EXPECT_EQ(Events(*log_).back(), kResult);
}

TEST_F(AskUserTest, AnswersThatOthersGaveOneByOneAreSettled) {
  Ask();
  EXPECT_FALSE(Must(SettleUser(*turn_, "q")));
  auto other = Resume();
  Must(other->Answer("q.q1.1", ByUser(R"("pg")")));
  EXPECT_FALSE(Must(SettleUser(*turn_, "q")));
  Must(other->Answer("q.q2.1", ByUser(R"(["c","a"])")));
  other->Suspend();
  EXPECT_TRUE(Must(SettleUser(*turn_, "q")));
  EXPECT_EQ(Events(*log_).back(), kResult);
}

TEST_F(AskUserTest, WhatWasAnsweredAlreadyNeedNotBeAnsweredAgain) {
  Ask();
  Must(turn_->Answer("q.q1.1", ByUser(R"("pg")")));
  Must(AnswerUser(*turn_, "q", {{"Which parts?", J(R"(["c","a"])")}}));
  EXPECT_EQ(Events(*log_).back(), kResult);
}

TEST_F(AskUserTest, OneThatSomebodyCancelledCancelsAll) {
  Ask();
  Must(turn_->Cancel("q.q2.1", "user"));
  EXPECT_EQ(CodeOf(AnswerUser(*turn_, "q", {{"Which database?", J(R"("pg")")}})), "invalid argument");
  EXPECT_TRUE(Must(SettleUser(*turn_, "q")));
  EXPECT_EQ(Events(*log_).back(),
            R"({"type":"tool_call_response","id":"q","content":"User cancelled the question","is_error":true})");
}

}  // namespace
}  // namespace turnlog::ask_user_test
