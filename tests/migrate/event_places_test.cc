#include "migrate/import/event_places.h"

#include <gmock/gmock.h>

namespace turnlog::event_places_test {
namespace {

using ::testing::Optional;

Event Result(const std::string& call) {
  Event event;
  event.body = ToolCallResponse{.id = call, .content = "x"};
  return event;
}

Event Said(const std::string& text) {
  Event event;
  event.body = ChatResponse{ChatPart::kMessage, text};
  return event;
}

std::optional<std::size_t> Find(const RecordOrder& order, const Event& stored, std::size_t at) {
  return order.Find(View(stored), at);
}

std::vector<WaitingEvent> Waiting(const std::vector<Event>& events) {
  std::vector<WaitingEvent> waiting;
  for (const Event& event : events) {
    waiting.push_back({.held = HeldEvent::Encode(View(event)), .seq = {}, .location = {}, .remarks = {}});
  }
  return waiting;
}

TEST(RecordOrderTest, FindsWhatCameBeforeAnswers) {
  const auto events = Waiting({Result("a"), Result("b"), Result("c"), Said("so")});
  const RecordOrder order(events, 0);
  EXPECT_EQ(order.end(), 4U);
  EXPECT_THAT(Find(order, Result("c"), 0), Optional(2U));
  EXPECT_THAT(Find(order, Said("so"), 0), Optional(3U));
  EXPECT_EQ(Find(RecordOrder(Waiting({Result("a"), Result("b")}), 0), Said("so"), 0), std::nullopt);
}

// Nothing passes what is no answer.
TEST(RecordOrderTest, LooksNoFurtherThanTheNextOtherEvent) {
  const auto events = Waiting({Result("a"), Said("so"), Result("b")});
  EXPECT_THAT(Find(RecordOrder(events, 0), Result("b"), 0), Optional(1U));
}

TEST(RecordOrderTest, LeavesTheOrderOfTheOthers) {
  auto events = Waiting({Result("a"), Result("b"), Result("c")});
  RecordOrder order(events, 0);
  order.Move(events, 2, 0);
  EXPECT_TRUE(order.moved());
  EXPECT_EQ(AnsweredBy(events[0].View())->second, "c");
  EXPECT_EQ(AnsweredBy(events[1].View())->second, "a");
  EXPECT_EQ(AnsweredBy(events[2].View())->second, "b");
  EXPECT_THAT(Find(order, Result("b"), 1), Optional(2U));
}

}  // namespace
}  // namespace turnlog::event_places_test
