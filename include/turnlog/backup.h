// Backups: a copy of a store at one moment in a second folder, updated by copying new records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/maintenance.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// A backup that the store has on record, as of its last run.
struct KnownBackup {
  std::string folder;
  Timestamp time;
  bool outdated = false;  // it may still hold something that has been erased or redacted since
};

struct BackupOptions {
  bool verify = true;  // read the whole backup afterwards, as VerifyStore does
  Progress progress;   // of the copying, then of the verification
};

struct BackupReport {
  std::string store_id;
  bool incremental = false;         // it continued an earlier run
  std::uint64_t copied_bytes = 0;   // of the log
  std::uint64_t erased_frames = 0;  // records overwritten in the backup because they were erased in the store
  std::uint64_t records = 0, events = 0, conversations = 0;  // if verified: what the backup holds
  std::uint64_t damage_count = 0;
  // Of the backup, if it was verified, the first 1,000; and of the store what is missing at the end of the copy.
  std::vector<Damage> damage;
  std::vector<KnownBackup> outdated;  // other backups that may still hold what was erased or redacted
};

// Copies the log up to its last complete append and makes the copy durable; works beside a writer. `to` does not exist,
// is empty, or holds a backup of the same store: then new records are copied, and records that have been erased or
// redacted since are overwritten in the backup, too. The backup is a store that can be read, without an index. After an
// interruption, run it again; what earlier runs copied stays readable. The store records where its backups are.
// kConflict: the histories of backup and store have diverged.
Result<BackupReport> BackupStore(const std::filesystem::path& from, const std::filesystem::path& to,
                                 const BackupOptions& options = {});

struct RestoreOptions {
  bool partial = false;  // restore the intact records although others are damaged
  Progress progress;
};

struct RestoreReport {
  std::string store_id;
  std::uint64_t records = 0, events = 0, conversations = 0;
  std::uint64_t damage_count = 0;  // `partial` only
  std::vector<Damage> damage;      // the first 1,000
};

// Makes a store at `to`, which must not exist or be empty, from a backup (or from a store that has no writer),
// verifies it and builds its index. kCorruption: records are damaged; the message names file and byte, and `to` is
// empty again. After an interruption, run it again.
Result<RestoreReport> RestoreStore(const std::filesystem::path& from, const std::filesystem::path& to,
                                   const RestoreOptions& options = {});

// The backups that the store has on record, by folder.
Result<std::vector<KnownBackup>> ListBackups(const std::filesystem::path& store);

}  // namespace turnlog
