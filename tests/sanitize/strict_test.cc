// The profile strict, in stories (tests/support/story.h): the log and its sanitized view.
#include "sanitize/repair/strict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "history/turn.h"
#include "tests/sanitize/streams.h"
#include "tests/support/story.h"
#include "turnlog/event_json.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::strict_test {
namespace {

using ::testing::IsEmpty;

RepairPlan Plan(const std::vector<Event>& events, bool close_open = false) {
  return PlanRepair({.profile = RepairProfile::kStrict, .close_open = close_open}, events);
}

std::string Sanitized(std::string_view story) {
  const std::vector<Event> events = Story(story);
  return ToStory(ApplyToEvents(Plan(events), events));
}

std::string Closed(std::string_view story) {
  const std::vector<Event> events = Story(story);
  return ToStory(ApplyToEvents(Plan(events, true), events));
}

std::vector<RepairRule> Rules(std::string_view story) {
  const RepairPlan plan = Plan(Story(story));
  std::vector<RepairRule> rules;
  for (const Drop& drop : plan.drops) rules.push_back(drop.why.rule);
  for (const Insert& insert : plan.inserts) rules.push_back(insert.why.rule);
  return rules;
}

TEST(Strict, LeavesASoundConversationAlone) {
  const std::string_view sound = "T CR Q:c1 I:c1.q A:c1.q R:c1 M T CR M";
  EXPECT_EQ(Sanitized(sound), sound);
  EXPECT_EQ(Sanitized(""), "");
}

TEST(Strict, ClosesAnUnansweredCallOfATurnThatIsOver) {
  EXPECT_EQ(Sanitized("T CR Q:c1 T CR M"), "T CR Q:c1 E:c1 T CR M");
  EXPECT_EQ(Sanitized("T CR Q:a Q:b R:b M T CR M"), "T CR Q:a E:a Q:b R:b M T CR M");
}

TEST(Strict, ClosesAnUnansweredInquiryInsteadOfErasingTheQuestion) {
  EXPECT_EQ(Sanitized("T CR Q:c1 I:c1.q T CR M"), "T CR Q:c1 I:c1.q X:c1.q E:c1 T CR M");
  EXPECT_EQ(Sanitized("T CR Q:c1 I:c1.q R:c1 M T CR M"), "T CR Q:c1 I:c1.q X:c1.q R:c1 M T CR M");
}

TEST(Strict, ClosingCarriesTheKeyOfTheInquiry) {
  std::vector<Event> events = Story("T CR Q:c.1 I:x T CR M");
  std::get<InquiryRequest>(events[3].body).id = *MakeInquiryId("c.1", "q", 2);
  const RepairPlan plan = Plan(events);
  ASSERT_EQ(plan.inserts.size(), 2U);
  const auto& closing = std::get<InquiryResponse>(plan.inserts[0].event->body);
  EXPECT_EQ(closing.id, *MakeInquiryId("c.1", "q", 2));
  EXPECT_EQ(plan.inserts[0].event->timestamp, events[3].timestamp);
}

TEST(Strict, PairsWithinTheTurn) {
  EXPECT_EQ(Sanitized("T CR Q:c1 T CR Q:c1 R:c1 M"), "T CR Q:c1 E:c1 T CR Q:c1 R:c1 M");
  EXPECT_EQ(Sanitized("T CR Q:c1 R:c1 M T CR R:c1 M"), "T CR Q:c1 R:c1 M T CR M");
  EXPECT_EQ(Sanitized("T CR Q:c1 I:q R:c1 M T CR A:q M"), "T CR Q:c1 I:q X:q R:c1 M T CR M");
}

TEST(Strict, AResponseNeedsAnEarlierRequest) {
  EXPECT_EQ(Sanitized("T CR R:c1 Q:c1 M T CR M"), "T CR Q:c1 E:c1 M T CR M");
  EXPECT_EQ(Sanitized("T CR Q:c1 A:q I:q R:c1 M"), "T CR Q:c1 A:q I:q R:c1 M") << "the inquiry is pending";
  EXPECT_EQ(Closed("T CR Q:c1 A:q I:q R:c1 M"), "T CR Q:c1 I:q X:q R:c1 M");
}

TEST(Strict, TheNearestEarlierRequestTakesTheResponse) {
  EXPECT_EQ(Sanitized("T CR Q:c1 I:q I:q A:q R:c1 M T CR M"), "T CR Q:c1 I:q X:q I:q A:q R:c1 M T CR M");
  EXPECT_EQ(Sanitized("T CR Q:c1 A:q I:q A:q R:c1 M"), "T CR Q:c1 I:q A:q R:c1 M");
  EXPECT_EQ(Sanitized("T CR Q:c1 Q:c1 R:c1 M T CR M"), "T CR Q:c1 E:c1 Q:c1 R:c1 M T CR M");
}

TEST(Strict, ASecondResponseGoes) {
  EXPECT_EQ(Sanitized("T CR Q:c1 R:c1 R:c1 M"), "T CR Q:c1 R:c1 M");
  EXPECT_EQ(Sanitized("T CR Q:c1 I:q A:q A:q R:c1 M"), "T CR Q:c1 I:q A:q R:c1 M");
  EXPECT_EQ(Sanitized("T CR Q:c1 I:q X:q A:q R:c1 M"), "T CR Q:c1 I:q X:q R:c1 M");
}

TEST(Strict, LeavesTheOpenTailAlone) {
  for (const std::string_view open : {"T CR Q:c1 I:c1.q", "T CR Q:c1", "T CR", "T", "T CR M Q:c1 R:c1",
                                      "T CR Q:c1 R:c1 R:c1", "T CR M T", "T CR M T CR I:q A:z", "CR Q:c1"}) {
    EXPECT_EQ(Sanitized(open), open);
  }
}

TEST(Strict, ClosesTheOpenTailOnRequest) {
  EXPECT_EQ(Closed("T CR Q:c1 I:c1.q"), "T CR Q:c1 I:c1.q X:c1.q E:c1");
  EXPECT_EQ(Closed("T CR M T T"), "T CR M");
}

TEST(Strict, RepairsTheLastTurnWhenItIsComplete) { EXPECT_EQ(Sanitized("T CR A:q M"), "T CR M"); }

TEST(Strict, MovesAResultToTheOneCallThatItCanBelongTo) {
  EXPECT_EQ(Sanitized("T CR Q:c1 T CR R:c1 M"), "T CR Q:c1 R:c1 T CR M");
  EXPECT_EQ(Sanitized("T CR Q:c1 I:q T CR M T CR R:c1 M"), "T CR Q:c1 I:q X:q R:c1 T CR M T CR M");
  const RepairPlan plan = Plan(Story("T CR Q:c1 T CR R:c1 M"));
  ASSERT_EQ(plan.inserts.size(), 1U);
  EXPECT_EQ(plan.inserts[0].event, std::nullopt) << "the result itself, not a copy";
  EXPECT_EQ(plan.inserts[0].why.seq, Seq{6});
  EXPECT_EQ(plan.inserts[0].after, Seq{3});
  EXPECT_EQ(plan.inserts[0].why.rule, RepairRule::kMovedToolResult);
}

TEST(Strict, DoesNotGuessWhichCallALateResultBelongsTo) {
  EXPECT_EQ(Sanitized("T CR Q:c1 T CR Q:c1 T CR R:c1 M"), "T CR Q:c1 E:c1 T CR Q:c1 E:c1 T CR M");
  EXPECT_EQ(Sanitized("T CR Q:c1 T CR R:c1 R:c1 M"), "T CR Q:c1 R:c1 T CR M") << "the first is the result";
}

TEST(Strict, ALateResultInTheOpenTailStaysUntilTheTurnIsOver) {
  EXPECT_EQ(Sanitized("T CR Q:c1 T CR R:c1"), "T CR Q:c1 E:c1 T CR R:c1");
}

TEST(Strict, DropsEventsBeforeTheFirstRequestAndTheirPartners) {
  EXPECT_EQ(Sanitized("T Q:c1 I:q CR A:q R:c1 M"), "T CR M");
  EXPECT_EQ(Sanitized("T M I:q T CR A:q M"), "T CR M");
  EXPECT_EQ(Sanitized("M CR M"), "T CR M");
  EXPECT_EQ(Sanitized("T M T CR"), "T CR") << "the open tail begins the conversation";
}

TEST(Strict, InsertsAMissingFirstTurnStartOnce) {
  EXPECT_EQ(Sanitized("CR M T CR M"), "T CR M T CR M");
  EXPECT_EQ(Sanitized("? CR M"), "? T CR M");
  EXPECT_EQ(Sanitized("T M"), "T M");
  EXPECT_EQ(Sanitized("M"), "T M");
}

TEST(Strict, DropsEmptyTurnsThatAreOver) {
  EXPECT_EQ(Sanitized("T CR M T T CR M"), "T CR M T CR M");
  EXPECT_EQ(Sanitized("T CR M T T"), "T CR M T") << "the last one may just have begun";
  EXPECT_EQ(Sanitized("T CR M T ? T CR M"), "T CR M ? T CR M");
  EXPECT_EQ(Sanitized("T CR M T A:q T CR M"), "T CR M T CR M") << "empty without what goes";
  EXPECT_EQ(Sanitized("T T CR M"), "T CR M");
}

TEST(Strict, KeepsUnknownKindsWhereTheyAre) {
  EXPECT_EQ(Sanitized("? T CR Q:c1 ? R:c1 ? M ?"), "? T CR Q:c1 ? R:c1 ? M ?");
}

TEST(Strict, CompactionsFollowTheTurnsThatTheyName) {
  EXPECT_EQ(Sanitized("T M T CR M T CR M C{1,2}"), "T CR M T CR M C{0,1}");
  EXPECT_EQ(Sanitized("T CR M T T CR M C{0,2}"), "T CR M T CR M C{0,1}");
  EXPECT_EQ(Sanitized("T M T CR M C{0,0}"), "T CR M") << "nothing is left of what it compacted";
  EXPECT_EQ(Sanitized("CR M T CR M C{0,1}"), "T CR M T CR M C{0,1}");
}

TEST(Strict, NotesCompactionsOfTurnsThatNeverWere) {
  for (const std::string_view story : {"T CR M C{0,7}", "T CR M C{3,1}", "T CR M C{0,1} T CR M", "T CR ? C{0,1} Q:a"}) {
    const RepairPlan plan = Plan(Story(story));
    EXPECT_TRUE(plan.empty());
    ASSERT_EQ(plan.notes.size(), 1U);
    EXPECT_EQ(plan.notes[0].rule, RepairRule::kCompactionRange);
    EXPECT_EQ(plan.notes[0].seq, Seq{4});
  }
}

TEST(Strict, ACompactionOfItsOwnTurnWaitsForTheEndOfTheTurn) {
  EXPECT_EQ(Sanitized("T CR M T C{0,1}"), "T CR M T C{0,1}");
  EXPECT_EQ(Sanitized("T CR M T C{0,1} T CR M"), "T CR M C{0,0} T CR M");
  EXPECT_EQ(Sanitized("T M T CR C{1,1} Q:a"), "T CR C{0,0} Q:a") << "of the open tail, as far as can be said now";
}

TEST(Strict, AChangedCompactionIsNotTheOneThatWasImported) {
  std::vector<Event> events = Story("T M T CR M C{1,1}");
  events[5].source_text = "{ \"type\": \"compaction\" }";
  const RepairPlan plan = Plan(events);
  ASSERT_EQ(plan.inserts.size(), 1U);
  EXPECT_EQ(plan.inserts[0].event->source_text, std::nullopt);
}

TEST(Strict, NamesTheRules) {
  EXPECT_THAT(Rules("T CR Q:c1 I:q T CR A:z R:x M"),
              ::testing::UnorderedElementsAre(RepairRule::kInterruptedToolCall, RepairRule::kInterruptedInquiry,
                                              RepairRule::kOrphanInquiryAnswer, RepairRule::kOrphanToolResult));
}

// --- Properties, on random streams ---

class StrictOnRandomStreams : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(StrictOnRandomStreams, KeepsItsPromises) {
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 500; ++i) {
    const std::string story = RandomStory(random);
    SCOPED_TRACE("seed " + std::to_string(GetParam()) + ": " + story);
    for (const bool close_open : {false, true}) {
      const std::vector<Event> events = Story(story);
      const RepairPlan plan = Plan(events, close_open);
      const std::vector<Event> view = ApplyToEvents(plan, events);

      EXPECT_TRUE(Plan(view, close_open).empty())
          << "not idempotent: " << ToStory(view) << " becomes " << ToStory(ApplyToEvents(Plan(view, close_open), view));
      EXPECT_THAT(ResidualDamage(view), IsEmpty()) << ToStory(view);
      const auto moves = static_cast<std::size_t>(
          std::ranges::count_if(plan.inserts, [](const Insert& insert) { return !insert.event; }));
      EXPECT_EQ(view.size(), events.size() - plan.drops.size() + plan.inserts.size() - moves)
          << "the report does not add up";

      for (const Drop& drop : plan.drops) {
        const bool global = IsGlobal(events[drop.why.seq.value - 1].kind());
        EXPECT_TRUE(!global || drop.why.rule == RepairRule::kCompactionRange);
      }
    }
  }
}

TEST_P(StrictOnRandomStreams, TouchesNothingInTheOpenTail) {
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 500; ++i) {
    const std::string story = RandomStory(random) + "T CR Q:open I:open.q ";
    SCOPED_TRACE("seed " + std::to_string(GetParam()) + ": " + story);
    const std::vector<Event> events = Story(story);
    const std::vector<Event> view = ApplyToEvents(Plan(events), events);
    ASSERT_GE(view.size(), 4U);
    for (std::size_t back = 1; back <= 4; ++back) {
      EXPECT_EQ(ToJson(View(view[view.size() - back])), ToJson(events[events.size() - back]));
    }
  }
}

TEST_P(StrictOnRandomStreams, KeepsTheOrder) {
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 500; ++i) {
    const std::vector<Event> events = Story(RandomStory(random));
    const RepairPlan plan = Plan(events);
    std::map<std::string, std::size_t> place;  // of each event that stays, by its JSON form (no two are equal)
    for (std::size_t k = 0; k < events.size(); ++k) place[ToJson(View(events[k]))] = k;
    std::vector<std::string> moved;
    for (const Insert& insert : plan.inserts) {
      moved.push_back(ToJson(insert.event ? *insert.event : events[insert.why.seq.value - 1]));
    }
    std::size_t last = 0;
    for (const Event& event : ApplyToEvents(plan, events)) {
      const std::string json = ToJson(View(event));
      if (std::ranges::find(moved, json) != moved.end() || !place.contains(json)) continue;
      EXPECT_GE(place[json], last);
      last = place[json];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StrictOnRandomStreams, ::testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace turnlog::strict_test
