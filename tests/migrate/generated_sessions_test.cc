// Generated sessions of each format whose sources are files: imported and exported they are the same bytes, and nothing
// in them is unreadable.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <functional>
#include <random>

#include "migrate/format.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::generated_sessions_test {
namespace {

namespace fs = std::filesystem;

using ::testing::IsEmpty;
using ::testing::SizeIs;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::size_t Below(std::size_t end) { return random_() % end; }
  std::string Pick(const std::vector<std::string>& from) { return from[Below(from.size())]; }
  // As it may be within quotes: what writers escape differently, and much of it.
  std::string Text() {
    static const std::vector<std::string> kParts{
        "word ", "\\n",        "\\u00e9",        "\\u001b[0m",       "\\\"quoted\\\"", "\\/",
        "/",     "\xc3\xa9",   "\\ud83d\\ude00", "\\\\n\\t",         "{\\\"",          "",
        "<tag>", "[redacted]", "\\u0000",        "\xf0\x9f\x98\x80", "\\u0002"};
    std::string text;
    for (std::size_t i = Below(12); i > 0; --i) text += Pick(kParts);
    if (Below(40) == 0) text += std::string(Below(20'000), 'x');
    return text;
  }
  std::string Json() {
    return Pick(
        {"1", "-0.50", "1e400", "null", "true", "\"" + Text() + "\"", "[]", "{ }", "[1 ,2]", R"({"a":{"b":[]}})"});
  }
  // Nothing, or fields that no version has.
  std::string More() { return Below(3) == 0 ? fmt::format(R"(,"x-new":{})", Json()) : std::string(); }
  std::string Space() { return Pick({"", "", " ", "\n", "\r\n", "\n\n"}); }
  std::string Id() { return fmt::format("id{}", Below(12)); }
  std::string NewId() { return fmt::format("{:08x}-4e5f-4061-8071-2a3b4c5d6e7f", ++ids_); }

 private:
  std::mt19937_64 random_;
  std::uint32_t ids_ = 0;
};

std::string Lines(Generator& any, const std::function<std::string()>& record) {
  std::string text = any.Below(6) == 0 ? "\xef\xbb\xbf" : "";
  for (std::size_t i = 1 + any.Below(30); i > 0; --i) text += record() + any.Pick({"\n", "\n", "\r\n", " \n\n"});
  if (any.Below(3) == 0) text += record();
  return text;
}

std::string List(Generator& any, const std::function<std::string()>& record) {
  std::vector<std::string> records;
  for (std::size_t i = any.Below(20); i > 0; --i) records.push_back(any.Space() + record() + any.Space());
  return fmt::format("[{}]", fmt::join(records, ","));
}

std::string Claude(Generator& any) {
  return Lines(any, [&] {
    const std::string head = fmt::format(R"("sessionId":"{}","uuid":"{}","timestamp":"2026-08-01T10:00:00.{:03}Z")",
                                         "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f", any.NewId(), any.Below(1000));
    const std::string message = any.Pick(
        {fmt::format(R"("type":"user","message":{{"role":"user","content":"{}"{}}})", any.Text(), any.More()),
         fmt::format(R"("type":"assistant","message":{{"id":"{}","content":[{{"type":"text","text":"{}"}},{{"type":)"
                     R"("tool_use","id":"{}","name":"Bash","input":{{"a": {}}}}},{{"type":"thinking","thinking":"{}",)"
                     R"("signature":"Eq=="}}{}]}})",
                     any.Id(), any.Text(), any.Id(), any.Json(), any.Text(), any.Pick({"", ",7", ",{}"})),
         fmt::format(R"("type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{}","content":"{}",)"
                     R"("is_error":true}}]}},"toolUseResult":{})",
                     any.Id(), any.Text(), any.Json()),
         fmt::format(R"("type":"system","content":"{}")", any.Text()), fmt::format(R"("type":"x-{}")", any.Id())});
    return fmt::format("{{{},{}{}}}", any.Below(2) == 0 ? head : message, any.Below(2) == 0 ? message : head,
                       any.More());
  });
}

std::string Codex(Generator& any) {
  return Lines(any, [&] {
    const std::string payload = any.Pick(
        {fmt::format(R"("type":"message","role":"{}","content":[{{"type":"input_text","text":"{}"}}])",
                     any.Pick({"user", "assistant", "developer"}), any.Text()),
         fmt::format(R"("type":"function_call","call_id":"{}","name":"shell","arguments":"{{\"a\":{}}}")", any.Id(),
                     any.Below(9)),
         fmt::format(R"("type":"function_call","call_id":"{}","name":"shell","arguments":"{}")", any.Id(), any.Text()),
         fmt::format(R"("type":"function_call_output","call_id":"{}","output":"{}")", any.Id(), any.Text()),
         fmt::format(R"("type":"reasoning","summary":[{{"type":"summary_text","text":"{}"}}],"encrypted_content":"x")",
                     any.Text()),
         fmt::format(R"("type":"user_message","message":"{}")", any.Text()), std::string(R"("type":"x-new")")});
    return fmt::format(R"({{"timestamp":"2026-08-01T10:00:{:02}.000Z","type":"{}","payload":{{{}{}}}{}}})",
                       any.Below(60),
                       any.Pick({"response_item", "response_item", "event_msg", "turn_context", "x-new"}), payload,
                       any.More(), any.More());
  });
}

std::string GeminiMessage(Generator& any) {
  return fmt::format(R"({{"id":"{}","timestamp":"2026-04-29T21:39:33.155Z","type":"{}","content":{},"thoughts":[{{)"
                     R"("subject":"s","description":"{}"}}],"toolCalls":[{{"id":"{}","name":"ls","args":{{}},"status":)"
                     R"("{}","result":[{{"functionResponse":{{"response":{{"output":"{}"}}}}}}]}}]{}}})",
                     any.Id(), any.Pick({"user", "gemini", "info", "x-new"}), any.Json(), any.Text(), any.NewId(),
                     any.Pick({"success", "error", "cancelled", "executing"}), any.Text(), any.More());
}

const std::string kGeminiHead = R"({"sessionId":"g","startTime":"2026-04-29T21:39:22.319Z")";

std::string GeminiLines(Generator& any) {
  return kGeminiHead + "}\n" + Lines(any, [&] {
           return any.Below(6) > 0 ? GeminiMessage(any)
                                   : any.Pick({fmt::format(R"({{"$rewindTo":"{}"}})", any.Id()),
                                               fmt::format(R"({{"$set":{{"messages":[{}]}}}})", GeminiMessage(any))});
         });
}

std::string GeminiDocument(Generator& any) {
  return kGeminiHead + R"(,"messages":)" + List(any, [&] { return GeminiMessage(any); }) + any.More() + "}" +
         any.Space();
}

std::string Opencode(Generator& any) {
  const auto part = [&] {
    return any.Pick({fmt::format(R"({{"type":"text","text":"{}"{}}})", any.Text(), any.More()),
                     fmt::format(R"({{"type":"reasoning","text":"{}","metadata":{}}})", any.Text(), any.Json()),
                     fmt::format(R"({{"type":"tool","callID":"{}","tool":"ls","state":{{"status":"{}","input":{{}},)"
                                 R"("output":"{}","error":"{}"}}}})",
                                 any.Id(), any.Pick({"completed", "error", "running"}), any.Text(), any.Text()),
                     std::string(R"({"type":"step-start"})"), any.Json()});
  };
  const auto message = [&] {
    return fmt::format(R"({{"info":{{"id":"{}","role":"{}"{}}},"parts":{}{}}})", any.NewId(),
                       any.Pick({"user", "assistant"}), any.More(), List(any, part), any.More());
  };
  return R"({"info":{"id":"s","title":"t"},"messages":)" + List(any, message) + "}" + any.Space();
}

std::string Anthropic(Generator& any) {
  const auto block = [&] {
    return any.Pick({fmt::format(R"({{"type":"text","text":"{}"{}}})", any.Text(), any.More()),
                     fmt::format(R"({{"type":"tool_use","id":"{}","name":"ls","input":{{}}}})", any.Id()),
                     fmt::format(R"({{"type":"tool_result","tool_use_id":"{}","content":"{}"}})", any.Id(), any.Text()),
                     fmt::format(R"({{"type":"thinking","thinking":"{}","signature":"Eq=="}})", any.Text())});
  };
  return R"({"messages":)" +
         List(any,
              [&] {
                return fmt::format(R"({{"role":"{}","content":{}{}}})", any.Pick({"user", "assistant"}),
                                   List(any, block), any.More());
              }) +
         any.More() + "}" + any.Space();
}

std::string OpenAi(Generator& any) {
  return List(any, [&] {
    return any.Pick(
        {fmt::format(R"({{"role":"user","content":"{}"{}}})", any.Text(), any.More()),
         fmt::format(R"({{"role":"assistant","content":{},"tool_calls":[{{"id":"{}","type":"function","function":{{)"
                     R"("name":"ls","arguments":"{{}}"}}}}]}})",
                     any.Json(), any.Id()),
         fmt::format(R"({{"role":"tool","tool_call_id":"{}","content":"{}"}})", any.Id(), any.Text())});
  });
}

std::string UiMessages(Generator& any) {
  return List(any, [&] {
    return fmt::format(
        R"({{"id":"{}","role":"{}","parts":[{{"type":"text","text":"{}"}},{{"type":"tool-ls","toolCallId":"{}","state":)"
        R"("{}","input":{{}},"output":{}}}]{}}})",
        any.NewId(), any.Pick({"user", "assistant"}), any.Text(), any.Id(),
        any.Pick({"input-available", "output-available", "output-error"}), any.Json(), any.More());
  });
}

std::string Jp(Generator& any) {
  return List(any, [&] {
    return any.Pick({fmt::format(R"({{"type":"turn_start"{}}})", any.More()),
                     fmt::format(R"({{"type":"chat_request","content":"{}"}})", any.Text()),
                     fmt::format(R"({{"timestamp":"2026-03-18 13:19:06.8","type":"chat_response","message":"{}"{}}})",
                                 any.Text(), any.More()),
                     fmt::format(R"({{"type":"tool_call_request","id":"{}","name":"ls","arguments":{{}}}})", any.Id()),
                     fmt::format(R"({{"type":"x-new","value":{}}})", any.Json())});
  });
}

struct Kind {
  std::string format, file;
  std::function<std::string(Generator& any)> make;

  friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.format << " " << kind.file; }
};

class GeneratedSessionsTest : public ImportTest, public testing::WithParamInterface<Kind> {};

TEST_P(GeneratedSessionsTest, AreTheSameBytesAfterAnImport) {
  const Kind& kind = GetParam();
  const bool jp = kind.format == "jp";
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Generator any(seed);
    const TempStore store;
    const fs::path file = fmt::format("{}/{}", seed, kind.file);
    const std::string text = kind.make(any);
    const fs::path path = Write(file, text);
    if (jp) Write(file.parent_path() / "base_config.json", "{}\n");
    const fs::path source = jp ? path.parent_path() : path;
    const ImportReport report = Must(Import(*store.log, kind.format, {&source, 1}));
    ASSERT_EQ(report.added, 1U);
    EXPECT_THAT(report.problems, IsEmpty());
    ASSERT_THAT(report.bytes, SizeIs(1));
    EXPECT_EQ(report.bytes[0].unreadable, 0U);
    std::vector<ConversationId> ids;
    for (const ConversationInfo& info : Must(store.log->List("", 9))) ids.push_back(Id(info.id));
    ASSERT_THAT(ids, SizeIs(1));
    const fs::path out = dir_ / fmt::format("out{}", seed);
    std::string written;
    if (jp || kind.format == "opencode") {
      Must(ExportToFolder(*store.log, kind.format, ids, out, {.raw = true}));
      for (const auto& [name, bytes] : ReadTree(out)) {
        if (!name.ends_with("base_config.json")) written = bytes;
      }
    } else {
      const auto sink = [&](std::string_view piece) { return written += piece, Status(); };
      Must(ExportToStream(*store.log, kind.format, ids, sink, {.raw = true}));
    }
    ASSERT_EQ(written, text);
    EXPECT_EQ(Must(Import(*store.log, kind.format, {&source, 1})).unchanged, 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GeneratedSessionsTest,
                         testing::Values(Kind{"claude-code", "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl", Claude},
                                         Kind{"codex", "rollout.jsonl", Codex}, Kind{"gemini", "s.jsonl", GeminiLines},
                                         Kind{"gemini", "s.json", GeminiDocument}, Kind{"opencode", "s.json", Opencode},
                                         Kind{"anthropic", "s.json", Anthropic}, Kind{"openai", "s.json", OpenAi},
                                         Kind{"ui-messages", "s.json", UiMessages},
                                         Kind{"jp", "17-t/events.json", Jp}));

}  // namespace
}  // namespace turnlog::generated_sessions_test
