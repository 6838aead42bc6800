// The state of strict between two runs: exact, and sufficient to continue as if everything had been read.
#include "sanitize/repair/strict_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/coding.h"
#include "sanitize/repair/repair_diff.h"
#include "sanitize/repair/strict.h"
#include "tests/sanitize/streams.h"
#include "tests/support/story.h"
#include "turnlog/event_json.h"

namespace turnlog::strict_state_test {
namespace {

StrictState Sample() {
  StrictState state{
      .salt = 7, .resume = {1000}, .turn_index = 77, .first_chat = Seq{2}, .dropped_turns = {0, 1, 5, 76}};
  state.unanswered[state.HashOf("c1")] = {Seq{3}, Seq{5}};
  state.unanswered[state.HashOf("c2")] = {};
  return state;
}

TEST(StrictStateTest, ComesBackAsItWas) {
  for (const StrictState& state : {Sample(), StrictState()}) EXPECT_EQ(DecodeStrictState(Encode(state)), state);
}

TEST(StrictStateTest, TheSameStateIsTheSameBytes) {
  StrictState other{
      .salt = 7, .resume = {1000}, .turn_index = 77, .first_chat = Seq{2}, .dropped_turns = {0, 1, 5, 76}};
  other.unanswered.reserve(1000);
  other.unanswered[other.HashOf("c2")] = {};
  other.unanswered[other.HashOf("c1")] = {Seq{3}, Seq{5}};
  EXPECT_EQ(Encode(other), Encode(Sample()));
}

TEST(StrictStateTest, HoldsNoIds) {
  StrictState state;
  state.unanswered[state.HashOf("call_of_a_user")] = {Seq{3}, Seq{5}};
  EXPECT_EQ(Encode(state).find("call_of_a_user"), std::string::npos);
}

TEST(StrictStateTest, TheSameIdHasAnotherHashInEveryConversation) {
  EXPECT_NE(FreshStrictState().HashOf("call_1"), FreshStrictState().HashOf("call_1"));
}

// Its hashes had no salt: it is discarded, and everything is read again.
TEST(StrictStateTest, StatesOfAnEarlierVersionAreNoState) {
  std::string old = Encode(Sample());
  old = old.substr(0, old.size() - sizeof(std::uint64_t));
  old.front() = 1;
  AppendBig(old, Hash64(old));
  EXPECT_EQ(DecodeStrictState(old), std::nullopt);
}

TEST(StrictStateTest, DamagedBytesAreNoState) {
  const std::string good = Encode(Sample());
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_EQ(DecodeStrictState(std::string_view(good).substr(0, length)), std::nullopt) << length;
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(DecodeStrictState(bad), std::nullopt) << bit;
  }
  EXPECT_EQ(DecodeStrictState(good + "x"), std::nullopt);
}

// --- Going on from a state ---

std::optional<Seq> FirstChat(std::span<const Event> events) {
  const auto chat = std::ranges::find(events, EventKind::kChatRequest, &Event::kind);
  if (chat == events.end()) return std::nullopt;
  return Seq{static_cast<std::uint64_t>(chat - events.begin()) + 1};
}

void AddAll(StrictPlanner& planner, std::span<const Event> events, Seq to) {
  for (Seq seq = planner.state().resume; seq <= to; ++seq.value) planner.Add(seq, View(events[seq.value - 1]));
}

StrictRepairs Joined(StrictRepairs one, const StrictRepairs& next, const StrictRepairs& last) {
  for (const StrictRepairs* more : {&next, &last}) {
    one.drops.insert(one.drops.end(), more->drops.begin(), more->drops.end());
    one.inserts.insert(one.inserts.end(), more->inserts.begin(), more->inserts.end());
    one.late.insert(one.late.end(), more->late.begin(), more->late.end());
    one.notes.insert(one.notes.end(), more->notes.begin(), more->notes.end());
  }
  return one;
}

// Without the closings that a late result makes void.
std::multiset<std::string> Text(const StrictRepairs& repairs) {
  std::set<Seq> answered_late;
  for (const LateResult& late : repairs.late) answered_late.insert(late.call);
  std::multiset<std::string> text;
  for (const Drop& drop : repairs.drops) {
    text.insert("drop " + std::to_string(drop.why.seq.value) + " " + std::string(ToString(drop.why.rule)));
  }
  for (const Insert& insert : repairs.inserts) {
    if (insert.why.rule == RepairRule::kInterruptedToolCall && answered_late.contains(insert.why.seq)) continue;
    text.insert("insert " + std::to_string(insert.after.value) + " " + std::to_string(insert.why.seq.value) + " " +
                std::string(ToString(insert.why.rule)) + (insert.event ? ToJson(View(*insert.event)) : ""));
  }
  for (const Finding& note : repairs.notes) text.insert("note " + std::to_string(note.seq.value));
  return text;
}

class StrictStateOnRandomStreams : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(StrictStateOnRandomStreams, PlanningInTwoPartsIsPlanningTheWhole) {
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 300; ++i) {
    const std::string story = i % 2 == 0 ? RandomStory(random) : LikelyStory(random);
    const std::vector<Event> events = Story(story);
    for (std::size_t cut = 0; cut <= events.size(); ++cut) {
      SCOPED_TRACE("seed " + std::to_string(GetParam()) + ", cut " + std::to_string(cut) + ": " + story);
      const auto chat = FirstChat(std::span(events).first(cut));
      if (chat != FirstChat(events)) continue;  // plans before the first chat_request are void
      StrictPlanner first({.first_chat = chat});
      AddAll(first, events, Seq{cut});
      StrictPlanner second(DecodeStrictState(Encode(first.state())).value());
      AddAll(second, events, Seq{events.size()});
      StrictPlanner whole({.first_chat = chat});
      AddAll(whole, events, Seq{events.size()});

      EXPECT_EQ(second.state(), whole.state());
      EXPECT_EQ(second.PlanTail().complete, whole.PlanTail().complete);
      EXPECT_EQ(Text(Joined(first.over(), second.over(), second.PlanTail().closed)),
                Text(Joined({}, whole.over(), whole.PlanTail().closed)));
      EXPECT_EQ(Text(Joined(first.over(), second.over(), second.PlanTail().open)),
                Text(Joined({}, whole.over(), whole.PlanTail().open)));
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StrictStateOnRandomStreams, ::testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace turnlog::strict_state_test
