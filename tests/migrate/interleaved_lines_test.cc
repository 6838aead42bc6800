// JSON lines whose conversations are interleaved, more than fits into memory.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>
#include <string>

#include "tests/migrate/import_fixture.h"
#include "tests/migrate/small_import.h"
#include "tests/support/must.h"

namespace turnlog::interleaved_lines_test {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

class InterleavedLinesTest : public ImportTest {
 protected:
  // Letters that no compression makes much smaller.
  static std::string Noise(std::mt19937& random, std::size_t size) {
    std::string text;
    while (text.size() < size) text.push_back(static_cast<char>('0' + random() % 43));  // up to 'Z'
    return text;
  }
  // Each round has the next event of each conversation.
  void WriteRounds(int conversations, int rounds, std::size_t text_bytes) {
    std::mt19937 random(1);
    std::string lines;
    for (int round = 1; round <= rounds; ++round) {
      for (int conversation = 0; conversation < conversations; ++conversation) {
        lines += fmt::format(R"({{"conversation":"{}","seq":{},"type":"chat_request","content":"{} {}"}})",
                             conversation, round, round, Noise(random, text_bytes));
        lines += '\n';
      }
    }
    Write("rounds.jsonl", lines);
  }
  void ExpectWhole(int conversations, std::uint64_t rounds) {
    for (int conversation = 0; conversation < conversations; ++conversation) {
      ASSERT_EQ(Must(log_->Info(Id(std::to_string(conversation)))).last.value, rounds) << conversation;
    }
  }
};

TEST_F(InterleavedLinesTest, TheSourceIsReadTwiceHoweverLargeItIs) {
  WriteRounds(40, 100, 500);
  const ImportReport report = ImportSmall(*log_, "jsonl", dir_ / "rounds.jsonl");
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.added, 40U);
  EXPECT_EQ(report.bytes_parsed, 2 * fs::file_size(dir_ / "rounds.jsonl"));
  ExpectWhole(40, 100);
  EXPECT_EQ(ImportSmall(*log_, "jsonl", dir_ / "rounds.jsonl").unchanged, 40U);
}

// Its events take 24 KiB of the 64 that may be kept.
TEST_F(InterleavedLinesTest, ASourceThatFitsIntoMemoryIsReadOnce) {
  WriteRounds(4, 10, 500);
  const ImportReport report = ImportSmall(*log_, "jsonl", dir_ / "rounds.jsonl");
  EXPECT_EQ(report.added, 4U);
  EXPECT_EQ(report.bytes_parsed, fs::file_size(dir_ / "rounds.jsonl"));
  ExpectWhole(4, 10);
}

TEST_F(InterleavedLinesTest, ASourceThatDoesNotIsReadTwice) {
  WriteRounds(4, 25, 1'000);
  const ImportReport report = ImportSmall(*log_, "jsonl", dir_ / "rounds.jsonl");
  EXPECT_EQ(report.added, 4U);
  EXPECT_EQ(report.bytes_parsed, 2 * fs::file_size(dir_ / "rounds.jsonl"));
  ExpectWhole(4, 25);
}

TEST_F(InterleavedLinesTest, MoreConversationsThanAreOpenAtOnceAllComeIn) {
  constexpr int kConversations = 10'500;
  WriteRounds(kConversations, 2, 0);
  const ImportReport report = ImportSmall(*log_, "jsonl", dir_ / "rounds.jsonl");
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.added, static_cast<std::uint64_t>(kConversations));
  EXPECT_EQ(report.bytes_parsed, 3 * fs::file_size(dir_ / "rounds.jsonl"));
  ExpectWhole(kConversations, 2);
}

}  // namespace
}  // namespace turnlog::interleaved_lines_test
