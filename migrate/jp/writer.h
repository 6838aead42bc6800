// Events as elements of a jp events.json.
#pragma once

#include <string>

#include "turnlog/event.h"

namespace turnlog {

// Appends the event as jp would save it: key order, layout, base64. What jp does not know follows the fields that it
// does; `event_id` is left out of a turn_start, because jp refuses one that has any key of its own.
void AppendJpElement(const EventView& event, std::string& out);

}  // namespace turnlog
