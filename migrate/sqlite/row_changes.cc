#include "migrate/sqlite/row_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/try.h"
#include "migrate/sqlite/writable_database.h"

namespace turnlog {
namespace {

// No row: nothing seems to refer to the ids of the table ?1.
constexpr std::string_view kFindReference =
    "SELECT 1 FROM sqlite_schema t, pragma_foreign_key_list(t.name) f "
    "WHERE t.type='table' AND lower(f.\"table\")=lower(?1) "
    "UNION ALL SELECT 1 FROM sqlite_schema t, pragma_table_info(t.name) c "
    "WHERE t.type='table' AND c.name LIKE '%message%id%' "
    "UNION ALL SELECT 1 FROM sqlite_schema "
    "WHERE (type='trigger' AND lower(tbl_name)=lower(?1)) OR sql LIKE 'CREATE VIRTUAL %'";

std::string FindOtherId(std::string_view table) {
  return fmt::format("SELECT 1 FROM {} WHERE typeof(id)<>'integer' OR id<0", QuoteName(table));
}

class RowWriter {
 public:
  explicit RowWriter(WritableDatabase& database) : database_(database) {}

  Status Write(const RowChange& change) {
    switch (change.kind) {
      case RowChange::Kind::kUpdate:
        return Update(change);
      case RowChange::Kind::kRemove:
        return database_.Run(fmt::format("DELETE FROM {} WHERE id=?1", QuoteName(change.table)), {change.id}, 1);
      case RowChange::Kind::kInsertAfter:
        break;
    }
    return Insert(change);
  }

 private:
  Status Update(const RowChange& change) {
    for (const ColumnChange& column : change.columns) {
      const std::string name = QuoteName(column.name);
      const std::string sql = fmt::format(
          "UPDATE {} SET {}=?2 WHERE id=?1 AND ({}=?3 OR replace(trim({},char(9,10,13,32)),char(10),' ')=?3)",
          QuoteName(change.table), name, name, name);
      TURNLOG_TRY(database_.Run(sql, {change.id, column.after, column.before}, 1));
    }
    return {};
  }

  // Negative ids in between: a row must not get one that is still in use.
  Status Insert(const RowChange& change) {
    if (!database_.HasNoRow(std::string(kFindReference), change.table) ||
        !database_.HasNoRow(FindOtherId(change.table), {})) {
      return std::unexpected(Error{ErrorCode::kConflict, "a row is not inserted: something may refer to ids"});
    }
    const std::string table = QuoteName(change.table);
    TURNLOG_TRY(database_.Run(fmt::format("UPDATE {} SET id=-id-1 WHERE id>CAST(?1 AS INTEGER)", table), {change.id}));
    TURNLOG_TRY(database_.Run(fmt::format("UPDATE {} SET id=-id WHERE id<0", table)));
    TURNLOG_TRY(
        database_.Run(fmt::format("CREATE TEMP TABLE new_row AS SELECT * FROM {} WHERE id=?1", table), {change.id}));
    TURNLOG_TRY(database_.Run("UPDATE new_row SET id=id+1"));
    for (const ColumnChange& column : change.columns) {
      TURNLOG_TRY(database_.Run(fmt::format("UPDATE new_row SET {}=?1", QuoteName(column.name)), {column.after}));
    }
    TURNLOG_TRY(database_.Run(fmt::format("INSERT INTO {} SELECT * FROM new_row", table), {}, 1));
    return database_.Run("DROP TABLE new_row");
  }

  WritableDatabase& database_;
};

std::int64_t NumberOf(const std::string& id) {
  std::int64_t number = 0;
  (void)std::from_chars(id.data(), id.data() + id.size(), number);
  return number;
}

// A row that is inserted changes the ids after it: those come last, from the highest id to the lowest.
std::vector<const RowChange*> InOrder(std::span<const RowChange> changes) {
  std::vector<const RowChange*> ordered;
  for (const RowChange& change : changes) ordered.push_back(&change);
  // What is equal stays in the order of `changes`, into which the pointers point.
  std::ranges::sort(ordered, [](const RowChange* one, const RowChange* other) {
    if (one->kind != other->kind) return one->kind < other->kind;
    const bool inserts = one->kind == RowChange::Kind::kInsertAfter;
    const std::int64_t first = inserts ? NumberOf(one->id) : 0, second = inserts ? NumberOf(other->id) : 0;
    return first != second ? first > second : one < other;
  });
  return ordered;
}

}  // namespace

bool CanRaiseIds(const Database& database, std::string_view table) {
  const auto has_no_row = [&](std::string_view sql, bool binds) {
    auto rows = database.Prepare(sql);
    if (rows && binds) rows->Bind(1, table);
    return rows && !rows->Step().value_or(true);
  };
  return has_no_row(kFindReference, true) && has_no_row(FindOtherId(table), false);
}

Status WriteRowChanges(const std::filesystem::path& database, std::span<const RowChange> changes,
                       const RowChangeOptions& options) {
  WritableDatabase opened = TURNLOG_TRY(WritableDatabase::Open(database));
  RowWriter writer(opened);
  if (options.overwrite) TURNLOG_TRY(opened.Run("PRAGMA secure_delete=ON"));
  TURNLOG_TRY(opened.Run("PRAGMA temp_store=MEMORY"));
  TURNLOG_TRY(opened.Run("BEGIN IMMEDIATE"));
  for (const RowChange* change : InOrder(changes)) TURNLOG_TRY(writer.Write(*change));
  return opened.Run("COMMIT");
}

}  // namespace turnlog
