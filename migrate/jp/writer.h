// Writes events as elements of a jp events.json.
#pragma once

#include <string>

#include "turnlog/event.h"

namespace turnlog {

// Appends the event as jp would save it: key order, layout, base64. Fields unknown to jp follow the known ones; a
// turn_start gets no `event_id`, because jp refuses any unknown key in it.
void AppendJpElement(const EventView& event, std::string& out);

}  // namespace turnlog
