// `answer` in a real terminal.
#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): signals are POSIX
#include <unistd.h>

#include <array>

#include "tests/logctl/inquiries_fixture.h"
#include "tests/logctl/terminal_session.h"

namespace turnlog::answer_terminal_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kSecret = "hunter2-never-on-disk";

class AnswerTerminalTest : public InquiriesTest {
 protected:
  Strings Environment() const { return {"TURNLOG_STORE=" + store(), "TERM=dumb"}; }
};

TEST_F(AnswerTerminalTest, AsksOneInquiryAfterTheOtherAndRepeatsAnInvalidOne) {
  LeaveQuestions(
      {Of(AnswerKind::kBoolean, "Sure?"), Select("Which?", {R"("a")", R"("b")"}), Of(AnswerKind::kText, "Why?")});
  TerminalSession session({"answer", "c"}, Environment());
  session.Expect("tool deploy asks  call_1.q1.1");
  session.Expect("Sure?");
  session.Answer("perhaps");
  session.Expect("expected true or false");
  session.Answer("y");
  session.Expect("Which?");
  session.Expect("2) b");
  session.Answer("2");
  session.Answer("because");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_THAT(session.shown(), testing::EndsWith("call_1.q1.1: answered\n"
                                                 "call_1.q2.1: answered\n"
                                                 "call_1.q3.1: answered\n"
                                                 "c: running tools\n"));
  EXPECT_THAT(EventsWith("inquiry_response"), ElementsAre(HasSubstr(R"("answer":true)"), HasSubstr(R"("answer":"b")"),
                                                          HasSubstr(R"("answer":"because")")));
  EXPECT_THAT(FilesWith("because"), Not(IsEmpty()));  // as a secret must not be found
}

TEST_F(AnswerTerminalTest, WhatIsSkippedAndWhatComesAfterTheEndOfInputGoesOnWaiting) {
  LeaveQuestions(
      {Of(AnswerKind::kBoolean, "One?"), Of(AnswerKind::kBoolean, "Two?"), Of(AnswerKind::kBoolean, "Three?")});
  TerminalSession session({"answer", "c"}, Environment());
  session.Answer("l");
  session.Answer("d");
  session.Expect("Three?");
  session.Expect("> ");
  session.Type("\x04");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_THAT(session.shown(), HasSubstr("call_1.q2.1: cancelled (user)\nc: awaiting the user, 2 pending\n"));
  EXPECT_THAT(EventsWith("inquiry_response"), SizeIs(1));
}

TEST_F(AnswerTerminalTest, AnIdSaysWhichOneIsAsked) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "One?"), Of(AnswerKind::kBoolean, "Two?")});
  TerminalSession session({"answer", "c", "call_1.q2.1"}, Environment());
  session.Expect("Two?");
  session.Answer("n");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_THAT(session.shown(), Not(HasSubstr("One?")));
}

TEST_F(AnswerTerminalTest, AFormIsWalkedToItsEndWithAWayBack) {
  LeaveForm();
  TerminalSession session({"answer", "c"}, Environment());
  session.Expect("[1/4] What?");
  session.Expect("1) release: a version");
  session.Answer("outage");
  session.Expect("[3/4] Until when?");
  session.Expect("b: back");
  session.Answer("b");
  session.Expect("[1/4] What?");
  session.Answer("1");
  session.Expect("[2/4] Which version?");
  session.Expect("Enter: 1.0");
  session.Answer("");
  session.Expect("[4/4] Send it?");
  session.Answer("y");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_THAT(EventsWith("tool_call_response"),
              ElementsAre(HasSubstr(R"({\"kind\":\"release\",\"version\":\"1.0\",\"until\":null,\"ok\":true})")));
  EXPECT_EQ(Output({"state", "c"}), "c: calling the model\n");
}

TEST_F(AnswerTerminalTest, AFormCanBeLeftForAReply) {
  LeaveForm();
  TerminalSession session({"answer", "c"}, Environment());
  session.Answer("outage");
  session.Answer("r");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_THAT(EventsWith("tool_call_response"),
              ElementsAre(HasSubstr(R"({\"cancelled\":true,\"answered\":{\"kind\":\"outage\"}})")));
}

TEST_F(AnswerTerminalTest, AFormThatIsPutOffGoesOnWhereItWas) {
  LeaveForm();
  {
    TerminalSession session({"answer", "c"}, Environment());
    session.Answer("release");
    session.Expect("[2/4]");
    session.Answer("l");
    EXPECT_EQ(session.Wait(), 0);
  }
  TerminalSession session({"answer", "c"}, Environment());
  session.Expect("[2/4]");
  session.Answer("b");
  session.Expect("[1/4]");
  session.Answer("s");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_EQ(Output({"state", "c"}), "c: idle\n");
}

TEST_F(AnswerTerminalTest, TheReportIsOnStandardOutputAndTheQuestionsAreNot) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "Sure?")});
  TerminalSession session({"answer", "c", "--json"}, Environment());
  session.Answer("y");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_THAT(session.shown(), testing::EndsWith("\n  \"activity\": \"running_tools\",\n  \"pending\": []\n}\n"));
}

TEST_F(AnswerTerminalTest, StandardInputIsForScripts) {
  LeaveQuestions({Of(AnswerKind::kText, "Why?")});
  TerminalSession session({"answer", "c", "--stdin"}, Environment());
  EXPECT_EQ(session.Wait(), 2);
  EXPECT_THAT(session.shown(), HasSubstr("hint: "));
}

TEST_F(AnswerTerminalTest, NothingIsLockedOrLostWhenTheUserPressesCtrlC) {
  LeaveQuestions({Of(AnswerKind::kBoolean, "One?"), Of(AnswerKind::kBoolean, "Two?")});
  TerminalSession session({"answer", "c"}, Environment());
  session.Answer("y");
  session.Expect("Two?");
  session.Expect("> ");
  session.Type("\x03");
  EXPECT_EQ(session.Wait(), 128 + SIGINT);
  EXPECT_THAT(EventsWith("inquiry_response"), SizeIs(1));
  EXPECT_EQ(Output({"answer", "c", "--value", "true"}), "call_1.q2.1: answered\nc: running tools\n");
}

class SecretTerminalTest : public AnswerTerminalTest {
 protected:
  SecretTerminalTest() { LeaveQuestions({Of(AnswerKind::kSecret, "Token?")}); }

  // Until the first letters of the secret are typed.
  void TypeHalf(TerminalSession& session) {
    session.Expect("secret> ");
    EXPECT_FALSE(session.echoes());
    session.Type("hunter2-ne");
  }
};

TEST_F(SecretTerminalTest, IsNeitherShownNorKeptAndEchoIsOnAgain) {
  TerminalSession session({"answer", "c"}, Environment());
  session.Expect("No agent is waiting");
  session.Expect("secret> ");
  EXPECT_FALSE(session.echoes());
  session.Type(std::string(kSecret) + "\n");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_TRUE(session.echoes());
  EXPECT_THAT(session.shown(), AllOf(HasSubstr("secret> \ncall_1.q1.1: given, not stored\n"), Not(HasSubstr(kSecret))));
  EXPECT_THAT(EventsWith("inquiry_response"), ElementsAre(HasSubstr(R"("outcome":"redacted")")));
  EXPECT_THAT(FilesWith(kSecret), IsEmpty());
  EXPECT_THAT(Output({"show", "c"}) + Output({"get", "c", "call_1.q1.1", "--json"}), Not(HasSubstr(kSecret)));
}

TEST_F(SecretTerminalTest, ThroughAServiceGoesToTheAgentThatWaitsForItAndTheNextQuestionFollows) {
  Output({"cancel", "c"});
  LeaveQuestions({Of(AnswerKind::kSecret, "Token?"), Of(AnswerKind::kBoolean, "Sure?")});
  const auto service = Serve();
  std::thread agent;
  const auto waited = WaitForSecret(agent);
  TerminalSession session({"answer", "c"}, Environment());
  session.Answer(kSecret, "secret> ");
  session.Expect("Sure?");
  agent.join();
  EXPECT_EQ(waited->secret, kSecret);
  session.Answer("y");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_THAT(session.shown(),
              testing::EndsWith("call_1.q1.1: given, not stored\ncall_1.q2.1: answered\nc: running tools\n"));
  EXPECT_THAT(session.shown(), AllOf(Not(HasSubstr("discarded")), Not(HasSubstr(kSecret))));
  EXPECT_THAT(FilesWith(kSecret), IsEmpty());
}

TEST_F(SecretTerminalTest, WhatWasTypedBeforeThePromptIsNotShownAsPartOfIt) {
  Output({"cancel", "c"});
  LeaveQuestions({Of(AnswerKind::kBoolean, "Sure?"), Of(AnswerKind::kSecret, "Token?")});
  TerminalSession session({"answer", "c"}, Environment());
  session.Answer("y");
  session.Answer(kSecret, "secret> ");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_TRUE(session.echoes());
  EXPECT_THAT(session.shown(), Not(HasSubstr(kSecret)));
  EXPECT_THAT(FilesWith(kSecret), IsEmpty());
}

TEST_F(SecretTerminalTest, IsHandedToTheDescriptorThatTheCallerOpened) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  TerminalSession session({"answer", "c", "--secret-to-fd", "3"}, Environment(), ends[1]);
  ::close(ends[1]);
  session.Answer(kSecret, "secret> ");
  EXPECT_EQ(session.Wait(), 0);
  std::array<char, 100> received{};
  const ssize_t size = ::read(ends[0], received.data(), received.size());
  ::close(ends[0]);
  EXPECT_EQ(std::string(received.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))),
            std::string(kSecret) + "\n");
  EXPECT_THAT(session.shown(), AllOf(Not(HasSubstr(kSecret)), Not(HasSubstr("discarded"))));
  EXPECT_THAT(FilesWith(kSecret), IsEmpty());
}

TEST_F(SecretTerminalTest, ThatCannotBeDeliveredStaysPending) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  TerminalSession session({"answer", "c", "--secret-to-fd", "3"}, Environment(), ends[1]);
  ::close(ends[1]);
  session.Expect("secret> ");
  ::close(ends[0]);
  session.Type(std::string(kSecret) + "\n");
  EXPECT_EQ(session.Wait(), 1);
  EXPECT_THAT(session.shown(), AllOf(HasSubstr("--secret-to-fd"), Not(HasSubstr(kSecret))));
  EXPECT_THAT(EventsWith("inquiry_response"), IsEmpty());
}

TEST_F(SecretTerminalTest, IsNotHandedToATerminal) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  TerminalSession session({"answer", "c", "--secret-to-fd", "3"}, Environment(), terminal);
  ::close(terminal);
  EXPECT_EQ(session.Wait(), 2);
  EXPECT_THAT(session.shown(), HasSubstr("--secret-to-fd needs"));
}

TEST_F(SecretTerminalTest, EchoIsOnAgainAfterCtrlC) {
  TerminalSession session({"answer", "c"}, Environment());
  TypeHalf(session);
  session.Type("\x03");
  EXPECT_EQ(session.Wait(), 128 + SIGINT);
  EXPECT_TRUE(session.echoes());
  EXPECT_THAT(session.shown(), Not(HasSubstr("hunter2")));
  EXPECT_THAT(EventsWith("inquiry_response"), IsEmpty());
  EXPECT_THAT(Output({"pending", "c"}), HasSubstr("call_1.q1.1"));
}

TEST_F(SecretTerminalTest, EchoIsOnAgainWhateverSignalEndsIt) {
  for (const int signal : {SIGTERM, SIGHUP, SIGQUIT, SIGABRT}) {
    TerminalSession session({"answer", "c"}, Environment());
    TypeHalf(session);
    session.Signal(signal);
    EXPECT_EQ(session.Wait(), 128 + signal);
    EXPECT_TRUE(session.echoes()) << signal;
    EXPECT_THAT(session.shown(), Not(HasSubstr("hunter2"))) << signal;
  }
  EXPECT_THAT(EventsWith("inquiry_response"), IsEmpty());
}

TEST_F(SecretTerminalTest, EchoIsOnAgainWhenNothingMoreComes) {
  TerminalSession session({"answer", "c"}, Environment());
  session.Expect("secret> ");
  session.Type("\x04");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_TRUE(session.echoes());
  EXPECT_THAT(session.shown(), HasSubstr("nothing was recorded\nc: awaiting the user, 1 pending\n"));
}

TEST_F(SecretTerminalTest, EchoIsOnWhileItIsStoppedAndOffWhenItGoesOn) {
  TerminalSession session({"answer", "c"}, Environment());
  session.Expect("secret> ");
  EXPECT_FALSE(session.echoes());
  session.Signal(SIGTSTP);
  session.ExpectStopped();
  EXPECT_TRUE(session.echoes());
  session.Signal(SIGCONT);
  session.ExpectEcho(false);
  session.Type(std::string(kSecret) + "\n");
  EXPECT_EQ(session.Wait(), 0);
  EXPECT_TRUE(session.echoes());
  EXPECT_THAT(session.shown(), Not(HasSubstr(kSecret)));
  EXPECT_THAT(EventsWith("inquiry_response"), SizeIs(1));
}

}  // namespace
}  // namespace turnlog::answer_terminal_test
