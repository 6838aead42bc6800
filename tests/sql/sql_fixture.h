// A store in a schema of its own, for the tests of the SQL engine.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/store/log_fixture.h"
#include "tests/support/postgres_server.h"
#include "turnlog/sql_log.h"

namespace turnlog {

class SqlTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
    schema_ = std::make_unique<PostgresSchema>();
    log_ = OpenStore();
  }

  static PostgresServer& server() { return PostgresServer::Shared(); }
  std::unique_ptr<Log> OpenStore(SqlOptions options = {}) { return Must(OpenSqlLog(schema_->Url(), options)); }
  // As another user, who may use the schema and has these rights on its tables.
  std::string UrlOf(const std::string& user, const std::string& rights);
  // Statements in the store's schema.
  void Run(const std::string& statements) { server().Run("SET search_path = " + schema_->name() + ";" + statements); }
  static Result<AppendResult> Append(Log& log, std::string_view conversation, const std::vector<Event>& events,
                                     const AppendOptions& options = {}) {
    return log.Append(Id(conversation), events, options);
  }

  std::unique_ptr<PostgresSchema> schema_;
  std::unique_ptr<Log> log_;
};

inline std::string SqlTest::UrlOf(const std::string& user, const std::string& rights) {
  const std::string& schema = schema_->name();
  server().Run("DO $$ BEGIN CREATE ROLE " + user + " LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;" +
               "GRANT USAGE ON SCHEMA " + schema + " TO " + user);
  if (!rights.empty()) server().Run("GRANT " + rights + " ON ALL TABLES IN SCHEMA " + schema + " TO " + user);
  return server().Url(schema, user);
}

}  // namespace turnlog
