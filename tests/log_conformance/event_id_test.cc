// An event that is appended again with the same event_id is not written again.
#include "tests/log_conformance/conformance.h"

namespace turnlog::event_id_test {
namespace {

using testing::ElementsAre;

class EventIdTest : public ConformanceTest {};

TURNLOG_FOR_ALL_ENGINES(EventIdTest);

TEST_P(EventIdTest, RepeatGivesTheOldSeq) {
  EXPECT_THAT(Seqs(Append("a", {Say("1"), Named("e", Say("2"))})), ElementsAre(1, 2));
  EXPECT_THAT(Seqs(Append("a", Named("e", Say("other")))), ElementsAre(-2));
  EXPECT_THAT(Seqs(Append("a", Say("3"))), ElementsAre(3));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3"));
}

TEST_P(EventIdTest, RepeatWithinABatchIsWrittenOnce) {
  EXPECT_THAT(Seqs(Append("a", {Named("e", Say("1")), Say("2"), Named("e", Say("x")), Say("3")})),
              ElementsAre(1, 2, -1, 3));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3"));
}

TEST_P(EventIdTest, OfABatchOnlyWhatIsNewIsWritten) {
  Must(Append("a", {Named("e1", Say("1")), Named("e2", Say("2"))}));
  EXPECT_THAT(Seqs(Append("a", {Named("e2", Say("x")), Named("e3", Say("3")), Named("e1", Say("x")), Say("4"),
                                Named("e3", Say("x"))})),
              ElementsAre(-2, 3, -1, 4, -3));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3", "4 0 4"));
}

TEST_P(EventIdTest, BelongsToOneConversation) {
  Must(Append("a", Named("e", Say("1"))));
  EXPECT_THAT(Seqs(Append("b", {Say("1"), Named("e", Say("2"))})), ElementsAre(1, 2));
  EXPECT_THAT(Seqs(Append("b", Named("e", Say("x")))), ElementsAre(-2));
}

TEST_P(EventIdTest, IsKnownWhereverTheEventIsIndexed) {
  Must(Append("a", Named("e1", Say("1"))));
  Must(log_->Checkpoint());
  EXPECT_THAT(Seqs(Append("a", {Named("e1", Say("x")), Named("e2", Say("2"))})), ElementsAre(-1, 2));
  Reopen();
  EXPECT_THAT(Seqs(Append("a", {Named("e2", Say("x")), Named("e3", Say("3")), Named("e1", Say("x"))})),
              ElementsAre(-2, 3, -1));
  ReopenAfterKill();
  EXPECT_THAT(Seqs(Append("a", {Named("e3", Say("x")), Named("e1", Say("x")), Named("e4", Say("4"))})),
              ElementsAre(-3, -1, 4));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3", "4 0 4"));
}

// A client that lost the acknowledgement retries with the same expected_last.
TEST_P(EventIdTest, RepeatedAppendSucceedsWhateverLastSeqItExpects) {
  const std::vector<Event> batch{Named("e1", Say("1")), Named("e2", Say("2"))};
  EXPECT_THAT(Seqs(Append("a", batch, {.expected_last = Seq{0}})), ElementsAre(1, 2));
  Must(Append("a", Say("3")));
  EXPECT_THAT(Seqs(Append("a", batch, {.expected_last = Seq{0}})), ElementsAre(-1, -2));
  ReopenAfterKill();
  EXPECT_THAT(Seqs(Append("a", batch, {.expected_last = Seq{0}})), ElementsAre(-1, -2));
  EXPECT_THAT(Seqs(Append("a", batch, {.expected_last = Seq{99}})), ElementsAre(-1, -2));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3"));
}

TEST_P(EventIdTest, OneNewEventIsEnoughForTheExpectedSeqToCount) {
  Must(Append("a", {Named("e1", Say("1")), Named("e2", Say("2"))}));
  const std::vector<Event> batch{Named("e1", Say("1")), Named("e3", Say("3"))};
  const auto refused = Append("a", batch, {.expected_last = Seq{0}});
  EXPECT_EQ(CodeOf(refused), "conflict");
  EXPECT_EQ(refused.error().last_seq, 2U);
  EXPECT_THAT(Seqs(Append("a", batch, {.expected_last = Seq{2}})), ElementsAre(-1, 3));
}

// The repeat of an answer is not an answer: nothing of it is written.
TEST_P(EventIdTest, RepeatedResponseClosesNothing) {
  Must(Append("a", {Ask(Opaque("i")), Named("e", Answer(Opaque("i"))), Ask(Opaque("i"))}));
  EXPECT_THAT(Seqs(Append("a", Named("e", Answer(Opaque("i"))))), ElementsAre(-2));
  EXPECT_THAT(PendingLines(*log_), ElementsAre("a t0 3"));
}

}  // namespace
}  // namespace turnlog::event_id_test
