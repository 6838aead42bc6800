// The entry of jp in the registry of formats. docs/formats/jp.md describes the format.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kJpFormat;

}  // namespace turnlog
