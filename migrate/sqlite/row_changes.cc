#include "migrate/sqlite/row_changes.h"

#include <fmt/format.h>

#include <map>

#include "base/try.h"
#include "migrate/sqlite/row_inserts.h"
#include "migrate/sqlite/writable_database.h"

namespace turnlog {
namespace {

Status Update(WritableDatabase& database, const RowChange& change) {
  for (const ColumnChange& column : change.columns) {
    const std::string name = QuoteName(column.name);
    const std::string sql =
        fmt::format("UPDATE {} SET {}=?2 WHERE id=?1 AND ({}=?3 OR replace(trim({},char(9,10,13,32)),char(10),' ')=?3)",
                    QuoteName(change.table), name, name, name);
    TURNLOG_TRY(database.Run(sql, {change.id, column.after, column.before}, 1));
  }
  return {};
}

Status Remove(WritableDatabase& database, const RowChange& change) {
  return database.Run(fmt::format("DELETE FROM {} WHERE id=?1", QuoteName(change.table)), {change.id}, 1);
}

// A row that is inserted changes the ids after it: those come last.
Status WriteAll(WritableDatabase& database, std::span<const RowChange> changes) {
  std::map<std::string_view, RowInserts> inserts;
  for (const RowChange& change : changes) {
    switch (change.kind) {
      case RowChange::Kind::kUpdate:
        TURNLOG_TRY(Update(database, change));
        break;
      case RowChange::Kind::kRemove:
        TURNLOG_TRY(Remove(database, change));
        break;
      case RowChange::Kind::kInsertAfter:
        inserts.try_emplace(change.table, database, change.table).first->second.Add(change);
    }
  }
  for (auto& [table, rows] : inserts) TURNLOG_TRY(rows.Write());
  return {};
}

}  // namespace

Status WriteRowChanges(const std::filesystem::path& database, std::span<const RowChange> changes,
                       const RowChangeOptions& options) {
  WritableDatabase opened = TURNLOG_TRY(WritableDatabase::Open(database));
  if (options.overwrite) TURNLOG_TRY(opened.Run("PRAGMA secure_delete=ON"));
  TURNLOG_TRY(opened.Run("PRAGMA temp_store=MEMORY"));
  TURNLOG_TRY(opened.Run("BEGIN IMMEDIATE"));
  TURNLOG_TRY(WriteAll(opened, changes));
  return opened.Run("COMMIT");
}

}  // namespace turnlog
