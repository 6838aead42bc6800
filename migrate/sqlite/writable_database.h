// A SQLite database that is changed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/sqlite/database.h"
#include "turnlog/result.h"

namespace turnlog {

// kBusy: another process uses the database. kIo: SQLite could not do it.
class WritableDatabase {
 public:
  // No code in the database is executed: triggers are off.
  static Result<WritableDatabase> Open(const std::filesystem::path& path);

  Result<Statement> Prepare(std::string_view sql) const;
  // `rows`: how many it must change; kConflict: they are more or fewer.
  Status Run(const std::string& sql, const std::vector<std::string_view>& values = {},
             std::optional<int> rows = std::nullopt);

  // Writes the log into the database, and empties it. kBusy: another process reads the log.
  Status EmptyLog();
  // Writes the whole database again, without free pages, and empties the log.
  Status Rebuild();
  // Calls `visit` with each value of each row of all tables, with those that describe the tables.
  Status VisitValues(const std::function<void(std::string_view value)>& visit) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit WritableDatabase(sqlite3* database) : database_(database) {}
  Error LastError() const;

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace turnlog
