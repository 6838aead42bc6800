// Redacting a store again: only new events are read, accepted findings stay, and the report is by secret.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "tests/redact/redact_fixture.h"

namespace turnlog::again_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RedactAgainTest : public RedactTest {
 protected:
  // In pieces, so that scanners do not report this file as a leak.
  const std::string token_ = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi",
                    next_ = std::string("gh") + "p_" + "aB8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0Pa3uRk";

  static RedactionTargets Detect() {
    RedactionTargets targets;
    targets.detect = targets.only_new = true;
    return targets;
  }
  std::uint64_t EventsRead(const RedactionTargets& targets) { return Plan(targets).events_read; }
};

TEST_F(RedactAgainTest, OnlyNewEventsAreRead) {
  Must(Append("a", {Say("1"), Say(token_), Say("3")}));
  Must(Append("b", {Say("1"), Say("2")}));
  EXPECT_EQ(EventsRead(Detect()), 5U);
  EXPECT_TRUE(Redact(Detect()).clean());
  EXPECT_EQ(EventsRead(Detect()), 1U) << "its own redaction event";
  EXPECT_TRUE(Redact(Detect()).clean());
  EXPECT_EQ(EventsRead(Detect()), 0U);
  Must(Append("b", Say("and " + next_)));
  Must(Append("a", Say("also " + Base64(next_))));
  EXPECT_EQ(EventsRead(Detect()), 2U);
  EXPECT_TRUE(Redact(Detect()).clean());
  EXPECT_THAT(FilesWith(path(), next_), IsEmpty());
  EXPECT_THAT(Json("a")[4], HasSubstr("also [redacted]"));
}

TEST_F(RedactAgainTest, WhatIsFoundInNewEventsIsSearchedInOldOnes) {
  Must(Append("a", Say("an id: " + next_.substr(4))));  // no rule finds it
  EXPECT_TRUE(Redact(Detect()).clean());
  Must(Append("b", LeakedAnswer("q", next_.substr(4))));
  RedactionTargets targets = Detect();
  targets.secrets = true;
  EXPECT_TRUE(Redact(targets).clean());
  EXPECT_THAT(Json("a").front(), HasSubstr("an id: [redacted]"));
}

TEST_F(RedactAgainTest, OtherRulesReadEverything) {
  Must(Append("a", {Say("1"), Say("2")}));
  EXPECT_TRUE(Redact(Detect()).clean());
  RedactionTargets other = Detect();
  other.secrets = true;
  EXPECT_EQ(EventsRead(other), 2U);
  other = Detect();
  other.accepted = {{"github-token", "a", Seq{1}}};
  EXPECT_EQ(EventsRead(other), 2U);
  other = Detect();
  other.only_new = false;
  EXPECT_EQ(EventsRead(other), 2U);
}

// The question may come after a watermark that lies between it and its answer.
TEST_F(RedactAgainTest, AnAnswerAndItsQuestionArePairedAcrossRuns) {
  RedactionTargets targets = Secrets();
  targets.only_new = true;
  Must(Append("c", {NewTurn(), Say("x"), NewTurn(), Answered("q", value_)}));
  EXPECT_TRUE(Redact(targets).clean());
  EXPECT_THAT(FilesWith(path(), value_), Not(IsEmpty()));
  Must(Append("c", AskSecret(Opaque("q"))));
  EXPECT_EQ(EventsRead(targets), 3U) << "the turn";
  EXPECT_TRUE(Redact(targets).clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
}

TEST_F(RedactAgainTest, WhatComesBeforeTheFirstTurnIsPairedToo) {
  RedactionTargets targets = Secrets();
  targets.only_new = true;
  Must(Append("c", Answered("q", value_)));
  EXPECT_TRUE(Redact(targets).clean());
  EXPECT_EQ(EventsRead(targets), 0U);
  Must(Append("c", AskSecret(Opaque("q"))));
  EXPECT_TRUE(Redact(targets).clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
}

TEST_F(RedactAgainTest, AnInterruptedOneReadsEverythingAgain) {
  Must(Append("a", {Say("1"), Say(token_)}));
  WatchedLog failing(*log_, [] { return std::unexpected(Error{ErrorCode::kIo, "no"}); });
  EXPECT_FALSE(Must(Redaction::Plan(failing, Detect()))->Apply("tester"));
  EXPECT_EQ(EventsRead(Detect()), 2U);
  std::ofstream(path() / "copy") << token_;
  EXPECT_FALSE(Redact(Detect()).clean());
  EXPECT_EQ(EventsRead(Detect()), 3U) << "something is left";
}

TEST_F(RedactAgainTest, AcceptedFindingsStay) {
  Must(Append("a", {Say("an example: " + token_), Say("mine: " + next_)}));
  RedactionTargets targets = Detect();
  targets.accepted = {{"github-token", "a", Seq{1}}};
  EXPECT_TRUE(Redact(targets).clean());
  EXPECT_THAT(Json("a")[0], HasSubstr(token_));
  EXPECT_THAT(Json("a")[1], HasSubstr("mine: [redacted]"));
  EXPECT_TRUE(Redact(Detect()).clean());
  EXPECT_THAT(Json("a")[0], HasSubstr("[redacted]"));
}

TEST_F(RedactAgainTest, EachSecretIsReported) {
  Event dated = Say(token_);
  dated.timestamp = Timestamp{5'000'000'000};
  Must(Append("a", {dated, Say("x"), Say(Base64(token_))}));
  Event answer = Answered("q", value_);
  answer.timestamp = Timestamp{7'000'000'000};
  Must(Append("b", {NewTurn(), answer, AskSecret(Opaque("q")), Say(token_)}));
  RedactionTargets targets = Detect();
  targets.secrets = true;
  const RedactionPlan plan = Plan(targets);
  ASSERT_THAT(plan.secrets, SizeIs(2));
  const auto token = std::ranges::find(plan.secrets, "github-token", &RedactedSecret::rule);
  const auto secret = std::ranges::find(plan.secrets, "secret-answer", &RedactedSecret::rule);
  ASSERT_NE(token, plan.secrets.end());
  ASSERT_NE(secret, plan.secrets.end());
  EXPECT_THAT(token->events, SizeIs(3));
  EXPECT_EQ(token->conversations, 2U);
  EXPECT_TRUE(token->sent_to_model);
  ASSERT_TRUE(token->first && token->last);
  EXPECT_EQ(token->first->nanos, 5'000'000'000);
  EXPECT_FALSE(secret->sent_to_model);
  EXPECT_EQ(secret->last->nanos, 7'000'000'000);
  EXPECT_NE(token->fingerprint, secret->fingerprint);
  const RedactionPlan again = Plan(targets);
  EXPECT_NE(again.secrets[0].fingerprint, plan.secrets[0].fingerprint) << "a plain hash would let guesses be checked";
}

}  // namespace
}  // namespace turnlog::again_test
