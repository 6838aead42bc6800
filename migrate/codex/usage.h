#pragma once

#include <memory>

#include "migrate/usage/usage_reader.h"

namespace turnlog {

// The records `token_count`, each with the sum since the thread began: what it has grown by, without what a fork
// repeats of another thread.
std::unique_ptr<UsageReader> ReadCodexUsage();

}  // namespace turnlog
