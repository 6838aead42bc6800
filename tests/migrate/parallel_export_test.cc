// Exports by several threads are those of one.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "migrate/export/ordered_output.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::parallel_export_test {
namespace {

constexpr unsigned kThreads = 4;

TEST(OrderedOutputTest, BlocksReachTheSinkInTheirOrder) {
  std::string written;
  const ExportSink sink = [&](std::string_view piece) { return written += piece, Status(); };
  OrderedOutput output(sink);
  std::atomic<std::size_t> next = 0;
  constexpr std::size_t kBlocks = 200;
  const std::string large(std::size_t{1} << 20, '.');  // kept for a few pieces
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (std::size_t number; (number = next++) < kBlocks;) {
          OrderedOutput::Block block(output, number);
          for (std::size_t piece = 0; piece < (number % 50 == 7 ? 6U : 0U); ++piece) EXPECT_TRUE(block.Write(large));
          EXPECT_TRUE(block.Write(fmt::format("{};", number)));
          EXPECT_TRUE(block.End(true));
        }
      });
    }
  }
  std::erase(written, '.');
  std::string expected;
  for (std::size_t number = 0; number < kBlocks; ++number) expected += fmt::format("{};", number);
  EXPECT_EQ(written, expected);
}

TEST(OrderedOutputTest, ABlockThatHasMuchWaitsForItsTurn) {
  constexpr std::size_t kPiece = std::size_t{1} << 20, kPieces = 32;
  std::size_t largest = 0;
  const ExportSink sink = [&](std::string_view piece) { return largest = std::max(largest, piece.size()), Status(); };
  OrderedOutput output(sink);
  OrderedOutput::Block first(output, 0);
  std::atomic<std::size_t> written = 0;
  std::jthread other([&] {
    OrderedOutput::Block second(output, 1);
    const std::string piece(kPiece, '.');
    for (; written < kPieces; ++written) EXPECT_TRUE(second.Write(piece));
    EXPECT_TRUE(second.End(true));
  });
  while (written < 3) std::this_thread::yield();
  EXPECT_TRUE(first.End(true));
  other.join();
  EXPECT_LE(largest, 4 * kPiece);
  EXPECT_GE(largest, 3 * kPiece) << "it had to wait";
}

TEST(OrderedOutputTest, ABlockThatIsNotCompleteEndsTheOutput) {
  std::string written;
  const ExportSink sink = [&](std::string_view piece) { return written += piece, Status(); };
  OrderedOutput output(sink);
  OrderedOutput::Block second(output, 1);
  EXPECT_TRUE(second.Write("second"));
  {
    OrderedOutput::Block first(output, 0);
    EXPECT_TRUE(first.Write("first"));
    EXPECT_FALSE(output.failed());
  }  // without End
  EXPECT_TRUE(output.failed());
  EXPECT_FALSE(second.End(true));
  EXPECT_EQ(written, "first");
}

class ParallelExportTest : public ImportTest {
 protected:
  // Of which every 40th is large.
  ParallelExportTest() {
    for (int i = 0; i < 300; ++i) {
      const ConversationId id = Id(fmt::format("c{:03}", i));
      for (int k = 0; k < (i % 40 == 3 ? 60 : 3); ++k) {
        const std::string text(i % 40 == 3 ? 100'000 : 10, 'x');
        Must(
            store_.log->Append(id, Event{.body = ChatRequest{.content = text}}, {.durability = Durability::kBuffered}));
      }
      ids_.push_back(id);
    }
  }

  std::string Exported(unsigned threads) {
    std::string text;
    const ExportSink sink = [&](std::string_view piece) { return text += piece, Status(); };
    report_ = Must(ExportToStream(*store_.log, "jsonl", ids_, sink, {.threads = threads}));
    return text;
  }

  std::vector<ConversationId> ids_;
  ExportReport report_;
};

TEST_F(ParallelExportTest, WritesWhatOneThreadWrites) {
  const std::string one = Exported(1);
  EXPECT_EQ(report_.conversations, ids_.size());
  EXPECT_TRUE(Exported(kThreads) == one);
  EXPECT_EQ(report_.conversations, ids_.size());
  EXPECT_TRUE(Exported(0) == one);
}

TEST_F(ParallelExportTest, NamesWhatCouldNotBeExportedInOrder) {
  for (const std::size_t missing : {10U, 150U, 290U}) ids_[missing] = Id(fmt::format("missing-{}", missing));
  const std::string one = Exported(1);
  const auto names = [&] {
    std::vector<std::string> found;
    for (const ExportFailure& failure : report_.failures) found.push_back(failure.conversation);
    return found;
  };
  EXPECT_THAT(names(), testing::ElementsAre("missing-10", "missing-150", "missing-290"));
  EXPECT_TRUE(Exported(kThreads) == one);
  EXPECT_THAT(names(), testing::ElementsAre("missing-10", "missing-150", "missing-290"));
}

TEST_F(ParallelExportTest, EndsWhenTheSinkRefuses) {
  for (const unsigned threads : {1U, kThreads}) {
    std::size_t pieces = 0;
    const ExportSink full = [&](std::string_view) -> Status {
      if (++pieces < 3) return {};
      return std::unexpected(Error{ErrorCode::kIo, "the disk is full"});
    };
    const auto report = ExportToStream(*store_.log, "jsonl", ids_, full, {.threads = threads});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message, "the disk is full");
    EXPECT_EQ(pieces, 3U) << "and nothing is written after it";
  }
}

}  // namespace
}  // namespace turnlog::parallel_export_test
