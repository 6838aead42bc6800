// Imported messages that say what they have cost, and what is counted.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/migrate/codex_samples.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/migrate/usage.h"

namespace turnlog {

class UsageTest : public ImportTest {
 protected:
  void Import(std::string_view format) {
    const std::vector<std::filesystem::path> paths{dir_ / "in"};
    EXPECT_THAT(Must(turnlog::Import(*log_, format, paths)).problems, testing::IsEmpty());
  }
  UsageReport Count(UsageBy by) { return Must(CountUsage(*log_, by, All())); }
  // All of it is in one row of this name.
  UsageReport ExpectOne(UsageBy by, std::string_view name, std::uint64_t messages, const TokenUsage& tokens) {
    UsageReport report = Count(by);
    EXPECT_THAT(report.rows, testing::ElementsAre(testing::Field(&UsageRow::name, name)));
    EXPECT_EQ(report.sum.messages, messages);
    EXPECT_EQ(report.sum.tokens, tokens);
    return report;
  }

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

  // A message of Gemini CLI.
  static std::string Gemini(std::string_view id, std::uint64_t input, std::uint64_t output) {
    return GeminiMessage(
        id, "gemini",
        fmt::format(R"("content":"x","model":"gemini-3","tokens":{{"input":{},"output":{},"cached":40,)"
                    R"("thoughts":5,"tool":2,"total":0}})",
                    input, output));
  }

  // Tokens of opencode.
  static std::string Tokens(std::uint64_t input, std::uint64_t output) {
    return fmt::format(R"("tokens":{{"input":{},"output":{},"reasoning":1,"cache":{{"read":20,"write":3}}}})", input,
                       output);
  }
  // What is said of a message that began in this second; `tokens`: as above.
  static std::string Info(int second, const std::string& tokens) {
    return fmt::format(R"("role":"assistant","time":{{"created":17300000{:02}000,"completed":17300000{:02}500}},)"
                       R"("modelID":"opus",{})",
                       second, second, tokens);
  }
  static std::string Step(const std::string& tokens) { return R"("type":"step-finish",)" + tokens; }

  // An answer in the state of LangGraph.
  static std::string Answer(std::string_view id, std::uint64_t input, std::uint64_t output) {
    return fmt::format(
        R"({{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{{"id":"{}",)"
        R"("content":"x","response_metadata":{{"model_name":"gpt-5"}},"usage_metadata":{{"input_tokens":{},)"
        R"("output_tokens":{},"total_tokens":0,"input_token_details":{{"cache_read":20,"cache_creation":3}},)"
        R"("output_token_details":{{"reasoning":1}}}}}}}})",
        id, input, output);
  }
  static inline const std::string kThreadTables =
      "CREATE TABLE checkpoints (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, parent_checkpoint_id TEXT,"
      " type TEXT, checkpoint BLOB);"
      "CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT, idx INTEGER,"
      " channel TEXT, type TEXT, value BLOB);";
  static std::string Checkpoint(std::string_view space, std::string_view id, const std::string& messages) {
    return fmt::format(
        "INSERT INTO checkpoints VALUES ('t','{0}','{1}',NULL,'json',{2});", space, id,
        Quoted(fmt::format(R"({{"ts":"2026-08-01T10:00:{}Z","channel_values":{{"messages":[{}]}}}})", id, messages)));
  }

  static std::string File(int number) { return fmt::format("in/0a1b2c3d-4e5f-4061-8071-{:012d}.jsonl", number); }
};

}  // namespace turnlog
