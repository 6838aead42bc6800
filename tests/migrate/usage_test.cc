// Usage: each message once, whatever repeats it.
#include "turnlog/migrate/usage.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/codex_samples.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/usage_fixture.h"
#include "tests/support/must.h"

namespace turnlog::usage_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

TEST_F(UsageTest, TheLastRecordOfAMessageCounts) {
  Write(File(1), Claude("a", "m1", 1) + Claude("b", "m1", 2) + Claude("c", "m2", 100) + Claude("d", "m1", 5));
  Import("claude-code");
  ExpectOne(UsageBy::kModel, "opus", 2, {.input = 20, .cache_write = 40, .cache_read = 60, .output = 105});
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
  Write("in/" + kCodexFile, CodexMeta(kCodexThread) + "\n" + CodexRecord("turn_context", R"({"model":"gpt-5"})") +
                                "\n" + Tokens(100, 40, 10) + Tokens(100, 40, 10) +
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
  Write("in/" + kCodexFile, CodexMeta(kCodexThread) + "\n" + Tokens(100, 0, 10));
  Write("in/rollout-2026-08-01T11-00-00-" + other + ".jsonl",
        CodexMeta(other, "10") + "\n" + CodexMeta(kCodexThread, "10") + "\n" + Tokens(100, 0, 10, "10") +
            CodexRecord("event_msg", R"({"type":"task_started"})", "20") + "\n" + Tokens(150, 0, 15, "21"));
  Import("codex");
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens.input, 150U);
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens.output, 15U);
}

TEST_F(UsageTest, ResponsesSayWhatTheyHaveCost) {
  Write("in/one.json",
        R"({"id":"msg_1","type":"message","role":"assistant","model":"opus","content":)"
        R"([{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"n","input":{}}],)"
        R"("usage":{"input_tokens":3,"output_tokens":4,"output_tokens_details":{"thinking_tokens":2}}})");
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
  EXPECT_EQ(report.rows[1].tokens, (TokenUsage{.input = 3, .output = 4, .reasoning = 2}));
}

TEST_F(UsageTest, ResponsesOfOpenAiSayWhenTheyWereMade) {
  Write("in/chat.json",
        R"({"id":"chatcmpl-1","object":"chat.completion","created":1785578400,"model":"gpt-5",)"
        R"("choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],)"
        R"("usage":{"prompt_tokens":10,"completion_tokens":5,)"
        R"("prompt_tokens_details":{"cached_tokens":4}}})");
  Write("in/response.json", R"({"id":"resp_1","object":"response","created_at":1785578401.5,"model":"gpt-5","output":)"
                            R"([{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}],)"
                            R"("usage":{"input_tokens":10,"output_tokens":5}})");
  Import("openai");
  ExpectOne(UsageBy::kDay, "2026-08-01", 2, {.input = 16, .cache_read = 4, .output = 10});
}

TEST_F(UsageTest, TheLastLineOfAMessageOfGeminiCounts) {
  Write("in/session-2026-04-29T21-39-00000001.jsonl",
        GeminiHeader() + "\n" + GeminiUser("u1", "Hi") + "\n" + GeminiText("g1", "x") + "\n" + Gemini("g1", 100, 1) +
            "\n" + Gemini("g1", 100, 1) + "\n" + Gemini("g2", 200, 20) + "\n" + R"({"$set":{"messages":[)" +
            GeminiUser("u1", "Hi") + "," + Gemini("g1", 100, 10) + "]}}\n" + R"({"$rewindTo":"u1"})" + "\n");
  Write("in/session-2026-04-30T21-39-00000002.json",
        R"({"sessionId":"other","startTime":"2026-04-30T21:39:22.319Z","messages":[)" + GeminiUser("u1", "Hi") + "," +
            Gemini("g1", 100, 10) + "," + Gemini("g3", 1000, 100) + "]}");
  Import("gemini");
  const UsageReport report =
      ExpectOne(UsageBy::kModel, "gemini-3", 3, {.input = 1186, .cache_read = 120, .output = 145, .reasoning = 15});
  EXPECT_EQ(Count(UsageBy::kDay).rows[0].name, "2026-04-29");
  EXPECT_THAT(report.uncounted, IsEmpty());
}

// opencode itself keeps only the tokens of the last step in a message.
TEST_F(UsageTest, TheStepsOfAMessageOfOpencodeCountAndThoseOfAForkDoNot) {
  const auto message = [](const std::string& id, const std::string& info, const std::string& parts) {
    return R"({"info":{"id":")" + id + "\"," + info + R"(},"parts":[)" + parts + "]}";
  };
  const std::string steps = R"({"id":"p1",)" + Step(Tokens(10, 100)) + R"(},{"id":"p2",)" + Step(Tokens(5, 50)) + "}";
  const std::string one = Info(1, Tokens(5, 50)), two = Info(2, Tokens(7, 70)), three = Info(3, Tokens(9, 90));
  const std::string prompt = message("u1", R"("role":"user",)" + Tokens(1000, 1000), R"({"type":"text","text":"Hi"})");
  Write("in/a.json", R"({"info":{"id":"ses_1"},"messages":[)" + prompt + "," + message("m1", one, steps) + "," +
                         message("m2", two, R"({"type":"text","text":"x"})") + "]}");
  Write("in/b.json", R"({"info":{"id":"ses_2"},"messages":[)" + message("m3", one, steps) + "," +
                         message("m4", three, R"({"type":"text","text":"x"})") + "]}");
  Import("opencode");
  ExpectOne(UsageBy::kModel, "opus", 3,
            {.input = 31, .cache_write = 12, .cache_read = 80, .output = 314, .reasoning = 4});
  EXPECT_EQ(Count(UsageBy::kDay).rows[0].name, "2024-10-27");
}

// The messages are not among the records, and are written again when they change.
TEST_F(UsageTest, AStorageFolderOfOpencodeCountsAsItIsNow) {
  const std::string in = "in/storage/";
  Write(in + "session/p/ses_1.json", R"({"id":"ses_1","projectID":"p","title":"t","time":{"created":1}})");
  const auto write = [&](const std::string& id, const std::string& info) {
    Write(in + "message/ses_1/" + id + ".json", R"({"id":")" + id + R"(","sessionID":"ses_1",)" + info + "}\n");
  };
  const auto write_part = [&](const std::string& of, const std::string& id, const std::string& part) {
    Write(in + "part/" + of + "/" + id + ".json",
          "{\n \"id\":\"" + id + "\",\"messageID\":\"" + of + "\"," + part + "}\n");
  };
  write("m1", Info(1, Tokens(5, 50)));
  write_part("m1", "p1", Step(Tokens(10, 100)));
  write_part("m1", "p2", Step(Tokens(5, 50)));
  write("m2", Info(2, Tokens(0, 0)));
  write_part("m2", "p3", R"("type":"text","text":"x")");
  Import("opencode");
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens.output, 152U + 1U);
  Settle();
  write("m2", Info(2, Tokens(7, 70)));
  write_part("m2", "p4", Step(Tokens(7, 70)));
  Import("opencode");
  EXPECT_EQ(Count(UsageBy::kModel).sum.messages, 2U);
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens,
            (TokenUsage{.input = 22, .cache_write = 9, .cache_read = 60, .output = 223, .reasoning = 3}));
}

TEST_F(UsageTest, ADatabaseOfOpencodeCountsAsItIsNow) {
  TestDatabase database(dir_ / "in/opencode.db");
  const auto insert = [&](const std::string& table, const std::string& values) {
    database.Run("INSERT OR REPLACE INTO " + table + " VALUES (" + values + ");");
  };
  database.Run(
      "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_updated INTEGER, data TEXT);"
      "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_updated INTEGER, data TEXT);");
  insert("message", "'m1','ses_1',1," + Quoted("{" + Info(1, Tokens(5, 50)) + "}"));
  insert("part", "'p1','m1','ses_1',1," + Quoted("{" + Step(Tokens(10, 100)) + "}"));
  insert("part", "'p2','m1','ses_1',1," + Quoted("{" + Step(Tokens(5, 50)) + "}"));
  insert("message", "'m2','ses_1',1," + Quoted("{" + Info(2, Tokens(0, 0)) + "}"));
  insert("part", "'p3','m2','ses_1',1," + Quoted(R"({"type":"text","text":"x"})"));
  Import("opencode");
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens.output, 152U + 1U);
  Settle();
  insert("message", "'m2','ses_1',2," + Quoted("{" + Info(2, Tokens(7, 70)) + "}"));
  Import("opencode");
  EXPECT_EQ(Count(UsageBy::kModel).sum.messages, 2U);
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens,
            (TokenUsage{.input = 22, .cache_write = 9, .cache_read = 60, .output = 223, .reasoning = 3}));
}

TEST_F(UsageTest, TheTurnsOfASessionOfTheAgentsSdkCount) {
  TestDatabase database(dir_ / "in/sessions.db");
  database.Run(
      "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TIMESTAMP);"
      "CREATE TABLE turn_usage (id INTEGER PRIMARY KEY, session_id TEXT, branch_id TEXT, user_turn_number INTEGER,"
      " requests INTEGER, input_tokens INTEGER, output_tokens INTEGER, total_tokens INTEGER, input_tokens_details JSON,"
      " output_tokens_details JSON, created_at TIMESTAMP, UNIQUE(session_id, branch_id, user_turn_number));");
  const auto turn = [&](int number, int output) {
    database.Run(
        fmt::format("INSERT OR REPLACE INTO turn_usage VALUES (NULL,'s','main',{},1,100,{},0,"
                    "'{{\"cached_tokens\": 40}}','{{\"reasoning_tokens\": 5}}','2026-01-31 10:00:05');",
                    number, output));
  };
  for (const std::string session : {"s", "plain"}) {
    database.Run("INSERT INTO agent_messages VALUES (NULL,'" + session +
                 R"(','{"role":"user","content":"Hi"}','2026-01-31 10:00:00');)");
  }
  turn(1, 10);
  turn(2, 20);
  Import("openai-agents");
  EXPECT_EQ(Count(UsageBy::kModel).sum.tokens.output, 30U);
  Settle();
  turn(2, 21);
  Import("openai-agents");
  const UsageReport report =
      ExpectOne(UsageBy::kDay, "2026-01-31", 2, {.input = 120, .cache_read = 80, .output = 31, .reasoning = 10});
  const std::string written = ExportRawText("openai-agents", "s");
  EXPECT_THAT(written, HasSubstr(R"("output_tokens":21)"));
  EXPECT_THAT(written, Not(HasSubstr(R"("output_tokens":20)"))) << "the row was replaced";
  EXPECT_THAT(report.uncounted, ElementsAre(Pair("openai-agents", 1)));
}

// A run that goes on is stored again with all its responses.
TEST_F(UsageTest, TheResponsesOfARunCountOnce) {
  const auto response = [](const std::string& id, int output) {
    return fmt::format(R"({{"output":[],"response_id":{},"usage":{{"requests":1,"input_tokens":100,)"
                       R"("input_tokens_details":[{{"cached_tokens":40}}],"output_tokens":{},)"
                       R"("output_tokens_details":[{{"reasoning_tokens":5}}]}}}})",
                       id, output);
  };
  const auto state = [](const std::string& responses) {
    return R"({"$schemaVersion":"1.9","original_input":"Hi","session_items":[],"model_responses":[)" + responses + "]}";
  };
  const std::string before = response("\"r1\"", 10) + "," + response("null", 20);
  Write("in/one.json", state(before));
  Write("in/two.json", state(before + "," + response("\"r2\"", 30)));
  Import("openai-agents");
  const UsageReport report = Count(UsageBy::kModel);
  EXPECT_EQ(report.sum.messages, 3U);
  EXPECT_EQ(report.sum.tokens, (TokenUsage{.input = 180, .cache_read = 120, .output = 60, .reasoning = 15}));
}

TEST_F(UsageTest, TheResponsesOfAJavaScriptRunCount) {
  Write("in/run.json",
        R"({"$schemaVersion":"1.6","currentTurn":1,"originalInput":"Hi","modelResponses":[{"usage":{"requests":1,)"
        R"("inputTokens":100,"outputTokens":20,"totalTokens":120,"inputTokensDetails":[{"cached_tokens":40}],)"
        R"("outputTokensDetails":[{"reasoning_tokens":5}]},"output":[],"responseId":"r1"}],"generatedItems":[]})");
  Import("openai-agents");
  ExpectOne(UsageBy::kModel, "", 1, {.input = 60, .cache_read = 40, .output = 20, .reasoning = 5});
}

// Each checkpoint repeats the messages of the earlier ones, and so does that of a subgraph.
TEST_F(UsageTest, TheAnswersInTheStateOfAThreadCountOnce) {
  TestDatabase database(dir_ / "in/checkpoints.db");
  database.Run(kThreadTables + Checkpoint("", "01", Answer("a1", 100, 10)) +
               Checkpoint("", "02", Answer("a1", 100, 11)) +
               Checkpoint("", "03", Answer("a1", 100, 11) + "," + Answer("a2", 200, 20)) +
               Checkpoint("sub", "02", Answer("a1", 100, 11) + "," + Answer("a3", 300, 30)));
  Import("langgraph");
  ExpectOne(UsageBy::kModel, "gpt-5", 3,
            {.input = 531, .cache_write = 9, .cache_read = 60, .output = 61, .reasoning = 3});
  EXPECT_EQ(Count(UsageBy::kDay).rows[0].name, "2026-08-01");
}

// What is written to a DeltaChannel is in no checkpoint; what is written to another channel is in the next one.
TEST_F(UsageTest, TheAnswersThatATaskHasWrittenCountOnce) {
  const auto written = [](std::string_view checkpoint, const std::string& messages) {
    return fmt::format("INSERT INTO writes VALUES ('t','','{}','task',0,'messages','json',{});", checkpoint,
                       Quoted("[" + messages + "]"));
  };
  TestDatabase database(dir_ / "in/checkpoints.db");
  database.Run(kThreadTables + Checkpoint("", "01", "") + written("01", Answer("a1", 100, 10)) +
               Checkpoint("", "02", Answer("a1", 100, 11)) + Checkpoint("", "03", "") +
               written("03", Answer("a2", 200, 20)));
  Import("langgraph");
  ExpectOne(UsageBy::kModel, "gpt-5", 2,
            {.input = 254, .cache_write = 6, .cache_read = 40, .output = 31, .reasoning = 2});
  EXPECT_EQ(Count(UsageBy::kDay).rows[0].name, "2026-08-01");
}

TEST_F(UsageTest, ConversationsThatSayNothingAreCountedByTheirFormats) {
  Jsonl({Write("talk.jsonl", "{\"type\":\"turn_start\"}\n")});
  WriteJp("17000000000-talk", "[]");
  Jp();
  Write("in/session-2026-04-29T21-39-00000001.jsonl", GeminiHeader() + "\n" + GeminiUser("u1", "Hi") + "\n");
  Import("gemini");
  const UsageReport report = Count(UsageBy::kDay);
  EXPECT_THAT(report.rows, IsEmpty());
  EXPECT_THAT(report.uncounted, ElementsAre(Pair("", 1), Pair("gemini", 1), Pair("jp", 1)));
}

}  // namespace
}  // namespace turnlog::usage_test
