// The events of a request's body: JSON lines, as `logctl append` takes them.
#pragma once

#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/result.h"

namespace turnlog {

// kInvalidArgument names the line. Blank lines are skipped.
Result<std::vector<Event>> ParseEventLines(std::string_view text);

}  // namespace turnlog
