#include "tests/log_conformance/sql_engine.h"

#include "tests/store/log_fixture.h"
#include "tests/support/postgres_server.h"
#include "turnlog/sql_log.h"
#include "turnlog/verify_log.h"

namespace turnlog {
namespace {

class SqlStore : public EngineStore {
 public:
  Result<std::unique_ptr<Log>> Open(OpenMode mode) override {
    return OpenSqlLog(schema_.Url(), {.mode = mode, .holder = "test"});
  }

  // The server rolls back what the connections of a dead process had not committed.
  void Kill(std::unique_ptr<Log> writer) override {
    PostgresServer::Shared().Run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'test'");
    writer.reset();
  }

  // All tables change in one transaction: nothing is derived later.
  void LoseDerived() override {}

  std::string Check() override {
    const auto log = Open(OpenMode::kRead);
    if (!log) return log.error().message;
    const LogReport report = Must(VerifyLog(**log));
    if (!report.damage.empty()) return ToString(report.damage.front());
    return report.differences.empty() ? "" : report.differences.front();
  }

 private:
  const PostgresSchema schema_;
};

}  // namespace

TestedEngine SqlEngine() {
  return {"Sql", [](std::uint64_t) { return std::make_unique<SqlStore>(); }};
}

}  // namespace turnlog
