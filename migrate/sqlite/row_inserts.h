// Inserts rows between others whose ids are in order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/sqlite/row_changes.h"
#include "migrate/sqlite/writable_database.h"

namespace turnlog {

// Whether the ids in a table with the column `id` can be made higher: they are whole numbers, none is negative, and
// nothing else in the database seems to refer to them: a foreign key, a column like message_id, a trigger or a virtual
// table.
bool CanRaiseIds(const Database& database, std::string_view table);
bool CanRaiseIds(const WritableDatabase& database, std::string_view table);

// The rows to insert into one table.
class RowInserts {
 public:
  RowInserts(WritableDatabase& database, std::string_view table);

  // REQUIRES: `change` outlives it, and is to be inserted into the table.
  void Add(const RowChange& change);
  // Time: linear in the rows after the first inserted one, however many are inserted. kConflict: something may refer to
  // the ids (CanRaiseIds), or the row before a new one is not there.
  Status Write();

 private:
  using Row = std::vector<const RowChange*>;
  Status RaiseIds();
  // `like`: the id of the row that it resembles.
  Status Insert(const RowChange& change, std::int64_t like, std::int64_t id);
  Result<std::vector<std::string>> Columns() const;

  WritableDatabase& database_;
  const std::string table_;
  std::map<std::int64_t, Row> after_;  // by the id of the row before them; the last one comes first
};

}  // namespace turnlog
