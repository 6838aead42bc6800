#include "migrate/sqlite/row_changes.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "base/try.h"
#include "migrate/sqlite/database.h"

namespace turnlog {
namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};

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
  explicit RowWriter(sqlite3* database) : database_(database) {}

  Status Write(const RowChange& change) {
    switch (change.kind) {
      case RowChange::Kind::kUpdate:
        return Update(change);
      case RowChange::Kind::kRemove:
        return Run(fmt::format("DELETE FROM {} WHERE id=?1", QuoteName(change.table)), {change.id}, 1);
      case RowChange::Kind::kInsertAfter:
        break;
    }
    return Insert(change);
  }

  // `rows`: how many it must change.
  Status Run(const std::string& sql, std::initializer_list<std::string_view> values = {},
             std::optional<int> rows = std::nullopt) {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK) return Fail();
    Statement statement(prepared);
    int parameter = 0;
    for (const std::string_view value : values) statement.Bind(++parameter, value);
    for (int code = SQLITE_ROW; code == SQLITE_ROW;) {
      code = sqlite3_step(prepared);
      if (code != SQLITE_ROW && code != SQLITE_DONE) return Fail();
    }
    if (!rows || sqlite3_changes(database_) == *rows) return {};
    return std::unexpected(Error{ErrorCode::kConflict, "a row is not what it was"});
  }

  // Writes the log into the database. SQLite says in a row that it could not, and not by an error.
  Status EmptyLog() {
    sqlite3_stmt* prepared = nullptr;
    constexpr const char* kSql = "PRAGMA wal_checkpoint(TRUNCATE)";
    if (sqlite3_prepare_v2(database_, kSql, -1, &prepared, nullptr) != SQLITE_OK) return Fail();
    const Statement statement(prepared);
    if (sqlite3_step(prepared) != SQLITE_ROW) return Fail();
    if (statement.Integer(0) == 0) return {};
    return std::unexpected(Error{
        ErrorCode::kBusy, "the rows are changed, but another process reads the log, which still has the old ones"});
  }

 private:
  Status Update(const RowChange& change) {
    for (const ColumnChange& column : change.columns) {
      const std::string name = QuoteName(column.name);
      const std::string sql = fmt::format(
          "UPDATE {} SET {}=?2 WHERE id=?1 AND ({}=?3 OR replace(trim({},char(9,10,13,32)),char(10),' ')=?3)",
          QuoteName(change.table), name, name, name);
      TURNLOG_TRY(Run(sql, {change.id, column.after, column.before}, 1));
    }
    return {};
  }

  // Negative ids in between: a row must not get one that is still in use.
  Status Insert(const RowChange& change) {
    if (!HasNoRow(std::string(kFindReference), change.table) || !HasNoRow(FindOtherId(change.table), {})) {
      return std::unexpected(Error{ErrorCode::kConflict, "a row is not inserted: something may refer to ids"});
    }
    const std::string table = QuoteName(change.table);
    TURNLOG_TRY(Run(fmt::format("UPDATE {} SET id=-id-1 WHERE id>CAST(?1 AS INTEGER)", table), {change.id}));
    TURNLOG_TRY(Run(fmt::format("UPDATE {} SET id=-id WHERE id<0", table)));
    TURNLOG_TRY(Run(fmt::format("CREATE TEMP TABLE new_row AS SELECT * FROM {} WHERE id=?1", table), {change.id}));
    TURNLOG_TRY(Run("UPDATE new_row SET id=id+1"));
    for (const ColumnChange& column : change.columns) {
      TURNLOG_TRY(Run(fmt::format("UPDATE new_row SET {}=?1", QuoteName(column.name)), {column.after}));
    }
    TURNLOG_TRY(Run(fmt::format("INSERT INTO {} SELECT * FROM new_row", table), {}, 1));
    return Run("DROP TABLE new_row");
  }

  // `value`: of the parameter; none if it is empty.
  bool HasNoRow(const std::string& sql, std::string_view value) {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK) return false;
    Statement statement(prepared);
    if (!value.empty()) statement.Bind(1, value);
    return sqlite3_step(prepared) == SQLITE_DONE;
  }

  std::unexpected<Error> Fail() const {
    const int code = sqlite3_errcode(database_);
    const bool busy = code == SQLITE_BUSY || code == SQLITE_LOCKED;
    return std::unexpected(
        Error{busy ? ErrorCode::kBusy : ErrorCode::kIo, fmt::format("SQLite: {}", sqlite3_errmsg(database_))});
  }

  sqlite3* const database_;
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
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(database.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  const std::unique_ptr<sqlite3, Close> owner(opened);
  if (code != SQLITE_OK) {
    return std::unexpected(Error{ErrorCode::kIo, fmt::format("SQLite: {}", sqlite3_errmsg(opened))});
  }
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  RowWriter writer(opened);
  if (options.overwrite) TURNLOG_TRY(writer.Run("PRAGMA secure_delete=ON"));
  TURNLOG_TRY(writer.Run("PRAGMA temp_store=MEMORY"));
  TURNLOG_TRY(writer.Run("BEGIN IMMEDIATE"));
  for (const RowChange* change : InOrder(changes)) TURNLOG_TRY(writer.Write(*change));
  TURNLOG_TRY(writer.Run("COMMIT"));
  if (!options.overwrite) return {};
  TURNLOG_TRY(writer.Run("PRAGMA temp_store=DEFAULT"));  // the whole database would be in memory
  TURNLOG_TRY(writer.Run("VACUUM"));
  return writer.EmptyLog();
}

}  // namespace turnlog
