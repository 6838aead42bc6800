// Reads events in the form in which turnlog itself writes them as JSON lines: its fields in its order, without white
// space. That takes a third of the time of a parser that expects any field anywhere.
#pragma once

#include <optional>
#include <string_view>

#include "turnlog/event_json.h"

namespace turnlog {

// The same event and envelope as EventParser's for any form. Nothing: the line has another form, or is not valid, or is
// of a kind that is rare; `envelope` is undefined then. The views borrow from `line` and from `memory`, which has room
// for as many letters as the line.
std::optional<EventView> ReadOwnLine(std::string_view line, char* memory, EventParser::Envelope& envelope);

}  // namespace turnlog
