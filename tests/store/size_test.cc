// Many events, large events, many conversations.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/store/log_fixture.h"
#include "tests/support/memory.h"
#include "tests/support/sanitized.h"
#include "turnlog/maintenance.h"

namespace turnlog::size_test {
namespace {

using testing::ElementsAre;

class SizeTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "store"; }
  std::unique_ptr<Log> Open(OpenMode mode = OpenMode::kCreate) { return Must(OpenSegmentLog(path(), {.mode = mode})); }
  std::uint64_t Files(const char* part) const {
    return static_cast<std::uint64_t>(std::distance(std::filesystem::directory_iterator(path() / part), {}));
  }

  TempDir folder_;
};

constexpr AppendOptions kBuffered{.durability = Durability::kBuffered, .expected_last = {}};

// Turns of 50 events; each contains its seq.
void AppendMillion(Log& log, std::uint64_t events) {
  constexpr std::uint64_t kBatch = 1000;
  for (std::uint64_t seq = 1; seq <= events; seq += kBatch) {
    std::vector<Event> batch;
    for (std::uint64_t i = seq; i < seq + kBatch; ++i)
      batch.push_back(i % 50 == 1 ? NewTurn() : Say(std::to_string(i)));
    Must(log.Append(Id("a"), batch, kBuffered));
  }
}

std::string MillionLine(std::uint64_t seq) {
  return fmt::format("{} {} {}", seq, (seq - 1) / 50 + 1, seq % 50 == 1 ? "turn" : std::to_string(seq));
}

TEST_F(SizeTest, ConversationOfAMillionEventsTakesNoMemoryToRead) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  constexpr std::uint64_t kEvents = 1'000'000;
  auto log = Open();
  const std::uint64_t before_writing = ResidentKib();
  AppendMillion(*log, kEvents);
  ExpectMemoryBelow(before_writing + (200 << 10));
  Must(log->Close());
  log = Open(OpenMode::kRead);
  EXPECT_EQ(Figure(*log, "checkpoint_offset"), Figure(*log, "end_offset"));
  EXPECT_GT(Must(log->Info(Id("a"))).bytes, 40U << 20);

  const std::uint64_t before_reading = ResidentKib();
  for (const bool backward : {false, true}) {
    const auto cursor = Must(log->ReadRaw(Id("a"), {.from = {backward ? 0U : 1U}, .backward = backward}));
    for (std::uint64_t i = 1; i <= kEvents; ++i) {
      const Item item = Must(cursor->Next());
      ASSERT_TRUE(std::holds_alternative<Record>(item)) << Line(item);
      if (i % 9'973 != 0) continue;
      ASSERT_EQ(Line(item), MillionLine(backward ? kEvents + 1 - i : i));
      ExpectMemoryBelow(before_reading + (32 << 10));
    }
    EXPECT_EQ(Line(Must(cursor->Next())), "end");
  }
  for (const std::uint64_t seq : {1U, 499'999U, 500'001U, 777'777U, 1'000'000U}) {
    EXPECT_THAT(Lines(*log, "a", {.from = {seq}, .limit = 1}), ElementsAre(MillionLine(seq)));
    EXPECT_THAT(Lines(*log, "a", {.from = {seq}, .backward = true, .limit = 1}), ElementsAre(MillionLine(seq)));
  }
  EXPECT_EQ(Lines(*log, "a", {.last_turns = 2}).front(), MillionLine(999'901));
  EXPECT_THAT(Lines(*log, "a", {.from_turn = Turn{12'345}, .limit = 1}), ElementsAre(MillionLine(617'201)));
}

TEST_F(SizeTest, EventOf64MiBComesBack) {
  const std::string large(std::size_t{kSanitized ? 8 : 64} << 20, 'x');
  auto log = Open();
  Must(log->Append(Id("a"), std::vector{Say("before"), Say(large), Say("after")}));
  Must(log->Append(Id("a"), Say(large)));
  const std::vector<std::string> expected{"1 0 before", "2 0 " + large, "3 0 after", "4 0 " + large};
  const auto check = [&] {
    EXPECT_TRUE(Lines(*log, "a") == expected);
    EXPECT_TRUE(Lines(*log, "a", {.from = {2}, .backward = true, .limit = 1}).front() == expected[1]);
    EXPECT_EQ(TailLines(*Must(log->Follow({}))).size(), 4U);
  };
  check();
  Must(log->Close());
  log = Open(OpenMode::kRead);
  check();
  Must(log->Close());
  std::filesystem::remove_all(path() / "index");
  log = Open(OpenMode::kWrite);
  check();
  EXPECT_TRUE(Must(VerifyStore(path())).clean());
}

TEST_F(SizeTest, ManyConversationsAreNotManyFiles) {
  constexpr int kConversations = 10'000;
  auto log = Open();
  for (int i = 0; i < kConversations; ++i) {
    Must(log->Append(Id(fmt::format("conversation {}", i)), Say(std::to_string(i)), kBuffered));
  }
  Must(log->Close());
  EXPECT_LT(Files("log"), 10U);
  EXPECT_LT(Files("index"), 30U);
  log = Open(OpenMode::kRead);
  EXPECT_EQ(Must(log->Stats()).conversations, std::uint64_t{kConversations});
  EXPECT_EQ(Must(log->List("", 2 * kConversations)).size(), std::size_t{kConversations});
  for (int i = 0; i < kConversations; i += 777) {
    EXPECT_THAT(Lines(*log, fmt::format("conversation {}", i)), ElementsAre(fmt::format("1 0 {}", i)));
  }
}

TEST_F(SizeTest, ManySegmentsDoNotNeedManyOpenFiles) {
  auto log = Must(OpenSegmentLog(path(), {.segment_bytes = 8 << 10}));
  for (int i = 0; i < 300; ++i) Must(log->Append(Id("a"), Say(std::string(3000, 'x')), kBuffered));
  EXPECT_GT(Files("log"), 200U);
  EXPECT_EQ(Lines(*log, "a").size(), 300U);
  EXPECT_EQ(Lines(*log, "a", {.from = {0}, .backward = true}).size(), 300U);
  EXPECT_LT(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}), 150);
}

}  // namespace
}  // namespace turnlog::size_test
