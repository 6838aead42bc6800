// JSON lines whose conversations are interleaved, more than fits into memory.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "log/forwarding_log.h"
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
  // Each round has the next event of each conversation. Returns what it has written.
  std::string WriteRounds(int conversations, int rounds, std::size_t text_bytes) {
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
    return lines;
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

// Whether the questions come first or last, what is removed in the first reading is removed in the second one.
TEST_F(InterleavedLinesTest, AnswersToQuestionsForSecretsStayOutOfASourceThatIsReadTwice) {
  const std::string exchange =
      R"({"conversation":"asks","type":"inquiry_request","id":"c.q.1","source":{"source":"user"},)"
      R"("question":{"text":"?","answer_type":{"type":"secret"}}})"
      "\n"
      R"({"conversation":"asks","type":"inquiry_response","id":"c.q.1","answer":"hunter2-and-more"})"
      "\n";
  const std::string rounds = WriteRounds(40, 100, 500);
  for (const std::string& text : {exchange + rounds, rounds + exchange}) {
    const TempStore store;
    const ImportReport report = ImportSmall(*store.log, "jsonl", Write("rounds.jsonl", text));
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(report.added, 41U);
    EXPECT_EQ(report.bytes_parsed, 2 * text.size());
    EXPECT_FALSE(IsStored(store, "hunter2"));
  }
}

TEST_F(InterleavedLinesTest, ASourceThatDoesNotIsReadTwice) {
  WriteRounds(4, 25, 1'000);
  const ImportReport report = ImportSmall(*log_, "jsonl", dir_ / "rounds.jsonl");
  EXPECT_EQ(report.added, 4U);
  EXPECT_EQ(report.bytes_parsed, 2 * fs::file_size(dir_ / "rounds.jsonl"));
  ExpectWhole(4, 25);
}

TEST_F(InterleavedLinesTest, MoreConversationsThanAreOpenAtOnceAllComeIn) {
  constexpr int kConversations = 2'100;
  WriteRounds(kConversations, 2, 0);
  const ImportReport report = ImportSmall(*log_, "jsonl", dir_ / "rounds.jsonl");
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.added, static_cast<std::uint64_t>(kConversations));
  EXPECT_EQ(report.bytes_parsed, 4 * fs::file_size(dir_ / "rounds.jsonl")) << "once more for each thousand";
  ExpectWhole(kConversations, 2);
}

// Some are one append, some several; every seventh is refused, at its first events or when it is in parts.
TEST_F(InterleavedLinesTest, ThreadsThatReadComeToTheSame) {
  constexpr int kConversations = 300;
  std::mt19937 random(3);
  std::string lines;
  for (int round = 1; round <= 20; ++round) {
    for (int conversation = 0; conversation < kConversations; ++conversation) {
      if (round > 2 && conversation % 5 > 0) continue;
      lines += fmt::format(R"({{"conversation":"{}","seq":{},"type":"chat_request","content":"{}"}})", conversation,
                           round, Noise(random, conversation % 10 == 0 ? 1'500 : 20));
      lines += '\n';
    }
  }
  Write("rounds.jsonl", lines);
  const TempStore other;
  const auto all = [](Log& log, unsigned readers, const fs::path& path) {
    for (int conversation = 0; conversation < kConversations; conversation += 7) {
      Event another;
      another.body = ChatRequest{.content = "another"};
      Must(log.Append(Id(std::to_string(conversation)), std::span(&another, 1), {}));
    }
    return ImportSmall(log, "jsonl", path, readers);
  };
  const ImportReport one = all(*other.log, 0, dir_ / "rounds.jsonl"), two = all(*log_, 1, dir_ / "rounds.jsonl");
  EXPECT_EQ(one.failed, 43U);
  EXPECT_EQ(one.added, 257U);
  EXPECT_EQ(std::tie(two.failed, two.added, two.events), std::tie(one.failed, one.added, one.events));
  const auto problems = [](const ImportReport& report) {
    std::vector<std::string> texts;
    for (const ImportProblem& problem : report.problems) texts.push_back(problem.conversation + ToString(problem));
    return texts;
  };
  EXPECT_EQ(problems(two), problems(one));
  for (int conversation = 0; conversation < kConversations; ++conversation) {
    const ConversationId id = Id(std::to_string(conversation));
    EXPECT_EQ(Must(log_->Info(id)).last, Must(other.log->Info(id)).last) << conversation;
  }
}

// Fails after some appends.
class FailingLog : public ForwardingLog {
 public:
  FailingLog(Log& log, int appends) : ForwardingLog(log), left_(appends) {}

  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                   const AppendOptions& options) override {
    if (left_ == 0) return std::unexpected(Error{ErrorCode::kIo, "the disk is full"});
    --left_;
    return ForwardingLog::AppendLater(conversation, events, options);
  }

 private:
  int left_;
};

// The thread that reads is told, whatever the other one has still to do; what was appended is whole, and the next
// import goes on.
TEST_F(InterleavedLinesTest, StopWhenTheLogFails) {
  WriteRounds(1'000, 2, 100);
  FailingLog failing(*log_, 300);
  EXPECT_THROW((void)ImportSmall(failing, "jsonl", dir_ / "rounds.jsonl"), std::runtime_error);
  EXPECT_EQ(All().size(), 300U);
  EXPECT_THAT(ImportSmall(*log_, "jsonl", dir_ / "rounds.jsonl").problems, IsEmpty());
  ExpectWhole(1'000, 2);
}

}  // namespace
}  // namespace turnlog::interleaved_lines_test
