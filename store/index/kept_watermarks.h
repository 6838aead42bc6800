// The watermarks of an index that is being replaced. They do not follow from the log: they would be lost.
#pragma once

#include <functional>

#include "store/index/index_base.h"
#include "turnlog/result.h"

namespace turnlog {

// Copies the watermarks to an index that covers at least as much of the same log, and writes down there which
// conversations have grown since them. Those that cannot be read any more are left out: their consumers start over.
// False: `stop` said so before all was done.
Result<bool> KeepWatermarks(const IndexBase& from, IndexBase& to, const std::function<bool()>& stop = {});

}  // namespace turnlog
