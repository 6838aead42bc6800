// The order of a plan's inserts.
#pragma once

#include <vector>

#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

// By `after`; inserts after the same event keep their order.
void SortInserts(std::vector<Insert>& inserts);

}  // namespace turnlog
