// The value of --since and --until.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "logctl/command.h"
#include "turnlog/types.h"

namespace turnlog {

// 2026-01-31, 2026-01-31T10:00:00Z (RFC 3339), or how long ago: 90s, 30m, 12h, 7d, 2w. `option` is named in the error.
Expected<Timestamp> ParseTimeArgument(std::string_view option, std::string_view text);
// Adds the option, with the accepted forms in its help.
void AddTime(CLI::App& app, const std::string& name, std::optional<std::string>& to, const std::string& help);

}  // namespace turnlog
