// What is redacted, in which places and encodings, and the record of it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sanitize/redaction/redaction_record.h"
#include "sanitize/secrets/secret_detector.h"
#include "tests/redact/redact_fixture.h"
#include "turnlog/event_json.h"
#include "turnlog/maintenance.h"

namespace turnlog::redact_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// --- Places and encodings ---

TEST_F(RedactTest, AValueIsRedactedInEveryFieldOfEveryKind) {
  const std::vector<Event> events = Everywhere(value_);
  Must(Append("c", events));
  ASSERT_THAT(FilesWith(path(), value_), Not(IsEmpty()));
  const RedactionProof proof = Redact(Given({value_}));
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  ASSERT_THAT(proof.conversations, SizeIs(1));
  EXPECT_THAT(proof.conversations[0].events, SizeIs(events.size()));
  const std::vector<Event> now = RawEvents(*log_, "c");
  ASSERT_EQ(now.size(), events.size() + 1);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(now[i].kind(), events[i].kind());
    EXPECT_EQ(now[i].timestamp, events[i].timestamp);
    EXPECT_EQ(now[i].event_id, events[i].event_id);
    EXPECT_THAT(ToJson(View(now[i])), AllOf(Not(HasSubstr("Secret")), HasSubstr("[redacted]")));
  }
}

TEST_F(RedactTest, AValueGoesInEveryEncoding) {
  const std::vector<std::string> texts = Encoded(value_);
  for (const std::string& text : texts) {
    Must(Append("c", Say("before " + text + " behind")));
    Event call;
    call.body = ToolCallRequest{
        .id = "c", .name = "t", .arguments = Json::FromTrusted("{\"a\":" + JsonString(text).text() + "}")};
    Must(Append("c", call));
  }
  EXPECT_TRUE(Redact(Given({value_})).clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  const std::vector<std::string> lines = Json("c");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_THAT(lines[2 * i], AllOf(HasSubstr("before "), HasSubstr("[redacted]"))) << i;
    EXPECT_THAT(lines[2 * i + 1], HasSubstr(R"({"a":"[redacted]"})")) << i;
  }
}

TEST_F(RedactTest, EveryEncodingIsRedactedInEveryField) {
  const std::vector<std::string> texts = Encoded(value_);
  for (std::size_t i = 0; i < texts.size(); ++i) Must(Append(fmt::format("c{}", i), Everywhere(texts[i])));
  const RedactionProof proof = Redact(Given({value_}));
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  ASSERT_THAT(proof.conversations, SizeIs(texts.size()));
  for (const RedactedConversation& conversation : proof.conversations) {
    EXPECT_THAT(conversation.events, SizeIs(Everywhere("x").size()));
  }
}

TEST_F(RedactTest, TextAroundAValueStays) {
  Must(Append("c", FromJson(R"({"type":"tool_call_request","id":"1","name":"t","arguments":{"n":1e2,"a":"\u0041 )" +
                            value_ + R"( \n"},"metadata":{"k":[null,true]}})")));
  Redact(Given({value_}));
  EXPECT_EQ(Json("c").front(),
            R"({"type":"tool_call_request","id":"1","name":"t","arguments":{"n":1e2,"a":"\u0041 [redacted] \n"},)"
            R"("metadata":{"k":[null,true]}})");
}

TEST_F(RedactTest, OldSegmentsAreCleanedAsWellAsTheNewestOne) {
  for (int i = 0; i < 200; ++i) {
    Must(Append(fmt::format("c{}", i % 3),
                Say(fmt::format("{} {} {}", i, i % 7 == 0 ? value_ : "", std::string(30'000, 'x')))));
  }
  ASSERT_GT(Figure(*log_, "segments"), 3U);
  const RedactionProof proof = Redact(Given({value_}));
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  Reopen();
  EXPECT_THAT(Json("c0")[0], HasSubstr("0 [redacted] xxx"));
  EXPECT_TRUE(Must(VerifyStore(path())).clean());
}

TEST_F(RedactTest, SeveralValuesGoAtOnceAndEachHasItsOwnMark) {
  Must(Append("c", Say(value_ + " and " + other_)));
  Redact(Given({value_, other_}));
  EXPECT_EQ(Json("c").front(), R"({"type":"chat_request","content":"[redacted] and [redacted]"})");
}

// --- The record ---

TEST_F(RedactTest, OneRedactionEventNamesRulesAndSeqs) {
  Must(Append("c", {Say(value_), Say("x"), Say(value_), Say(value_)}));
  const RedactionProof proof = Redact(Given({value_}));
  ASSERT_THAT(proof.conversations, SizeIs(1));
  EXPECT_THAT(proof.conversations[0].redactions, ElementsAre(Seq{5}));
  EXPECT_THAT(SeqsOf(proof.conversations[0]), ElementsAre(1, 3, 4));
  const Event record = RawEvents(*log_, "c").back();
  EXPECT_EQ(record.kind(), EventKind::kRedaction);
  ASSERT_TRUE(record.timestamp);
  EXPECT_EQ(
      ToJson(View(record)),
      fmt::format(
          R"({{"type":"redaction","timestamp":"{}","by":"tester","events":3,"rules":[{{"rule":"given-value","events":3,"seqs":[[1,1],[3,4]]}}]}})",
          record.timestamp->ToRfc3339()));
}

TEST_F(RedactTest, WhoDidItIsNotWrittenIfThatIsAValue) {
  Must(Append("c", Say(value_)));
  const auto redaction = Must(Redaction::Plan(*log_, Given({value_})));
  Must(redaction->Apply("me, " + value_));
  EXPECT_TRUE(Must(redaction->Prove()).clean());
  EXPECT_THAT(Json("c").back(), HasSubstr(R"("by":"me, [redacted]")"));
}

// Or every run would redact the record of the last one.
TEST_F(RedactTest, NoRuleTakesARecordForASecret) {
  const auto detector = Must(SecretDetector::Make(BuiltInSecretRules()));
  for (const SecretRule& rule : BuiltInSecretRules().rules) {
    for (const std::string& by : {std::string("root@host"), "token@" + rule.id}) {
      const Event record = MakeRedactionEvent({1'790'000'000'123'456'789}, by, {{rule.id, {Seq{1}, Seq{123'456}}}});
      EXPECT_THAT(detector->Find(ToJson(record)), IsEmpty()) << rule.id;
    }
  }
}

// --- Again, and without writing ---

TEST_F(RedactTest, ASecondRunFindsAndWritesNothing) {
  Must(Append("c", Everywhere(value_)));
  Must(Append("d", LeakedAnswer("q", other_)));
  RedactionTargets targets = Given({value_});
  targets.secrets = targets.detect = true;
  EXPECT_TRUE(Redact(targets).clean());
  const auto before = RawEvents(*log_, "c");
  EXPECT_THAT(Plan(targets).conversations, IsEmpty());
  const RedactionProof again = Redact(targets);
  EXPECT_TRUE(again.clean());
  EXPECT_THAT(again.conversations, IsEmpty());
  EXPECT_EQ(RawEvents(*log_, "c"), before);
}

TEST_F(RedactTest, APlanWritesNothingAndNeedsNoWriter) {
  Must(Append("c", {Say(value_), Say("x")}));
  Reopen(OpenMode::kRead);
  const auto before = AllFiles(path());
  const RedactionPlan plan = Plan(Given({value_}));
  ASSERT_THAT(plan.conversations, SizeIs(1));
  EXPECT_EQ(plan.conversations[0].id, "c");
  EXPECT_THAT(SeqsOf(plan.conversations[0]), ElementsAre(1));
  EXPECT_THAT(plan.conversations[0].events[0].rules, ElementsAre("given-value"));
  EXPECT_EQ(plan.events(), 1U);
  EXPECT_EQ(AllFiles(path()), before);
}

}  // namespace
}  // namespace turnlog::redact_test
