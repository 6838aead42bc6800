// Changes of rows in a SQLite database, in one transaction.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/result.h"

namespace turnlog {

// A column whose value is a text. `before` may lack the blanks around the value, and have blanks instead of line
// breaks.
struct ColumnChange {
  std::string name, before, after;
};

struct RowChange {
  enum class Kind : std::uint8_t {
    kUpdate,
    kRemove,
    kInsertAfter,  // a row like this one but for the columns; what follows it gets higher ids. The ids are numbers.
  };

  Kind kind = Kind::kUpdate;
  std::string table, id;  // the value of the column `id`
  std::vector<ColumnChange> columns;
};

struct RowChangeOptions {
  bool overwrite = false;  // where values were; the log and earlier free pages may still have some
};

// Makes all changes or none. All ids are those before. Of rows after the same one, the last one comes first. kConflict:
// a row is not what it was, or ids that would change cannot. kBusy: another process writes.
Status WriteRowChanges(const std::filesystem::path& database, std::span<const RowChange> changes,
                       const RowChangeOptions& options);

}  // namespace turnlog
