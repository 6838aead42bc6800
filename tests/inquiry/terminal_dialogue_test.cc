// The dialogue without a terminal: lines in, text out.
#include "inquiry/terminal_dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "turnlog/inquiry/prompt_text.h"

namespace turnlog::terminal_dialogue_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Script : public Console {
 public:
  explicit Script(std::deque<std::string> lines) : lines_(std::move(lines)) {}

  void Show(std::string_view printable) override { shown_ += printable; }
  Result<std::optional<SecretString>> ReadLine(std::string_view prompt, Echo echo) override {
    shown_ += prompt;
    hidden_ = hidden_ || echo == Echo::kOff;
    if (lines_.empty()) return std::nullopt;
    SecretString line(lines_.front());
    lines_.pop_front();
    return line;
  }

  const std::string& shown() const { return shown_; }
  bool hidden() const { return hidden_; }

 private:
  std::deque<std::string> lines_;
  std::string shown_;
  bool hidden_ = false;
};

Json J(std::string_view text) { return Json::FromTrusted(std::string(text)); }

Question Of(AnswerKind kind, const std::vector<std::string>& options = {}) {
  Question question;
  question.text = "Well?";
  question.answer_type.kind = kind;
  for (const std::string& value : options) question.answer_type.options.push_back({J(value), {}, {}});
  return question;
}

Question InForm(Question question, int place) {
  question.extra = J(R"({"form":{"question":)" + std::to_string(place) + R"(,"of":3}})");
  return question;
}

class TerminalDialogueTest : public testing::Test {
 protected:
  // What came of it: the answer, the reason of the cancellation, "later", or "failed: MESSAGE".
  std::string Ask(const Question& question, std::deque<std::string> lines) {
    Script script(std::move(lines));
    TerminalDialogue prompt(script, settings_);
    const InquiryRequest inquiry{{"a.q.1", {}}, {SourceKind::kTool, "deploy", {}}, question, {}};
    const auto reply = prompt.Ask(inquiry);
    shown_ = script.shown();
    hidden_ = script.hidden();
    ended_ = prompt.ended();
    if (!reply) return "failed: " + reply.error().message;
    remember_ = reply->remember;
    note_ = reply->note;
    if (reply->kind == PromptReply::Kind::kDeferred) return "later";
    return reply->kind == PromptReply::Kind::kCancel ? reply->reason : reply->answer.text();
  }

  TerminalPrompterOptions settings_{.title = "c", .width = 60};
  std::string shown_, note_;
  bool hidden_ = false, ended_ = false, remember_ = false;
};

TEST_F(TerminalDialogueTest, ShowsWhoAsksTheQuestionItsContextAndHowToAnswer) {
  Question question = Of(AnswerKind::kBoolean);
  question.context = "It is there.\nSince long.";
  question.default_value = J("false");
  EXPECT_EQ(Ask(question, {"y"}), "true");
  EXPECT_EQ(shown_,
            "\nc: tool deploy asks  a.q.1\n"
            "\n  Well?\n"
            "\n    It is there.\n    Since long.\n"
            "\n  y or n; Enter: no\n"
            "  #: note, d: decline, s: stop the turn, l: later\n"
            "> ");
  EXPECT_FALSE(hidden_);
}

TEST_F(TerminalDialogueTest, ShowsOptionsWithNumbersDescriptionsAndTheDefault) {
  Question question = Of(AnswerKind::kSelect, {R"("release")", "3", R"({"a":1})"});
  question.answer_type.options[0].description = "a version";
  question.default_value = J("3");
  EXPECT_EQ(Ask(question, {""}), "3");
  EXPECT_THAT(shown_, HasSubstr("\n  1) release: a version\n  2) 3\n  3) {\"a\":1}\n"
                                "  a number, or the option's text; Enter: 3\n"));
}

TEST_F(TerminalDialogueTest, OptionsAreChosenByNumberOrByText) {
  const Question question = Of(AnswerKind::kSelect, {R"("release")", R"("2")", R"("x y")"});
  EXPECT_EQ(Ask(question, {"1"}), R"("release")");
  EXPECT_EQ(Ask(question, {" release "}), R"("release")");
  EXPECT_EQ(Ask(question, {"x y"}), R"("x y")");
  EXPECT_EQ(Ask(question, {"3"}), R"("x y")");
}

TEST_F(TerminalDialogueTest, SeveralOptionsStandBesideOneAnother) {
  const Question question = Of(AnswerKind::kMultiSelect, {R"("a")", R"("x y")", R"("z")"});
  EXPECT_EQ(Ask(question, {"3 1"}), R"(["z","a"])");
  EXPECT_EQ(Ask(question, {"x y, 1,1"}), R"(["x y","a"])");
  EXPECT_EQ(Ask(question, {"x y"}), R"(["x y"])");
  EXPECT_EQ(Ask(question, {"-"}), "[]");
  EXPECT_EQ(Ask(question, {R"(["z"])"}), R"(["z"])");
  EXPECT_EQ(Ask(question, {"1 4", "2"}), R"(["x y"])");
  EXPECT_THAT(shown_, HasSubstr("a list of any of \"a\", \"x y\", \"z\""));
}

TEST_F(TerminalDialogueTest, AsksAgainUntilTheAnswerMakesSense) {
  EXPECT_EQ(Ask(Of(AnswerKind::kBoolean), {"", "maybe", "2", "YES"}), "true");
  EXPECT_THAT(shown_, HasSubstr("> "
                                "  nothing was typed, and the question has no default\n> "
                                "  expected true or false\n> "
                                "  expected true or false\n> "));
  EXPECT_EQ(Ask(Of(AnswerKind::kSelect, {R"("a")"}), {"0", "2", "99999999999999999999", "1"}), R"("a")");
}

TEST_F(TerminalDialogueTest, ATextIsTakenAsItIs) {
  EXPECT_EQ(Ask(Of(AnswerKind::kText), {" two  words "}), R"(" two  words ")");
  EXPECT_EQ(Ask(Of(AnswerKind::kText), {"", R"("")"}), R"("")");
  EXPECT_EQ(Ask(Of(AnswerKind::kText), {R"("quoted")"}), R"("\"quoted\"")");
  Question with_default = Of(AnswerKind::kText);
  with_default.default_value = J(R"("1.0")");
  EXPECT_EQ(Ask(with_default, {""}), R"("1.0")");
}

TEST_F(TerminalDialogueTest, LinesThatCannotHaveBeenMeantAreAskedForAgain) {
  EXPECT_EQ(Ask(Of(AnswerKind::kText), {"\x1b[A", "caf\xe9", std::string(4095, 'x'), "ok"}), R"("ok")");
  EXPECT_THAT(shown_, AllOf(HasSubstr("control characters"), HasSubstr("not UTF-8"), HasSubstr("too long"),
                            Not(HasSubstr("\x1b"))));
}

TEST_F(TerminalDialogueTest, AnAnswerBySchemaIsJsonThatFits) {
  Question question = Of(AnswerKind::kSchema);
  question.answer_type.schema = J(R"({"type": "object", "required": ["port"]})");
  EXPECT_EQ(Ask(question, {"{", "{}", R"({"port":1})"}), R"({"port":1})");
  EXPECT_THAT(shown_, AllOf(HasSubstr(R"(schema: {"type":"object","required":["port"]})"), HasSubstr("not JSON"),
                            HasSubstr("answer.port: is missing")));
}

TEST_F(TerminalDialogueTest, OutsideOfFormsOneMayDeclineStopTheTurnAndAnswerLater) {
  EXPECT_EQ(Ask(Of(AnswerKind::kBoolean), {"l"}), "later");
  EXPECT_FALSE(ended_);
  EXPECT_EQ(Ask(Of(AnswerKind::kBoolean), {"d"}), "user");
  EXPECT_EQ(Ask(Of(AnswerKind::kBoolean), {"s"}), "end_turn");
  EXPECT_EQ(Ask(Of(AnswerKind::kBoolean), {"b", "r", "no"}), "false");
  EXPECT_THAT(shown_, Not(HasSubstr("back")));
}

TEST_F(TerminalDialogueTest, InFormsOneMayAlsoGoBackAndReply) {
  const Question second = InForm(Of(AnswerKind::kBoolean), 2);
  EXPECT_EQ(Ask(second, {"b"}), "back");
  EXPECT_THAT(shown_, HasSubstr("  [2/3] Well?\n"));
  EXPECT_THAT(shown_, HasSubstr("  b: back, r: reply, #: note, d: decline, s: stop the turn,\n  l: later\n"));
  EXPECT_EQ(Ask(second, {"r"}), "reply");
  EXPECT_EQ(Ask(second, {"s"}), "end_turn");
  EXPECT_EQ(Ask(second, {"l"}), "later");
  EXPECT_EQ(Ask(second, {"d"}), "user");
}

TEST_F(TerminalDialogueTest, ANoteGoesWithTheAnswer) {
  EXPECT_EQ(Ask(Of(AnswerKind::kBoolean), {"#", "only today", "yes"}), "true");
  EXPECT_EQ(note_, "only today");
  EXPECT_EQ(Ask(Of(AnswerKind::kBoolean), {"#", "\x1b[A", "yes"}), "true");
  EXPECT_EQ(note_, "");
  EXPECT_EQ(Ask(Of(AnswerKind::kBoolean), {"#"}), "later");
  EXPECT_TRUE(ended_);
}

TEST_F(TerminalDialogueTest, AnotherTextIsAnAnswerWhereTheQuestionSaysSo) {
  Question question = Of(AnswerKind::kSelect, {R"("a")", R"("b")"});
  question.answer_type.other = true;
  EXPECT_EQ(Ask(question, {"neither of them"}), R"("neither of them")");
  EXPECT_THAT(shown_, HasSubstr("or another text"));
  EXPECT_EQ(Ask(question, {"3", "2"}), R"("b")");
  question.answer_type.kind = AnswerKind::kMultiSelect;
  EXPECT_EQ(Ask(question, {"1, a third"}), R"(["a","a third"])");
  EXPECT_EQ(Ask(question, {"a third"}), R"(["a third"])");
}

TEST_F(TerminalDialogueTest, FromTheFirstQuestionOfAFormThereIsNoWayBack) {
  EXPECT_EQ(Ask(InForm(Of(AnswerKind::kBoolean), 1), {"b", "y"}), "true");
  EXPECT_THAT(shown_, Not(HasSubstr("back")));
}

TEST_F(TerminalDialogueTest, AKeyBehindABackslashIsAText) {
  const Question question = InForm(Of(AnswerKind::kText), 2);
  EXPECT_EQ(Ask(question, {"\\b"}), R"("b")");
  EXPECT_THAT(shown_, HasSubstr("(\\b for the text b)"));
  EXPECT_EQ(Ask(question, {"\\\\b"}), R"("\\b")");
  EXPECT_EQ(Ask(question, {"\\x"}), R"("\\x")");
  EXPECT_EQ(Ask(question, {"\\"}), R"("\\")");
  EXPECT_EQ(Ask(Of(AnswerKind::kText), {"b"}), R"("b")");
}

TEST_F(TerminalDialogueTest, AnOptionGoesBeforeAKey) {
  const Question question = Of(AnswerKind::kSelect, {R"("s")", R"("m")"});
  EXPECT_EQ(Ask(question, {"s"}), R"("s")");
  EXPECT_THAT(shown_, Not(HasSubstr("stop the turn")));
}

TEST_F(TerminalDialogueTest, TheEndOfInputLeavesTheQuestionAndAsksNoMore) {
  EXPECT_EQ(Ask(Of(AnswerKind::kBoolean), {"maybe"}), "later");
  EXPECT_TRUE(ended_);
}

TEST_F(TerminalDialogueTest, WhatWasStoredCannotSteerTheTerminal) {
  Question question = Of(AnswerKind::kSelect, {"\"\x1b[31m\"", "\"\u202e\""});
  question.text = "\x1b]0;title\x07 \u202e";
  question.context = "\x1b[2J";
  question.answer_type.options[0].description = "\x9b";
  settings_.title = "\u2066";
  EXPECT_EQ(Ask(question, {"2"}), "\"\u202e\"");
  EXPECT_THAT(shown_, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\u202e")), Not(HasSubstr("\u2066")),
                            HasSubstr("\\x1b]0;title\\x07 \\u202e"), HasSubstr("\\x1b[2J")));
}

TEST_F(TerminalDialogueTest, AnEscalationShowsWhoSaidNoAndWhy) {
  EXPECT_EQ(Ask(WithRejection(Of(AnswerKind::kBoolean), {"untested", "m"}), {"y"}), "true");
  EXPECT_THAT(shown_, HasSubstr("  The assistant (m) recommended to say no:\n  \"untested\"\n\n  Well?\n"));
}

TEST_F(TerminalDialogueTest, AnswersAreRememberedOnlyWhereTheQuestionAllowsIt) {
  settings_.remember = true;
  Ask(Of(AnswerKind::kBoolean), {"y"});
  EXPECT_TRUE(remember_);
  Question never = Of(AnswerKind::kBoolean);
  never.persistence = "none";
  Ask(never, {"y"});
  EXPECT_FALSE(remember_);
  Ask(Of(AnswerKind::kSecret), {"hunter2"});
  EXPECT_FALSE(remember_);
}

TEST_F(TerminalDialogueTest, ASecretIsReadHiddenAndIsTheAnswerForTheToolThatAsks) {
  Question question = Of(AnswerKind::kSecret);
  question.default_value = J(R"("the usual")");
  settings_.secret_notice = "Mind who listens.";
  EXPECT_EQ(Ask(question, {"", "\x1b[A", "hunter2"}), R"("hunter2")");
  EXPECT_TRUE(hidden_);
  EXPECT_THAT(shown_, AllOf(HasSubstr("Mind who listens."), HasSubstr("nothing was typed"), HasSubstr("secret> "),
                            Not(HasSubstr("hunter2")), Not(HasSubstr("the usual"))));
  EXPECT_EQ(Ask(question, {"l"}), "later");
  EXPECT_EQ(Ask(question, {"d"}), "user");
}

TEST_F(TerminalDialogueTest, ASecretThatIsTakenIsNotPartOfTheReply) {
  std::string taken;
  settings_.take_secret = [&](std::string_view secret) -> Status {
    taken = secret;
    return {};
  };
  EXPECT_EQ(Ask(Of(AnswerKind::kSecret), {"hunter2"}), R"("")");
  EXPECT_EQ(taken, "hunter2");
  settings_.take_secret = [](std::string_view) -> Status { return std::unexpected(Error{ErrorCode::kIo, "gone"}); };
  EXPECT_EQ(Ask(Of(AnswerKind::kSecret), {"hunter2"}), "failed: gone");
}

TEST_F(TerminalDialogueTest, OptionsAreShownWithTheirPreviews) {
  Question question = Of(AnswerKind::kSelect, {R"("a")", R"("b")"});
  question.answer_type.options[1].extra = J(R"({"preview":"line 1\nline 2"})");
  EXPECT_EQ(Ask(question, {"b"}), R"("b")");
  EXPECT_THAT(shown_, HasSubstr("  1) a\n  2) b\n      line 1\n      line 2\n"));
}

TEST_F(TerminalDialogueTest, AReplyTellsThatItCameFromATerminalAndAProblemIsShown) {
  Script script({"y"});
  TerminalDialogue dialogue(script, settings_);
  const InquiryRequest inquiry{{"a.q.1", {}}, {SourceKind::kTool, "deploy", {}}, Of(AnswerKind::kBoolean), {}};
  const auto reply = dialogue.Ask(inquiry, "that was none");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->via, "terminal");
  EXPECT_THAT(script.shown(), HasSubstr("  that was none\n> "));
}

}  // namespace
}  // namespace turnlog::terminal_dialogue_test
