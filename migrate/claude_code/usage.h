#pragma once

#include <memory>

#include "migrate/usage/usage_reader.h"

namespace turnlog {

// `message.usage`, which each record of a message repeats.
std::unique_ptr<UsageReader> ReadClaudeUsage();

}  // namespace turnlog
