#include "turnlog/inquiry/turn_recorder.h"

#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog::turn_recorder_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using TurnRecorderTest = InquiryTest;

TEST_F(TurnRecorderTest, WritesOrdinaryEventsInTheOrderInWhichThingsHappen) {
  auto turn = Begin("hello");
  Must(turn->RequestTools(std::vector{Call("a", "bash", R"({"cmd":"ls"})"), Call("b")}));
  const InquiryId id = Must(turn->Ask(Asks("a", "sure", Boolean())));
  Must(turn->Answer(id.text, ByUser("true")));
  Must(turn->FinishTool("a", {"files", false, {}}));
  Must(turn->FinishTool("b", {"done", false, J(R"({"ms":5})")}));
  Must(turn->Respond({ChatPart::kMessage, "bye"}));
  EXPECT_THAT(
      Events(*log_),
      ElementsAre(
          R"({"type":"turn_start"})", R"({"type":"chat_request","content":"hello"})",
          R"({"type":"tool_call_request","id":"a","name":"bash","arguments":{"cmd":"ls"}})",
          R"({"type":"tool_call_request","id":"b","name":"bash","arguments":{}})",
          R"({"type":"inquiry_request","id":"a.sure.1","key":{"tool_call":"a","question":"sure","attempt":1},)"
          R"("source":{"source":"tool","name":"bash"},"question":{"text":"Sure?","answer_type":{"type":"boolean"}}})",
          R"({"type":"inquiry_response","outcome":"answered","id":"a.sure.1",)"
          R"("key":{"tool_call":"a","question":"sure","attempt":1},"answer":true,"responder":{"kind":"user"}})",
          R"({"type":"tool_call_response","id":"a","content":"files","is_error":false})",
          R"({"type":"tool_call_response","id":"b","content":"done","is_error":false,"metadata":{"ms":5}})",
          R"({"type":"chat_response","message":"bye"})"));
}

TEST_F(TurnRecorderTest, EventsHaveTheTimeOfTheirClock) {
  RecorderOptions options;
  options.now = [] { return Timestamp{1'000'000'007}; };
  Must(TurnRecorder::Begin(*log_, c_, {"go", {}, {}}, options));
  const auto cursor = Must(log_->ReadRaw(c_));
  const Item item = Must(cursor->Next());
  EXPECT_EQ(Must(std::get<Record>(item).Decode()).timestamp, Timestamp{1'000'000'007});
}

TEST_F(TurnRecorderTest, AttemptsCountFromOneForEachCallAndQuestion) {
  auto turn = Begin();
  Must(turn->RequestTools(std::vector{Call("a"), Call("b.x")}));
  const auto ask = [&](std::string_view call, std::string_view question) {
    const std::string id = Must(turn->Ask(Asks(call, question, Boolean()))).text;
    Must(turn->Cancel(id, cancellation::kExpired));
    return id;
  };
  EXPECT_EQ(ask("a", "q"), "a.q.1");
  EXPECT_EQ(ask("a", "q"), "a.q.2");
  EXPECT_EQ(ask("a", "r"), "a.r.1");
  EXPECT_EQ(ask("b.x", "q"), "b.x.q.1");
  Must(turn->FinishTool("a", {"", false, {}}));
  Must(turn->RequestTool(Call("a")));
  EXPECT_EQ(ask("a", "q"), "a.q.3");  // the same call id again, in the same turn
}

TEST_F(TurnRecorderTest, AttemptsGoOnAfterACrash) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Cancel(Must(turn->Ask(Asks("a", "q", Boolean()))).text, cancellation::kExpired));
  turn = Crash(std::move(turn));
  EXPECT_EQ(Must(turn->Ask(Asks("a", "q", Boolean()))).text, "a.q.2");
}

TEST_F(TurnRecorderTest, AttemptsBeginAnewInTheNextTurn) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  turn = Begin();
  Must(turn->RequestTool(Call("a")));
  EXPECT_EQ(Must(turn->Ask(Asks("a", "q", Boolean()))).text, "a.q.1");
}

TEST_F(TurnRecorderTest, AnIdThatAnOlderWriterUsedInTheTurnIsNotUsedAgain) {
  Begin()->Suspend();
  Must(Append("c", Event{.body = Call("a")}));
  Must(Append("c", Ask(Opaque("a.q.1"))));
  Must(Append("c", Answer(Opaque("a.q.1"))));
  EXPECT_EQ(Must(Resume()->Ask(Asks("a", "q", Boolean()))).text, "a.q.2");
}

TEST_F(TurnRecorderTest, SeveralQuestionsAreAskedInOneAppendOrNone) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  EXPECT_EQ(CodeOf(turn->AskAll(std::vector{Asks("a", "q", Boolean()), Asks("z", "q", Boolean())})), "not found");
  EXPECT_EQ(CodeOf(turn->AskAll(std::vector{Asks("a", "q", Boolean()), Asks("a", "q", Text())})), "invalid argument");
  EXPECT_EQ(CodeOf(turn->AskAll(std::vector{Asks("a", "q", Boolean()), Asks("a", "r.s", Text())})), "invalid argument");
  EXPECT_EQ(Doing(), "running_tools calls: a questions: ");
  EXPECT_EQ(Must(turn->AskAll(std::vector{Asks("a", "q", Boolean()), Asks("a", "r", Text())})).size(), 2U);
  EXPECT_EQ(Doing(), "awaiting_user calls: a questions: a.q.1,a.r.1");
}

TEST_F(TurnRecorderTest, AnAnswerMustFitItsQuestion) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  const InquiryId id = Must(turn->Ask(Asks("a", "q", Boolean())));
  EXPECT_EQ(CodeOf(turn->Answer(id.text, ByUser(R"("yes")"))), "invalid argument");
  EXPECT_EQ(Doing(), "awaiting_user calls: a questions: a.q.1");
}

TEST_F(TurnRecorderTest, AnsweringTwiceIsAnError) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  const InquiryId id = Must(turn->Ask(Asks("a", "q", Boolean())));
  Must(turn->Answer(id.text, ByUser("true")));
  EXPECT_EQ(CodeOf(turn->Answer(id.text, ByUser("false"))), "conflict");
  EXPECT_EQ(CodeOf(turn->Cancel(id.text, cancellation::kUser)), "conflict");
  EXPECT_EQ(CodeOf(turn->CloseAll(std::vector{Closing{id.text, ByUser("true"), {}}})), "conflict");
  Must(turn->FinishTool("a", {"", false, {}}));
  EXPECT_EQ(CodeOf(turn->Answer(id.text, ByUser("true"))), "conflict");
}

TEST_F(TurnRecorderTest, AnsweringTheSameInquiryTwiceAtOnceIsAnError) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  const InquiryId id = Must(turn->Ask(Asks("a", "q", Boolean())));
  const std::vector<Closing> twice(2, Closing{id.text, ByUser("true"), {}});
  EXPECT_EQ(CodeOf(turn->CloseAll(twice)), "conflict");
  EXPECT_EQ(Doing(), "awaiting_user calls: a questions: a.q.1");
}

TEST_F(TurnRecorderTest, AnsweringWhenTheTurnIsOverIsAnError) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  turn = Begin();
  EXPECT_EQ(CodeOf(turn->Answer("a.q.1", ByUser("true"))), "conflict");
}

TEST_F(TurnRecorderTest, AnsweringWhatWasNeverAskedIsNotFound) {
  EXPECT_EQ(CodeOf(Begin()->Answer("a.q.1", ByUser("true"))), "not found");
}

TEST_F(TurnRecorderTest, AnInquiryTakesACancellationOfAnyReason) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  const InquiryId id = Must(turn->Ask(Asks("a", "q", Boolean())));
  Must(turn->Cancel(id.text, "of_a_later_version"));
  EXPECT_THAT(Last(1).front(), HasSubstr(R"("reason":"of_a_later_version")"));
}

TEST_F(TurnRecorderTest, ASecretIsRecordedAsRedactedAndNeverFromTheAssistant) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  const InquiryId id = Must(turn->Ask(Asks("a", "key", Secret())));
  EXPECT_EQ(CodeOf(turn->Answer(id.text, ByAssistant(R"("guess")", "r"))), "invalid argument");
  EXPECT_EQ(CodeOf(turn->Answer(id.text, ByUser("17"))), "invalid argument");
  GivenAnswer answer = Remembered(R"("kept-nowhere")");
  answer.reason = "kept-nowhere";
  Must(turn->Answer(id.text, answer));
  EXPECT_THAT(Last(1).front(), HasSubstr(R"("outcome":"redacted")"));
  EXPECT_THAT(Events(*log_), Not(Contains(HasSubstr("kept-nowhere"))));
  EXPECT_EQ(turn->FindRemembered(Asks("a", "key", Secret())), std::nullopt);
}

TEST_F(TurnRecorderTest, ACancellationWithoutAReasonIsUnspecified) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Cancel(Must(turn->Ask(Asks("a", "q", Boolean()))).text, ""));
  EXPECT_THAT(Last(1).front(), HasSubstr(R"("reason":"unspecified")"));
}

TEST_F(TurnRecorderTest, TheSecondOfTwoRecordersGetsAConflictForEver) {
  auto first = Begin();
  auto second = Resume();
  Must(first->Respond({ChatPart::kMessage, "mine"}));
  const Status refused = second->Respond({ChatPart::kMessage, "no, mine"});
  EXPECT_EQ(CodeOf(refused), "conflict");
  EXPECT_THAT(MessageOf(refused), HasSubstr("event 3"));
  EXPECT_EQ(refused.error().last_seq, 3U);
  EXPECT_EQ(CodeOf(second->RequestTool(Call("a"))), "conflict");
  second.reset();  // and leaves nothing behind
  EXPECT_EQ(Events(*log_).size(), 3U);
  Must(first->Respond({ChatPart::kMessage, "still mine"}));
}

TEST_F(TurnRecorderTest, TheRecorderOfATurnThatIsOverGetsAConflict) {
  auto first = Begin();
  Must(first->RequestTool(Call("a")));
  Must(first->Ask(Asks("a", "q", Boolean())));
  auto second = Begin("something else");
  EXPECT_EQ(CodeOf(first->Answer("a.q.1", ByUser("true"))), "conflict");
  first.reset();
  EXPECT_EQ(Doing(), "calling_model calls:  questions: ");
}

TEST_F(TurnRecorderTest, TakesInAnswersAndEventsOfNoTurnThatOthersAppend) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  auto other = Resume();
  Must(other->Answer("a.q.1", ByUser("false")));
  other->Suspend();
  Must(Append("c", Event{.body = Verbatim{EventKind::kUnknown, "note", J(R"({"type":"note"})")}}));
  Must(turn->Refresh());
  EXPECT_EQ(Doing(turn->state()), "running_tools calls: a questions: ");
  EXPECT_EQ(CodeOf(turn->Answer("a.q.1", ByUser("true"))), "conflict");
  Must(turn->FinishTool("a", {"", false, {}}));
}

TEST_F(TurnRecorderTest, AnAnswerThatSomebodyElseGaveFirstIsTheOneThatCounts) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  auto other = Resume();
  Must(other->Answer("a.q.1", ByUser("false")));
  other->Suspend();
  EXPECT_EQ(CodeOf(turn->Answer("a.q.1", ByUser("true"))), "conflict");
  const TurnState state = turn->state();
  EXPECT_EQ(state.InquiriesOf(*state.FindCall("a")).front()->response->answer, J("false"));
}

TEST_F(TurnRecorderTest, ACallHasOneResultAndNoneWhileItsInquiriesWait) {
  auto turn = Begin();
  EXPECT_EQ(CodeOf(turn->FinishTool("a", {"", false, {}})), "not found");
  Must(turn->RequestTool(Call("a")));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  const Status waits = turn->FinishTool("a", {"", false, {}});
  EXPECT_EQ(CodeOf(waits), "invalid argument");
  EXPECT_THAT(MessageOf(waits), HasSubstr("a.q.1"));
  Must(turn->Answer("a.q.1", ByUser("true")));
  Must(turn->FinishTool("a", {"", false, {}}));
  EXPECT_EQ(CodeOf(turn->FinishTool("a", {"", false, {}})), "conflict");
  EXPECT_EQ(CodeOf(turn->Ask(Asks("a", "q", Boolean()))), "conflict");
}

TEST_F(TurnRecorderTest, ACallThatIsOpenIsNotMadeAgain) {
  auto turn = Begin();
  EXPECT_EQ(CodeOf(turn->RequestTools(std::vector{Call("a"), Call("a")})), "invalid argument");
  Must(turn->RequestTool(Call("a")));
  EXPECT_EQ(CodeOf(turn->RequestTools(std::vector{Call("b"), Call("a")})), "invalid argument");
  EXPECT_EQ(Doing(), "running_tools calls: a questions: ");
}

TEST_F(TurnRecorderTest, AToolsErrorSaysWhoSaidNoAndWhy) {
  auto turn = Begin();
  Must(turn->RequestTool(Call("a")));
  Must(turn->Answer(Must(turn->Ask(Asks("a", "apply", Boolean("Apply the patch?")))).text,
                    ByAssistant("false", "It deletes\n\x1b[31mtests.")));
  Must(turn->Answer(Must(turn->Ask(Asks("a", "other", Text("Name?")))).text, ByUser(R"("x")")));
  Must(turn->Cancel(Must(turn->Ask(Asks("a", "third", Boolean("And?")))).text, cancellation::kUser));
  Must(turn->FinishTool("a", {"Changes discarded.", true, {}}));
  EXPECT_THAT(
      Last(1).front(),
      HasSubstr(R"("content":"Changes discarded.\n\nThe question \"Apply the patch?\" was answered with no by )"
                R"(the assistant that was asked (m). Reason: It deletes [31mtests. Answer its objection before )"
                R"(you try again, or ask the user.\n\nThe question \"And?\" got no answer (user). Go on )"
                R"(without the answer.")"));
}

TEST_F(TurnRecorderTest, AToolsErrorWithoutARejectionAndAResultWithOneStayAsTheyAre) {
  auto turn = Begin();
  Must(turn->RequestTools(std::vector{Call("a"), Call("b")}));
  Must(turn->Answer(Must(turn->Ask(Asks("a", "q", Boolean()))).text, ByUser("false")));
  Must(turn->Answer(Must(turn->Ask(Asks("a", "q", Boolean()))).text, ByUser("true")));  // the last attempt counts
  Must(turn->FinishTool("a", {"disk full", true, {}}));
  EXPECT_THAT(Last(1).front(), HasSubstr(R"("content":"disk full")"));
  Must(turn->Answer(Must(turn->Ask(Asks("b", "q", Boolean()))).text, ByUser("false")));
  Must(turn->FinishTool("b", {"done otherwise", false, {}}));
  EXPECT_THAT(Last(1).front(), HasSubstr(R"("content":"done otherwise")"));
}

TEST_F(TurnRecorderTest, WhatTheLogRefusesLeavesNothingBehind) {
  auto turn = Begin();
  EXPECT_EQ(CodeOf(turn->RequestTool(Call("a", "bash", "[]"))), "invalid argument");
  EXPECT_EQ(CodeOf(turn->RequestTool(Call("", "bash"))), "invalid argument");
  EXPECT_EQ(Doing(turn->state()), "calling_model calls:  questions: ");
  EXPECT_EQ(Events(*log_).size(), 2U);
  Must(turn->RequestTool(Call("a")));
}

TEST_F(TurnRecorderTest, ResumingNeedsAConversation) {
  EXPECT_EQ(CodeOf(TurnRecorder::Resume(*log_, Id("nowhere"))), "not found");
}

TEST_F(TurnRecorderTest, AStoreThatIsReadOnlyCannotBeRecordedInto) {
  Begin();
  Reopen(OpenMode::kRead);
  EXPECT_EQ(CodeOf(TurnRecorder::Begin(*log_, c_, {"go", {}, {}})), "read only");
  EXPECT_EQ(CodeOf(LoadTurnState(*log_, c_)), "fine");
}

TEST_F(TurnRecorderTest, ARequestIsOnDiskBeforeAskReturns) {
  RecorderOptions buffered;
  buffered.durability = Durability::kBuffered;
  auto turn = Must(TurnRecorder::Begin(*log_, c_, {"go", {}, {}}, buffered));
  Must(turn->RequestTool(Call("a")));
  EXPECT_LT(Figure(*log_, "durable_offset"), Figure(*log_, "end_offset"));
  Must(turn->Ask(Asks("a", "q", Boolean())));
  EXPECT_EQ(Figure(*log_, "durable_offset"), Figure(*log_, "end_offset"));
}

}  // namespace
}  // namespace turnlog::turn_recorder_test
