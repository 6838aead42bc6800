#include "migrate/claude_code/converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "migrate/claude_code/denial.h"
#include "migrate/claude_code/questions.h"
#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

// The author of messages that no person wrote.
constexpr const char* kHarness = "harness";
constexpr const char* kAssistant = "assistant";

// How messages begin that Claude Code itself puts into the user's place.
constexpr std::array<std::string_view, 11> kHarnessLeads{"Caveat: The messages below were generated",
                                                         "[Request interrupted by user",
                                                         "<bash-input>",
                                                         "<bash-stdout>",
                                                         "<bash-stderr>",
                                                         "<command-args>",
                                                         "<command-message>",
                                                         "<command-name>",
                                                         "<local-command-",
                                                         "<system-reminder>",
                                                         "<task-notification>"};

bool IsFromHarness(const JsonObject& record, std::string_view text) {
  return record.IsTrue("isMeta") ||
         std::ranges::any_of(kHarnessLeads, [&](std::string_view lead) { return text.starts_with(lead); });
}

// What an event of an assistant's message needs besides its text, each value as in the source.
Json MessageMetadata(const JsonObject& message, std::string_view opaque) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  if (IsJsonString(message["id"])) json.Key("message_id"), json.Exactly(message["id"]);
  if (IsJsonString(message["model"])) json.Key("model"), json.Exactly(message["model"]);
  if (IsJsonString(opaque)) json.Key("opaque"), json.Exactly(opaque);
  json.EndObject();
  return text == "{}" ? Json() : Json::FromTrusted(std::move(text));
}

// The content of a result as text, and how a template finds it there.
struct ResultText {
  std::string text;
  std::string_view bytes;
  Slot slot = Slot::kContent;
};

ResultText ReadResultText(std::string_view content, bool server) {
  if (auto read = server && !IsJsonString(content) ? std::nullopt : ReadContentText(content)) {
    return {std::move(read->text), read->token, Slot::kContent};
  }
  return {std::string(content), content, Slot::kJson};
}

}  // namespace

RecordHead ClaudeCodeConverter::Head(const JsonObject& record) const {
  RecordHead head{.id = record.String("uuid"), .time = {}};
  if (const auto text = record.String("timestamp")) {
    if (const auto time = Timestamp::ParseRfc3339(*text)) head.time = *time;
  }
  return head;
}

bool ClaudeCodeConverter::IsRecord(const JsonObject& object) const {
  const auto has = [&](std::string_view name) { return IsJsonString(object[name]); };
  return has("type") && (has("uuid") || has("sessionId") || has("leafUuid"));
}

void ClaudeCodeConverter::Convert(const JsonObject& record, RecordEvents& events) {
  if (record.IsTrue("isSidechain") && !agent_) return;
  const std::string type = record.String("type").value_or("");
  if (type == "user") {
    User(record, events);
  } else if (type == "assistant" && !record.IsTrue("isApiErrorMessage")) {
    Assistant(record.Object("message"), events);
  } else if (type == "attachment") {
    Queued(record.Object("attachment"), events);
  }
}

void ClaudeCodeConverter::User(const JsonObject& record, RecordEvents& events) {
  const std::string_view content = record.Object("message")["content"];
  if (record.IsTrue("isCompactSummary")) return Summary(content, events);
  std::vector<std::string_view> others;
  bool results = false;
  for (const std::string_view element : ElementsOf(content)) {
    const JsonObject block = JsonObject::Parse(element).value_or(JsonObject());
    if (block.String("type") == "tool_result") {
      results = true;
      Result(record, block, events);
    } else {
      others.push_back(element);
    }
  }
  if (!results) return Prompt(record, content, events);
  for (const std::string_view block : others) {
    const std::string list = fmt::format("[{}]", block);
    const auto text = ReadContentText(list);
    if (text && !text->token.empty()) {
      Request(block, kHarness, events);
    } else {
      events.AddForeign(block);
    }
  }
}

void ClaudeCodeConverter::Prompt(const JsonObject& record, std::string_view content, RecordEvents& events) {
  const auto text = ReadContentText(content);
  if (!text) return;
  if (IsFromHarness(record, text->text)) {
    turns_.BeforeHarness(events);
    return Request(content, kHarness, events);
  }
  turns_.BeforePrompt(events);
  Request(content, record.IsTrue("isSidechain") ? kAssistant : nullptr, events);
}

// REQUIRES: the content has a text, or is one part of a content.
void ClaudeCodeConverter::Request(std::string_view content, const char* author, RecordEvents& events) {
  auto text = ReadContentText(content);
  if (!text) {
    const std::string_view token = JsonObject::Parse(content).value_or(JsonObject())["text"];
    text = ContentText{UnescapeJson(token), token};
  }
  ChatRequest request{.content = std::move(text->text), .author = {}, .schema = {}};
  if (author != nullptr) request.author = author;
  events.Add(std::move(request));
  if (!text->token.empty()) events.Reproduces(Slot::kContent, text->token);
}

void ClaudeCodeConverter::Result(const JsonObject& record, const JsonObject& block, RecordEvents& events) {
  const auto call = block.String("tool_use_id");
  if (!call) return events.AddForeign(block.text());
  ResultText content = ReadResultText(block["content"], false);
  ToolCallResponse response{.id = *call, .content = {}, .is_error = block.IsTrue("is_error"), .denied = {}};
  response.content = std::move(content.text);
  if (response.is_error) response.denied = ReadClaudeDenial(response.content);
  turns_.BeforeOther(events);
  const JsonObject result = record.Object("toolUseResult");
  Answers(*call, result, response, events);
  Event& event = events.Add(std::move(response));
  if (const auto agent = result.String("agentId")) {
    event.metadata =
        Json::FromTrusted(fmt::format(R"({{"agent":{}}})", JsonString(session_ + "/agent-" + *agent).text()));
  }
  if (!content.bytes.empty()) events.Reproduces(content.slot, content.bytes);
}

// The outcomes of the questions that the call asked come before its result.
void ClaudeCodeConverter::Answers(std::string_view call, const JsonObject& result, const ToolCallResponse& response,
                                  RecordEvents& events) {
  const auto asked = asked_.find(call);
  if (asked == asked_.end()) return;
  const Denial* const denial = response.denied ? &*response.denied : nullptr;
  for (const InquiryRequest& question : asked->second) {
    events.Add(ReadClaudeAnswer(question, asked->second, result, response.content, denial, response.is_error));
  }
  asked_.erase(asked);
}

// The summary of a compaction replaces all turns so far; what follows is a turn of its own.
void ClaudeCodeConverter::Summary(std::string_view content, RecordEvents& events) {
  const auto text = ReadContentText(content);
  if (!text) return;
  if (turns_.turns() == 0) {
    turns_.BeforeHarness(events);
    return Request(content, kHarness, events);
  }
  const Json summary = text->token.empty() ? JsonString(text->text) : Json::FromTrusted(std::string(text->token));
  AddCompaction(0, turns_.turns() - 1, summary.text(), text->token, events);
  turns_.End();
}

// What the user typed while the agent worked.
void ClaudeCodeConverter::Queued(const JsonObject& attachment, RecordEvents& events) {
  const std::string_view prompt = attachment["prompt"];
  if (attachment.String("type") != "queued_command" || !ReadContentText(prompt)) return;
  turns_.BeforeOther(events);
  Request(prompt, nullptr, events);
}

void ClaudeCodeConverter::Assistant(const JsonObject& message, RecordEvents& events) {
  const std::string_view content = message["content"];
  if (IsJsonString(content)) {
    turns_.BeforeOther(events);
    Event& event = events.Add(ChatResponse{ChatPart::kMessage, UnescapeJson(content)});
    event.metadata = MessageMetadata(message, {});
    return events.Reproduces(Slot::kContent, content);
  }
  const std::vector<std::string_view> blocks = ElementsOf(content);
  if (!blocks.empty()) turns_.BeforeOther(events);
  for (const std::string_view block : blocks) Block(message, block, events);
}

void ClaudeCodeConverter::Block(const JsonObject& message, std::string_view text, RecordEvents& events) {
  const JsonObject block = JsonObject::Parse(text).value_or(JsonObject());
  const std::string type = block.String("type").value_or("");
  const auto add = [&](Event::Body body, Slot slot, std::string_view bytes, std::string_view opaque = {}) {
    events.Add(std::move(body)).metadata = MessageMetadata(message, opaque);
    events.Reproduces(slot, bytes);
    if (!opaque.empty()) events.Reproduces(Slot::kOpaque, opaque);
  };
  if (type == "text" && IsJsonString(block["text"])) {
    add(ChatResponse{ChatPart::kMessage, *block.String("text")}, Slot::kContent, block["text"]);
  } else if (type == "thinking" && IsJsonString(block["thinking"])) {
    add(ChatResponse{ChatPart::kReasoning, *block.String("thinking")}, Slot::kContent, block["thinking"],
        block["signature"]);
  } else if (type == "redacted_thinking" && IsJsonString(block["data"])) {
    add(ChatResponse{ChatPart::kReasoning, {}}, Slot::kOpaque, block["data"], block["data"]);
  } else if (type.ends_with("tool_use") && IsJsonString(block["id"]) && IsJsonString(block["name"])) {
    ToolCallRequest call{*block.String("id"), *block.String("name"), {}};
    if (block["input"].starts_with('{')) call.arguments = Json::FromTrusted(std::string(block["input"]));
    add(std::move(call), Slot::kArguments, block["input"]);
    if (type == "tool_use" && block.String("name") == kAskUserQuestion) Call(block, events);
  } else if (type.ends_with("tool_result") && IsJsonString(block["tool_use_id"])) {
    ResultText result = ReadResultText(block["content"], true);
    add(ToolCallResponse{*block.String("tool_use_id"), std::move(result.text), block.IsTrue("is_error"), {}},
        result.slot, result.bytes);
  } else {
    events.AddForeign(text);
  }
}

// A call that asks the user.
void ClaudeCodeConverter::Call(const JsonObject& block, RecordEvents& events) {
  const std::string call = *block.String("id");
  std::vector<InquiryRequest> questions = ReadClaudeQuestions(call, block.Object("input"));
  for (const InquiryRequest& question : questions) events.Add(question);
  if (!questions.empty()) asked_.insert_or_assign(call, std::move(questions));
}

}  // namespace turnlog
