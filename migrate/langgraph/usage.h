#pragma once

#include <memory>

#include "migrate/usage/usage_reader.h"

namespace turnlog {

// `usage_metadata` of the answers in the checkpoints, each of which repeats those of the earlier ones.
std::unique_ptr<UsageReader> ReadLangGraphUsage();

}  // namespace turnlog
