#include "tests/logctl/logctl_test.h"

#include <fstream>
#include <sstream>

#include "turnlog/open_log.h"

namespace turnlog {

std::string SampleLines() {
  return R"({"timestamp":"2026-01-02T03:04:05Z","type":"turn_start"}
{"timestamp":"2026-01-02T03:04:05Z","type":"chat_request","content":"Please write a.txt","author":"Ann"}
{"timestamp":"2026-01-02T03:04:06Z","type":"chat_response","reasoning":"I need a tool."}
{"timestamp":"2026-01-02T03:04:07Z","type":"tool_call_request","id":"call_1","name":"fs_write","arguments":{"path":"a.txt"}}
{"timestamp":"2026-01-02T03:04:08Z","type":"inquiry_request","id":"call_1.overwrite.1","key":{"tool_call":"call_1","question":"overwrite","attempt":1},"source":{"source":"tool","name":"fs_write"},"question":{"text":"Overwrite a.txt?","answer_type":{"type":"boolean"},"default":false}}
{"timestamp":"2026-01-02T03:04:09Z","type":"inquiry_response","outcome":"answered","id":"call_1.overwrite.1","key":{"tool_call":"call_1","question":"overwrite","attempt":1},"answer":true,"reason":"it is old","responder":{"kind":"assistant","model":"m-1"}}
{"timestamp":"2026-01-02T03:04:10Z","type":"tool_call_response","id":"call_1","content":"written","is_error":false}
{"timestamp":"2026-01-02T03:04:11Z","type":"chat_response","message":"Done."}
{"timestamp":"2026-01-02T04:00:00Z","type":"turn_start"}
{"timestamp":"2026-01-02T04:00:00Z","type":"chat_request","content":"And b.txt"}
{"timestamp":"2026-01-02T04:00:01Z","type":"tool_call_request","id":"call_1","name":"fs_write","arguments":{"path":"b.txt"}}
{"timestamp":"2026-01-02T04:00:02Z","type":"inquiry_request","id":"call_1.overwrite.1","key":{"tool_call":"call_1","question":"overwrite","attempt":1},"source":{"source":"tool","name":"fs_write"},"question":{"text":"Which way?","answer_type":{"type":"select","options":[{"value":"append","description":"at its end"},{"value":"replace"}]}}}
{"timestamp":"2026-01-02T04:00:03Z","type":"inquiry_response","outcome":"cancelled","id":"call_1.overwrite.1","key":{"tool_call":"call_1","question":"overwrite","attempt":1},"reason":"backend_error"}
{"timestamp":"2026-01-02T04:00:04Z","type":"tool_call_request","id":"call_2","name":"deploy","arguments":{}}
{"timestamp":"2026-01-02T04:00:05Z","type":"inquiry_request","id":"call_2.token.1","source":{"source":"tool","name":"deploy"},"question":{"text":"Token?","answer_type":{"type":"secret"}}}
{"timestamp":"2026-01-02T04:00:06Z","type":"inquiry_response","outcome":"redacted","id":"call_2.token.1"}
{"timestamp":"2026-01-02T04:00:07Z","type":"tool_call_response","id":"call_2","content":"refused","is_error":true,"denied":{"reason":"not today"}}
{"timestamp":"2026-01-02T04:00:08Z","type":"inquiry_request","id":"call_2.lonely.1","source":{"source":"assistant"},"question":{"text":"Anybody?","answer_type":{"type":"text"}}}
{"timestamp":"2026-01-02T04:00:09Z","type":"inquiry_response","outcome":"answered","id":"call_9.none.1","answer":"late"}
{"timestamp":"2026-01-02T04:00:10Z","type":"tool_call_response","id":"call_9","content":"late","is_error":false}
{"type":"x.note","n":1.50,"text":"kept"}
{"timestamp":"2026-01-02T05:00:00Z","type":"turn_start"}
{"timestamp":"2026-01-02T05:00:00Z","type":"chat_request","content":"And c.txt"}
{"timestamp":"2026-01-02T05:00:01Z","type":"tool_call_request","id":"call_3","name":"fs_write","arguments":{"path":"c.txt"}}
{"timestamp":"2026-01-02T05:00:02Z","type":"inquiry_request","id":"call_3.overwrite.1","key":{"tool_call":"call_3","question":"overwrite","attempt":1},"source":{"source":"tool","name":"fs_write"},"question":{"text":"Sure?","answer_type":{"type":"boolean"}}}
{"type":"compaction","from_turn":1,"to_turn":1}
)";
}

Strings Lines(std::string_view text) {
  Strings lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::set<std::string> Commands() {
  std::set<std::string> commands;  // "  name   what it does", in any group of the help
  for (const std::string& line : Lines(RunProgram({"--help"}).out)) {
    if (line == "Examples:") break;
    if (line.size() > 2 && line.starts_with("  ") && line[2] >= 'a' && line[2] <= 'z') {
      commands.insert(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return commands;
}

Ran LogctlTest::Logctl(Strings words, const std::string& input, Strings environment) {
  environment.push_back("TURNLOG_STORE=" + store());
  return RunProgram(words, input, environment);
}

std::string LogctlTest::Output(const Strings& words, const std::string& input) {
  const Ran ran = Logctl(words, input);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  return ran.out;
}

JsonValue LogctlTest::Json(Strings words, const std::string& input) {
  words.push_back("--json");
  return JsonValue::Parse(Output(words, input));
}

void LogctlTest::Append(const std::string& conversation, const std::string& lines) {
  const Ran ran = Logctl({"append", "--", conversation}, lines);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
}

std::string LogctlTest::WriteFile(const std::string& name, std::string_view text) {
  const auto path = folder_ / name;
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

std::string LogctlTest::ReadFile(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
  return text.str();
}

std::unique_ptr<Log> LogctlTest::Open(OpenMode mode, const std::string& holder) {
  auto log = OpenLog(store(), {.mode = mode, .holder = holder});
  EXPECT_TRUE(log) << log.error().message;
  return log ? *std::move(log) : nullptr;
}

}  // namespace turnlog
