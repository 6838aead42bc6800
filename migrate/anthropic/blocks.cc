#include "migrate/anthropic/blocks.h"

#include <string>
#include <utility>

#include "migrate/records/content_text.h"
#include "schema/json/json_string.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

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

}  // namespace

void AddAssistantText(const JsonObject& message, std::string_view text, RecordEvents& events) {
  UnescapedJson read = ReadJsonString(text);
  events.Add(ChatResponse{ChatPart::kMessage, std::move(read.text)}).metadata = MessageMetadata(message, {});
  events.Reproduces(Slot::kContent, text, read.usual);
}

void AddAssistantBlock(const JsonObject& message, std::string_view block_text, RecordEvents& events) {
  const JsonObject block = JsonObject::OfValid(block_text);
  const std::string type = block.String("type").value_or("");
  const auto add = [&](Event::Body body, std::string_view opaque = {}) {
    events.Add(std::move(body)).metadata = MessageMetadata(message, opaque);
    events.Reproduces(Slot::kOpaque, opaque);
  };
  const auto add_text = [&](ChatPart part, std::string_view token, std::string_view opaque) {
    UnescapedJson read = ReadJsonString(token);
    add(ChatResponse{part, std::move(read.text)}, opaque);
    events.Reproduces(Slot::kContent, token, read.usual);
  };
  if (type == "text" && IsJsonString(block["text"])) {
    add_text(ChatPart::kMessage, block["text"], {});
  } else if (type == "thinking" && IsJsonString(block["thinking"])) {
    add_text(ChatPart::kReasoning, block["thinking"], block["signature"]);
  } else if (type == "redacted_thinking" && IsJsonString(block["data"])) {
    add(ChatResponse{ChatPart::kReasoning, {}}, block["data"]);
  } else if (type.ends_with("tool_use") && IsJsonString(block["id"]) && IsJsonString(block["name"])) {
    ToolCallRequest call{*block.String("id"), *block.String("name"), {}};
    if (block["input"].starts_with('{')) call.arguments = Json::FromTrusted(std::string(block["input"]));
    add(std::move(call));
    events.Reproduces(Slot::kArguments, block["input"]);
  } else if (auto result = ReadToolResult(block)) {
    add(std::move(result->response));
    events.Reproduces(result->slot, result->bytes, result->known);
  } else {
    events.AddForeign(block_text);
  }
}

std::optional<ToolResultBlock> ReadToolResult(const JsonObject& block) {
  const std::string type = block.String("type").value_or("");
  auto call = block.String("tool_use_id");
  if (!type.ends_with("tool_result") || !call) return std::nullopt;
  const std::string_view content = block["content"];
  const bool may_be_text = type == "tool_result" || type == "mcp_tool_result" || IsJsonString(content);
  ResultContent result = ReadResultContent(content, may_be_text);
  // Of a tool that the server runs.
  const bool failed = block.Object("content").String("type").value_or("").ends_with("_tool_result_error");
  return ToolResultBlock{.response = {.id = *std::move(call),
                                      .content = std::move(result.content),
                                      .is_error = failed || block.IsTrue("is_error")},
                         .slot = result.slot,
                         .bytes = result.bytes,
                         .known = result.known};
}

bool AddRequestBlock(std::string_view block, const char* author, RecordEvents& events) {
  const JsonObject object = JsonObject::OfValid(block);
  const std::string_view token = IsJsonString(block) ? block : object["text"];
  if (!IsJsonString(token) || (!IsJsonString(block) && object.String("type") != "text")) return false;
  UnescapedJson read = ReadJsonString(token);
  ChatRequest request{.content = std::move(read.text), .author = {}, .schema = {}};
  if (author != nullptr) request.author = author;
  events.Add(std::move(request));
  events.Reproduces(Slot::kContent, token, read.usual);
  return true;
}

}  // namespace turnlog
