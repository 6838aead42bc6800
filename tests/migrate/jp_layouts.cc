#include "tests/migrate/jp_layouts.h"

#include "schema/json/json_layout.h"

namespace turnlog {
namespace {

// A file as jp saves it.
std::string Saved(std::string_view json) {
  std::string text;
  AppendPretty(json, 0, text);
  return text + "\n";
}

constexpr const char* kAsk = R"({"timestamp":"2025-06-01 10:00:00.5","type":"chat_request","content":"hi \"there\""})";
constexpr const char* kSay = R"({"timestamp":"2025-06-01 10:00:00.5","type":"chat_response","message":"yo"})";
constexpr const char* kTurn = R"({"timestamp":"2025-06-01 10:00:00.5","type":"turn_start"})";

std::string Metadata(std::string_view more) {
  return Saved(std::string(R"({"last_activated_at":"2025-07-13 23:44:33.329403")").append(more).append("}"));
}

JpLayoutSample MessagesWithContext() {
  return {.name = "messages of April 2025, with their context",
          .files = {{"messages.json",
                     Saved(R"([{"timestamp":"2025-06-01 10:00:00.5","message":"hi \"there\"","reply":{"content":"yo"},)"
                           R"("context":{"persona_id":"default","attachments":{"file":{"includes":["/**/*.md"]}}}}])")},
                    {"metadata.json", Metadata(R"(,"context":{"persona_id":"default","attachments":{}})")}},
          .config = "{}",
          .events = {kAsk, kSay}};
}

JpLayoutSample MessagesWithConfig() {
  return {.name = "messages of June 2025, with the configuration in each pair",
          .files = {{"messages.json", Saved(R"([{"timestamp":"2025-06-01 10:00:00.5","message":"hi \"there\"",)"
                                            R"("reply":{"content":"yo","metadata":{"sig":"abc"}},)"
                                            R"("config":{"llm":{"temperature":0.50}}}])")},
                    {"metadata.json", Metadata(R"(,"config":{"llm":{}},"local":false)")}},
          .config = "{}",
          .events = {kAsk, R"({"timestamp":"2025-06-01 10:00:00.5","type":"chat_response","message":"yo",)"
                           R"("metadata":{"sig":"YWJj"}})"}};
}

JpLayoutSample MessagesWithTools() {
  return {.name = "messages of July 2025: tool calls, not encoded",
          .files = {{"messages.json",
                     Saved(R"([{"timestamp":"2025-06-01 10:00:00.5","message":"","reply":{"reasoning":"think",)"
                           R"("content":null,"metadata":{"sig":"abc"},)"
                           R"("tool_calls":[{"id":"c1","name":"ls","arguments":{"p":"c3Jj"}},)"
                           R"({"id":"c2","name":"now","arguments":{}}]}},)"
                           R"({"timestamp":"2025-06-01 10:00:01","message":[{"id":"c2","content":"12","error":false},)"
                           R"({"id":"c1","content":"a\nb","error":true}],"reply":{"content":"done"}}])")},
                    {"metadata.json", Metadata(R"(,"local":true)")}},
          .config = "{}",
          .events = {R"({"timestamp":"2025-06-01 10:00:00.5","type":"chat_request","content":""})",
                     R"({"timestamp":"2025-06-01 10:00:00.5","type":"chat_response","reasoning":"think",)"
                     R"("metadata":{"sig":"YWJj"}})",
                     R"({"timestamp":"2025-06-01 10:00:00.5","type":"tool_call_request","id":"c1","name":"ls",)"
                     R"("arguments":{"p":"YzNKag=="}})",
                     R"({"timestamp":"2025-06-01 10:00:00.5","type":"tool_call_request","id":"c2","name":"now",)"
                     R"("arguments":{}})",
                     R"({"timestamp":"2025-06-01 10:00:01.0","type":"tool_call_response","id":"c2",)"
                     R"("content":"MTI=","is_error":false})",
                     R"({"timestamp":"2025-06-01 10:00:01.0","type":"tool_call_response","id":"c1",)"
                     R"("content":"YQpi","is_error":true})",
                     R"({"timestamp":"2025-06-01 10:00:01.0","type":"chat_response","message":"done"})"}};
}

JpLayoutSample MessagesWithDeltas() {
  return {.name = "messages of September 2025: changes of the configuration, providers, a reply that has not come",
          .files = {{"messages.json",
                     Saved(R"([{"timestamp":"2025-06-01 10:00:00.5","message":"hi \"there\"",)"
                           R"("reply":{"provider":"anthropic","content":"yo"},"config_delta":{"a":1.50,"b":[]}},)"
                           R"({"timestamp":"2025-06-01 10:00:01.0","message":"hi2","reply":null,)"
                           R"("config_delta":{"b":2}}])")},
                    {"metadata.json", Metadata(R"(,"title":"A title","expires_at":"2025-08-01 00:00:00.0")")}},
          .config = R"({"a":1.50,"b":[]})",
          .events = {kAsk, kSay, R"({"type":"config_delta","timestamp":"2025-06-01 10:00:01.0","delta":{"b":2}})",
                     R"({"timestamp":"2025-06-01 10:00:01.0","type":"chat_request","content":"hi2"})"}};
}

JpLayoutSample EncodedMessages() {
  return {.name = "messages of October 2025: tool calls in base64, results with the URL-safe alphabet",
          .files = {{"messages.json",
                     Saved(R"([{"timestamp":"2025-10-21 10:00:00.5","message":[{"id":"c1","content":"Pz8_Pj4-",)"
                           R"("error":false}],"reply":{"provider":"openai","tool_calls":[{"id":"c1","name":"ls",)"
                           R"("arguments":{"p":"c3Jj"}}]}}])")},
                    {"metadata.json", Saved(R"({"last_activated_at":"2025-10-21 23:44:33.3"})")}},
          .config = "{}",
          .events = {R"({"timestamp":"2025-10-21 10:00:00.5","type":"tool_call_response","id":"c1",)"
                     R"("content":"Pz8/Pj4+","is_error":false})",
                     R"({"timestamp":"2025-10-21 10:00:00.5","type":"tool_call_request","id":"c1","name":"ls",)"
                     R"("arguments":{"p":"c3Jj"}})"}};
}

JpLayoutSample RenamedMessages() {
  return {.name = "messages under the name events.json",
          .files = {{"events.json", Saved(R"([{"timestamp":"2025-06-01 10:00:00.5","message":"hi \"there\"",)"
                                          R"("reply":{"content":"yo"}}])")},
                    {"metadata.json", Metadata("")}},
          .config = "{}",
          .events = {kAsk, kSay}};
}

JpLayoutSample DraftEvents() {
  return {.name = "half pairs as events",
          .files = {{"events.json", Saved(R"([{"timestamp":"2025-06-01 10:00:00.5","type":"user_message",)"
                                          R"("message":"hi \"there\""},{"timestamp":"2025-06-01 10:00:00.5",)"
                                          R"("type":"assistant_message","content":"yo"}])")},
                    {"metadata.json", Metadata("")}},
          .config = "{}",
          .events = {kAsk, kSay}};
}

JpLayoutSample Packed(std::string name, std::string_view config_element, std::string config) {
  return {.name = std::move(name),
          .files = {{"events.json",
                     Saved(std::string("[").append(config_element).append(",").append(kAsk).append(",").append(kSay) +
                           "]")},
                    {"metadata.json", Metadata(R"(,"ephemeral":true)")}},
          .config = std::move(config),
          .events = {kAsk, kSay}};
}

JpLayoutSample ToolAnswers() {
  return {.name = "packed, with answers beside the arguments and the other alphabet",
          .files = {{"events.json",
                     Saved(R"([{"type":"config_delta","timestamp":"2025-06-01 10:00:00.5","delta":{"a":1}},)"
                           R"({"timestamp":"2025-06-01 10:00:00.5","type":"tool_call_request","id":"c1","name":"x",)"
                           R"("arguments":{"p":"dg=="},"tool_answers":{"q":"eQ=="}},)"
                           R"({"timestamp":"2025-06-01 10:00:00.5","type":"tool_call_response","id":"c1",)"
                           R"("content":"Pz8_Pj4-","is_error":false}])")},
                    {"metadata.json", Metadata("")}},
          .config = R"({"a":1})",
          .events = {R"({"timestamp":"2025-06-01 10:00:00.5","type":"tool_call_request","id":"c1","name":"x",)"
                     R"("arguments":{"p":"dg==","tool_answers":{"q":"eQ=="}}})",
                     R"({"timestamp":"2025-06-01 10:00:00.5","type":"tool_call_response","id":"c1",)"
                     R"("content":"Pz8/Pj4+","is_error":false})"}};
}

JpLayoutSample Split(std::string name, std::string_view first, std::vector<std::string> more) {
  JpLayoutSample sample{
      .name = std::move(name),
      .files = {{"base_config.json", Saved(R"({"a":1})")},
                {"events.json", {}},
                {"metadata.json", Metadata(R"(,"archived_at":"2026-01-01 00:00:00.0",)"
                                           R"("pinned_at":"2026-01-01 00:00:00.0","labels":{"k":"v"})")},
                {"QUERY_MESSAGE.md", "a draft"}},
      .config = R"({"a":1})",
      .events = {std::string(first), kAsk, kSay}};
  sample.events.insert(sample.events.end(), more.begin(), more.end());
  std::string events = "[";
  for (const std::string& event : sample.events) events.append(events.size() == 1 ? "" : ",").append(event);
  sample.files["events.json"] = Saved(events + "]");
  return sample;
}

// Questions with every outcome.
std::vector<std::string> Inquiries() {
  constexpr const char* kQuestion =
      R"("source":{"source":"tool","name":"t"},"question":{"text":"?","answer_type":{"type":"boolean"}}})";
  const std::string at = R"({"timestamp":"2025-06-01 10:00:02.0",)";
  return {at + R"("type":"tool_call_request","id":"c","name":"t","arguments":{}})",
          at + R"("type":"inquiry_request","id":"c.q.1",)" + kQuestion,
          at + R"("type":"inquiry_response","outcome":"cancelled","id":"c.q.1","reason":"user"})",
          at + R"("type":"inquiry_request","id":"c.q.2",)" + kQuestion,
          at + R"("type":"inquiry_response","outcome":"answered","id":"c.q.2","answer":true})",
          at + R"("type":"tool_call_response","id":"c","content":"b2s=","is_error":false})",
          at + R"("type":"compaction","from_turn":0,"to_turn":0,"summary":{"summary":"short"}})",
          at + R"("type":"later_kind","n":1.50})"};
}

JpLayoutSample Interrupted() {
  JpLayoutSample sample =
      Split("an interrupted change from packed to split",
            R"({"type":"config_delta","timestamp":"2025-06-01 10:00:00.5","delta":{"a":1}})", {kTurn});
  sample.events.erase(sample.events.begin());  // the configuration
  return sample;
}

}  // namespace

void PrintTo(const JpLayoutSample& sample, std::ostream* out) { *out << sample.name; }

const std::vector<JpLayoutSample>& JpLayouts() {
  static const std::vector<JpLayoutSample> samples{
      MessagesWithContext(),
      MessagesWithConfig(),
      MessagesWithTools(),
      MessagesWithDeltas(),
      EncodedMessages(),
      RenamedMessages(),
      DraftEvents(),
      Packed("packed, a flat configuration without a time", R"({"type":"config_delta","inherit":true,"extends":[]})",
             R"({"inherit":true,"extends":[]})"),
      Packed("packed, a flat configuration",
             R"({"type":"config_delta","timestamp":"2025-06-01 10:00:00.5","inherit":true})", R"({"inherit":true})"),
      Packed("packed", R"({"type":"config_delta","timestamp":"2025-06-01 10:00:00.5","delta":{"a":1}})", R"({"a":1})"),
      ToolAnswers(),
      Split("split", kTurn, Inquiries()),
      Interrupted(),
  };
  return samples;
}

}  // namespace turnlog
