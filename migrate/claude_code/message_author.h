// Who wrote a message of the role `user`. docs/formats/claude_code.md has the rules.
#pragma once

#include <string_view>

#include "migrate/records/json_object.h"

namespace turnlog {

// How Claude Code says that a request was interrupted, as a message or in place of a result.
inline constexpr std::string_view kClaudeInterrupted = "[Request interrupted by user";

// Whether no person wrote it. `message`: a record or an attachment; `text`: what it says.
bool IsFromClaudeHarness(const JsonObject& message, std::string_view text);

}  // namespace turnlog
