#include "turnlog/inquiry/form.h"

#include <fmt/format.h>

#include <deque>

#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/prompt_text.h"

namespace turnlog::form_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "CODE PATH" of each problem, or "fine".
std::vector<std::string> Problems(std::string_view arguments) {
  const auto form = ParseForm(J(arguments));
  if (form) return {"fine"};
  std::vector<std::string> lines;
  for (const SubmissionProblem& problem : form.error()) lines.push_back(problem.code + " " + problem.path);
  return lines;
}

// The problems of one question with these fields beside its id and text.
std::vector<std::string> ProblemsOf(std::string_view fields) {
  return Problems(fmt::format(R"({{"questions":[{{"id":"a","text":"A?"{}{}}}]}})", fields.empty() ? "" : ",", fields));
}

Form MustParse(std::string_view arguments) {
  const auto form = ParseForm(J(arguments));
  if (!form) throw std::runtime_error(ToJson(form.error()).text());
  return *form;
}

TEST(FormSubmission, EachFieldIsRead) {
  const Form form = MustParse(R"({"questions":[
    {"id":"db","text":"Which?","context":"There are two.","answer_type":"select","default":"pg",
     "options":["pg",{"value":"my","description":"the other"}]},
    {"id":"opts","text":"How?","answer_type":"schema","schema":{"type":"object"},
     "when":{"question_id":"db","equals":"pg"}},
    {"id":"why","text":"Why?"}]})");
  ASSERT_EQ(form.questions.size(), 3U);
  const Question& db = form.questions[0].question;
  EXPECT_EQ(db.text, "Which?");
  EXPECT_EQ(db.context, "There are two.");
  EXPECT_EQ(db.answer_type.kind, AnswerKind::kSelect);
  EXPECT_EQ(db.answer_type.options[1].description, "the other");
  EXPECT_EQ(db.default_value, J(R"("pg")"));
  EXPECT_EQ(form.questions[1].when->question, 0U);
  EXPECT_EQ(form.questions[1].when->equals, J(R"("pg")"));
  EXPECT_EQ(form.questions[1].question.answer_type.schema, J(R"({"type":"object"})"));
  EXPECT_EQ(form.questions[2].question.answer_type.kind, AnswerKind::kText);
}

TEST(FormSubmission, TheArgumentsMustBeAListOfQuestions) {
  EXPECT_THAT(Problems("[]"), ElementsAre("wrong_type "));
  EXPECT_THAT(Problems("{}"), ElementsAre("missing questions"));
  EXPECT_FALSE(ParseForm({}));
  EXPECT_THAT(Problems(R"({"questions":{}})"), ElementsAre("wrong_type questions"));
  EXPECT_THAT(Problems(R"({"questions":[]})"), ElementsAre("empty questions"));
  EXPECT_THAT(Problems(R"({"questions":[1]})"), ElementsAre("wrong_type questions[0]"));
  EXPECT_THAT(Problems(R"({"questions":[{"id":"a","text":"A?"}],"title":"x"})"), ElementsAre("unknown_field "));
}

TEST(FormSubmission, EveryFieldIsChecked) {
  EXPECT_THAT(ProblemsOf(""), ElementsAre("fine"));
  EXPECT_THAT(ProblemsOf(R"("optoins":["x"])"), ElementsAre("unknown_field questions[0]"));
  EXPECT_THAT(ProblemsOf(R"("text":"B?")"), ElementsAre("duplicate_field questions[0].text"));
  EXPECT_THAT(ProblemsOf(R"("context":1)"), ElementsAre("wrong_type questions[0].context"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":"number")"), ElementsAre("unknown_answer_type questions[0].answer_type"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":{"type":"text"})"), ElementsAre("wrong_type questions[0].answer_type"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":"secret")"), ElementsAre("secret_not_allowed questions[0].answer_type"));
  EXPECT_THAT(ProblemsOf(R"("default":1)"), ElementsAre("default_does_not_fit questions[0].default"));
  EXPECT_THAT(Problems(R"({"questions":[{}]})"), ElementsAre("missing questions[0].id", "missing questions[0].text"));
  EXPECT_THAT(Problems(R"({"questions":[{"id":"a.b","text":""}]})"),
              ElementsAre("bad_id questions[0].id", "empty questions[0].text"));
}

TEST(FormSubmission, SchemasThatCannotBeCheckedAreRefused) {
  EXPECT_THAT(ProblemsOf(R"("answer_type":"schema","schema":{"type":"objekt"})"),
              ElementsAre("bad_schema questions[0].schema"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":"schema","schema":{"unevaluatedItems":false})"),
              ElementsAre("bad_schema questions[0].schema"));
}

TEST(FormSubmission, OtherAnswersAreOfferedBesideOptionsOnly) {
  EXPECT_THAT(ProblemsOf(R"("answer_type":"select","options":["x"],"other":true)"), ElementsAre("fine"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":"select","options":["x"],"other":1)"),
              ElementsAre("wrong_type questions[0].other"));
  EXPECT_THAT(ProblemsOf(R"("other":true)"), ElementsAre("other_out_of_place questions[0].other"));
}

TEST(FormSubmission, BlankTextsAreNone) {
  EXPECT_THAT(Problems(R"({"questions":[{"id":"a","text":" \n"}]})"), ElementsAre("empty questions[0].text"));
}

TEST(FormSubmission, OptionsStandWhereTheyBelong) {
  EXPECT_THAT(ProblemsOf(R"("answer_type":"select")"), ElementsAre("options_missing questions[0].options"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":"multi_select","options":[])"),
              ElementsAre("options_missing questions[0].options"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":"select","options":"x")"), ElementsAre("wrong_type questions[0].options"));
  EXPECT_THAT(ProblemsOf(R"("options":["x"])"), ElementsAre("options_out_of_place questions[0].options"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":"boolean","options":["x"])"),
              ElementsAre("options_out_of_place questions[0].options"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":"select","options":["x",{"value":"x"},{"description":"y"},7])"),
              ElementsAre("duplicate_option questions[0].options[1]", "missing questions[0].options[2].value",
                          "wrong_type questions[0].options[3]"));
}

TEST(FormSubmission, SchemasStandWhereTheyBelong) {
  EXPECT_THAT(ProblemsOf(R"("answer_type":"schema")"), ElementsAre("schema_missing questions[0].schema"));
  EXPECT_THAT(ProblemsOf(R"("answer_type":"schema","schema":true)"), ElementsAre("wrong_type questions[0].schema"));
  EXPECT_THAT(ProblemsOf(R"("schema":{})"), ElementsAre("schema_out_of_place questions[0].schema"));
}

TEST(FormSubmission, ConditionsLookBackOnly) {
  const auto when = [](std::string_view condition) {
    return Problems(fmt::format(R"({{"questions":[{{"id":"a","text":"A?","answer_type":"boolean"}},
      {{"id":"b","text":"B?","when":{}}},{{"id":"c","text":"C?"}}]}})",
                                condition));
  };
  EXPECT_THAT(when(R"({"question_id":"a","equals":true})"), ElementsAre("fine"));
  EXPECT_THAT(when(R"({"question_id":"b","equals":"x"})"),
              ElementsAre("forward_reference questions[1].when.question_id"));
  EXPECT_THAT(when(R"({"question_id":"c","equals":"x"})"),
              ElementsAre("forward_reference questions[1].when.question_id"));
  EXPECT_THAT(when(R"({"question_id":"z","equals":"x"})"),
              ElementsAre("unknown_question questions[1].when.question_id"));
  EXPECT_THAT(when(R"({"question_id":"a","equals":"yes"})"),
              ElementsAre("condition_never_holds questions[1].when.equals"));
  EXPECT_THAT(when(R"({"question_id":"a","equals":null})"),
              ElementsAre("condition_never_holds questions[1].when.equals"));
  EXPECT_THAT(when(R"({"question_id":"a"})"), ElementsAre("missing questions[1].when.equals"));
  EXPECT_THAT(when(R"({"equals":1})"), ElementsAre("missing questions[1].when.question_id"));
  EXPECT_THAT(when(R"([])"), ElementsAre("wrong_type questions[1].when"));
}

TEST(FormSubmission, AllProblemsAreReportedAtOnceInAFormThatAModelCanActOn) {
  const auto form = ParseForm(J(R"({"questions":[
    {"id":"a","text":"A?","answer_type":"select"},
    {"id":"a","text":"B?","options":["x"]},
    {"id":"c","text":"C?","when":{"question_id":"d","equals":true}},
    {"id":"d","text":"D?","answer_type":"boolean"}]})"));
  ASSERT_FALSE(form);
  EXPECT_EQ(
      ToJson(form.error()).text(),
      R"({"error":"invalid_questions","problems":[)"
      R"({"code":"options_missing","path":"questions[0].options","message":"select and multi_select need options"},)"
      R"({"code":"duplicate_id","path":"questions[1].id","message":"\"a\" is the id of questions[0] already"},)"
      R"({"code":"options_out_of_place","path":"questions[1].options","message":"only select and multi_select have options"},)"
      R"({"code":"forward_reference","path":"questions[2].when.question_id","message":"\"d\" is not an earlier question"}]})");
}

// --- The walk ---

constexpr std::string_view kBranching = R"({"questions":[
  {"id":"db","text":"Which?","answer_type":"select","options":["pg","my"]},
  {"id":"port","text":"Port?","when":{"question_id":"db","equals":"pg"}},
  {"id":"host","text":"Host?","when":{"question_id":"port","equals":null}},
  {"id":"ok","text":"Fine?","answer_type":"boolean"}]})";

TEST(FormWalk, AsksWhatAppliesAndGivesNullForWhatDoesNot) {
  const Form form = MustParse(kBranching);
  FormWalk walk(form);
  EXPECT_EQ(walk.due().id, "db");
  walk.Answer(J(R"("pg")"));
  EXPECT_EQ(walk.due().id, "port");
  walk.Answer(J(R"("1")"));
  EXPECT_EQ(walk.due().id, "ok");
  walk.Answer(J("true"));
  EXPECT_EQ(walk.end(), FormEnd::kDone);
  EXPECT_EQ(walk.Result().text(), R"({"db":"pg","port":"1","host":null,"ok":true})");
}

TEST(FormWalk, AQuestionThatWasNotAskedCountsAsNull) {
  const Form form = MustParse(kBranching);
  FormWalk walk(form);
  walk.Answer(J(R"("my")"));
  EXPECT_EQ(walk.due().id, "host");
  walk.Answer(J(R"("h")"));
  walk.Answer(J("false"));
  EXPECT_EQ(walk.Result().text(), R"({"db":"my","port":null,"host":"h","ok":false})");
}

TEST(FormWalk, ConditionsOnSeveralOptionsCompareAsASet) {
  const Form form = MustParse(R"({"questions":[
    {"id":"a","text":"A?","answer_type":"multi_select","options":["x","y"]},
    {"id":"b","text":"B?","when":{"question_id":"a","equals":["y","x"]}}]})");
  FormWalk walk(form);
  walk.Answer(J(R"(["x","y"])"));
  EXPECT_FALSE(walk.end());
}

TEST(FormWalk, MayEndWithoutAskingTheLastQuestion) {
  const Form form = MustParse(R"({"questions":[{"id":"a","text":"A?","answer_type":"boolean"},
    {"id":"b","text":"B?","when":{"question_id":"a","equals":true}}]})");
  FormWalk walk(form);
  walk.Answer(J("false"));
  EXPECT_EQ(walk.end(), FormEnd::kDone);
  EXPECT_EQ(walk.Result().text(), R"({"a":false,"b":null})");
}

TEST(FormWalk, BackDiscardsLaterAnswersAndPassesOverWhatWasNotAsked) {
  const Form form = MustParse(kBranching);
  FormWalk walk(form);
  walk.Answer(J(R"("pg")"));
  walk.Answer(J(R"("1")"));
  EXPECT_EQ(walk.due().id, "ok");
  walk.Cancel("back");
  EXPECT_EQ(walk.due().id, "port");  // `host` was not asked
  walk.Cancel("back");
  EXPECT_EQ(walk.due().id, "db");
  walk.Cancel("back");
  EXPECT_EQ(walk.due().id, "db");  // there is none before
  walk.Answer(J(R"("my")"));
  walk.Cancel("reply");
  EXPECT_EQ(walk.Result().text(), R"({"cancelled":true,"answered":{"db":"my"}})");
}

TEST(FormWalk, EndsInTheUsersWay) {
  const Form form = MustParse(kBranching);
  for (const auto& [reason, end] : {std::pair{"reply", FormEnd::kReplied}, std::pair{"end_turn", FormEnd::kTurnEnded},
                                    std::pair{"user", FormEnd::kDeclined}}) {
    FormWalk walk(form);
    walk.Answer(J(R"("pg")"));
    walk.Cancel(reason);
    EXPECT_EQ(walk.end(), end);
    EXPECT_EQ(walk.Result().text(), R"({"cancelled":true,"answered":{"db":"pg"}})");
  }
}

TEST(FormWalk, OtherReasonsLeaveTheQuestionDue) {
  const Form form = MustParse(kBranching);
  FormWalk walk(form);
  walk.Answer(J(R"("pg")"));
  for (const auto* reason : {"expired", "interrupted", "backend_error", "of_a_later_version"}) walk.Cancel(reason);
  EXPECT_FALSE(walk.end());
  EXPECT_EQ(walk.due().id, "port");
}

TEST(FormWalk, TellsTheProgressWhenThereAreSeveralQuestions) {
  const Form form = MustParse(kBranching);
  FormWalk walk(form);
  walk.Answer(J(R"("my")"));
  EXPECT_EQ(walk.Prompt().text, "Host?");
  EXPECT_EQ(PromptText(walk.Prompt()), "[3/4] Host?");
  EXPECT_EQ(walk.Prompt().extra, J(R"({"form":{"question":3,"of":4}})"));
  EXPECT_EQ(walk.Prompt().exclusive, true);
  const Form single = MustParse(R"({"questions":[{"id":"a","text":"A?"}]})");
  EXPECT_EQ(PromptText(FormWalk(single).Prompt()), "A?");
}

// --- The run ---

class FormRunTest : public InquiryTest {
 protected:
  FormRunTest() {
    turn_ = Begin();
    Must(turn_->RequestTool(Call("f", "form", kBranching)));
  }

  // A user who does these things, one after another, and then puts the question off. A word of cancellation or JSON.
  Responders User(std::deque<std::string> words) {
    return {.user = [this, words](const InquiryRequest& inquiry, std::string_view) mutable -> Result<PromptReply> {
      prompts_.push_back(inquiry.id.text + " " + PromptText(inquiry.question));
      if (words.empty()) return PromptReply{};
      const std::string word = words.front();
      words.pop_front();
      const bool is_json = ParseJson(word).has_value();
      return is_json ? PromptReply{PromptReply::Kind::kAnswer, J(word), false, {}}
                     : PromptReply{PromptReply::Kind::kCancel, {}, false, word};
    }};
  }
  FormOutcome Run(const Responders& responders) { return Must(AskUser(*turn_, "f", responders)); }

  std::unique_ptr<TurnRecorder> turn_;
  std::vector<std::string> prompts_;
};

TEST_F(FormRunTest, TheAnswersBecomeTheCallsResult) {
  const FormOutcome outcome = Run(User({R"("pg")", R"("5432")", "true"}));
  EXPECT_EQ(outcome.kind, FormOutcome::Kind::kDone);
  EXPECT_EQ(outcome.content, R"({"db":"pg","port":"5432","host":null,"ok":true})");
  EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
  EXPECT_EQ(Events(*log_).back(),
            R"({"type":"tool_call_response","id":"f",)"
            R"("content":"{\"db\":\"pg\",\"port\":\"5432\",\"host\":null,\"ok\":true}","is_error":false})");
  EXPECT_THAT(prompts_, ElementsAre("f.db.1 [1/4] Which?", "f.port.1 [2/4] Port?", "f.ok.1 [4/4] Fine?"));
}

TEST_F(FormRunTest, GoingBackAsksAgainAsTheNextAttempt) {
  EXPECT_EQ(Run(User({R"("pg")", "back", R"("my")", R"("h")", "true"})).content,
            R"({"db":"my","port":null,"host":"h","ok":true})");
  EXPECT_THAT(prompts_, ElementsAre("f.db.1 [1/4] Which?", "f.port.1 [2/4] Port?", "f.db.2 [1/4] Which?",
                                    "f.host.1 [3/4] Host?", "f.ok.1 [4/4] Fine?"));
}

TEST_F(FormRunTest, GoingBackAsksWithTheEarlierAnswerAsDefault) {
  std::vector<std::string> defaults;
  std::deque<PromptReply> replies{{PromptReply::Kind::kAnswer, J(R"("pg")"), false, {}},
                                  {PromptReply::Kind::kCancel, {}, false, "back"},
                                  PromptReply{}};
  const Responders user{.user = [&](const InquiryRequest& inquiry, std::string_view) -> Result<PromptReply> {
    defaults.push_back(inquiry.question.default_value.text());
    PromptReply reply = replies.front();
    replies.pop_front();
    return reply;
  }};
  EXPECT_EQ(Run(user).kind, FormOutcome::Kind::kWaits);
  EXPECT_THAT(defaults, ElementsAre("", "", R"("pg")"));
}

TEST_F(FormRunTest, ThereIsNoWayBackFromTheFirstQuestion) {
  EXPECT_EQ(Run(User({"back", R"("my")", "reply"})).content, R"({"cancelled":true,"answered":{"db":"my"}})");
  EXPECT_THAT(prompts_, ElementsAre("f.db.1 [1/4] Which?", "f.db.1 [1/4] Which?", "f.host.1 [3/4] Host?"));
}

TEST_F(FormRunTest, NotesAreOnRecordAndReachTheModel) {
  Must(turn_->RequestTool(Call("n", "form", R"({"questions":[{"id":"a","text":"A?"}]})")));
  PromptReply reply{PromptReply::Kind::kAnswer, J(R"("x")"), false, {}};
  reply.note = "for now";
  const Responders user{.user = [&](const InquiryRequest&, std::string_view) { return Result<PromptReply>(reply); }};
  EXPECT_EQ(Must(AskUser(*turn_, "n", user)).content, R"({"a":"x","a.note":"for now"})");
  EXPECT_THAT(Events(*log_), testing::Contains(HasSubstr(R"("answer":"x","reason":"for now")")));
}

TEST_F(FormRunTest, APrompterThatFailsLeavesTheQuestionWaiting) {
  const Responders broken{.user = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> {
    return std::unexpected(Error{ErrorCode::kIo, "no terminal", {}});
  }};
  EXPECT_EQ(MessageOf(AskUser(*turn_, "f", broken)), "no terminal");
  turn_.reset();
  EXPECT_EQ(Doing(), "awaiting_user calls: f questions: f.db.1");
}

TEST_F(FormRunTest, AReplyGivesWhatWasAnsweredAndTheModelGoesOn) {
  const FormOutcome outcome = Run(User({R"("my")", "reply"}));
  EXPECT_EQ(outcome.kind, FormOutcome::Kind::kReplied);
  EXPECT_EQ(outcome.content, R"({"cancelled":true,"answered":{"db":"my"}})");
  EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
}

TEST_F(FormRunTest, EndingTheTurnLeavesTheConversationIdle) {
  EXPECT_EQ(Run(User({"end_turn"})).kind, FormOutcome::Kind::kTurnEnded);
  EXPECT_EQ(Doing(), "idle calls:  questions: ");
}

TEST_F(FormRunTest, WithoutAUserTheFormIsStoppedWithTheCauseOrAnsweredByItsDefaults) {
  const FormOutcome outcome = Run({});
  EXPECT_EQ(outcome.kind, FormOutcome::Kind::kStopped);
  EXPECT_EQ(outcome.content, R"({"error":"form_stopped","cause":"no_prompt_backend","question":"db","answered":{}})");
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("is_error":true)"));
  Must(turn_->RequestTool(Call("f", "form", R"({"questions":[{"id":"a","text":"A?","default":"x"}]})")));
  EXPECT_EQ(Run({.detached = DetachedPolicy::kDefaults}).content, R"({"a":"x"})");
}

TEST_F(FormRunTest, AFormIsNeverAnsweredByTheAssistant) {
  const Responders assistant_only{.assistant = [](const AssistantRequest&) -> Result<std::string> {
                                    ADD_FAILURE() << "the assistant was asked";
                                    return "";
                                  },
                                  .detached = DetachedPolicy::kAuto};
  EXPECT_EQ(Run(assistant_only).kind, FormOutcome::Kind::kStopped);
}

TEST_F(FormRunTest, AFormThatIsWrongGetsAnErrorResultWithAllProblems) {
  Must(turn_->RequestTool(Call("g", "form", R"({"questions":[{"id":"a"}]})")));
  const FormOutcome outcome = Must(AskUser(*turn_, "g", User({})));
  EXPECT_EQ(outcome.kind, FormOutcome::Kind::kWrong);
  EXPECT_THAT(outcome.content, HasSubstr(R"({"code":"missing","path":"questions[0].text")"));
  EXPECT_THAT(Events(*log_).back(), HasSubstr(R"("is_error":true)"));
  EXPECT_THAT(prompts_, IsEmpty());
  EXPECT_EQ(CodeOf(AskUser(*turn_, "g", User({}))), "conflict");
  EXPECT_EQ(CodeOf(AskUser(*turn_, "z", User({}))), "not found");
}

TEST_F(FormRunTest, InquiriesThatAreNotOfTheFormAreAnError) {
  Must(turn_->Ask(Asks("f", "other", Boolean())));
  EXPECT_EQ(CodeOf(AskUser(*turn_, "f", User({}))), "invalid argument");
}

TEST_F(FormRunTest, OnlyTheQuestionThatExpiredIsAskedAgainAfterARestart) {
  Run(User({R"("pg")", R"("1")"}));
  Must(turn_->Cancel("f.ok.1", "expired"));
  turn_ = Crash(std::move(turn_));
  prompts_.clear();
  EXPECT_EQ(Run(User({"true"})).content, R"({"db":"pg","port":"1","host":null,"ok":true})");
  EXPECT_THAT(prompts_, ElementsAre("f.ok.2 [4/4] Fine?"));
}

// Whatever was on record when the process died: the form goes on there and comes to the same end. Every event after the
// call is a place to die, so every state of the walk is one: not begun, waiting, answered, gone back, over, finished.
TEST_F(FormRunTest, ResumesAfterACrashInEveryState) {
  const std::vector<std::deque<std::string>> scripts{
      {R"("pg")", "back", R"("my")", "back", R"("pg")", R"("1")", "back", R"("2")", "true"},
      {R"("my")", R"("h")", "back", "reply"},
      {R"("pg")", "end_turn"},
      {"user"}};
  for (const auto& script : scripts) {
    Must(turn_->Close("run_terminated"));
    turn_ = Begin();
    Must(turn_->RequestTool(Call("f", "form", kBranching)));
    const std::size_t begin = Events(*log_).size();
    const FormOutcome whole = Run(User(script));
    const std::size_t end = Events(*log_).size();
    for (std::size_t length = begin; length < end; ++length) {
      // The same history up to there, in a conversation of its own.
      const ConversationId copy = Id(fmt::format("copy {} {}", begin, length));
      std::size_t prompted = 0, taken = 0;
      const auto cursor = Must(log_->ReadRaw(c_));
      for (Item item = Must(cursor->Next()); taken < length; item = Must(cursor->Next()), ++taken) {
        const Event event = Own(Must(std::get<Record>(item).Decode()));
        if (taken >= begin && event.kind() == EventKind::kInquiryResponse) ++prompted;
        Must(log_->Append(copy, event, kBuffered));
      }
      auto resumed = Must(TurnRecorder::Resume(*log_, copy));
      const std::deque<std::string> rest(script.begin() + static_cast<std::ptrdiff_t>(prompted), script.end());
      const FormOutcome outcome = Must(AskUser(*resumed, "f", User(rest)));
      EXPECT_EQ(outcome.kind, whole.kind) << length;
      EXPECT_EQ(outcome.content, whole.content) << length;
    }
  }
}

}  // namespace
}  // namespace turnlog::form_test
