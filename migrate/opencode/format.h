// Sessions of opencode in the registry of formats. docs/formats/opencode.md describes the format.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kOpencodeFormat;

}  // namespace turnlog
