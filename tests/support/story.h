// Conversations in shorthand, so that a test of turns and pairs can be read at a glance:
//   "T CR Q:c1 I:c1.q A:c1.q R:c1 M"
// T turn_start, CR chat_request, M chat_response, Q / R tool call and result, I / A inquiry request and answer,
// X a cancelled inquiry (reason "interrupted"), E an error result "Tool call was interrupted.", ? an unknown kind,
// C{0,2} a compaction of turns 0 to 2.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// Times count up from event to event, so that each is unique; `before`: the number of earlier events. Throws on an
// unknown word.
std::vector<Event> Story(std::string_view words, std::size_t before = 0);

// The shorthand of given events; other events appear as "!kind".
std::string ToStory(const std::vector<Event>& events);

}  // namespace turnlog
