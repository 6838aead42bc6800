// Two small text files: BACKUP, in a backup, says how far it goes; `backups`, in a store, where its backups are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "turnlog/damage.h"
#include "turnlog/types.h"

namespace turnlog {

inline constexpr std::string_view kBackupFile = "BACKUP";
inline constexpr std::string_view kBackupsFile = "backups";
// There while a folder is being restored, so that an interrupted run is recognised.
inline constexpr std::string_view kRestoringFile = "RESTORING";

// Where the log's copy ends. Everything before it is on disk, and what the store had erased by then is overwritten.
std::string EncodeBackup(std::uint64_t end, Timestamp time);
std::optional<std::uint64_t> DecodeBackup(std::string_view text);
// Where the log of a backup ends at least; 0 for a store that is none. Adds what is damaged to `damage`.
Result<std::uint64_t> ReadBackupEnd(FileSystem& files, const std::filesystem::path& store, std::vector<Damage>& damage);

struct BackupEntry {
  std::uint64_t end = 0;
  Timestamp time;
  std::string folder;  // absolute
};

struct BackupRegistry {
  std::uint64_t erased = 0;  // offset of the last erase intent that a backup has seen
  std::vector<BackupEntry> entries;

  // Replaces the entry of the same folder.
  void Put(BackupEntry entry);
};

std::string EncodeRegistry(const BackupRegistry& registry);
// Skips malformed lines.
BackupRegistry DecodeRegistry(std::string_view text);
// Empty if there is no such file.
Result<BackupRegistry> ReadRegistry(FileSystem& files, const std::filesystem::path& store);

}  // namespace turnlog
