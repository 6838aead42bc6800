// Sessions of Claude Code in the registry of formats. docs/formats/claude_code.md describes the format.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kClaudeCodeFormat;

}  // namespace turnlog
