#include "migrate/anthropic/converter.h"

#include <utility>
#include <vector>

#include "migrate/anthropic/blocks.h"
#include "migrate/records/compaction_event.h"
#include "migrate/records/content_text.h"

namespace turnlog {

bool AnthropicConverter::IsRecord(const JsonObject& object) const {
  return has_blocks_ ? IsJsonString(object["type"]) : IsJsonString(object["role"]) && !object["content"].empty();
}

void AnthropicConverter::Convert(const JsonObject& record, RecordEvents& events) {
  const std::string role = record.String("role").value_or("");
  if (role == "user") return User(record["content"], events);
  if (role == "assistant") return Assistant(record, events);
  if (!role.empty() || !IsJsonString(record["type"])) return;
  has_blocks_ = true;
  Block(JsonObject(), record.text(), events);
}

// The API leaves out what precedes a summary.
void AnthropicConverter::Block(const JsonObject& message, std::string_view text, RecordEvents& events) {
  turns_.BeforeOther(events);
  const JsonObject block = JsonObject::OfValid(text);
  const std::string_view summary = block["content"];
  if (block.String("type") != "compaction" || !IsJsonString(summary)) return AddAssistantBlock(message, text, events);
  AddCompaction(0, turns_.turns() - 1, summary, summary, events);
  turns_.End();
}

// A message with results goes on with the turn; any other one begins a turn.
void AnthropicConverter::User(std::string_view content, RecordEvents& events) {
  const std::vector<std::string_view> blocks = ElementsOf(content);
  std::vector<std::string_view> others;
  for (const std::string_view text : blocks) {
    const JsonObject block = JsonObject::OfValid(text);
    auto result = ReadToolResult(block);
    if (!result) {
      others.push_back(text);
      continue;
    }
    turns_.BeforeOther(events);
    events.Add(std::move(result->response));
    events.Reproduces(result->slot, result->bytes, result->known);
  }
  if (!blocks.empty() && others.size() < blocks.size()) {
    for (const std::string_view block : others) {
      if (!AddRequestBlock(block, nullptr, events)) events.AddForeign(block);
    }
    return;
  }
  auto text = ReadContentText(content);
  if (!text) return;
  turns_.BeforePrompt(events);
  events.Add(ChatRequest{.content = std::move(text->text), .author = {}, .schema = {}});
  events.Reproduces(Slot::kContent, text->token, text->usual);
}

void AnthropicConverter::Assistant(const JsonObject& message, RecordEvents& events) {
  const std::string_view content = message["content"];
  const std::vector<std::string_view> blocks = ElementsOf(content);
  if (IsJsonString(content)) {
    turns_.BeforeOther(events);
    AddAssistantText(message, content, events);
  }
  for (const std::string_view block : blocks) Block(message, block, events);
}

}  // namespace turnlog
