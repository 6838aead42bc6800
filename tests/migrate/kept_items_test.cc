#include "migrate/import/kept_items.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "schema/event/held_event.h"
#include "tests/support/must.h"

namespace turnlog::kept_items_test {
namespace {

constexpr std::size_t kLimit = std::size_t{1200} << 10;

struct Line {
  std::string conversation;
  Event event;
  std::uint64_t number = 0;
};

// `bytes`: of the text of each event, which differs from that of the others.
std::vector<Line> Lines(std::size_t count, std::size_t bytes) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < count; ++i) {
    Event event{.body = ChatResponse{ChatPart::kMessage, std::to_string(i) + std::string(bytes, 'x')}};
    lines.push_back({"conversation " + std::to_string(i / 3), std::move(event), i + 1});
  }
  return lines;
}

void Keep(KeptItems& kept, const Line& line) {
  const HeldEvent held = HeldEvent::Encode(View(line.event));
  SourceEvent event{.conversation = line.conversation,
                    .seq = Seq{line.number},
                    .event = held.event,
                    .location = {.file = "lines.jsonl", .element = {}, .line = line.number, .byte = {}},
                    .redacted = line.number % 2 == 0,
                    .size = 300};
  if (line.number % 5 == 0) event.remark().problem = "problem " + std::to_string(line.number);
  SourceItem item = std::move(event);
  kept.Keep(item);
}

void ExpectReplayed(KeptItems& kept, const std::vector<Line>& lines) {
  ASSERT_TRUE(kept.all());
  const auto reader = kept.Replay();
  for (const Line& line : lines) {
    SourceItem item = Must(reader->Next());
    auto* event = std::get_if<SourceEvent>(&item);
    ASSERT_TRUE(event != nullptr) << line.number;
    EXPECT_EQ(event->conversation, line.conversation);
    EXPECT_EQ(event->seq, Seq{line.number});
    EXPECT_EQ(Own(event->event.View()), line.event);
    EXPECT_EQ(event->location.file, "lines.jsonl");
    EXPECT_EQ(event->location.line, line.number);
    EXPECT_EQ(event->redacted, line.number % 2 == 0);
    EXPECT_EQ(event->size, 300U);
    const std::string problem = line.number % 5 == 0 ? "problem " + std::to_string(line.number) : "";
    EXPECT_EQ(event->is_quarantined() ? event->remarks->problem : "", problem);
  }
  EXPECT_TRUE(std::holds_alternative<EndOfSource>(Must(reader->Next())));
}

// In a part of one block; in several; and events that are kept where they are.
TEST(KeptItemsTest, ReplaysWhatItKeptInItsOrder) {
  for (const auto& [count, bytes] : {std::pair{1, 10}, {100, 100}, {4'000, 100}, {10, 50'000}}) {
    KeptItems kept(kLimit);
    const std::vector<Line> lines = Lines(static_cast<std::size_t>(count), static_cast<std::size_t>(bytes));
    for (const Line& line : lines) Keep(kept, line);
    ExpectReplayed(kept, lines);
  }
}

TEST(KeptItemsTest, ReplaysPartsAmongEvents) {
  KeptItems kept(kLimit);
  const std::vector<Line> lines = Lines(2, 10);
  Keep(kept, lines.front());
  SourceItem part = SourcePart{.conversation = "empty", .name = "name", .bytes = "bytes"};
  kept.Keep(part);
  Keep(kept, lines.back());
  const auto reader = kept.Replay();
  EXPECT_TRUE(std::holds_alternative<SourceEvent>(Must(reader->Next())));
  const SourceItem replayed = Must(reader->Next());
  ASSERT_TRUE(std::holds_alternative<SourcePart>(replayed));
  EXPECT_EQ(std::get<SourcePart>(replayed).conversation, "empty");
  EXPECT_TRUE(std::holds_alternative<SourceEvent>(Must(reader->Next())));
}

TEST(KeptItemsTest, GivesUpWhenTheEventsAreTooMany) {
  KeptItems kept(10'000);
  for (const Line& line : Lines(1'000, 100)) Keep(kept, line);
  EXPECT_FALSE(kept.all());
}

TEST(KeptItemsTest, GivesUpWhenLargeEventsAreTooMany) {
  KeptItems kept(kLimit);
  for (const Line& line : Lines(30, 50'000)) Keep(kept, line);
  EXPECT_FALSE(kept.all());
}

// They bring no events along, but take as much memory.
TEST(KeptItemsTest, GivesUpWhenThePartsAreTooMany) {
  KeptItems kept(10'000);
  for (int i = 0; i < 10'000; ++i) {
    const std::string conversation = std::to_string(i);
    SourceItem part = SourcePart{.conversation = conversation, .name = {}, .bytes = {}};
    kept.Keep(part);
  }
  EXPECT_FALSE(kept.all());
}

// What it keeps would be in vain.
TEST(KeptItemsTest, GivesUpEarlyInASourceThatWillBeTooLarge) {
  const std::vector<Line> lines = Lines(4'000, 100);
  KeptItems enough(kLimit, 300 * lines.size());
  for (const Line& line : lines) Keep(enough, line);
  EXPECT_TRUE(enough.all());
  KeptItems too_large(kLimit, 300 * lines.size() * 1'000);
  std::size_t kept = 0;
  while (too_large.all() && kept < lines.size()) Keep(too_large, lines[kept++]);
  EXPECT_FALSE(too_large.all());
  EXPECT_LT(kept, lines.size());
}

// The more of it has been read, the less it has to be larger.
TEST(KeptItemsTest, GivesUpOnItsWayThroughASourceThatIsALittleTooLarge) {
  const std::vector<Line> lines = Lines(6'000, 2'000);
  const auto count_kept = [&](std::uint64_t source_bytes) {
    KeptItems kept(8 * kLimit, source_bytes);
    std::size_t count = 0;
    while (kept.all() && count < lines.size()) Keep(kept, lines[count++]);
    return count;
  };
  const std::size_t fit = count_kept(0);
  ASSERT_LT(fit, lines.size());
  EXPECT_LT(count_kept(300 * fit * 115 / 100), fit * 3 / 4);
  EXPECT_GE(count_kept(300 * fit * 9 / 10), fit * 9 / 10);
}

}  // namespace
}  // namespace turnlog::kept_items_test
