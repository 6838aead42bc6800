// Redacting events: they have new contents under the same seq, no read returns the old contents, and nothing else
// changes.
#include <fmt/format.h>

#include "tests/log_conformance/destroyed.h"
#include "turnlog/event_json.h"

namespace turnlog::redact_test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Event At(std::int64_t nanos, Event event) {
  event.timestamp = Timestamp{nanos};
  return event;
}

class RedactTest : public DestroyedTest {
 protected:
  // Whether a repeated append reports that the event is redacted.
  bool IsReportedRedacted(std::string_view conversation, std::string_view event_id) {
    const AppendResult result = Must(Append(conversation, Named(event_id, Say("again"))));
    EXPECT_TRUE(result.events.at(0).repeated);
    return result.events.at(0).redacted;
  }
};

TURNLOG_FOR_ALL_ENGINES(RedactTest);

TEST_P(RedactTest, ReturnsTheReplacementUnderTheOldSeqAndARedactionEvent) {
  Must(Append("a", {NewTurn(), Say(kPlanted), Say("stays")}));
  Must(Append("b", Say("stays, too")));
  const RedactReport report = Must(Redact("a", {{2, Say("[redacted]")}}));
  EXPECT_EQ(report.redaction, Seq{4});
  EXPECT_GT(report.bytes, kPlanted.size());
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 1 turn", "2 1 [redacted]", "3 1 stays", "4 1 redaction"));
  EXPECT_THAT(Lines(*log_, "a", {.from = {0}, .backward = true}),
              ElementsAre("4 1 redaction", "3 1 stays", "2 1 [redacted]", "1 1 turn"));
  EXPECT_THAT(Lines(*log_, "a", {.from = {2}, .limit = 1}), ElementsAre("2 1 [redacted]"));
  ExpectInOrder(TailLines(*Must(log_->Follow({}))),
                {"a 1 turn", "a 2 [redacted]", "a 3 stays", "b 1 stays, too", "a 4 redaction"});
  EXPECT_THAT(TailLines(*Must(log_->Follow({}, Id("b")))), ElementsAre("b 1 stays, too"));
  ExpectSameAnswersAfterwards();
}

TEST_P(RedactTest, ARecordSaysThatItWasRedacted) {
  Must(Append("a", {Say(kPlanted), Say("stays")}));
  Must(Redact("a", {{1, Say("[redacted]")}}));
  for (const bool tail : {false, true}) {
    const auto cursor = Must(log_->ReadRaw(Id("a")));
    const auto follower = Must(log_->Follow({}));
    for (const bool redacted : {true, false}) {
      const Item item = Must(tail ? follower->Next() : cursor->Next());
      EXPECT_EQ(std::get<Record>(item).redacted, redacted);
    }
  }
}

TEST_P(RedactTest, AnEventCanBeRedactedAgainAndErasedAfterwards) {
  Must(Append("a", {Say(fmt::format("{} and another-secret", kPlanted)), Say("stays")}));
  for (int round = 0; round < 20; ++round) {
    Must(Redact("a", {{1, Say(fmt::format("another-secret {}", round))}}));
    EXPECT_THAT(Lines(*log_, "a", {.limit = 1}), ElementsAre(fmt::format("1 0 another-secret {}", round)));
  }
  ExpectGone(kPlanted);
  ExpectGone("another-secret 18");
  ExpectSameAnswersAfterwards();
  Must(Redact("a", {{1, Say("[redacted]")}}));
  ExpectGone("another-secret");
  EXPECT_THAT(Lines(*log_, "a", {.limit = 2}), ElementsAre("1 0 [redacted]", "2 0 stays"));

  const EraseReport report = Must(log_->Erase(Id("a"), std::vector<Seq>{{1}}));
  EXPECT_EQ(report.events, 1U);
  EXPECT_GT(report.bytes, 0U);
  ExpectGone("[redacted]");
  EXPECT_THAT(Lines(*log_, "a", {.limit = 1}), ElementsAre("1 0 erased chat_request"));
  EXPECT_EQ(Must(log_->Erase(Id("a"), std::vector<Seq>{{1}})).events, 0U);
  ExpectSameAnswersAfterwards();
  const auto refused = Redact("a", {{1, Say("[redacted]")}});
  EXPECT_EQ(CodeOf(refused), "invalid argument");
  EXPECT_THAT(MessageOf(refused), HasSubstr("event 1 of \"a\""));
}

TEST_P(RedactTest, WhatIsKnownOfAnEventStays) {
  const InquiryId asked = Keyed("call", "q", 1), secret = Opaque("call.secret");
  Must(Append("a", {At(5, Say(kPlanted)), NewTurn(), Named("first", Ask(asked)), Answer(asked), AskSecret(secret)}));
  const ConversationInfo before = Must(log_->Info(Id("a")));
  EXPECT_FALSE(IsReportedRedacted("a", "first"));
  Event ask = Named("first", Ask(asked)), ask_secret = AskSecret(secret);
  std::get<InquiryRequest>(ask.body).question.text = "[redacted]";
  std::get<InquiryRequest>(ask_secret.body).question.context = "[redacted]";
  Must(Redact("a", {{1, At(5, Say("[redacted]"))}, {3, ask}, {4, Redacted(asked)}, {5, ask_secret}}));
  ExpectGone("hush-hush");
  const ConversationInfo after = Must(log_->Info(Id("a")));
  EXPECT_EQ(after.last.value, before.last.value + 1);
  EXPECT_EQ(after.first_time, Timestamp{5});
  ExpectSameAnswersAfterwards();
  for (int indexed = 0; indexed < 2; ++indexed) {
    EXPECT_THAT(AttemptLines(*log_, "a", asked), ElementsAre("t1 3..4"));
    EXPECT_THAT(AttemptLines(*log_, "a", Opaque("call.q.2")), IsEmpty());
    EXPECT_THAT(PendingLines(*log_), ElementsAre("a t1 5"));
    EXPECT_TRUE(IsReportedRedacted("a", "first"));
    EXPECT_EQ(CodeOf(Append("a", Answer(secret))), "secret refused");
    Reopen();
  }
  Must(log_->Erase(Id("a"), std::vector<Seq>{{3}}));
  EXPECT_FALSE(IsReportedRedacted("a", "first"));  // it is erased, not redacted
}

TEST_P(RedactTest, ARepairKeepsItsRangeAndARedactionItsSeq) {
  Must(Append("a", {Say("1"), Say("2"), Repaired(1, 2)}));
  Must(Redact("a", {{1, Say("[redacted]")}}));
  Event repair = Repaired(1, 2);
  repair.extra = Must(ParseJson(R"({"note":"[redacted]"})"));
  Must(Redact("a", {{3, repair}, {4, RedactionEvent(R"({"type":"redaction"})")}}));
  EXPECT_THAT(RepairLines(*log_, "a"), ElementsAre("3: 1..2"));
  ExpectSameAnswersAfterwards();
  EXPECT_THAT(RepairLines(*log_, "a"), ElementsAre("3: 1..2"));
  EXPECT_EQ(CodeOf(Redact("a", {{3, Repaired(1, 1)}})), "invalid argument");
}

TEST_P(RedactTest, NeedsNoWriteOrSyncBefore) {
  const std::vector<Event> events{Say("1"), Say(kPlanted)};
  const std::vector<EventView> views{View(events[0]), View(events[1])};
  Must(log_->AppendLater(Id("a"), views));
  Must(Redact("a", {{2, Say("[redacted]")}}));
  ExpectGone(kPlanted);
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 [redacted]", "3 0 redaction"));
  ExpectSameAnswersAfterwards();
}

TEST_P(RedactTest, PositionsOfTailsSurvive) {
  Must(Append("a", {Say("1"), Say("2"), Say("3")}));
  const auto tail = Must(log_->Follow({}));
  Must(tail->Next());
  Must(tail->Next());
  const Position behind_second = tail->position();
  Must(Redact("a", {{1, Say("[redacted]")}, {2, Say("[redacted]")}}));
  EXPECT_THAT(TailLines(*Must(log_->Follow(behind_second))), ElementsAre("a 3 3", "a 4 redaction"));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 3 3", "a 4 redaction"));
  const Position end = Must(log_->End());
  Reopen();
  EXPECT_THAT(TailLines(*Must(log_->Follow(behind_second))), ElementsAre("a 3 3", "a 4 redaction"));
  Must(Append("a", Say("5")));
  EXPECT_THAT(TailLines(*Must(log_->Follow(end))), ElementsAre("a 5 5"));
}

TEST_P(RedactTest, RefusesToMakeAnEventAnotherOne) {
  const InquiryId asked = Opaque("q");
  Must(Append("a", {Named("id", At(5, Say(kPlanted))), Ask(asked), Answer(asked)}));
  const auto refuses = [&](std::uint64_t seq, const Event& event) {
    const auto refused = Redact("a", {{seq, event}});
    return CodeOf(refused) == "invalid argument" && MessageOf(refused).contains(fmt::format("event {} of \"a\"", seq));
  };
  EXPECT_TRUE(refuses(1, Named("id", At(5, NewTurn()))));
  EXPECT_TRUE(refuses(1, Named("id", At(6, Say("")))));
  EXPECT_TRUE(refuses(1, Named("id", Say(""))));
  EXPECT_TRUE(refuses(1, At(5, Say(""))));
  EXPECT_TRUE(refuses(2, Ask(Opaque("r"))));
  EXPECT_TRUE(refuses(2, AskSecret(asked)));
  EXPECT_TRUE(refuses(3, Redacted(Opaque("r"))));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre(fmt::format("1 0 {}", kPlanted), "2 0 ask q", "3 0 answer q"));
}

TEST_P(RedactTest, RefusesWhatIsNotThereAndChangesNothing) {
  Must(Append("a", {Say("1"), Say("2")}));
  EXPECT_EQ(CodeOf(Redact("b", {{1, Say("")}})), "not found");
  EXPECT_EQ(CodeOf(Redact("a", {{0, Say("")}, {1, Say("")}})), "not found");
  const auto refused = Redact("a", {{1, Say("")}, {3, Say("")}});
  EXPECT_EQ(CodeOf(refused), "not found");
  EXPECT_THAT(MessageOf(refused), HasSubstr("event 3"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_P(RedactTest, RefusesWrongArguments) {
  Must(Append("a", {Say("1"), Say("2")}));
  EXPECT_EQ(CodeOf(Redact("a", {})), "invalid argument");
  EXPECT_EQ(CodeOf(Redact("a", {{2, Say("")}, {1, Say("")}})), "invalid argument");
  EXPECT_EQ(CodeOf(Redact("a", {{1, Say("")}, {1, Say("")}})), "invalid argument");
  EXPECT_EQ(CodeOf(Redact("a", {{1, Say("bad \xff utf-8")}})), "invalid argument");
  const Event said = Say("1"), named = Named("id", RedactionEvent());
  const std::vector<Replacement> replacements{{{1}, View(said)}};
  EXPECT_EQ(CodeOf(log_->Redact(Id("a"), replacements, View(said))), "invalid argument");
  EXPECT_EQ(CodeOf(log_->Redact(Id("a"), replacements, View(named))), "invalid argument");
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_P(RedactTest, RefusesUnlessTheConversationIsAsExpected) {
  Must(Append("a", {Say("1"), Say("2")}));
  const auto refused = Redact("a", {{1, Say("")}}, {.expected_last = Seq{1}});
  EXPECT_EQ(CodeOf(refused), "conflict");
  EXPECT_EQ(refused.error().last_seq, 2U);
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
  EXPECT_EQ(Must(Redact("a", {{1, Say("")}}, {.expected_last = Seq{2}})).redaction, Seq{3});
}

TEST_P(RedactTest, RefusesForReadersAndWhenClosed) {
  Must(Append("a", Say("1")));
  Reopen(OpenMode::kRead);
  EXPECT_EQ(CodeOf(Redact("a", {{1, Say("")}})), "read only");
  Must(log_->Close());
  Open(OpenMode::kWrite);
  Must(log_->Close());
  EXPECT_EQ(CodeOf(Redact("a", {{1, Say("")}})), "needs reopening");
}

TEST_P(RedactTest, CursorsAndTailsThatAreOpenGiveTheOldEventOrTheNewOne) {
  Must(Append("a", {Say("1"), Say("2")}));
  const auto cursor = Must(log_->ReadRaw(Id("a")));
  const auto read_ahead = Must(log_->ReadRaw(Id("a")));
  EXPECT_EQ(Line(Must(read_ahead->Next())), "1 0 1");
  Must(Redact("a", {{1, Say("[1]")}, {2, Say("[2]")}}));
  const auto lines = Lines(*cursor);
  if (!GetParam().cursors_fetch_ahead || lines != std::vector<std::string>{"1 0 1", "2 0 2"}) {
    EXPECT_THAT(lines, ElementsAre("1 0 [1]", "2 0 [2]"));
  }
  EXPECT_THAT(Line(Must(read_ahead->Next())), AnyOf("2 0 2", "2 0 [2]"));
}

}  // namespace
}  // namespace turnlog::redact_test
