// Databases for tests: made by SQL, and their files as they are while a program has them open.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/migrate/read_source.h"

namespace turnlog {

// A connection as a program has it.
class TestDatabase {
 public:
  explicit TestDatabase(const std::filesystem::path& path) : path_(path) {
    std::filesystem::create_directories(path.parent_path());
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) throw std::runtime_error("cannot open a database");
  }
  ~TestDatabase() { sqlite3_close(database_); }
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  void Run(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
    const std::string reason = message;
    sqlite3_free(message);
    throw std::runtime_error(reason);
  }

  // The first value of the first row.
  std::string Ask(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(database_));
    }
    std::string value;
    if (sqlite3_step(statement) == SQLITE_ROW) value = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return value;
  }

  // The files as they are now, under the name of the database.
  SourceFiles Files() const {
    SourceFiles files;
    for (const char* suffix : {"", "-wal", "-journal"}) {
      std::ifstream in(path_.string() + suffix, std::ios::binary);
      if (in)
        files.emplace_back(path_.filename().string() + suffix, std::string(std::istreambuf_iterator<char>(in), {}));
    }
    return files;
  }

 private:
  std::filesystem::path path_;
  sqlite3* database_ = nullptr;
};

// 'text' for SQL.
inline std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

}  // namespace turnlog
