// Inquiries by id, and pending inquiries.
#include <fmt/format.h>

#include "tests/log_conformance/conformance.h"

namespace turnlog::inquiry_lookup_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class InquiryLookupTest : public EveryAnswererTest {
 protected:
  std::vector<std::string> Find(const InquiryId& id) { return AttemptLines(log(), kConversation, id); }
  std::vector<std::string> Pending() { return PendingLines(log(), kConversation); }
};

TURNLOG_FOR_ALL_SOURCES(InquiryLookupTest);

const InquiryId kId = Opaque("call.question");
const InquiryId kOther = Opaque("call.other");

TEST_P(InquiryLookupTest, FindsRequestAndResponse) {
  Append({NewTurn(), Ask(kId)});
  Settle();
  EXPECT_THAT(Find(kId), ElementsAre("t1 2..- pending"));
  EXPECT_THAT(Pending(), ElementsAre("conversation t1 2"));
  Append({Say("x"), Answer(kId)});
  Settle();
  EXPECT_THAT(Find(kId), ElementsAre("t1 2..4"));
  EXPECT_THAT(Pending(), IsEmpty());
}

TEST_P(InquiryLookupTest, FindsNothingForAnUnknownIdAndRefusesAnUnknownConversation) {
  Append({Ask(kId)});
  Settle();
  EXPECT_THAT(Find(kOther), IsEmpty());
  EXPECT_THAT(Find(Opaque("")), IsEmpty());
  EXPECT_EQ(CodeOf(log().FindInquiry(Id("nobody"), {"call.question", {}})), "not found");
  EXPECT_EQ(CodeOf(log().Pending(Id("nobody"))), "not found");
}

TEST_P(InquiryLookupTest, AnIdUsedInThreeTurnsGivesThreeAnswers) {
  Append({Ask(kId), Answer(kId), NewTurn(), Ask(kId), Answer(kId)});
  Settle();
  Append({NewTurn(), Ask(kId), Cancel(kId)});
  Settle();
  EXPECT_THAT(Find(kId), ElementsAre("t0 1..2", "t1 4..5", "t2 7..8"));
}

TEST_P(InquiryLookupTest, KeepsPendingAndOrphanedApart) {
  Append({Ask(kId), Ask(kOther), NewTurn()});
  Settle();
  Append({Ask(kId)});
  Settle();
  EXPECT_THAT(Find(kId), ElementsAre("t0 1..-", "t1 4..- pending"));
  EXPECT_THAT(Find(kOther), ElementsAre("t0 2..-"));
  EXPECT_THAT(Pending(), ElementsAre("conversation t1 4"));
  Append({NewTurn()});
  Settle();
  EXPECT_THAT(Find(kId), ElementsAre("t0 1..-", "t1 4..-"));
  EXPECT_THAT(Pending(), IsEmpty());
}

TEST_P(InquiryLookupTest, FindsUnmatchedResponses) {
  Append({Answer(kId), Ask(kId)});
  Settle();
  Append({Answer(kId), Cancel(kId), NewTurn(), Redacted(kId)});
  Settle();
  EXPECT_THAT(Find(kId), ElementsAre("t0 -..1", "t0 2..3", "t0 -..4", "t1 -..6"));
}

TEST_P(InquiryLookupTest, ResponseInALaterTurnAnswersNothing) {
  Append({NewTurn(), Ask(kId)});
  Settle();
  Append({NewTurn()});
  Settle();
  Append({Answer(kId)});
  Settle();
  EXPECT_THAT(Find(kId), ElementsAre("t1 2..-", "t2 -..4"));
}

TEST_P(InquiryLookupTest, LegacyIdsThatRepeatWithinATurnPairOneByOne) {
  Append({Ask(kId), Answer(kId), Ask(kId)});
  Settle();
  Append({Answer(kId), Ask(kId), Ask(kId)});
  Settle();
  EXPECT_THAT(Find(kId), ElementsAre("t0 1..2", "t0 3..4", "t0 5..- pending", "t0 6..- pending"));
  EXPECT_THAT(Pending(), ElementsAre("conversation t0 5", "conversation t0 6"));
  Append({Answer(kId)});
  Settle();
  EXPECT_THAT(Find(kId), ElementsAre("t0 1..2", "t0 3..4", "t0 5..- pending", "t0 6..7"));
}

TEST_P(InquiryLookupTest, PartsAreFoundByPartsAndByText) {
  Append({Ask(Keyed("a.b", "c", 1)), Ask(Keyed("a", "b", 1)), Ask(Opaque("a.b"))});
  Settle();
  EXPECT_THAT(Find(Keyed("a.b", "c", 1)), ElementsAre("t0 1..- pending"));
  EXPECT_THAT(Find(Opaque("a.b.c.1")), ElementsAre("t0 1..- pending"));
  EXPECT_THAT(Find(Keyed("a", "b", 1)), ElementsAre("t0 2..- pending"));
  EXPECT_THAT(Find(Opaque("a.b")), ElementsAre("t0 3..- pending"));
  EXPECT_THAT(Find(Keyed("a.b", "c", 2)), IsEmpty());
  EXPECT_THAT(Find(Keyed("b", "c", 1)), IsEmpty());
}

// An id written as text is never split, and equal texts of different keys are different ids.
TEST_P(InquiryLookupTest, PartsAreNeverRecoveredFromText) {
  Append({Ask(Opaque("a.b.c.1")), NewTurn(), Ask(Keyed("a.b", "c", 1))});
  Settle();
  EXPECT_THAT(Find(Keyed("a.b", "c", 1)), ElementsAre("t1 3..- pending"));
  EXPECT_THAT(Find(Opaque("a.b.c.1")), ElementsAre("t0 1..-", "t1 3..- pending"));
  const auto other_parts = InquiryIdView{"a.b.c.1", InquiryKeyView{"a", "b.c", 1}};
  EXPECT_THAT(Must(log().FindInquiry(Id(kConversation), other_parts)), IsEmpty());
}

TEST_P(InquiryLookupTest, AttemptsAreCountedApart) {
  Append({Ask(Keyed("t", "q", 1)), Cancel(Keyed("t", "q", 1)), Ask(Keyed("t", "q", 2))});
  Settle();
  Append({Answer(Keyed("t", "q", 2))});
  Settle();
  EXPECT_THAT(Find(Keyed("t", "q", 1)), ElementsAre("t0 1..2"));
  EXPECT_THAT(Find(Keyed("t", "q", 2)), ElementsAre("t0 3..4"));
}

TEST_P(InquiryLookupTest, ConversationsDoNotMix) {
  Append({Ask(kId)}, "a");
  Append({NewTurn(), Ask(kId), Answer(kId)}, "b");
  Append({NewTurn(), Say("x"), Ask(kOther), Ask(kId)}, "c");
  Settle();
  EXPECT_THAT(AttemptLines(log(), "a", kId), ElementsAre("t0 1..- pending"));
  EXPECT_THAT(AttemptLines(log(), "b", kId), ElementsAre("t1 2..3"));
  EXPECT_THAT(PendingLines(log()), ElementsAre("a t0 1", "c t1 3", "c t1 4"));
  EXPECT_THAT(PendingLines(log(), "b"), IsEmpty());
  Append({Cancel(kId)}, "a");
  Append({NewTurn()}, "c");
  Append({Ask(kOther)}, "b");
  Settle();
  EXPECT_THAT(PendingLines(log()), ElementsAre("b t1 4"));
}

TEST_P(InquiryLookupTest, ManyPendingOnesAreListedInOrder) {
  std::vector<std::string> expected;
  std::vector<Event> events{NewTurn()};
  for (int i = 2; i <= 500; ++i) {
    events.push_back(Ask(Keyed("call", "q" + std::to_string(i), 1)));
    expected.push_back(fmt::format("conversation t1 {}", i));
  }
  Append(events);
  Settle();
  EXPECT_EQ(Pending(), expected);
  EXPECT_EQ(Must(log().Pending(Id(kConversation))).size(), 499U);
}

}  // namespace
}  // namespace turnlog::inquiry_lookup_test
