// The backups of a replaced file, and what is appended to them afterwards.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "turnlog/result.h"

namespace turnlog {

// `done`: how many of its bytes the file has. `number`: from 1, because a file may be replaced at the same size again.
std::filesystem::path BackupName(const std::filesystem::path& path, std::uint64_t done, unsigned number);

// The backup of this file that is the inode; its name changes as bytes are carried over.
Result<std::filesystem::path> LatestBackup(const std::filesystem::path& path, ino_t inode);

// Whether bytes can be appended to the file later: it has JSON lines. A document would be invalid then.
bool TakesLateBytes(const std::filesystem::path& path);

}  // namespace turnlog
