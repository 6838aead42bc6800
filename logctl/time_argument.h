// The value of --since and --until.
#pragma once

#include <string_view>

#include "logctl/errors.h"
#include "turnlog/types.h"

namespace turnlog {

// 2026-01-31, 2026-01-31T10:00:00Z (RFC 3339), or how long ago: 90s, 30m, 12h, 7d, 2w. `option` is named in the error.
Expected<Timestamp> ParseTimeArgument(std::string_view option, std::string_view text);

}  // namespace turnlog
