// Usage: each message once, whatever repeats it.
#include "turnlog/migrate/usage.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::usage_test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class UsageTest : public ImportTest {
 protected:
  void Import(std::string_view format) {
    const std::vector<std::filesystem::path> paths{dir_ / "in"};
    EXPECT_THAT(Must(turnlog::Import(*log_, format, paths)).problems, IsEmpty());
  }
  UsageReport Count(UsageBy by) { return Must(CountUsage(*log_, by, All())); }

  // A record of the message with its usage so far.
  static std::string Claude(std::string_view uuid, std::string_view message, std::uint64_t output,
                            std::string_view time = "2026-08-01T10:00:00.123Z", std::string_view text = "x") {
    return fmt::format(
               R"({{"type":"assistant","uuid":"{}","timestamp":"{}","sessionId":"s","message":{{"id":"{}","model":"opus",)"
               R"("role":"assistant","content":[{{"type":"text","text":"{}"}}],"usage":{{"input_tokens":10,)"
               R"("cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":{}}}}}}})",
               uuid, time, message, text, output) +
           "\n";
  }

  static std::string Tokens(std::uint64_t input, std::uint64_t cached, std::uint64_t output,
                            std::string_view second = "00") {
    return CodexRecord("event_msg",
                       fmt::format(R"({{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{},)"
                                   R"("cached_input_tokens":{},"output_tokens":{},"reasoning_output_tokens":1,)"
                                   R"("total_tokens":{}}}}}}})",
                                   input, cached, output, input + output),
                       second) +
           "\n";
  }

  static std::string File(int number) { return fmt::format("in/0a1b2c3d-4e5f-4061-8071-{:012d}.jsonl", number); }
};

TEST_F(UsageTest, TheLastRecordOfAMessageCounts) {
  Write(File(1), Claude("a", "m1", 1) + Claude("b", "m1", 2) + Claude("c", "m2", 100) + Claude("d", "m1", 5));
  Import("claude-code");
  const UsageReport report = Count(UsageBy::kModel);
  ASSERT_THAT(report.rows, SizeIs(1));
  EXPECT_EQ(report.rows[0].name, "opus");
  EXPECT_EQ(report.sum.messages, 2U);
  EXPECT_EQ(report.sum.tokens, (TokenUsage{.input = 20, .cache_write = 40, .cache_read = 60, .output = 105}));
}

// A resumed session and a subagent repeat what they go on from.
TEST_F(UsageTest, CopiesOfAMessageCountOnceWhereItWasFirst) {
  const std::string first = Claude("a", "m1", 1) + Claude("b", "m1", 7);
  Write(File(2), first);
  Write(File(1), Claude("x", "m1", 1, "2026-08-02T00:00:00Z") + Claude("y", "m2", 100, "2026-08-02T00:00:01Z"));
  Write("in/0a1b2c3d-4e5f-4061-8071-000000000002/subagents/agent-q.jsonl",
        first + Claude("z", "m3", 1'000, "2026-08-03T00:00:00Z"));
  Import("claude-code");
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens.output, 1'107U);
  const UsageReport days = Count(UsageBy::kDay);
  ASSERT_THAT(days.rows, SizeIs(3));
  EXPECT_EQ(days.rows[0].name, "2026-08-01");
  EXPECT_EQ(days.rows[0].tokens.output, 7U);
  EXPECT_EQ(days.rows[2].tokens.output, 1'000U);
  const UsageReport conversations = Count(UsageBy::kConversation);
  ASSERT_THAT(conversations.rows, SizeIs(3));
  EXPECT_EQ(conversations.rows[0].tokens.output, 100U) << conversations.rows[0].name;
}

TEST_F(UsageTest, TheSumOfACodexThreadCountsByItsGrowth) {
  Write("in/rollout-2026-08-01T10-00-00-" + std::string(kCodexThread) + ".jsonl",
        CodexMeta(kCodexThread) + "\n" + CodexRecord("turn_context", R"({"model":"gpt-5"})") + "\n" +
            Tokens(100, 40, 10) + Tokens(100, 40, 10) +
            CodexRecord("event_msg", R"({"type":"token_count","info":null})") + "\n" +
            CodexRecord("turn_context", R"({"model":"other"})") + "\n" + Tokens(300, 140, 30));
  Import("codex");
  const UsageReport report = Count(UsageBy::kModel);
  ASSERT_THAT(report.rows, SizeIs(2));
  EXPECT_EQ(report.rows[0].name, "gpt-5");
  EXPECT_EQ(report.rows[0].tokens, (TokenUsage{.input = 60, .cache_read = 40, .output = 10, .reasoning = 1}));
  EXPECT_EQ(report.rows[1].tokens, (TokenUsage{.input = 100, .cache_read = 100, .output = 20}));
}

TEST_F(UsageTest, AForkOfACodexThreadCountsWhatIsItsOwn) {
  const std::string other = "019fc8be-3658-7ca3-9e29-00000000000a";
  Write("in/rollout-2026-08-01T10-00-00-" + std::string(kCodexThread) + ".jsonl",
        CodexMeta(kCodexThread) + "\n" + Tokens(100, 0, 10));
  Write("in/rollout-2026-08-01T11-00-00-" + other + ".jsonl",
        CodexMeta(other, "10") + "\n" + CodexMeta(kCodexThread, "10") + "\n" + Tokens(100, 0, 10, "10") +
            CodexRecord("event_msg", R"({"type":"task_started"})", "20") + "\n" + Tokens(150, 0, 15, "21"));
  Import("codex");
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens.input, 150U);
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens.output, 15U);
}

TEST_F(UsageTest, ResponsesSayWhatTheyHaveCost) {
  Write("in/one.json", R"({"id":"msg_1","type":"message","role":"assistant","model":"opus","content":)"
                       R"([{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"n","input":{}}],)"
                       R"("usage":{"input_tokens":3,"output_tokens":4}})");
  Write("in/two.json", R"({"id":"resp_1","model":"gpt-5","output":[{"type":"message","role":"assistant","content":)"
                       R"([{"type":"output_text","text":"x"}]}],"usage":{"input_tokens":10,)"
                       R"("input_tokens_details":{"cached_tokens":4},"output_tokens":5,)"
                       R"("output_tokens_details":{"reasoning_tokens":2}}})");
  const std::vector<std::filesystem::path> one{dir_ / "in/one.json"}, two{dir_ / "in/two.json"};
  Must(turnlog::Import(*log_, "anthropic", one));
  Must(turnlog::Import(*log_, "openai", two));
  const UsageReport report = Count(UsageBy::kModel);
  ASSERT_THAT(report.rows, SizeIs(2));
  EXPECT_EQ(report.rows[0].tokens, (TokenUsage{.input = 6, .cache_read = 4, .output = 5, .reasoning = 2}));
  EXPECT_EQ(report.rows[1].tokens, (TokenUsage{.input = 3, .output = 4}));
}

TEST_F(UsageTest, OtherConversationsCostNothing) {
  Jsonl({Write("talk.jsonl", "{\"type\":\"turn_start\"}\n")});
  EXPECT_THAT(Count(UsageBy::kDay).rows, IsEmpty());
}

}  // namespace
}  // namespace turnlog::usage_test
