// `answer`, `cancel`, `state` and `denials` as scripts use them.
#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "tests/logctl/inquiries_fixture.h"
#include "turnlog/inquiry/pending_inquiry_responder.h"

namespace turnlog::answer_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kUserQuestions =
    R"({"questions":[{"question":"Which?","header":"Db","options":[{"label":"pg"},{"label":"my"}]},)"
    R"({"question":"Who?","header":"Name","options":[{"label":"me"},{"label":"you"}]}]})";

class AnswerTest : public InquiriesTest {
 protected:
  // The answer on record after `--value`.
  std::string Recorded(const Question& question, const std::string& value) {
    LeaveQuestions({question});
    Output({"answer", "c", "--value", value});
    const std::string event = EventsWith("inquiry_response").back();
    const std::string_view field = R"("answer":)";
    const std::size_t at = event.find(field) + field.size();
    return event.substr(at, event.find(R"(,"responder")") - at);
  }
};

TEST_F(AnswerTest, ClosesTheOnlyInquiryThatWaitsAndSaysWhatIsLeft) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "Sure?")});
  EXPECT_EQ(Output({"answer", "c", "--value", "yes"}), "call_1.q1.1: answered\nc: running tools\n");
  EXPECT_THAT(
      EventsWith("inquiry_response"),
      ElementsAre(R"({"type":"inquiry_response","outcome":"answered","id":"call_1.q1.1","key":{"tool_call":"call_1",)"
                  R"("question":"q1","attempt":1},"answer":true,"responder":{"kind":"user","via":"api"}})"));
  EXPECT_EQ(Output({"state", "c"}), "c: running tools\nOPEN  EVENT  ID      WHAT\ncall      3  call_1  deploy\n");
}

TEST_F(AnswerTest, LetsACallRunWithOtherArguments) {
  LeaveApproval(R"({"to":"production"})");
  const std::string file = WriteFile("arguments.json", "{\"to\": \"staging\"}\n");
  EXPECT_THAT(Logctl({"answer", "c", "--arguments-file", file, "--remember"}), FailsWith(2, "--remember"));
  EXPECT_THAT(Logctl({"answer", "c", "--arguments-file", file, "--value", "yes"}), FailsWith(2, "--value"));
  EXPECT_THAT(Logctl({"answer", "c", "--arguments-file", file + "x"}), FailsWith(1, file + "x"));
  EXPECT_THAT(Logctl({"answer", "c", "--arguments-file", "-"}, "{"), FailsWith(1, "-: "));
  EXPECT_THAT(Logctl({"answer", "c", "--arguments-file", "-"}, R"({"to":"production"})"), Fails(1));
  EXPECT_THAT(EventsWith("inquiry_response"), IsEmpty());
  EXPECT_EQ(Output({"answer", "c", "--arguments-file", file}), "call_1.approve.1: answered\nc: running tools\n");
  EXPECT_THAT(EventsWith("inquiry_response"), ElementsAre(HasSubstr(R"("edited_arguments":{"to":"staging"})")));
  LeaveQuestions({Of(AnswerKind::kBoolean, "Sure?")});
  EXPECT_THAT(Logctl({"answer", "c", "--arguments-file", file}), Fails(1));
}

TEST_F(AnswerTest, TakesAnswersOfEachTypeInTheWordsOfAScript) {
  EXPECT_EQ(Recorded(Of(AnswerKind::kBoolean, "?"), "No"), "false");
  EXPECT_EQ(Recorded(Of(AnswerKind::kBoolean, "?"), "true"), "true");
  EXPECT_EQ(Recorded(Of(AnswerKind::kText, "?"), "\"as it is\" "), R"("\"as it is\" ")");
  EXPECT_EQ(Recorded(Of(AnswerKind::kText, "?"), ""), R"("")");
  EXPECT_EQ(Recorded(Select("?", {R"("a")", R"("true")", "3"}), "true"), R"("true")");
  EXPECT_EQ(Recorded(Select("?", {R"("a")", R"("b")", "3"}), "\"b\""), R"("b")");
  EXPECT_EQ(Recorded(Select("?", {R"("a")", R"("b")", "3"}), "3"), "3");
  Question multi = Select("?", {R"("a b")", R"("c")"});
  multi.answer_type.kind = AnswerKind::kMultiSelect;
  EXPECT_EQ(Recorded(multi, R"(["c","a b"])"), R"(["c","a b"])");
  EXPECT_EQ(Recorded(multi, "a b,c"), R"(["a b","c"])");
  EXPECT_EQ(Recorded(multi, "-"), "[]");
  Question schema = Of(AnswerKind::kSchema, "?");
  schema.answer_type.schema = Json::FromTrusted(R"({"type":["object","string"]})");
  EXPECT_EQ(Recorded(schema, R"({"port": 1})"), R"({"port": 1})");
  EXPECT_EQ(Recorded(schema, "plain"), R"("plain")");
}

TEST_F(AnswerTest, SaysWhatIsExpectedOfAnAnswerThatDoesNotFitAndRecordsNothing) {
  const auto refuses = [&](const Question& question, const std::string& value, const std::string& expected) {
    LeaveQuestions({question});
    const std::size_t before = Lines(Output({"cat", "c"})).size();
    const Ran ran = Logctl({"answer", "c", "--value", value});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, AllOf(HasSubstr(expected), Not(HasSubstr(value))));
    EXPECT_EQ(ran.err.find(expected), ran.err.rfind(expected)) << "said once";
    EXPECT_THAT(Lines(Output({"cat", "c"})), SizeIs(before));
  };
  refuses(Of(AnswerKind::kBoolean, "?"), "perhaps", "true or false");
  refuses(Select("?", {R"("a")", "3"}), "2nd", R"(one of "a", 3)");
  refuses(Select("?", {R"("a")", R"("b")"}), "02", R"(one of "a", "b")");
  refuses(Of(AnswerKind::kText, "?"), "caf\xe9", "not UTF-8");
  Question schema = Of(AnswerKind::kSchema, "?");
  schema.answer_type.schema = Json::FromTrusted(R"({"type":"object","required":["port"]})");
  refuses(schema, R"({"host":7})", "answer.port: is missing");
  refuses(schema, "{broken", "not JSON: ");
}

TEST_F(AnswerTest, OptionsHaveNoNumbersInScripts) {
  LeaveQuestions({Select("?", {R"("a")", R"("b")"})});
  EXPECT_THAT(Logctl({"answer", "c", "--value", "1"}), Fails(1));
}

TEST_F(AnswerTest, TakesTheAnswerFromStandardInputWithoutItsLastLineBreak) {
  LeaveQuestions({Of(AnswerKind::kText, "Notes?")});
  EXPECT_EQ(Output({"answer", "c", "--stdin", "-q"}, "one\ntwo\n"), "");
  EXPECT_THAT(EventsWith("inquiry_response").front(), HasSubstr(R"("answer":"one\ntwo")"));
}

TEST_F(AnswerTest, OfSeveralTheIdSaysWhich) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "One?"), Of(AnswerKind::kBoolean, "Two?")});
  const Ran ran = Logctl({"answer", "c", "--value", "true"});
  EXPECT_THAT(ran, Fails(2));
  EXPECT_THAT(ran.err, HasSubstr("call_1.q1.1, call_1.q2.1"));
  EXPECT_EQ(Output({"answer", "c", "call_1.q2.1", "--value", "true"}),
            "call_1.q2.1: answered\nc: awaiting the user, 1 pending\n");
}

TEST_F(AnswerTest, SaysWhyAnInquiryDoesNotWait) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "Sure?")});
  EXPECT_THAT(Logctl({"answer", "c", "call_9.q.1", "--value", "true"}), Fails(1));
  Output({"answer", "c", "--value", "true"});
  EXPECT_THAT(Logctl({"answer", "c", "call_1.q1.1", "--value", "true"}), Fails(1));
  EXPECT_THAT(Logctl({"answer", "c", "--value", "true"}), Fails(1));
  EXPECT_THAT(Logctl({"cancel", "c"}), Fails(1));
  Append("c", R"({"type":"turn_start"})");
  EXPECT_THAT(Logctl({"answer", "c", "call_1.q1.1", "--value", "true"}), Fails(1));
  EXPECT_THAT(EventsWith("inquiry_response"), SizeIs(1));
}

TEST_F(AnswerTest, NeedsATerminalOrAnAnswer) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "Sure?")});
  EXPECT_THAT(Logctl({"answer", "c"}), Fails(2));
  EXPECT_THAT(Logctl({"answer", "c", "--stdin", "--value", "true"}), Fails(2));
  EXPECT_THAT(Logctl({"answer"}), Fails(2));
}

TEST_F(AnswerTest, CommandsSuggestTheConversationAndNeedAStore) {
  EXPECT_THAT(Logctl({"answer", "c", "--value", "1"}), Fails(1));
  EXPECT_THAT(Logctl({"cancel", "c"}), Fails(1));
  LeaveQuestions({Of(AnswerKind::kBoolean, "Sure?")});
  for (const Strings& words :
       {Strings{"answer", "d", "--value", "true"}, {"cancel", "d"}, {"state", "d"}, {"denials", "d"}}) {
    EXPECT_THAT(Logctl(words), Fails(1)) << words.front();
  }
}

TEST_F(AnswerTest, NamesTheWriterThatHoldsTheStore) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "Sure?")});
  const auto log = Open(OpenMode::kWrite, "the agent");
  EXPECT_THAT(Logctl({"answer", "c", "--value", "true"}), FailsWith(1, "the agent"));
  EXPECT_THAT(Logctl({"cancel", "c"}), FailsWith(1, "the agent"));
  EXPECT_THAT(Output({"state", "c"}), HasSubstr("c: awaiting the user\n"));
}

TEST_F(AnswerTest, WhatIsRememberedHoldsForTheTurn) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "Sure?")});
  Output({"answer", "c", "--value", "true", "--remember"});
  EXPECT_THAT(EventsWith("inquiry_response").front(), HasSubstr(R"("metadata":{"remember":"turn"})"));
}

TEST_F(AnswerTest, ReportsAsJson) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "One?"), Of(AnswerKind::kBoolean, "Two?")});
  const auto json = Json({"answer", "c", "call_1.q1.1", "--value", "true"});
  EXPECT_EQ(json["conversation"].Text(), "c");
  EXPECT_EQ(json["closed"][0]["id"].Text(), "call_1.q1.1");
  EXPECT_EQ(json["closed"][0]["outcome"].Text(), "answered");
  EXPECT_FALSE(json["closed"][0].Has("reason"));
  EXPECT_EQ(json["activity"].Text(), "awaiting_user");
  EXPECT_EQ(json["pending"][0].Text(), "call_1.q2.1");
  EXPECT_EQ(Json({"cancel", "c", "--reason", "expired"})["closed"][0]["reason"].Text(), "expired");
}

TEST_F(AnswerTest, AFormGoesOnWithItsNextQuestionAndItsLastAnswerIsTheResult) {
  LeaveForm();
  EXPECT_EQ(Output({"answer", "c", "--value", "outage"}), "call_1.kind.1: answered\nc: awaiting the user, 1 pending\n");
  EXPECT_THAT(Output({"pending", "c"}), HasSubstr("call_1.until.1  Until when?"));
  Output({"cancel", "c", "--reason", "back"});
  Output({"answer", "c", "call_1.kind.2", "--value", "release"});
  Output({"answer", "c", "--value", "2.0"});
  EXPECT_EQ(Output({"answer", "c", "--value", "yes"}), "call_1.ok.1: answered\nc: calling the model\n");
  EXPECT_THAT(EventsWith("tool_call_response"),
              ElementsAre(R"({"type":"tool_call_response","id":"call_1",)"
                          R"("content":"{\"kind\":\"release\",\"version\":\"2.0\",\"until\":null,\"ok\":true}",)"
                          R"("is_error":false})"));
}

TEST_F(AnswerTest, TheLastAnswerToAUserQuestionIsTheResult) {
  LeaveUserQuestions(kUserQuestions);
  Output({"answer", "c", "call_1.q1.1", "--value", "pg"});
  EXPECT_THAT(EventsWith("tool_call_response"), IsEmpty());
  EXPECT_EQ(Output({"answer", "c", "--value", "me"}), "call_1.q2.1: answered\nc: calling the model\n");
  EXPECT_THAT(EventsWith("tool_call_response").front(),
              HasSubstr(R"("{\"answers\":{\"Which?\":\"pg\",\"Who?\":\"me\"}}")"));
}

TEST_F(AnswerTest, CancellingAUserQuestionCancelsThemAll) {
  LeaveUserQuestions(kUserQuestions);
  EXPECT_EQ(Output({"cancel", "c", "call_1.q1.1"}), "call_1.q1.1: cancelled (end_turn)\nc: idle\n");
  EXPECT_THAT(EventsWith("tool_call_response").front(), HasSubstr("User cancelled the question"));
  EXPECT_THAT(Output({"get", "c", "call_1.q2.1"}), HasSubstr("cancelled: end_turn"));
}

TEST_F(AnswerTest, CancelKeepsTheReasonAndTakesAll) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "One?"), Of(AnswerKind::kSecret, "Two?")});
  EXPECT_THAT(Logctl({"cancel", "c"}), Fails(2));
  EXPECT_THAT(Logctl({"cancel", "c", "call_1.q1.1", "--all"}), Fails(2));
  EXPECT_THAT(Logctl({"cancel", "c", "--all", "--reason", ""}), Fails(2));
  EXPECT_EQ(Output({"cancel", "c", "--all", "--reason", "x.later"}),
            "call_1.q1.1: cancelled (x.later)\ncall_1.q2.1: cancelled (x.later)\nc: running tools\n");
  EXPECT_EQ(Output({"cancel", "c", "--all"}), "nothing was recorded\nc: running tools\n");
  EXPECT_THAT(EventsWith(R"("outcome":"cancelled")"), SizeIs(2));
}

TEST_F(AnswerTest, DecliningLetsTheAgentGoOn) {
  LeaveUserQuestions(kUserQuestions);
  EXPECT_THAT(Logctl({"cancel", "c", "--all", "--decline", "--reason", "user"}), FailsWith(2, "--decline"));
  EXPECT_EQ(Output({"cancel", "c", "--all", "--decline"}),
            "call_1.q1.1: cancelled (user)\ncall_1.q2.1: cancelled (user)\nc: calling the model\n");
  EXPECT_THAT(EventsWith("tool_call_response").front(),
              HasSubstr(R"("content":"{\"answers\":{},\"declined\":[\"Which?\",\"Who?\"]}","is_error":false)"));
}

TEST_F(AnswerTest, ANoteGoesToTheAgent) {
  LeaveUserQuestions(kUserQuestions);
  Output({"answer", "c", "call_1.q1.1", "--value", "neither", "--note", "see the wiki"});
  Output({"answer", "c", "--value", "me"});
  EXPECT_THAT(EventsWith("inquiry_response").front(), HasSubstr(R"("answer":"neither","reason":"see the wiki")"));
  EXPECT_THAT(EventsWith("tool_call_response").front(), HasSubstr(R"(\"notes\":{\"Which?\":\"see the wiki\"})"));
}

TEST_F(AnswerTest, EndingTheTurnInAFormLeavesTheConversationIdle) {
  LeaveForm();
  EXPECT_EQ(Output({"cancel", "c"}), "call_1.kind.1: cancelled (end_turn)\nc: idle\n");
}

class SecretAnswerTest : public AnswerTest {
 protected:
  SecretAnswerTest() { LeaveQuestions({Of(AnswerKind::kSecret, "Token?")}); }

  static constexpr const char* kSecret = "hunter2-never-on-disk";
};

TEST_F(SecretAnswerTest, IsRefusedOnTheCommandLineAndNotRepeated) {
  const Ran ran = Logctl({"answer", "c", "--value", kSecret});
  EXPECT_THAT(ran, Fails(2));
  EXPECT_THAT(ran.err, Not(HasSubstr(kSecret)));
  EXPECT_THAT(EventsWith("inquiry_response"), IsEmpty());
}

TEST_F(SecretAnswerTest, FromStandardInputIsRecordedAsGivenAndIsInNoFile) {
  const Ran ran = Logctl({"answer", "c", "--stdin"}, std::string(kSecret) + "\n");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "call_1.q1.1: given, not stored\nc: running tools\n");
  EXPECT_THAT(ran.err, AllOf(Not(IsEmpty()), Not(HasSubstr(kSecret))));
  EXPECT_THAT(EventsWith("inquiry_response"), ElementsAre(HasSubstr(R"("outcome":"redacted")")));
  EXPECT_THAT(FilesWith(kSecret), IsEmpty());
}

TEST_F(SecretAnswerTest, ThroughAServiceGoesToTheAgentThatWaitsForItAndIsInNoFile) {
  const auto service = Serve();
  std::thread agent;
  const auto waited = WaitForSecret(agent);
  const Ran ran = Logctl({"answer", "c", "--stdin"}, std::string(kSecret) + "\n");
  agent.join();
  EXPECT_EQ(waited->secret, kSecret);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "call_1.q1.1: given, not stored\nc: running tools\n");
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_THAT(EventsWith("inquiry_response"), ElementsAre(HasSubstr(R"("outcome":"redacted")")));
  EXPECT_THAT(FilesWith(kSecret), IsEmpty());
}

TEST_F(SecretAnswerTest, ThroughAServiceIsRefusedIfNoAgentWaitsForIt) {
  const auto service = Serve();
  const Ran ran = Logctl({"answer", "c", "--stdin"}, kSecret);
  EXPECT_THAT(ran, FailsWith(1, "no agent is waiting"));
  EXPECT_THAT(ran.err, Not(HasSubstr(kSecret)));
  EXPECT_THAT(Logctl({"answer", "c", "--stdin"}, "\xff"), Fails(1));
  EXPECT_THAT(EventsWith("inquiry_response"), IsEmpty());
  EXPECT_THAT(FilesWith(kSecret), IsEmpty());
}

TEST_F(SecretAnswerTest, ThatIsEmptyIsNone) {
  EXPECT_THAT(Logctl({"answer", "c", "--stdin"}, "\n"), Fails(1));
  EXPECT_THAT(EventsWith("inquiry_response"), IsEmpty());
}

TEST_F(SecretAnswerTest, IsNotWrittenToADescriptorThatTheCallerDidNotOpen) {
  for (const char* number : {"0", "1", "2", "999", "4294967299"}) {
    EXPECT_THAT(Logctl({"answer", "c", "--stdin", "--secret-to-fd", number}, kSecret), Fails(2)) << number;
  }
  EXPECT_THAT(EventsWith("inquiry_response"), IsEmpty());
  EXPECT_THAT(FilesWith(kSecret), IsEmpty());
}

TEST_F(AnswerTest, StateListsOpenCallsAndInquiries) {
  LeaveForm();
  EXPECT_EQ(Output({"state", "c"}),
            "c: awaiting the user\n"
            "OPEN      EVENT  ID             WHAT\n"
            "question      4  call_1.kind.1  What? [select of \"release\", \"outage\"]\n"
            "call          3  call_1         form\n");
  const auto json = Json({"state", "c"});
  EXPECT_EQ(json["conversation"].Text(), "c");
  EXPECT_EQ(json["turn"].Number(), 1u);
  EXPECT_EQ(json["last"].Number(), 4u);
  EXPECT_EQ(json["activity"].Text(), "awaiting_user");
  EXPECT_EQ(json["questions"][0]["id"].Text(), "call_1.kind.1");
  EXPECT_EQ(json["questions"][0]["call"].Text(), "call_1");
  EXPECT_EQ(json["questions"][0]["seq"].Number(), 4u);
  EXPECT_EQ(json["calls"][0]["name"].Text(), "form");
}

TEST_F(AnswerTest, StateFollowsTheConversation) {
  Append("c", R"({"type":"turn_start"})");
  EXPECT_EQ(Output({"state", "c"}), "c: idle\n");
  Append("c", R"({"type":"chat_request","content":"go"})");
  EXPECT_EQ(Output({"state", "c"}), "c: calling the model\n");
  Append("c", R"({"type":"tool_call_request","id":"\u001b[31m","name":"x\u202e","arguments":{}})");
  EXPECT_THAT(Output({"state", "c"}), HasSubstr("call      3  \\x1b[31m  x\\u202e\n"));
}

TEST_F(AnswerTest, DenialsListsTheUndeliveredOnes) {
  AppendSample();
  const Ran none = Logctl({"denials", "sample"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(none.out, "");
  Append(
      "c",
      R"({"type":"turn_start"})"
      "\n"
      R"({"type":"tool_call_request","id":"a","name":"rm","arguments":{"path":"x"}})"
      "\n"
      R"({"type":"tool_call_response","id":"a","content":"no","is_error":true,"denied":{"reason":"not \u001b[31m"}})");
  EXPECT_THAT(Output({"denials", "c"}),
              AllOf(HasSubstr("TOOL  CALL  ARGUMENTS "), HasSubstr("\nrm    a     "), HasSubstr("  not \\x1b[31m\n")));
  const auto json = Json({"denials", "c"});
  EXPECT_EQ(json["denials"][0]["tool"].Text(), "rm");
  EXPECT_EQ(json["denials"][0]["call"].Text(), "a");
  EXPECT_EQ(json["denials"][0]["arguments_hash"].Text().size(), 32u);
  EXPECT_FALSE(json["denials"][0].Has("handed_up_from"));
  Append("c", R"({"type":"chat_response","message":"I see."})");
  EXPECT_EQ(Json({"denials", "c"})["denials"].Size(), 0u);
  EXPECT_EQ(Json({"denials", "c", "--last-turn"})["denials"].Size(), 1u);
}

}  // namespace
}  // namespace turnlog::answer_test
