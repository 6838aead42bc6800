// The names by which `repair` events know the rules.
#pragma once

#include <string_view>

#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// Whether it is the name of a RepairRule. Others are somebody else's.
bool IsRuleName(std::string_view name);

}  // namespace turnlog
