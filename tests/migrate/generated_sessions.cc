#include "tests/migrate/generated_sessions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace turnlog {
namespace generated_sessions {
namespace {

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

std::string ModelMessages(Generator& any) {
  const auto part = [&] {
    return any.Pick(
        {fmt::format(R"({{"type":"{}","text":"{}"{}}})", any.Pick({"text", "reasoning"}), any.Text(), any.More()),
         fmt::format(R"({{"type":"tool-call","toolCallId":"{}","toolName":"ls","input":{}}})", any.Id(), any.Json()),
         fmt::format(
             R"({{"type":"tool-result","toolCallId":"{}","toolName":"ls","output":{{"type":"{}","value":{}}}}})",
             any.Id(), any.Pick({"text", "json", "error-text", "content", "execution-denied"}), any.Json()),
         fmt::format(R"({{"type":"tool-approval-request","approvalId":"{}","toolCallId":"{}"}})", any.Id(), any.Id()),
         fmt::format(R"({{"type":"tool-approval-response","approvalId":"{}","approved":{}}})", any.Id(),
                     any.Pick({"true", "false"}))});
  };
  return R"({"messages":)" +
         List(any,
              [&] {
                return fmt::format(R"({{"role":"{}","content":{}{}}})", any.Pick({"user", "assistant", "tool"}),
                                   List(any, part), any.More());
              }) +
         any.More() + "}" + any.Space();
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

const std::vector<GeneratedKind>& Kinds() {
  static const std::vector<GeneratedKind> kinds{
      GeneratedKind{"claude-code", "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl", Claude},
      GeneratedKind{"codex", "rollout.jsonl", Codex},
      GeneratedKind{"gemini", "s.jsonl", GeminiLines},
      GeneratedKind{"gemini", "s.json", GeminiDocument},
      GeneratedKind{"opencode", "s.json", Opencode},
      GeneratedKind{"anthropic", "s.json", Anthropic},
      GeneratedKind{"openai", "s.json", OpenAi},
      GeneratedKind{"ui-messages", "s.json", UiMessages},
      GeneratedKind{"model-messages", "s.json", ModelMessages},
      GeneratedKind{"jp", "17-t/events.json", Jp}};
  return kinds;
}

}  // namespace
}  // namespace generated_sessions

std::span<const GeneratedKind> GeneratedKinds() { return generated_sessions::Kinds(); }

}  // namespace turnlog
