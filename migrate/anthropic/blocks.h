// The blocks of Anthropic's messages as events.
#pragma once

#include <optional>
#include <string_view>

#include "migrate/records/json_object.h"
#include "migrate/records/record_events.h"

namespace turnlog {

// Adds the event of a block of an assistant's message; a foreign event if turnlog has none for it.
// `message`: its `id` and `model` go into the metadata; signatures and encrypted data are opaque there.
void AddAssistantBlock(const JsonObject& message, std::string_view block, RecordEvents& events);

// Adds a text that is all of an assistant's message, a JSON string.
void AddAssistantText(const JsonObject& message, std::string_view text, RecordEvents& events);

// A tool_result block, also of server tools.
struct ToolResultBlock {
  ToolCallResponse response;
  Slot slot = Slot::kContent;
  std::string_view bytes;  // that the slot reproduces
  bool known = false;      // as in RecordEvents::Reproduces
};
// Nothing if it does not name its call.
std::optional<ToolResultBlock> ReadToolResult(const JsonObject& block);

// Adds the text of a user's block. False: it has none.
bool AddRequestBlock(std::string_view block, const char* author, RecordEvents& events);

}  // namespace turnlog
