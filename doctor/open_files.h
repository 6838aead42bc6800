// Which files are in use.
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/result.h"

namespace turnlog {

// A process that has the file open, other than this one; nothing if there is none that this user may look at.
std::optional<int> FindProcessWith(const struct stat& file);

// Why the file must not be changed now: a process has it open, or it was written less than `idle_seconds` ago.
std::optional<std::string> WhyBusy(const struct stat& file, std::uint64_t idle_seconds);

// How the names of the logs end that SQLite has beside a database.
inline constexpr std::array<std::string_view, 2> kDatabaseLogs{"-wal", "-journal"};

// kBusy: the file, or a log beside it, must not be changed now. kInvalidArgument: one of them is no regular file.
Status CheckIdle(const std::filesystem::path& database, std::uint64_t idle_seconds);

}  // namespace turnlog
