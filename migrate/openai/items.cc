#include "migrate/openai/items.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

std::string TypeOf(const JsonObject& item) { return item.String("type").value_or("message"); }

bool IsMessageOf(const JsonObject& item, std::string_view role) {
  const std::string_view content = item["content"];
  return TypeOf(item) == "message" && item.String("role") == role &&
         (IsJsonString(content) || content.starts_with('['));
}

// Code that calls tools, which the server runs.
constexpr std::string_view kProgram = "program";

bool IsCall(std::string_view type) {
  return type == "function_call" || type == "custom_tool_call" || type == "local_shell_call" || type == "shell_call" ||
         type == "apply_patch_call" || type == "tool_search_call" || type == "computer_call" || type == kProgram;
}

// Whether this is the output of a call.
bool IsOutput(std::string_view type) {
  const std::size_t end = type.rfind('_');
  const std::string_view what = type.substr(end == std::string_view::npos ? type.size() : end);
  return (what == "_output" || what == "_result") && IsCall(type.substr(0, end));
}

Json ItemMetadata(const JsonObject& item, std::string_view opaque = {}) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  if (IsJsonString(item["id"])) json.Key("item_id"), json.Exactly(item["id"]);
  if (IsJsonString(item["phase"])) json.Key("phase"), json.Exactly(item["phase"]);
  if (IsJsonString(opaque)) json.Key("opaque"), json.Exactly(opaque);
  json.EndObject();
  return text == "{}" ? Json() : Json::FromTrusted(std::move(text));
}

void AddReasoning(const JsonObject& item, RecordEvents& events) {
  const std::string_view own = item["encrypted_content"];
  const std::string_view opaque = own.empty() ? item.Object("providerData")["encrypted_content"] : own;
  std::optional<ContentText> text;
  for (const std::string_view field : {"summary", "content", "rawContent"}) {
    if (text && !text->text.empty()) break;
    if (auto content = ReadContentText(item[field])) text = std::move(content);
  }
  if (!text) text.emplace();
  events.Add(ChatResponse{ChatPart::kReasoning, std::move(text->text)}).metadata = ItemMetadata(item, opaque);
  events.Reproduces(Slot::kContent, text->token, text->usual);
  if (IsJsonString(opaque)) events.Reproduces(Slot::kOpaque, opaque);
}

// The field that has the arguments of a call.
std::string_view ArgumentsOf(const JsonObject& item, std::string_view type) {
  if (type == "custom_tool_call") return item["input"];
  if (type == "apply_patch_call") return item["operation"];
  if (type == kProgram) return item["code"];
  return type.ends_with("shell_call") || type == "computer_call" ? item["action"] : item["arguments"];
}

std::string NameOf(const JsonObject& item, std::string_view type) {
  if (auto name = item.String("name")) return *std::move(name);
  return std::string(type == kProgram ? "programmatic_tool_calling" : type.substr(0, type.rfind("_call")));
}

// Newer models ask for several actions at once.
void AddActions(const JsonObject& item, RecordEvents& events) {
  ToolCallRequest call{*CallIdOf(item), "computer", {}};
  call.arguments = Json::FromTrusted(fmt::format(R"({{"actions":{}}})", item["actions"]));
  events.Add(std::move(call)).metadata = ItemMetadata(item);
}

std::string PartType(std::string_view part) { return JsonObject::OfValid(part).String("type").value_or("part"); }

// JavaScript's SDK has a text as an object, too.
std::string_view OutputOf(const JsonObject& item) {
  const std::string_view of_program = item["result"].empty() ? item["tools"] : item["result"];
  const std::string_view output = item["output"].empty() ? of_program : item["output"];
  const JsonObject part = JsonObject::OfValid(output);
  return part.String("type") == "text" && IsJsonString(part["text"]) ? part["text"] : output;
}

}  // namespace

std::optional<std::string> CallIdOf(const JsonObject& item) {
  auto id = item.Object("providerData").String("call_id");
  for (const std::string_view name : {"callId", "call_id"}) {
    if (IsJsonString(item[name])) id = item.String(name);
  }
  return id && id->empty() ? std::nullopt : id;  // no event could have it
}

bool IsUserItem(const JsonObject& item) { return IsMessageOf(item, "user"); }

bool IsModelMessage(const JsonObject& item) { return IsMessageOf(item, "assistant"); }

bool IsModelItem(const JsonObject& item) {
  const std::string type = TypeOf(item);
  return IsModelMessage(item) || type == "reasoning" || (IsCall(type) && CallIdOf(item));
}

void AddModelItem(const JsonObject& item, RecordEvents& events) {
  const std::string type = TypeOf(item);
  if (type == "reasoning") return AddReasoning(item, events);
  if (type == "computer_call" && item["actions"].starts_with('[')) return AddActions(item, events);
  if (IsCall(type)) {
    return AddCall(*CallIdOf(item), NameOf(item, type), ArgumentsOf(item, type), ItemMetadata(item), events);
  }
  AddModelMessage(item, *ReadContentText(item["content"]), events);
}

bool IsCompactionItem(const JsonObject& item) {
  return TypeOf(item) == "compaction" && IsJsonString(item["encrypted_content"]);
}

void AddCompactionItem(const JsonObject& item, std::uint64_t last, RecordEvents& events) {
  const std::string_view opaque = item["encrypted_content"];
  AddCompaction(0, last, R"("")", {}, events, ItemMetadata(item, opaque));
  events.Reproduces(Slot::kOpaque, opaque);
}

void AddModelMessage(const JsonObject& item, ContentText text, RecordEvents& events) {
  events.Add(ChatResponse{ChatPart::kMessage, std::move(text.text)}).metadata = ItemMetadata(item);
  events.Reproduces(Slot::kContent, text.token, text.usual);
}

std::optional<ItemOutput> ReadItemOutput(const JsonObject& item) {
  const std::string type = TypeOf(item);
  // The API's schema has the id of a local shell's call in `id`.
  const bool in_id = type == "local_shell_call_output" && item["call_id"].empty();
  auto call = in_id ? item.String("id") : CallIdOf(item);
  if (!call || (!IsOutput(type) && type != "tool_search_output")) return std::nullopt;
  const std::string_view bytes = OutputOf(item);
  const bool may_be_text = IsJsonString(bytes) || (item["output"].starts_with('[') && !type.contains("shell"));
  ResultContent result = ReadResultContent(bytes, may_be_text);
  // An image, which is no text.
  if (type.starts_with("computer")) result = {.content = fmt::format("[{}]", PartType(bytes)), .bytes = {}};
  return ItemOutput{.response = {.id = *std::move(call),
                                 .content = std::move(result.content),
                                 .is_error = item.String("status") == "failed"},
                    .metadata = ItemMetadata(item),
                    .slot = result.slot,
                    .bytes = result.bytes,
                    .known = result.known};
}

void AddCall(std::string_view id, std::string_view name, std::string_view arguments, Json metadata,
             RecordEvents& events) {
  ToolCallRequest call{std::string(id), std::string(name), {}};
  Slot slot = Slot::kArguments;
  if (arguments.starts_with('{')) {
    call.arguments = Json::FromTrusted(std::string(arguments));
  } else if (IsJsonString(arguments)) {
    auto json = ParseJson(UnescapeJson(arguments));
    const bool is_object = json && json->text().starts_with('{');
    slot = is_object ? Slot::kArgumentsText : Slot::kInput;
    call.arguments = is_object ? *std::move(json) : Json::FromTrusted(fmt::format(R"({{"input":{}}})", arguments));
  }
  events.Add(std::move(call)).metadata = std::move(metadata);
  events.Reproduces(slot, arguments);
}

}  // namespace turnlog
