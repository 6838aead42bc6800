// A SQLite database that is a source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/sources/source.h"
#include "turnlog/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace turnlog {

class SourceVfs;
struct Surroundings;

inline constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

bool IsDatabase(Source& source);
// `head`: its first bytes.
bool IsDatabaseInUtf16(std::string_view head);

// The files that belong to a database: those that hold its last transactions.
std::vector<std::string> DatabaseCompanions(const Surroundings& around);

// Whether the database has lost its end: it is shorter than its header says, or ends within a page. Not if there is a
// write-ahead log, which may have the missing pages: SQLite then notices when one is needed.
Result<bool> IsCutOff(Source& source);

// REQUIRES: its database outlives it.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  void Bind(int parameter, std::string_view text);
  // Before it is used again with other values.
  void Restart();

  // Whether there is another row. kCorruption: the database is damaged there; there are no more rows.
  Result<bool> Step();
  int columns() const;
  std::string_view Name(int column) const;
  int ColumnOf(std::string_view name) const;  // REQUIRES: there is one of this name
  // Until the next Step.
  std::string_view Text(int column) const;
  std::int64_t Integer(int column) const;
  // The value as JSON: a text that is a JSON object or array as it is, other texts as strings, bytes that are no text
  // as {"$base64":"..."}, infinity as {"$number":"inf"}.
  void AppendJson(int column, std::string& out) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  // REQUIRES: `source` outlives it. kCorruption: no database, or a damaged one. One that has lost its end is a copy of
  // what can be read of it, in an unnamed file in TMPDIR.
  static Result<std::unique_ptr<Database>> Open(Source& source);
  // A damaged one as a copy of what can be read of it, in the same way.
  static Result<std::unique_ptr<Database>> OpenCopy(Source& source);
  ~Database();

  Result<Statement> Prepare(std::string_view sql) const;
  // Of tables with these columns at least.
  bool HasTable(std::string_view table, std::initializer_list<std::string_view> columns) const;
  // Not those that were declared WITHOUT ROWID.
  bool HasRowids(std::string_view table) const;
  bool is_salvaged() const { return salvaged_; }
  // What SQLite's own check finds first; empty: nothing.
  Result<std::string> FindDamage() const;
  // Writes all of it to this file, which is empty; with `damaged`, what can be read of it.
  Status CopyTo(const std::filesystem::path& path, bool damaged) const;

 private:
  explicit Database(Source& source);
  Status Connect();
  Status AllowDamage() const;
  Status Salvage();
  friend class Statement;

  std::unique_ptr<SourceVfs> vfs_;
  sqlite3* database_ = nullptr;
  bool salvaged_ = false;
};

// "name", quoted for SQL.
std::string QuoteName(std::string_view name);

}  // namespace turnlog
