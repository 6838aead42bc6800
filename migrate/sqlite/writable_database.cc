#include "migrate/sqlite/writable_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/try.h"

namespace turnlog {

void WritableDatabase::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<WritableDatabase> WritableDatabase::Open(const std::filesystem::path& path) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  WritableDatabase database(opened);
  if (code != SQLITE_OK) return std::unexpected(database.LastError());
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  return database;
}

Error WritableDatabase::LastError() const {
  const int code = sqlite3_errcode(database_.get());
  const bool busy = code == SQLITE_BUSY || code == SQLITE_LOCKED;
  return {busy ? ErrorCode::kBusy : ErrorCode::kIo, fmt::format("SQLite: {}", sqlite3_errmsg(database_.get()))};
}

Result<Statement> WritableDatabase::Prepare(std::string_view sql) const {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &prepared, nullptr);
  return code == SQLITE_OK ? Result<Statement>(Statement(prepared)) : std::unexpected(LastError());
}

Status WritableDatabase::Run(const std::string& sql, const std::vector<std::string_view>& values,
                             std::optional<int> rows) {
  Statement statement = TURNLOG_TRY(Prepare(sql));
  int parameter = 0;
  for (const std::string_view value : values) statement.Bind(++parameter, value);
  for (auto row = statement.Step();; row = statement.Step()) {
    if (!row) return std::unexpected(LastError());
    if (!*row) break;
  }
  if (!rows || sqlite3_changes(database_.get()) == *rows) return {};
  return std::unexpected(Error{ErrorCode::kConflict, "a row is not what it was"});
}

// SQLite says in a row that it could not, and not by an error.
Status WritableDatabase::EmptyLog() {
  Statement statement = TURNLOG_TRY(Prepare("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (!statement.Step().value_or(false)) return std::unexpected(LastError());
  if (statement.Integer(0) == 0) return {};
  return std::unexpected(Error{ErrorCode::kBusy, "another process reads the log, which still has old contents"});
}

Status WritableDatabase::Rebuild() {
  TURNLOG_TRY(Run("PRAGMA temp_store=DEFAULT"));  // the whole database would be in memory
  TURNLOG_TRY(Run("VACUUM"));
  return EmptyLog();
}

Status WritableDatabase::VisitValues(const std::function<void(std::string_view value)>& visit) const {
  std::vector<std::string> tables{"sqlite_schema"};
  // A virtual table has no pages of its own.
  Statement names = TURNLOG_TRY(Prepare("SELECT name FROM sqlite_schema WHERE type='table' AND rootpage>0"));
  while (TURNLOG_TRY(names.Step())) tables.emplace_back(names.Text(0));
  for (const std::string& table : tables) {
    Statement rows = TURNLOG_TRY(Prepare(fmt::format("SELECT * FROM {}", QuoteName(table))));
    while (TURNLOG_TRY(rows.Step())) {
      for (int column = 0; column < rows.columns(); ++column) visit(rows.Text(column));
    }
  }
  return {};
}

}  // namespace turnlog
