#pragma once

#include <memory>

#include "migrate/usage/usage_reader.h"

namespace turnlog {

// The rows of `turn_usage`, one for each turn of a session, and the responses of a RunState.
std::unique_ptr<UsageReader> ReadAgentsUsage();

}  // namespace turnlog
