// The matching lines of one event, and the line that represents it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/pattern.h"
#include "turnlog/event.h"

namespace turnlog {

// A JSON value as a person reads it: with the escapes in its strings decoded. REQUIRES: `json` is valid.
std::string UnescapedJson(std::string_view json);

bool Matches(const EventView& event, const Pattern& pattern);
std::vector<FoundLine> MatchingLines(const EventView& event, const Pattern& pattern);
// The first line of the event's first text that is not an id.
std::optional<FoundLine> FirstLine(const EventView& event);

}  // namespace turnlog
