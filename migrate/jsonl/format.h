// JSON lines, turnlog's own form, in the registry of formats. docs/formats/jsonl.md describes it.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kJsonlFormat;

}  // namespace turnlog
