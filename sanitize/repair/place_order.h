// The order in which a plan holds what it inserts.
#pragma once

#include <vector>

#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// By place; those behind the same event stay in the order in which they were planned.
void SortByPlace(std::vector<Insert>& inserts);

}  // namespace turnlog
