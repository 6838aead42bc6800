#include "schema/event/held_event.h"

#include <gtest/gtest.h>

#include <memory_resource>
#include <string>
#include <vector>

#include "tests/schema/sample_events.h"

namespace turnlog::held_event_test {
namespace {

// Small ones and large ones, among them an id with its parts, and a repair that holds events.
std::vector<Event> Events() {
  std::vector<Event> events;
  for (const SampleEvent& sample : SampleEvents()) events.push_back(sample.event);
  for (const std::size_t size : {100UZ, 5'000UZ, 20'000UZ, 200'000UZ}) {
    Event event;
    event.body = ChatRequest{std::string(size, 'x'), {}, {}};
    events.push_back(event);
  }
  return events;
}

TEST(HeldEvent, OutlivesItsOriginal) {
  std::vector<HeldEvent> encoded, copies;
  for (Event& event : Events()) {
    encoded.push_back(HeldEvent::Encode(View(event)));
    event = {};
  }
  for (HeldEvent& original : encoded) {
    copies.push_back(HeldEvent::Copy(original.event));
    EXPECT_NE(copies.back().event.payload.data(), original.event.payload.data());
    original = {};
  }
  const std::vector<Event> expected = Events();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    EXPECT_EQ(copies[i].event.kind, expected[i].kind());
    EXPECT_EQ(Own(copies[i].event.View()), expected[i]) << i;
  }
}

// Of more events than its memory has room for, and of events that are larger than that.
TEST(EncodedBlock, IsFilledAgainAndAgain) {
  EncodedBlock block(10'000);
  const std::vector<Event> expected = Events();
  for (int round = 0; round < 3; ++round) {
    block.Clear();
    std::vector<EncodedEvent> events;
    for (const Event& event : expected) events.push_back(block.Encode(View(event)));
    for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(Own(events[i].View()), expected[i]) << i;
  }
}

TEST(EncodedBlock, CopiesOutliveIt) {
  std::pmr::monotonic_buffer_resource memory;
  std::vector<EncodedEvent> copies;
  const std::vector<Event> expected = Events();
  {
    EncodedBlock block(10'000);
    for (const Event& event : expected) copies.push_back(CopyInto(memory, block.Encode(View(event))));
  }
  for (std::size_t i = 0; i < copies.size(); ++i) EXPECT_EQ(Own(copies[i].View()), expected[i]) << i;
}

}  // namespace
}  // namespace turnlog::held_event_test
