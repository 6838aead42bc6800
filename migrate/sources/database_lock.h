// Keeps a SQLite database as it is while it is read, if other processes have it open.
#pragma once

#include <filesystem>
#include <memory>

#include "migrate/sources/byte_source.h"

namespace turnlog {

// `bytes` with a lock, as SQLite's own readers have one, if they are a database; otherwise as they are. Programs that
// use a write-ahead log can write meanwhile, but not move what they wrote into the database; others have to wait.
// kBusy: another process holds a lock that excludes readers, even after some tries.
Result<std::unique_ptr<ByteSource>> LockDatabase(std::unique_ptr<ByteSource> bytes, const std::filesystem::path& path);

// Whether another process is about to write a database without a write-ahead log.
bool HasWriter(const std::filesystem::path& path);

}  // namespace turnlog
