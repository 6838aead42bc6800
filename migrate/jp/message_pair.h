// The elements of 2025: a message of the user, or the results of tools, with the reply of the assistant.
//   {"timestamp":...,"message":...,"reply":{"reasoning":...,"content":...,"tool_calls":[...]},"context":{...}}
#pragma once

#include <string_view>
#include <vector>

#include "migrate/records/json_array.h"
#include "turnlog/event.h"

namespace turnlog {

// The field of the metadata of a pair's first event that holds what turnlog has no other field for.
inline constexpr std::string_view kMessagePair = "message_pair";

// Of an element.
struct ElementContext {
  bool begins_file = false;
  bool first = false;  // nothing that may be an element comes before it: the `config_delta` of a pair is the
                       // configuration of the conversation
  bool plain = false;  // pairs are older than base64 in tool calls
};

// Whether an element of this type is half a pair, as there was for a short time.
bool IsHalfPair(std::string_view type);

// The events of a pair, or of half a pair. The first event has the template of the element as its source text. None: it
// is something else. REQUIRES: the text is valid JSON.
std::vector<Event> ReadMessagePair(const RawElement& element, ElementContext context);

// The configuration of the conversation, if the event is of a pair that has it: an object.
std::string_view ConfigOfPair(const EventView& event);

}  // namespace turnlog
