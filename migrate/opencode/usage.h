#pragma once

#include <memory>

#include "migrate/usage/usage_reader.h"

namespace turnlog {

// `tokens` of the steps of each message or, if it has none, its own.
std::unique_ptr<UsageReader> ReadOpencodeUsage();

}  // namespace turnlog
