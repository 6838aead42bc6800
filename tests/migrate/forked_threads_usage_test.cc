// What forks of Codex threads cost, of any choice of them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/migrate/codex_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/migrate/usage.h"

namespace turnlog::forked_threads_usage_test {
namespace {

using ::testing::IsEmpty;

// A thread, a fork of it, and a fork of that.
class ForkedThreadsUsageTest : public ImportTest {
 protected:
  static std::string Thread(int number) { return fmt::format("019fc8be-3658-7ca3-9e29-{:012d}", number); }
  void WriteThread(int number, const std::string& text) {
    Write("in/rollout-2026-08-01T10-00-00-" + Thread(number) + ".jsonl", text);
  }
  static std::string Own(std::uint64_t input, std::string_view second) {
    return CodexRecord("event_msg", R"({"type":"task_started"})", second) + "\n" + Tokens(input, second);
  }
  static std::string Meta(int number, std::string_view second) { return CodexMeta(Thread(number), second) + "\n"; }
  std::uint64_t Input(std::vector<int> threads) {
    std::vector<ConversationId> ids;
    for (const int thread : threads) ids.push_back(Id(Thread(thread)));
    const std::uint64_t input = Must(CountUsage(*log_, UsageBy::kModel, ids)).sum.tokens.input;
    std::ranges::reverse(ids);
    EXPECT_EQ(Must(CountUsage(*log_, UsageBy::kModel, ids)).sum.tokens.input, input);
    return input;
  }

  static std::string Tokens(std::uint64_t input, std::string_view second) {
    return CodexRecord("event_msg",
                       fmt::format(R"({{"type":"token_count","info":{{"total_token_usage":)"
                                   R"({{"input_tokens":{},"output_tokens":1,"total_tokens":{}}}}}}})",
                                   input, input + 1),
                       second) +
           "\n";
  }
  void ImportAll() {
    const std::vector<std::filesystem::path> paths{dir_ / "in"};
    EXPECT_THAT(Must(Import(*log_, "codex", paths)).problems, IsEmpty());
  }

  const std::string origin_ = Meta(1, "00") + Tokens(100, "00"),
                    fork_ = Meta(2, "10") + Meta(1, "10") + Tokens(100, "10") + Own(150, "12"),
                    second_ = Meta(3, "20") + Meta(2, "20") + Meta(1, "20") + Tokens(100, "20") + Tokens(150, "20") +
                              Own(175, "22"),
                    other_ = Meta(4, "30") + Meta(1, "30") + Tokens(100, "30") + Own(160, "32");
};

TEST_F(ForkedThreadsUsageTest, OfWhatIsCountedEachMessageCountsOnce) {
  WriteThread(1, origin_);
  WriteThread(2, fork_);
  WriteThread(3, second_);
  WriteThread(4, other_);
  ImportAll();
  EXPECT_EQ(Input({1}), 100U);
  EXPECT_EQ(Input({2}), 150U);
  EXPECT_EQ(Input({3}), 175U);
  EXPECT_EQ(Input({1, 2}), 150U);
  EXPECT_EQ(Input({1, 3}), 175U);
  EXPECT_EQ(Input({2, 3}), 175U);
  EXPECT_EQ(Input({2, 4}), 210U);
  EXPECT_EQ(Input({3, 4}), 235U);
  EXPECT_EQ(Input({1, 2, 3, 4}), 235U);
}

TEST_F(ForkedThreadsUsageTest, ForksThatGoOnAlikeBothCount) {
  WriteThread(2, fork_);
  WriteThread(5, Meta(5, "10") + Meta(1, "10") + Tokens(100, "10") + Own(150, "12"));
  ImportAll();
  EXPECT_EQ(Input({2, 5}), 200U);
}

TEST_F(ForkedThreadsUsageTest, WhatIsMissingCountsOnce) {
  WriteThread(3, second_);
  WriteThread(4, other_);
  ImportAll();
  EXPECT_EQ(Input({3, 4}), 235U) << "both have it";
  WriteThread(1, origin_);
  ImportAll();
  EXPECT_EQ(Input({1, 3, 4}), 235U) << "a fork of a missing fork";
}

}  // namespace
}  // namespace turnlog::forked_threads_usage_test
