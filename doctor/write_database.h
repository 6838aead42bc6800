// Writes changed rows of a database: into a copy of it, or into the database in one transaction.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "doctor/found_secrets.h"
#include "migrate/sqlite/database.h"
#include "migrate/sqlite/row_changes.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

struct DatabaseWrite {
  const std::filesystem::path& path;
  const struct stat& seen;  // when it was examined
  std::span<const RowChange> changes{};
  bool is_damaged = false;  // a copy has what can be read
  const DoctorOptions& options;
  const SessionSecrets* secrets = nullptr;  // with `redact`
};

struct WrittenRows {
  std::filesystem::path path;    // where they are
  std::filesystem::path backup;  // what the database was before; empty: none is kept
  std::string note;              // what was removed beside the rows
  std::optional<Error> problem;  // what failed after the rows were written
};

// What this process has open of a database. It has locks.
struct OpenDatabase {
  std::unique_ptr<Source> source;
  std::unique_ptr<Database> database;

  void Close();
};

// With `redact`, the result has no presumed secrets but those that are in its rows.
Result<WrittenRows> WriteDatabaseCopy(const DatabaseWrite& wanted, const Database& database,
                                      const std::filesystem::path& copy);

// Closes `open`. There is no backup with `redact`, and then presumed secrets that are in no row are removed, even if
// there are no changes. An error: nothing was changed. kBusy: because it is in use.
Result<WrittenRows> ReplaceRows(const DatabaseWrite& wanted, OpenDatabase& open);

}  // namespace turnlog
