// The backups of a replaced file, and what is appended to them afterwards.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "turnlog/result.h"

namespace turnlog {

// What a backup is made for.
enum class BackupUse : bool {
  kKept,
  kUnredacted,  // has what a redaction has replaced: it is removed as soon as nothing more can be appended to it
};

// `done`: how many of its bytes the file has. `number`: from 1, because a file may be replaced at the same size again.
std::filesystem::path BackupName(const std::filesystem::path& path, std::uint64_t done, unsigned number, BackupUse use);

// The backup of this file that is the inode; its name changes as bytes are carried over.
Result<std::filesystem::path> LatestBackup(const std::filesystem::path& path, ino_t inode);

// Removes the links of the file itself that killed runs have made as backups, but those of this use.
Status RemoveUnusedLinks(const std::filesystem::path& path, ino_t inode, BackupUse use);

// Removes the unredacted backups that killed runs have left, unless a process has one open, or one has bytes that the
// file does not have. Returns how many are left.
Result<std::uint64_t> RemoveUnredacted(const std::filesystem::path& path);
// The file that such a backup is of; nothing if it is none.
std::optional<std::filesystem::path> FileOfUnredacted(const std::filesystem::path& backup);
// How many there are.
std::uint64_t CountUnredacted(const std::filesystem::path& path);

// Whether bytes can be appended to the file later: it has JSON lines. A document would be invalid then.
bool TakesLateBytes(const std::filesystem::path& path);

}  // namespace turnlog
