#include "migrate/compare/event_places.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/must.h"

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

// As of a tool that runs while the model still makes calls.
TEST(RecordOrderTest, LateEventsPassCallsAndQuestions) {
  Event call;
  call.body = ToolCallRequest{.id = "b", .name = "f"};
  Event question;
  question.body = InquiryRequest{.id = {.text = "b.q"}};
  const auto events = Waiting({call, question, Result("a")});
  EXPECT_THAT(Find(RecordOrder(events, 0), Result("a"), 0), Optional(2U));
  EXPECT_THAT(Find(RecordOrder(events, 0), question, 0), Optional(1U));
}

// Events of a record that have no ids are between those that have.
TEST(RecordOrderTest, GivesEveryPlaceAnIdOfItsOwn) {
  std::vector<Event> events{Result("a"), Result("b"), Said("so"), Said("and")};
  for (std::size_t i = 0; i < 2; ++i) events[i].event_id = fmt::format("m#{}", i + 9);
  auto waiting = Waiting(events);
  RecordOrder order(waiting, 0);
  order.Move(waiting, 2, 0);
  order.Move(waiting, 3, 1);
  for (std::size_t i = 0; i < waiting.size(); ++i) Must(order.SetId(waiting, i, {}));
  EXPECT_EQ(waiting[0].View().event_id, std::nullopt);
  EXPECT_EQ(waiting[2].View().event_id, "m#11");
  EXPECT_EQ(waiting[3].View().event_id, "m#12");
}

// Nothing passes what is none of these.
TEST(RecordOrderTest, LooksNoFurtherThanTheNextOtherEvent) {
  const auto events = Waiting({Result("a"), Said("so"), Result("b")});
  EXPECT_THAT(Find(RecordOrder(events, 0), Result("b"), 0), Optional(1U));
}

TEST(RecordOrderTest, LeavesTheOrderOfTheOthers) {
  auto events = Waiting({Result("a"), Result("b"), Result("c")});
  RecordOrder order(events, 0);
  order.Move(events, 2, 0);
  EXPECT_TRUE(order.moved());
  EXPECT_EQ(LateKeyOf(events[0].View())->second, "c");
  EXPECT_EQ(LateKeyOf(events[1].View())->second, "a");
  EXPECT_EQ(LateKeyOf(events[2].View())->second, "b");
  EXPECT_THAT(Find(order, Result("b"), 1), Optional(2U));
}

}  // namespace
}  // namespace turnlog::event_places_test
