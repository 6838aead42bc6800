// Erasing events: no read returns their contents any more, and nothing else changes.
#include <fmt/format.h>

#include "tests/log_conformance/destroyed.h"
#include "turnlog/event_json.h"

namespace turnlog::erase_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EraseTest : public DestroyedTest {};

TURNLOG_FOR_ALL_ENGINES(EraseTest);

TEST_P(EraseTest, KeepsTheSeqAndTheKindOfTheEvent) {
  Must(Append("a", {NewTurn(), Say(kPlanted), Say("stays")}));
  Must(Append("b", Say("stays, too")));
  const EraseReport report = Must(Erase("a", {2}));
  EXPECT_EQ(report.events, 1U);
  EXPECT_GT(report.bytes, kPlanted.size());
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 1 turn", "2 1 erased chat_request", "3 1 stays"));
  EXPECT_THAT(Lines(*log_, "a", {.from = {0}, .backward = true}),
              ElementsAre("3 1 stays", "2 1 erased chat_request", "1 1 turn"));
  EXPECT_THAT(Lines(*log_, "a", {.from = {2}, .limit = 1}), ElementsAre("2 1 erased chat_request"));
  ExpectInOrder(TailLines(*Must(log_->Follow({}))),
                {"a 1 turn", "a 2 erased chat_request", "a 3 stays", "b 1 stays, too"});
  EXPECT_THAT(TailLines(*Must(log_->Follow({}, Id("a")))),
              ElementsAre("a 1 turn", "a 2 erased chat_request", "a 3 stays"));
  ExpectSameAnswersAfterwards();
}

TEST_P(EraseTest, TakesSeqsInAnyOrderAndMoreThanOnce) {
  Must(Append("a", {Say("1"), Say("2"), Say("3"), Say("4")}));
  EXPECT_EQ(Must(Erase("a", {4, 2, 4})).events, 2U);
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 erased chat_request", "3 0 3", "4 0 erased chat_request"));
  const EraseReport more = Must(Erase("a", {1, 2, 4}));
  EXPECT_EQ(more.events, 1U);
  const EraseReport nothing = Must(Erase("a", {4, 1}));
  EXPECT_EQ(nothing.events, 0U);
  EXPECT_EQ(nothing.bytes, 0U);
  EXPECT_EQ(Must(Erase("a", {})).events, 0U);
}

TEST_P(EraseTest, AnErasedTurnStartStillStartsItsTurn) {
  Must(Append("a", {NewTurn(), Say("1"), NewTurn(), Say("2"), NewTurn(), Say("3")}));
  Must(Erase("a", {1, 3}));
  EXPECT_THAT(Lines(*log_, "a"),
              ElementsAre("1 1 erased turn_start", "2 1 1", "3 2 erased turn_start", "4 2 2", "5 3 turn", "6 3 3"));
  EXPECT_THAT(Lines(*log_, "a", {.from_turn = Turn{2}, .limit = 1}), ElementsAre("3 2 erased turn_start"));
  EXPECT_THAT(Lines(*log_, "a", {.last_turns = 2, .limit = 1}), ElementsAre("3 2 erased turn_start"));
  EXPECT_EQ(Must(log_->Info(Id("a"))).turns, 3U);
  ExpectSameAnswersAfterwards();
}

TEST_P(EraseTest, TimesSizesInquiriesAndEventIdsStayKnown) {
  const InquiryId asked = Keyed("call", "q", 1), secret = Opaque("call.secret");
  Event timed = Say("timed");
  timed.timestamp = Timestamp{5};
  Must(Append("a", {timed, NewTurn(), Named("first", Ask(asked)), Answer(asked), AskSecret(secret)}));
  const ConversationInfo before = Must(log_->Info(Id("a")));
  Must(Erase("a", {1, 2, 3, 4, 5}));
  const ConversationInfo after = Must(log_->Info(Id("a")));
  EXPECT_EQ(after.last, before.last);
  EXPECT_EQ(after.turns, before.turns);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.first_time, Timestamp{5});
  EXPECT_EQ(Must(log_->Pending(Id("a"))).size(), 1U);
  ExpectSameAnswersAfterwards();
  for (int indexed = 0; indexed < 2; ++indexed) {
    EXPECT_THAT(AttemptLines(*log_, "a", asked), ElementsAre("t1 3..4"));
    EXPECT_THAT(AttemptLines(*log_, "a", Opaque("call.q.1")), ElementsAre("t1 3..4"));
    EXPECT_THAT(AttemptLines(*log_, "a", Opaque("call.q.2")), IsEmpty());
    EXPECT_THAT(AttemptLines(*log_, "a", secret), ElementsAre("t1 5..- pending"));
    EXPECT_THAT(PendingLines(*log_), ElementsAre("a t1 5"));
    EXPECT_THAT(Seqs(Append("a", Named("first", Say("again")))), ElementsAre(-3));
    EXPECT_EQ(CodeOf(Append("a", Answer(secret))), "secret refused");
    Reopen();
  }
  EXPECT_THAT(Seqs(Append("a", Redacted(secret))), ElementsAre(6));
  EXPECT_THAT(PendingLines(*log_), IsEmpty());
}

TEST_P(EraseTest, NeedsNoWriteOrSyncBefore) {
  const std::vector<Event> events{Say("1"), Say(kPlanted)};
  std::vector<EventView> views{View(events[0]), View(events[1])};
  Must(log_->AppendLater(Id("a"), views));
  Must(Erase("a", {2}));
  ExpectGone(kPlanted);
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 erased chat_request"));
  ExpectSameAnswersAfterwards();
}

TEST_P(EraseTest, PositionsOfTailsSurvive) {
  Must(Append("a", {Say("1"), Say("2"), Say("3")}));
  const auto tail = Must(log_->Follow({}));
  Must(tail->Next());
  Must(tail->Next());
  const Position behind_second = tail->position();
  Must(Erase("a", {1, 2}));
  EXPECT_THAT(TailLines(*Must(log_->Follow(behind_second))), ElementsAre("a 3 3"));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 3 3"));
  const Position end = Must(log_->End());
  Reopen();
  EXPECT_THAT(TailLines(*Must(log_->Follow(behind_second))), ElementsAre("a 3 3"));
  Must(Append("a", Say("4")));
  EXPECT_THAT(TailLines(*Must(log_->Follow(end))), ElementsAre("a 4 4"));
}

TEST_P(EraseTest, RefusesWhatIsNotThereAndErasesNothing) {
  Must(Append("a", {Say("1"), Say("2")}));
  EXPECT_EQ(CodeOf(Erase("b", {1})), "not found");
  EXPECT_EQ(CodeOf(Erase("a", {0, 1})), "not found");
  const auto refused = Erase("a", {1, 3});
  EXPECT_EQ(CodeOf(refused), "not found");
  EXPECT_THAT(MessageOf(refused), HasSubstr("event 3"));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_P(EraseTest, RefusesUnlessTheConversationIsAsExpected) {
  Must(Append("a", {Say("1"), Say("2")}));
  const auto refused = Erase("a", {1}, {.expected_last = Seq{1}});
  EXPECT_EQ(CodeOf(refused), "conflict");
  EXPECT_EQ(refused.error().last_seq, 2U);
  EXPECT_EQ(CodeOf(Erase("a", {}, {.expected_last = Seq{1}})), "conflict");
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
  Must(Erase("a", {1}, {.expected_last = Seq{2}}));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 erased chat_request", "2 0 2"));
}

TEST_P(EraseTest, RefusesEventsThatSayHowTheRestIsToBeRead) {
  Must(Append("a", {Say("1"), Must(ParseEvent(R"({"type":"repair","profile":"strict","head":1,"from":1,"to":1,
                                                  "items":[{"drop":1,"rule":"orphan-inquiry"}]})"))}));
  const auto refused = Erase("a", {1, 2});
  EXPECT_EQ(CodeOf(refused), "invalid argument");
  EXPECT_THAT(MessageOf(refused), HasSubstr("`repair`"));
}

TEST_P(EraseTest, RefusesForReadersAndWhenClosed) {
  Must(Append("a", Say("1")));
  Reopen(OpenMode::kRead);
  EXPECT_EQ(CodeOf(Erase("a", {1})), "read only");
  Must(log_->Close());
  EXPECT_EQ(CodeOf(Erase("a", {1})), "read only");
  Open(OpenMode::kWrite);
  Must(log_->Close());
  EXPECT_EQ(CodeOf(Erase("a", {1})), "needs reopening");
}

TEST_P(EraseTest, CursorsAndTailsThatAreOpenGiveTheOldEventOrSayThatItIsErased) {
  Must(Append("a", {Say("1"), Say("2")}));
  const auto cursor = Must(log_->ReadRaw(Id("a")));
  const auto read_ahead = Must(log_->ReadRaw(Id("a")));
  EXPECT_EQ(Line(Must(read_ahead->Next())), "1 0 1");
  Must(Erase("a", {1, 2}));
  const auto lines = Lines(*cursor);
  if (!GetParam().cursors_fetch_ahead || lines != std::vector<std::string>{"1 0 1", "2 0 2"}) {
    EXPECT_THAT(lines, ElementsAre("1 0 erased chat_request", "2 0 erased chat_request"));
  }
  EXPECT_THAT(Line(Must(read_ahead->Next())), testing::AnyOf("2 0 2", "2 0 erased chat_request"));
}

TEST_P(EraseTest, ReadersBesideTheWriterSeeItWithoutRefresh) {
  Must(Append("a", {Say("1"), Say("2")}));
  const auto reader = OpenReader();
  EXPECT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1", "2 0 2"));
  Must(Erase("a", {2}));
  EXPECT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1", "2 0 erased chat_request"));
  EXPECT_THAT(TailLines(*Must(reader->Follow({}))), ElementsAre("a 1 1", "a 2 erased chat_request"));
  Must(Append("a", Say("3")));
  Must(reader->Refresh());
  EXPECT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1", "2 0 erased chat_request", "3 0 3"));
}

TEST_P(EraseTest, AnErasedEventCountsAsSeenByReadersThatReplay) {
  Must(Append("a", {Say("1"), Say("2")}));
  Must(Erase("a", {1}));
  const auto reader = OpenReader();
  EXPECT_EQ(AnswersOf(*reader), AnswersOf(*log_));
}

}  // namespace
}  // namespace turnlog::erase_test
