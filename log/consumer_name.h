// Names of consumers, which keep watermarks in a log.
#pragma once

#include <string_view>

#include "turnlog/result.h"

namespace turnlog {

// kInvalidArgument unless it is 1 to 32 bytes of a-z, 0-9, '-' and '_'. Every engine checks it.
Status CheckConsumerName(std::string_view name);

}  // namespace turnlog
