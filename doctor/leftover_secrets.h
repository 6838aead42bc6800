// Presumed secrets in the files of a database that none of its rows has: in free pages, in free space of others, in its
// logs. SQLite leaves there what rows were before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/secret_string.h"
#include "doctor/found_secrets.h"
#include "migrate/sqlite/row_changes.h"
#include "turnlog/redaction/secret_scan.h"
#include "turnlog/result.h"

namespace turnlog {

class LeftoverSecrets {
 public:
  // `changes`: those that redact rows; nothing of what they replace may be left.
  LeftoverSecrets(const SessionSecrets& secrets, std::span<const RowChange> changes);

  // Whether the files have presumed secrets at all, in rows or elsewhere. Does not open the database.
  Result<bool> Search(const std::filesystem::path& database);
  // How many of those that Search has found are in no row. One that a row has is in the file in any case. Time: that of
  // reading all rows, if Search has found any.
  Result<std::uint64_t> CountOutsideRows(const std::filesystem::path& database) const;

 private:
  Status SearchRules(const std::vector<std::filesystem::path>& files);
  Status SearchKnown(const std::vector<std::filesystem::path>& files);
  Status Add(const SecretScanReport& scan);
  Status SearchPageBorders(const std::filesystem::path& database);

  const SessionSecrets& secrets_;
  std::vector<SecretString> known_;
  std::vector<SecretString> found_;
};

struct RemovedLeftovers {
  std::uint64_t found = 0;  // in no row
  std::uint64_t left = 0;
};

// Searches the database, and if it has presumed secrets that are in no row, empties its log and, where that is not
// enough, rebuilds it: this takes the time of copying it. kBusy: another process uses it.
// REQUIRES: no process has it open, this one included.
Result<RemovedLeftovers> RemoveLeftovers(const std::filesystem::path& database, LeftoverSecrets& search);

}  // namespace turnlog
