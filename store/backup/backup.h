// Backup and restore over a file system of the caller's choice. turnlog/backup.h says what they promise.
#pragma once

#include "base/file_system.h"
#include "store/segments/store_identity.h"
#include "turnlog/backup.h"

namespace turnlog {

Result<BackupReport> BackupStore(FileSystem& files, const std::filesystem::path& from, const std::filesystem::path& to,
                                 const BackupOptions& options);
Result<RestoreReport> RestoreStore(FileSystem& files, const std::filesystem::path& from,
                                   const std::filesystem::path& to, const RestoreOptions& options);

// kInvalidArgument if one folder is the other or lies in it.
Status CheckApart(const StorePaths& from, const StorePaths& to);
// Durable; kInvalidArgument if the parent folder does not exist.
Status MakeFolder(FileSystem& files, const StorePaths& to);

}  // namespace turnlog
