// Which files are in use.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

namespace turnlog {

// A process that has the file open, other than this one; nothing if there is none that this user may look at.
std::optional<int> FindProcessWith(const struct stat& file);

// Why the file must not be changed now: a process has it open, or it was written less than `idle_seconds` ago.
std::optional<std::string> WhyBusy(const struct stat& file, std::uint64_t idle_seconds);

}  // namespace turnlog
