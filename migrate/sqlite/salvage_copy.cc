#include "migrate/sqlite/salvage_copy.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "migrate/sqlite/database.h"
#include "migrate/sqlite/step.h"

namespace turnlog {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using OwnedStatement = std::unique_ptr<sqlite3_stmt, Finalize>;

// Null if it cannot be prepared.
OwnedStatement Prepare(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  return OwnedStatement(statement);
}

// 0 if it cannot be read.
std::uint64_t Number(sqlite3* database, const std::string& sql) {
  const auto row = Prepare(database, sql);
  return row && StepChecked(row.get()) == SQLITE_ROW ? static_cast<std::uint64_t>(sqlite3_column_int64(row.get(), 0))
                                                     : 0;
}

// More rows than the database has room for: damaged pages can refer to others any number of times.
std::uint64_t MaxRows(sqlite3* database) {
  constexpr std::uint64_t kMinRowBytes = 4;
  return Number(database, "PRAGMA page_count") * Number(database, "PRAGMA page_size") / kMinRowBytes;
}

class TableCopy {
 public:
  TableCopy(sqlite3* damaged, sqlite3* to, const std::string& table)
      : left_(MaxRows(damaged)),
        rows_(Prepare(damaged, fmt::format("SELECT rowid, * FROM {} NOT INDEXED WHERE rowid>=?1 ORDER BY rowid",
                                           QuoteName(table)))) {
    if (!rows_) {  // a table without rowids
      in_order_ = Prepare(damaged, fmt::format("SELECT 0, * FROM {}", QuoteName(table)));
    }
    sqlite3_stmt* const source = rows_ ? rows_.get() : in_order_.get();
    std::string values;
    for (int column = 1; source != nullptr && column < sqlite3_column_count(source); ++column) {
      values += column == 1 ? "?" : ",?";
    }
    insert_ = Prepare(to, fmt::format("INSERT OR IGNORE INTO {} VALUES ({})", QuoteName(table), values));
  }

  void Run() {
    if (!insert_) return;
    if (in_order_) {
      while (StepChecked(in_order_.get()) == SQLITE_ROW && left_-- > 0) Insert(in_order_.get());
      return;
    }
    for (std::int64_t from = INT64_MIN; !CopyFrom(from);) {
      if (!FindReadable(from)) break;
    }
  }

 private:
  // False: the database is damaged where `from` is then. The rowids themselves may be damaged: `from` never becomes
  // less than it was, and one rowid that is too large does not hide the rows after it.
  bool CopyFrom(std::int64_t& from) {
    const std::int64_t begin = from;
    std::int64_t before = begin;  // `from` before the greatest rowid
    int code = SQLITE_ROW;
    for (Seek(begin); (code = StepChecked(rows_.get())) == SQLITE_ROW;) {
      if (left_ == 0) return true;
      --left_;
      const std::int64_t row = sqlite3_column_int64(rows_.get(), 0);
      if (row < begin) continue;  // copied before
      Insert(rows_.get());
      if (row >= from) before = from;
      if (row >= before) from = row == INT64_MAX ? row : row + 1;
    }
    return code == SQLITE_DONE;
  }

  // Moves `from` to the least number at which rows can be read again; false if there is none.
  bool FindReadable(std::int64_t& from) {
    std::uint64_t damaged = 0, step = 1;  // from `from`
    const auto at = [&](std::uint64_t distance) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + distance);
    };
    const std::uint64_t last = static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(from);
    if (last == 0) return false;
    for (; !CanRead(at(step)); step = step > last / 2 ? last : step * 2) {
      if (step == last) return false;
      damaged = step;
    }
    while (step - damaged > 1) {
      const std::uint64_t middle = damaged + (step - damaged) / 2;
      (CanRead(at(middle)) ? step : damaged) = middle;
    }
    from = at(step);
    return true;
  }

  bool CanRead(std::int64_t from) {
    Seek(from);
    const int code = StepChecked(rows_.get());
    return code == SQLITE_DONE || (code == SQLITE_ROW && sqlite3_column_int64(rows_.get(), 0) >= from);
  }

  void Seek(std::int64_t from) {
    sqlite3_reset(rows_.get());
    sqlite3_bind_int64(rows_.get(), 1, from);
  }

  void Insert(sqlite3_stmt* row) {
    sqlite3_reset(insert_.get());
    for (int column = 1; column < sqlite3_column_count(row); ++column) {
      sqlite3_bind_value(insert_.get(), column, sqlite3_column_value(row, column));
    }
    sqlite3_step(insert_.get());
  }

  std::uint64_t left_;  // rows that may still be read
  OwnedStatement rows_, in_order_, insert_;
};

// The first column of a query about `name`.
std::vector<std::string> Texts(sqlite3* database, const std::string& sql, const std::string& name = {}) {
  std::vector<std::string> texts;
  const auto rows = Prepare(database, sql);
  if (!rows) return texts;
  if (!name.empty()) {
    sqlite3_bind_text(rows.get(), 1, name.data(), static_cast<int>(name.size()), SQLITE_TRANSIENT);
  }
  while (StepChecked(rows.get()) == SQLITE_ROW) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(rows.get(), 0));
    if (bytes != nullptr) texts.emplace_back(bytes, static_cast<std::size_t>(sqlite3_column_bytes(rows.get(), 0)));
  }
  return texts;
}

bool Run(sqlite3* database, const std::string& sql) {
  return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

// A table with these columns, which keep values as they are. Nothing of the SQL in the damaged database is executed.
bool CreateTable(sqlite3* to, const std::string& table, const std::vector<std::string>& columns) {
  std::string list;
  for (const std::string& column : columns) list += (list.empty() ? "" : ",") + QuoteName(column);
  return !columns.empty() && Run(to, fmt::format("CREATE TABLE {} ({})", QuoteName(table), list));
}

// By what rows refer to each other.
void CreateIndexes(sqlite3* to, const std::string& table, const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    if (column != "id" && !column.ends_with("_id")) continue;
    Run(to, fmt::format("CREATE INDEX {} ON {} ({})", QuoteName(table + "." + column), QuoteName(table),
                        QuoteName(column)));
  }
}

}  // namespace

void CopyReadable(sqlite3* damaged, sqlite3* to) {
  Run(to, "BEGIN");
  for (const std::string& table :
       Texts(damaged, "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")) {
    const std::vector<std::string> columns = Texts(damaged, "SELECT name FROM pragma_table_info(?1)", table);
    if (!CreateTable(to, table, columns)) continue;
    TableCopy(damaged, to, table).Run();
    CreateIndexes(to, table, columns);
  }
  Run(to, "COMMIT");
}

}  // namespace turnlog
