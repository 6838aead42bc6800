#pragma once

#include <filesystem>

namespace turnlog {

// A descriptor to read a user's file from, or -1 and errno. A pipe that no program writes to is empty, instead of
// waiting for one.
int OpenWithoutWaiting(const std::filesystem::path& path);

}  // namespace turnlog
