// Writes changed rows of a database: into a copy of it, or into the database in one transaction.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <span>

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
};

// What this process has open of a database. It has locks.
struct OpenDatabase {
  std::unique_ptr<Source> source;
  std::unique_ptr<Database> database;

  void Close();
};

Status WriteDatabaseCopy(const DatabaseWrite& wanted, const Database& database, const std::filesystem::path& copy);

// Closes `open`. Returns the backup, which is a copy of what the database was before; none with `redact`. kBusy: it is
// in use, and was not changed.
Result<std::filesystem::path> ReplaceRows(const DatabaseWrite& wanted, OpenDatabase& open);

}  // namespace turnlog
