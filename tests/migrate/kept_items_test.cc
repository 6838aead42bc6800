#include "migrate/import/kept_items.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/must.h"

namespace turnlog::kept_items_test {
namespace {

void KeepEvent(KeptItems& kept, std::string_view conversation) {
  const Event event{.body = TurnStart{}};
  SourceItem item = SourceEvent{.conversation = conversation, .event = View(event)};
  kept.Keep(item);
}

TEST(KeptItemsTest, ReplaysWhatItKeptInItsOrder) {
  constexpr int kMany = 100;  // several blocks
  KeptItems kept(std::size_t{1} << 20);
  for (int i = 0; i < kMany; ++i) KeepEvent(kept, std::to_string(i));
  ASSERT_TRUE(kept.all());
  const auto reader = kept.Replay();
  for (int i = 0; i < kMany; ++i) {
    const SourceItem item = Must(reader->Next());
    ASSERT_TRUE(std::holds_alternative<SourceEvent>(item));
    EXPECT_EQ(std::get<SourceEvent>(item).conversation, std::to_string(i));
  }
  EXPECT_TRUE(std::holds_alternative<EndOfSource>(Must(reader->Next())));
}

TEST(KeptItemsTest, GivesUpWhenTheEventsAreTooMany) {
  KeptItems kept(10'000);
  for (int i = 0; i < 1'000; ++i) KeepEvent(kept, "a");
  EXPECT_FALSE(kept.all());
}

// They bring no events along, but take as much memory.
TEST(KeptItemsTest, GivesUpWhenThePartsAreTooMany) {
  KeptItems kept(100'000);
  for (int i = 0; i < 1'000; ++i) {
    SourceItem part = SourcePart{.conversation = "a", .name = {}, .bytes = {}};
    kept.Keep(part);
  }
  KeepEvent(kept, "a");
  EXPECT_FALSE(kept.all());
}

}  // namespace
}  // namespace turnlog::kept_items_test
