// Where the values to redact come from, and which are not searched for.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "sanitize/redaction/redaction_sources.h"
#include "schema/event/open_inquiries.h"
#include "tests/redact/redact_fixture.h"
#include "tests/support/fake_token.h"
#include "turnlog/edited_arguments.h"

namespace turnlog::sources_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(RedactTest, AnswersToSecretQuestionsBecomeRedacted) {
  Must(Append("c", LeakedAnswer("call.token", value_)));
  Must(Append("c", {Say("thanks for " + value_), NewTurn(), Ask(Opaque("call.token")),
                    Answered("call.token", "not a secret in this turn")}));
  const RedactionProof proof = Redact(Secrets());
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(proof.rules, ElementsAre("secret-answer"));
  const std::vector<std::string> lines = Json("c");
  EXPECT_EQ(lines[1], R"({"type":"inquiry_response","outcome":"redacted","id":"call.token"})");
  EXPECT_EQ(lines[3], R"({"type":"chat_request","content":"thanks for [redacted]"})");
  EXPECT_THAT(lines[6], HasSubstr("not a secret in this turn"));
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
}

// A log refuses such an answer as long as it remembers the question.
TEST_F(RedactTest, AnswersInALaterTurnBecomeRedacted) {
  Must(Append("c", {NewTurn(), AskSecret(Opaque("first"))}));
  for (std::size_t i = 0; i < OpenInquiries::kMostSecrets; ++i) {
    Must(Append("c", AskSecret(Opaque(fmt::format("later {}", i)))));
  }
  Must(Append("c", {NewTurn(), Answered("first", value_), Say("thanks for " + value_)}));
  EXPECT_TRUE(Redact(Secrets()).clean());
  for (const std::string& line : Json("c")) EXPECT_THAT(line, Not(HasSubstr(value_)));
}

TEST_F(RedactTest, ASecretInTheNameOfAConversationIsFoundAndStays) {
  Must(Append("about " + kFakeToken, Say("hello")));
  RedactionTargets targets;
  targets.detect = true;
  const auto redaction = Must(Redaction::Plan(*log_, targets));
  ASSERT_THAT(redaction->plan().kept, SizeIs(1));
  EXPECT_EQ(redaction->plan().kept[0].conversation, "about [redacted]");
  EXPECT_EQ(redaction->plan().kept[0].field, "conversation");
  EXPECT_FALSE(redaction->plan().complete());
}

TEST_F(RedactTest, WhoAnsweredASecretStaysOnRecordUnlessThatHoldsIt) {
  std::vector<Event> events = LeakedAnswer("call.token", value_);
  std::get<InquiryResponse>(events[1].body).responder = Responder{"user", value_, "ann", "page", {}};
  Must(Append("c", events));
  Redact(Secrets());
  EXPECT_EQ(Json("c")[1], R"({"type":"inquiry_response","outcome":"redacted","id":"call.token",)"
                          R"("responder":{"kind":"user","model":"[redacted]","who":"ann","via":"page"}})");
}

TEST_F(RedactTest, TheDefaultOfASecretQuestionIsASecretUntilItIsRedacted) {
  SecretValues values;
  std::vector<UnsearchedValue> unsearched;
  const auto find = [&](std::string_view usual) {
    Event asks = AskSecret(Opaque("q"));
    std::get<InquiryRequest>(asks.body).question.default_value = JsonString(usual);
    SourceFinder finder("c", {.secrets = true}, values, unsearched);
    finder.Add(Seq{1}, View(asks));
    return finder.Take().size();
  };
  EXPECT_EQ(find("[redacted]"), 0U);
  EXPECT_EQ(find(value_), 1U);
  EXPECT_EQ(values.size(), 1U);
}

TEST_F(RedactTest, AnAnswerThatIsNoStringGoesAsItsTextAndItsStrings) {
  std::vector<Event> events = LeakedAnswer("q", "");
  std::get<InquiryResponse>(events[1].body).answer =
      Must(ParseJson(fmt::format(R"({{"user": "{}", "keys": ["{}", 7]}})", value_, other_)));
  Must(Append("c", events));
  Must(Append("c", {Say(value_), Say(other_), Say(R"(user keys 7)")}));
  Redact(Secrets());
  const std::vector<std::string> lines = Json("c");
  EXPECT_THAT(lines[1], HasSubstr("redacted"));
  EXPECT_THAT(lines[3], HasSubstr("[redacted]"));
  EXPECT_THAT(lines[4], HasSubstr("[redacted]"));
  EXPECT_THAT(lines[5], HasSubstr("user keys 7"));
}

TEST_F(RedactTest, WhatIsFoundInTheLastConversationIsLookedForInTheFirst) {
  Must(Append("a", Say("echo " + value_)));
  Must(Append("z", LeakedAnswer("q", value_)));
  EXPECT_TRUE(Redact(Secrets()).clean());
  EXPECT_THAT(Json("a").front(), HasSubstr("echo [redacted]"));
}

TEST_F(RedactTest, AnInquiryIsNamedByIdTurnAndConversation) {
  for (const char* name : {"a", "b"}) {
    Must(Append(name, {NewTurn(), Ask(Opaque("q")), Answered("q", std::string("first-answer-") + name), NewTurn(),
                       Ask(Opaque("q")), Answered("q", std::string("second-answer-") + name)}));
  }
  RedactionTargets targets;
  targets.inquiries = {{.id = "q", .turn = Turn{2}, .conversation = Id("a")}};
  Redact(targets);
  EXPECT_THAT(Json("a")[2], HasSubstr("first-answer"));
  EXPECT_EQ(Json("a")[5], R"({"type":"inquiry_response","outcome":"redacted","id":"q"})");
  EXPECT_THAT(Json("b")[5], HasSubstr("second-answer-b"));
  targets.inquiries = {{.id = "q", .turn = {}, .conversation = {}}};
  EXPECT_THAT(Redact(targets).rules, ElementsAre("inquiry-answer"));
  EXPECT_THAT(Json("a"), Not(Contains(HasSubstr("answer-"))));
  EXPECT_THAT(Json("b"), Not(Contains(HasSubstr("answer-"))));
}

TEST_F(RedactTest, EditedArgumentsGoWithTheAnswer) {
  std::vector<Event> events{NewTurn(), Ask(Opaque("q")), Answered("q", "x")};
  std::get<InquiryResponse>(events[2].body).answer = Must(ParseJson("false"));
  events[2].metadata = EditedArgumentsMetadata("rm", Must(ParseJson(R"({"path":"private"})")));
  Must(Append("a", events));
  RedactionTargets targets;
  targets.inquiries = {{.id = "q", .turn = {}, .conversation = {}}};
  Redact(targets);
  EXPECT_EQ(Json("a")[2], R"({"type":"inquiry_response","outcome":"redacted","id":"q"})");
}

TEST_F(RedactTest, AnUnknownInquiryIsAnError) {
  Must(Append("a", {NewTurn(), Ask(Opaque("q"))}));
  RedactionTargets targets;
  targets.inquiries = {{.id = "p", .turn = {}, .conversation = {}}};
  EXPECT_EQ(CodeOf(Redaction::Plan(*log_, targets)), "not found");
  targets.inquiries = {{.id = "q", .turn = Turn{3}, .conversation = {}}};
  EXPECT_EQ(CodeOf(Redaction::Plan(*log_, targets)), "not found");
  targets.inquiries = {{.id = "q", .turn = {}, .conversation = {}}};
  EXPECT_THAT(Plan(targets).conversations, IsEmpty());
}

TEST_F(RedactTest, DetectedSecretsAreRedactedInAllOccurrences) {
  const std::string token = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi";
  Must(Append("a", Say("no context here: " + Base64(token))));
  Must(Append("b",
              FromJson(fmt::format(
                  R"({{"type":"tool_call_request","id":"1","name":"t","arguments":{{"env":"GITHUB={}"}}}})", token))));
  RedactionTargets targets;
  targets.detect = true;
  const RedactionProof proof = Redact(targets);
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(proof.rules, ElementsAre("github-token"));
  EXPECT_THAT(Json("a").front(), HasSubstr("here: [redacted]"));
  EXPECT_THAT(Json("b").front(), HasSubstr("GITHUB=[redacted]"));
  EXPECT_THAT(Plan(targets).conversations, IsEmpty());
}

TEST_F(RedactTest, RulesOfAFileDetect) {
  std::ofstream(folder_ / "rules.json")
      << R"x({"version":1,"rules":[{"id":"badge","description":"d","regex":"badge:([0-9]{9})","keywords":["badge"]}]})x";
  Must(Append("a", Say("badge:271828182")));
  RedactionTargets targets;
  targets.detect = true;
  targets.rules = folder_ / "rules.json";
  Redact(targets);
  EXPECT_THAT(Json("a").front(), HasSubstr("badge:[redacted]"));
  targets.rules = "/nowhere";
  EXPECT_EQ(CodeOf(Redaction::Plan(*log_, targets)), "not found");
}

TEST_F(RedactTest, ACommonPasswordIsRedactedOnlyWhereItWasDetected) {
  std::ofstream(folder_ / "rules.json")
      << R"x({"version":1,"rules":[{"id":"pin","description":"d","regex":"pin is ([a-z0-9]+)","keywords":["pin is"]}]})x";
  Must(Append("a", {Say("my pin is password, and password is a word"), Say("password")}));
  RedactionTargets targets;
  targets.detect = true;
  targets.rules = folder_ / "rules.json";
  const RedactionProof proof = Redact(targets);
  EXPECT_TRUE(proof.clean());
  EXPECT_EQ(proof.unsearched, 1U);
  EXPECT_THAT(Json("a")[0], HasSubstr("my pin is [redacted], and password is a word"));
  EXPECT_THAT(Json("a")[1], HasSubstr("password"));
  EXPECT_THAT(Plan(targets).conversations, IsEmpty());
}

// --- Values that are not looked for ---

TEST_F(RedactTest, AShortAnswerIsRedactedOnlyInItsOwnEvent) {
  Must(Append("c", LeakedAnswer("pin", "4711")));
  Must(Append("c", Say("it took 4711 ms")));
  const RedactionProof proof = Redact(Secrets());
  EXPECT_TRUE(proof.clean());
  EXPECT_EQ(proof.unsearched, 1U);
  EXPECT_EQ(proof.sources, 1U);
  EXPECT_THAT(Json("c")[1], HasSubstr("\"redacted\""));
  EXPECT_THAT(Json("c")[3], HasSubstr("4711 ms"));
}

TEST_F(RedactTest, TheReasonWhyAValueIsNotSearchedDoesNotQuoteIt) {
  Must(Append("c", LeakedAnswer("pin", "4711")));
  RedactionTargets targets = Given({value_, "abc", "password"});
  targets.secrets = true;
  const RedactionPlan plan = Plan(targets);
  EXPECT_EQ(plan.values, 1U);
  ASSERT_THAT(plan.unsearched, SizeIs(3));
  EXPECT_EQ(plan.unsearched[0].index, 1U);
  EXPECT_THAT(plan.unsearched[0].reason, HasSubstr("6"));
  EXPECT_EQ(plan.unsearched[1].index, 2U);
  EXPECT_EQ(plan.unsearched[1].reason, "a common word");
  EXPECT_EQ(plan.unsearched[2].conversation, "c");
  EXPECT_EQ(plan.unsearched[2].seq, Seq{2});
  EXPECT_EQ(plan.unsearched[2].rule, "secret-answer");
}

}  // namespace
}  // namespace turnlog::sources_test
