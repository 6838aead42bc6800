#pragma once

#include "turnlog/result.h"

namespace turnlog {

// Whether the error concerns the log, so that the next conversation would fail in the same way, and not only the one
// that was to be appended or read.
bool ConcernsLog(ErrorCode code);

}  // namespace turnlog
