// jp's conversations in the registry of formats. docs/formats/jp.md describes them.
#pragma once

#include "migrate/format.h"

namespace turnlog {

extern const Format kJpFormat;

}  // namespace turnlog
