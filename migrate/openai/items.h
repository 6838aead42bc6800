// The items of OpenAI's Responses as events. The Agents SDK for JavaScript has the same items with names as that
// language spells them (`callId`, `function_call_result`), and keeps what else the API said of one in its
// `providerData`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "migrate/records/content_text.h"
#include "migrate/records/json_object.h"
#include "migrate/records/record_events.h"

namespace turnlog {

// A message of the user. An item without a type is a message.
bool IsUserItem(const JsonObject& item);

// A message of the assistant, reasoning, or a call of a tool that the program runs.
bool IsModelItem(const JsonObject& item);
bool IsModelMessage(const JsonObject& item);
// Adds its event; encrypted reasoning is opaque there.
// REQUIRES: IsModelItem.
void AddModelItem(const JsonObject& item, RecordEvents& events);

// What the server has made of all that was said before: only it can read that.
bool IsCompactionItem(const JsonObject& item);
// Adds a compaction of the turns from 0 to `last`. REQUIRES: IsCompactionItem.
void AddCompactionItem(const JsonObject& item, std::uint64_t last, RecordEvents& events);

// The id by which a call and its output belong together.
std::optional<std::string> CallIdOf(const JsonObject& item);

// Adds a message of the assistant with this text of the item, which has at most an id and a phase of its own.
void AddModelMessage(const JsonObject& item, ContentText text, RecordEvents& events);

// The output of a call.
struct ItemOutput {
  ToolCallResponse response;
  Json metadata;
  Slot slot = Slot::kContent;
  std::string_view bytes;  // that the slot reproduces
  bool known = false;      // as in RecordEvents::Reproduces
};
// Nothing if the item is something else, or does not name its call.
std::optional<ItemOutput> ReadItemOutput(const JsonObject& item);

// Adds a call whose arguments are an object, JSON text in a string, or any text.
void AddCall(std::string_view id, std::string_view name, std::string_view arguments, Json metadata,
             RecordEvents& events);

}  // namespace turnlog
