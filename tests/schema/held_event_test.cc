#include "schema/event/held_event.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/schema/sample_events.h"

namespace turnlog::held_event_test {
namespace {

// Small ones and large ones, an id whose parts are copied besides, and a repair that holds events.
std::vector<Event> Events() {
  std::vector<Event> events;
  for (const SampleEvent& sample : SampleEvents()) events.push_back(sample.event);
  for (const std::size_t size : {100UZ, 5'000UZ, 20'000UZ, 200'000UZ}) {
    Event event;
    event.body = ChatRequest{std::string(size, 'x'), {}, {}};
    events.push_back(event);
    const std::string call(size, 'c');
    event.body = InquiryResponse{.id = {.text = call + ".q.1", .key = InquiryKey{call, "q", 1}}, .answer = J("1")};
    events.push_back(event);
  }
  return events;
}

TEST(HeldEvents, CopiesLiveLongerThanTheirOriginalsAndTheirKeeper) {
  std::vector<HeldEvent> held;
  {
    HeldEvents copies;
    for (int round = 0; round < 20; ++round) {
      for (Event& event : Events()) {
        held.push_back(copies.Copy(View(event)));
        event = {};
      }
    }
  }
  const std::vector<Event> expected = Events();
  for (std::size_t i = 0; i < held.size(); ++i) EXPECT_EQ(Own(held[i].event), expected[i % expected.size()]) << i;
}

TEST(HeldEvents, CountWhatTheirTextsTake) {
  HeldEvents copies;
  EXPECT_EQ(copies.bytes(), 0U);
  Event event;
  event.body = ChatRequest{std::string(1'000, 'x'), {}, {}};
  std::vector<HeldEvent> held;
  for (int i = 0; i < 1'000; ++i) held.push_back(copies.Copy(View(event)));
  EXPECT_GE(copies.bytes(), 1'000'000U);
  EXPECT_LE(copies.bytes(), 1'300'000U);
}

// A block lives as long as one of its events, and no longer.
TEST(HeldEvents, BlocksAreFreedWithTheirEvents) {
  Event event;
  event.body = ChatRequest{std::string(1'000, 'x'), {}, {}};
  std::optional<HeldEvents> copies(std::in_place);
  HeldEvent first = copies->Copy(View(event)), second = copies->Copy(View(event));
  const std::weak_ptr<const void> block = first.texts;
  EXPECT_EQ(first.texts, second.texts);
  copies.reset();
  first = {};
  EXPECT_FALSE(block.expired());
  second = {};
  EXPECT_TRUE(block.expired());
}

}  // namespace
}  // namespace turnlog::held_event_test
