#pragma once

#include <memory>

#include "migrate/usage/usage_reader.h"

namespace turnlog {

// `tokens` of the messages, which their later lines repeat.
std::unique_ptr<UsageReader> ReadGeminiUsage();

}  // namespace turnlog
