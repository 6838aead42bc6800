#include "turnlog/inquiry/pending_inquiry_responder.h"

#include <deque>

#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/ask_user_question.h"
#include "turnlog/inquiry/denials.h"
#include "turnlog/inquiry/prompt_text.h"

namespace turnlog::pending_inquiry_responder_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kForm = R"({"questions":[{"id":"a","text":"A?"},{"id":"b","text":"B?"}]})";
constexpr std::string_view kQuestions =
    R"({"questions":[{"question":"Which?","header":"Db","options":[{"label":"pg"},{"label":"my"}]},)"
    R"({"question":"Who?","header":"Name","options":[{"label":"me"},{"label":"you"}]}]})";

class PendingInquiryResponderTest : public InquiryTest {
 protected:
  // An agent makes a call, does this, and goes.
  template <class Work>
  void Leave(const ToolCallRequest& call, Work work) {
    const auto turn = Begin();
    Must(turn->RequestTool(call));
    work(*turn);
    turn->Suspend();
  }
  void LeaveQuestion(const Question& question = Boolean()) {
    Leave(Call("f"), [&](TurnRecorder& turn) { Must(turn.Ask(Asks("f", "q", question))); });
  }
  void LeaveForm() {
    Leave(Call("f", "form", kForm), [&](TurnRecorder& turn) { Must(AskUser(turn, "f", {.user = User({})})); });
  }

  // Does these things, one after another, and then puts questions off. JSON, or a word of cancellation.
  Prompter User(std::deque<std::string> words) {
    return [this, words](const InquiryRequest& inquiry, std::string_view problem) mutable -> Result<PromptReply> {
      prompts_.push_back(inquiry.id.text);
      problems_.emplace_back(problem);
      if (words.empty()) return PromptReply{};
      const std::string word = words.front();
      words.pop_front();
      if (ParseJson(word)) return PromptReply{PromptReply::Kind::kAnswer, J(word), false, {}};
      return PromptReply{PromptReply::Kind::kCancel, {}, false, word};
    };
  }
  Status Respond(std::string_view inquiry, std::deque<std::string> words) {
    return Must(PendingInquiryResponder::Open(*log_, c_)).Respond(inquiry, {.user = User(std::move(words))});
  }

  std::vector<std::string> prompts_, problems_;
};

TEST_F(PendingInquiryResponderTest, ClosesOneInquiryAndLeavesEverythingElseOpen) {
  Leave(Call("f"), [&](TurnRecorder& turn) {
    Must(turn.AskAll(std::vector{Asks("f", "q", Boolean()), Asks("f", "p", Boolean())}));
  });
  Must(Respond("f.q.1", {"7", "true"}));
  EXPECT_THAT(problems_, ElementsAre("", "answer: must be of type boolean"));
  EXPECT_EQ(Doing(), "awaiting_user calls: f questions: f.p.1");
}

TEST_F(PendingInquiryResponderTest, WhatIsPutOffGoesOnWaiting) {
  LeaveQuestion();
  const std::size_t before = Events(*log_).size();
  Must(Respond("f.q.1", {}));
  EXPECT_THAT(Events(*log_), SizeIs(before));
}

TEST_F(PendingInquiryResponderTest, TheAgentFindsTheAnswerWhenItComesBack) {
  LeaveQuestion();
  Must(Respond("f.q.1", {"true"}));
  const auto turn = Resume();
  const TurnState state = turn->state();
  const auto inquiries = state.InquiriesOf(*state.FindCall("f"));
  ASSERT_THAT(inquiries, SizeIs(1));
  EXPECT_EQ(inquiries[0]->response->answer, J("true"));
  EXPECT_EQ(inquiries[0]->response->responder->kind, "user");
  Must(turn->FinishTool("f", {"done", false, {}}));
}

TEST_F(PendingInquiryResponderTest, SaysWhyAnInquiryDoesNotWaitAndPromptsNobody) {
  LeaveQuestion();
  EXPECT_EQ(CodeOf(Respond("f.none.1", {"true"})), "not found");
  Must(Respond("f.q.1", {"user"}));
  prompts_.clear();
  EXPECT_EQ(CodeOf(Respond("f.q.1", {"true"})), "conflict");
  Begin("again")->Suspend();
  EXPECT_EQ(CodeOf(Respond("f.q.1", {"true"})), "conflict");
  EXPECT_THAT(prompts_, IsEmpty());
  EXPECT_EQ(CodeOf(PendingInquiryResponder::Open(*log_, Id("nowhere"))), "not found");
}

TEST_F(PendingInquiryResponderTest, ASecretIsRecordedAsRedacted) {
  LeaveQuestion(Secret());
  Must(Respond("f.q.1", {R"("hunter2")"}));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("outcome":"redacted")"));
}

TEST_F(PendingInquiryResponderTest, AFormGoesOnWithItsNextQuestion) {
  LeaveForm();
  prompts_.clear();
  Must(Respond("f.a.1", {R"("1")"}));
  EXPECT_THAT(prompts_, ElementsAre("f.a.1", "f.b.1"));
  EXPECT_EQ(Doing(), "awaiting_user calls: f questions: f.b.1");
  Must(Respond("f.b.1", {"back", R"("2")", R"("3")"}));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"({\"a\":\"2\",\"b\":\"3\"})"));
  EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
}

TEST_F(PendingInquiryResponderTest, AFormAlsoGoesOnWhenItsEventsHaveBeenWrittenAnew) {
  LeaveForm();
  std::string question = Events(*log_).back();
  const std::string_view mark = R"("form":{"question":1,"of":2})";
  question.replace(question.find(mark), mark.size(), R"("form": {"of": 2, "question": 1})");
  Must(Append("d", std::vector<Event>{{.body = TurnStart{}}, {.body = Call("f", "form", kForm)}}));
  Must(Append("d", Must(ParseEvent(question))));
  Must(Must(PendingInquiryResponder::Open(*log_, Id("d"))).Respond("f.a.1", {.user = User({R"("1")"})}));
  EXPECT_EQ(Doing(Must(LoadTurnState(*log_, Id("d")))), "awaiting_user calls: f questions: f.b.1");
}

TEST_F(PendingInquiryResponderTest, AQuestionThatOnlyLooksLikeOneOfAFormIsClosedByItself) {
  Question question = Boolean("A?");
  question.extra = J(R"({"form":{"question":1,"of":2}})");
  LeaveQuestion(question);
  Must(Respond("f.q.1", {"true"}));
  EXPECT_EQ(Doing(), "running_tools calls: f questions: ");
}

TEST_F(PendingInquiryResponderTest, TheLastAnswerToTheUsersQuestionsIsTheResultOfTheCall) {
  Leave(Call("f", "ask_user_question", kQuestions),
        [](TurnRecorder& turn) { Must(AskUserQuestion(turn, "f", AgentKind::kMain)); });
  Must(Respond("f.q2.1", {R"("me")"}));
  EXPECT_EQ(Doing(), "awaiting_user calls: f questions: f.q1.1");
  Must(Respond("f.q1.1", {R"("pg")"}));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"({\"answers\":{\"Which?\":\"pg\",\"Who?\":\"me\"}})"));
}

TEST_F(PendingInquiryResponderTest, CancellingOneOfTheUsersQuestionsCancelsTheCall) {
  Leave(Call("f", "ask_user_question", kQuestions),
        [](TurnRecorder& turn) { Must(AskUserQuestion(turn, "f", AgentKind::kMain)); });
  Must(Respond("f.q2.1", {"end_turn"}));
  EXPECT_THAT(Events(*log_).back(), HasSubstr("User cancelled the question"));
  EXPECT_EQ(Doing(), "idle calls:  questions: ");
}

TEST_F(PendingInquiryResponderTest, ACallThatIsRefusedGetsItsResult) {
  Leave(Call("f"), [&](TurnRecorder& turn) { Must(Approve(turn, "f", {.user = User({})})); });
  Must(Respond("f.approve.1", {"false"}));
  EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
  EXPECT_THAT(Must(UndeliveredDenials(*log_, c_)), SizeIs(1));
}

TEST_F(PendingInquiryResponderTest, ACallThatIsAllowedWaitsForItsAgent) {
  Leave(Call("f"), [&](TurnRecorder& turn) { Must(Approve(turn, "f", {.user = User({})})); });
  const auto allow = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
    return PromptReply{PromptReply::Kind::kAnswer, J("true"), true, {}};
  };
  Must(Must(PendingInquiryResponder::Open(*log_, c_)).Respond("f.approve.1", {.user = allow}));
  EXPECT_EQ(Doing(), "running_tools calls: f questions: ");
  const auto turn = Must(TurnRecorder::Resume(*log_, c_));
  Must(turn->RequestTool(Call("g")));
  EXPECT_EQ(Must(Approve(*turn, "g", {})).kind, Approval::Kind::kApproved) << "remembered for the turn";
}

TEST_F(PendingInquiryResponderTest, AnInquiryOfNoCallIsClosedByItself) {
  Must(Append("c",
              std::vector<Event>{{.body = TurnStart{}}, {.body = InquiryRequest{Opaque("old"), {}, Boolean(), {}}}}));
  Must(Respond("old", {"true"}));
  EXPECT_EQ(Doing(), "idle calls:  questions: ");
}

TEST_F(PendingInquiryResponderTest, APrompterThatThrowsClosesNothing) {
  LeaveQuestion();
  const std::size_t before = Events(*log_).size();
  const Prompter broken = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
    throw std::runtime_error("no memory");
  };
  EXPECT_THROW(Must(Must(PendingInquiryResponder::Open(*log_, c_)).Respond("f.q.1", {.user = broken})),
               std::runtime_error);
  EXPECT_THAT(Events(*log_), SizeIs(before));
}

TEST(FormProgress, IsWhatTheQuestionSaysItself) {
  Question question = Boolean();
  EXPECT_FALSE(FindFormProgress(question));
  question.extra = J(R"({"form":{"question":2,"of":3}})");
  EXPECT_EQ(FindFormProgress(question)->question, 2U);
  EXPECT_EQ(FindFormProgress(question)->of, 3U);
  question.extra = J(R"({"form":"b"})");
  EXPECT_FALSE(FindFormProgress(question));
  question.extra = J(R"({"form":{}})");
  EXPECT_EQ(FindFormProgress(question)->question, 0U);
}

}  // namespace
}  // namespace turnlog::pending_inquiry_responder_test
