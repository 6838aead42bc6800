// Reads most elements of a jp events.json in one pass: those that have nothing but what jp writes, in its layout.
#pragma once

#include <optional>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// The beginning of a turn, a message or the result of a tool call that AppendJpElement would write as `element`.
// Nothing: it is another element, or JSON that has a fault, which the parser for any element finds.
std::optional<Event> ReadPlainJpElement(std::string_view element);

}  // namespace turnlog
