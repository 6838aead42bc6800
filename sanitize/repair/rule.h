// The names of rules in `repair` events.
#pragma once

#include <string_view>

#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// Whether it is the name of a RepairRule. Other programs may record other rules.
bool IsRuleName(std::string_view name);

}  // namespace turnlog
