// SetCompression for a store that a running service has open.
#pragma once

#include <string_view>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

// `log`: of OpenRemoteLog. `compression`: "none", "fast" or "small". kUnsupported: the log is not used through a
// service, or the service's store has no such setting.
Status SetCompressionThroughService(Log& log, std::string_view compression);

}  // namespace turnlog
