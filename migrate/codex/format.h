// Sessions of Codex in the registry of formats. docs/formats/codex.md describes the format.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kCodexFormat;

}  // namespace turnlog
