#include "tests/doctor/database_fixture.h"

#include <sqlite3.h>

#include <array>

#include "tests/doctor/session_files.h"
#include "tests/support/must.h"

namespace turnlog {

namespace fs = std::filesystem;

void Execute(const fs::path& database, const std::string& sql) {
  sqlite3* open = nullptr;
  ASSERT_EQ(sqlite3_open(database.c_str(), &open), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(open, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(open);
  sqlite3_close(open);
}

std::vector<std::string> Texts(const fs::path& database, const std::string& sql) {
  sqlite3* open = nullptr;
  std::vector<std::string> texts;
  EXPECT_EQ(sqlite3_open_v2(database.c_str(), &open, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto take = [](void* to, int, char** values, char**) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(values[0]);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(open, sql.c_str(), take, &texts, nullptr), SQLITE_OK) << sqlite3_errmsg(open);
  sqlite3_close(open);
  return texts;
}

std::string ItemsOf(const fs::path& database, const std::string& session) {
  std::string items;
  for (const std::string& item :
       Texts(database, "SELECT message_data FROM agent_messages WHERE session_id='" + session + "' ORDER BY id")) {
    items.append(items.empty() ? "[" : ",").append(item);
  }
  return items + "]";
}

std::string Problems(const DoctorReport& report) {
  std::string problems;
  for (const SessionReport& session : report.sessions) {
    if (session.problem) problems += session.problem->message;
  }
  return problems;
}

void DatabaseTest::Make(const std::string& name, const fs::path& path) {
  Execute(path, TextOf(DamagedSessions() / (name + ".sql")));
}

fs::path DatabaseTest::Make(const std::string& name) const {
  const fs::path path = folder_ / (name + ".db");
  Make(name, path);
  return path;
}

DoctorReport DatabaseTest::Run(const fs::path& path, DoctorOptions options) {
  options.jobs = 1;
  options.idle_seconds = 0;
  const std::array<fs::path, 1> paths{path};
  return Must(ExamineSessions(paths, options));
}

std::vector<std::string> DatabaseTest::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_.path())) names.push_back(entry.path().filename());
  return names;
}

}  // namespace turnlog
