#include "migrate/codex/converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"
#include "migrate/records/user_question.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr const char* kHarness = "harness";

// What Codex itself puts into the user's place begins with one of these.
constexpr std::array<std::string_view, 8> kInjectedLeads{
    "<environment_context>", "<user_instructions>", "# AGENTS.md", "<turn_aborted>",
    "<recommended_plugins>", "<permissions",        "<skills",     "<collaboration_mode>"};

constexpr std::array<std::string_view, 2> kRejections{"exec command rejected by user", "patch rejected by user"};

bool IsInjected(std::string_view text) {
  return std::ranges::any_of(kInjectedLeads, [&](std::string_view lead) { return text.starts_with(lead); });
}

std::string Trim(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin));
}

// Extensions of editors put what was typed after a context of their own.
bool AreTwins(std::string_view item, std::string_view event) {
  return item == event || (!event.empty() && item.starts_with("# Context from my IDE setup:") && item.ends_with(event));
}

// The item of a record: its payload, or in the files of 2025 the record itself.
JsonObject PayloadOf(const JsonObject& record) { return record["payload"].empty() ? record : record.Object("payload"); }

Json ItemMetadata(const JsonObject& item, std::string_view opaque) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  if (IsJsonString(item["id"])) json.Key("item_id"), json.Exactly(item["id"]);
  if (IsJsonString(item["phase"])) json.Key("phase"), json.Exactly(item["phase"]);
  if (IsJsonString(opaque)) json.Key("opaque"), json.Exactly(opaque);
  json.EndObject();
  return text == "{}" ? Json() : Json::FromTrusted(std::move(text));
}

bool IsCall(std::string_view type) {
  return type == "function_call" || type == "custom_tool_call" || type == "local_shell_call" ||
         type == "tool_search_call";
}

bool IsOutput(std::string_view type) {
  return type == "function_call_output" || type == "custom_tool_call_output" || type == "tool_search_output";
}

struct CallArguments {
  Json json;
  Slot slot = Slot::kArguments;
  std::string_view bytes;  // of the record, that the slot reproduces
};

// The arguments are an object, JSON text in a string, or any text.
CallArguments ReadArguments(std::string_view value) {
  if (value.starts_with('{')) return {Json::FromTrusted(std::string(value)), Slot::kArguments, value};
  if (!IsJsonString(value)) return {};
  auto json = ParseJson(UnescapeJson(value));
  if (json && json->text().starts_with('{')) return {*std::move(json), Slot::kArgumentsText, value};
  return {Json::FromTrusted(fmt::format(R"({{"input":{}}})", value)), Slot::kInput, value};
}

}  // namespace

RecordHead CodexConverter::Head(const JsonObject& record) const {
  RecordHead head;
  if (const auto text = record.String("timestamp")) {
    if (const auto time = Timestamp::ParseRfc3339(*text)) head.time = *time;
  }
  return head;
}

bool CodexConverter::IsRecord(const JsonObject& object) const {
  return IsJsonString(object["timestamp"]) && IsJsonString(object["type"]) && object["payload"].starts_with('{');
}

void CodexConverter::Convert(const JsonObject& record, RecordEvents& events) {
  const std::string type = record.String("type").value_or("");
  const JsonObject payload = PayloadOf(record);
  if (type == "session_meta") return Meta(payload, events.head());
  if (IsCopied(type, payload, events.head())) return;
  const bool bare = record["payload"].empty() && record["record_type"].empty();
  if (type == "event_msg") {
    EventMessage(payload, events);
  } else if (type == "response_item" || bare) {
    Item(payload, events);
  } else if (type == "compacted") {
    Compacted(payload, events);
  }
}

// A resumed session repeats its own; that of another session begins a copy of it.
void CodexConverter::Meta(const JsonObject& payload, const RecordHead& head) {
  const std::string id = payload.String("id").value_or("");
  if (!thread_) thread_ = id;
  if (id != *thread_) copied_at_ = head.time.value_or(Timestamp{});
}

// A copy gets the time at which it was made, to the second, and ends where a turn of this session begins.
bool CodexConverter::IsCopied(std::string_view type, const JsonObject& payload, const RecordHead& head) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (!copied_at_) return false;
  const bool starts_turn = type == "event_msg" && payload.String("type") == "task_started";
  const bool later = head.time && head.time->nanos >= copied_at_->nanos + kSecond;
  if (starts_turn || later) copied_at_.reset();
  return copied_at_.has_value();
}

void CodexConverter::EventMessage(const JsonObject& payload, RecordEvents& events) {
  const std::string type = payload.String("type").value_or("");
  if (type == "thread_rolled_back") return RolledBack(payload, events);
  if (type != "user_message" || !IsJsonString(payload["message"])) return;
  std::string text = *payload.String("message");
  if (TakeTwin(Twin::kItem, text)) return;
  Remember(Twin::kEvent, text);
  Prompt(std::move(text), payload["message"], events);
}

void CodexConverter::Item(const JsonObject& payload, RecordEvents& events) {
  const std::string type = payload.String("type").value_or("message");
  if (type == "message") {
    Message(payload, events);
  } else if (type == "reasoning") {
    Reasoning(payload, events);
  } else if (IsCall(type)) {
    Call(payload, type, events);
  } else if (IsOutput(type)) {
    Output(payload, events);
  }
}

void CodexConverter::Message(const JsonObject& item, RecordEvents& events) {
  const std::string role = item.String("role").value_or("");
  auto text = ReadContentText(item["content"]);
  if (!text || (role != "user" && role != "assistant")) return;
  if (role == "assistant") {
    turns_.BeforeOther(events);
    events.Add(ChatResponse{ChatPart::kMessage, std::move(text->text)}).metadata = ItemMetadata(item, {});
    return events.Reproduces(Slot::kContent, text->token);
  }
  if (IsInjected(text->text)) {
    turns_.BeforeHarness(events);
    events.Add(ChatRequest{.content = std::move(text->text), .author = kHarness, .schema = {}});
    return events.Reproduces(Slot::kContent, text->token);
  }
  if (TakeTwin(Twin::kEvent, text->text)) return;
  Remember(Twin::kItem, text->text);
  Prompt(std::move(text->text), text->token, events);
}

void CodexConverter::Prompt(std::string text, std::string_view token, RecordEvents& events) {
  turns_.BeforePrompt(events);
  live_turns_.push_back(turns_.turns() - 1);
  events.Add(ChatRequest{.content = std::move(text), .author = {}, .schema = {}});
  events.Reproduces(Slot::kContent, token);
}

void CodexConverter::Reasoning(const JsonObject& item, RecordEvents& events) {
  const std::string_view opaque = item["encrypted_content"];
  auto text = ReadContentText(item["summary"]);
  if (!text || text->text.empty()) {
    if (auto content = ReadContentText(item["content"])) text = std::move(content);
  }
  if (!text) text.emplace();
  turns_.BeforeOther(events);
  events.Add(ChatResponse{ChatPart::kReasoning, std::move(text->text)}).metadata = ItemMetadata(item, opaque);
  events.Reproduces(Slot::kContent, text->token);
  if (IsJsonString(opaque)) events.Reproduces(Slot::kOpaque, opaque);
}

void CodexConverter::Call(const JsonObject& item, std::string_view type, RecordEvents& events) {
  const auto call = item.String("call_id");
  if (!call) return;
  const std::string_view value = type == "custom_tool_call"   ? item["input"]
                                 : type == "local_shell_call" ? item["action"]
                                                              : item["arguments"];
  CallArguments arguments = ReadArguments(value);
  const std::string name = item.String("name").value_or(std::string(type.substr(0, type.rfind("_call"))));
  const std::string parsed = arguments.json.text();
  turns_.BeforeOther(events);
  events.Add(ToolCallRequest{*call, name, std::move(arguments.json)}).metadata = ItemMetadata(item, {});
  events.Reproduces(arguments.slot, arguments.bytes);
  if (name != kRequestUserInput) return;
  const JsonObject questions = JsonObject::Parse(parsed).value_or(JsonObject());
  std::vector<CodexQuestion> asked = ReadCodexQuestions(*call, questions);
  for (const CodexQuestion& question : asked) events.Add(question.request);
  if (!asked.empty()) asked_.insert_or_assign(*call, std::move(asked));
}

void CodexConverter::Output(const JsonObject& item, RecordEvents& events) {
  const auto call = item.String("call_id");
  if (!call) return;
  const std::string_view output = item["output"].empty() ? item["tools"] : item["output"];
  const bool parts = item["output"].starts_with('[');
  auto text = IsJsonString(output) || parts ? ReadContentText(output) : std::nullopt;
  ToolCallResponse response{
      .id = *call, .content = text ? std::move(text->text) : std::string(output), .is_error = false, .denied = {}};
  if (std::ranges::find(kRejections, response.content) != kRejections.end()) {
    response.is_error = true;
    response.denied.emplace().responder = Responder{.kind = "user", .model = {}, .who = {}, .via = {}, .extra = {}};
  }
  response.is_error |= response.content.starts_with("aborted by user");
  turns_.BeforeOther(events);
  if (const auto asked = asked_.find(*call); asked != asked_.end()) {
    for (const CodexQuestion& question : asked->second) events.Add(ReadCodexAnswer(question, response.content));
    asked_.erase(asked);
  }
  events.Add(std::move(response)).metadata = ItemMetadata(item, {});
  if (text) {
    events.Reproduces(Slot::kContent, text->token);
  } else {
    events.Reproduces(Slot::kJson, output);
  }
}

// The summary may be empty: then it is encrypted, in the record.
void CodexConverter::Compacted(const JsonObject& payload, RecordEvents& events) {
  if (turns_.turns() == 0 || !IsJsonString(payload["message"])) return;
  AddCompaction(0, turns_.turns() - 1, payload["message"], payload["message"], events);
  turns_.End();
}

// The user took back the last turns: the model does not see them any more.
void CodexConverter::RolledBack(const JsonObject& payload, RecordEvents& events) {
  std::uint64_t count = 0;
  const std::string_view number = payload["num_turns"];
  std::from_chars(number.data(), number.data() + number.size(), count);
  count = std::min<std::uint64_t>(count, live_turns_.size());
  if (count == 0) return;
  const std::uint64_t from = live_turns_[live_turns_.size() - count];
  live_turns_.resize(live_turns_.size() - count);
  AddCompaction(from, turns_.turns() - 1, R"("[The user rolled these turns back.]")", {}, events);
  turns_.End();
}

bool CodexConverter::TakeTwin(Twin other, const std::string& text) {
  const std::string trimmed = Trim(text);
  const auto found = std::ranges::find_if(prompts_, [&](const auto& prompt) {
    if (prompt.first != other) return false;
    return other == Twin::kItem ? AreTwins(prompt.second, trimmed) : AreTwins(trimmed, prompt.second);
  });
  if (found == prompts_.end()) return false;
  prompts_.erase(found);
  return true;
}

void CodexConverter::Remember(Twin twin, std::string text) {
  constexpr std::size_t kRemembered = 8;
  prompts_.emplace_back(twin, Trim(text));
  if (prompts_.size() > kRemembered) prompts_.pop_front();
}

}  // namespace turnlog
