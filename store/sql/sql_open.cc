// Opening a store in a database.
#include <algorithm>

#include "base/try.h"
#include "store/sql/schema.h"
#include "store/sql/sql_log.h"

namespace turnlog {

bool IsSqlLocation(std::string_view location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

Result<std::unique_ptr<Log>> SqlLog::Open(PoolOptions options, OpenMode mode) {
  std::unique_ptr<SqlLog> log(new SqlLog(options));
  ConnectionPool::Lease connection = TURNLOG_TRY(log->pool_.TakeFirst());
  if (mode == OpenMode::kCreate || mode == OpenMode::kCreateNew) {
    const bool created = TURNLOG_TRY(CreateSqlStore(*connection));
    if (!created && mode == OpenMode::kCreateNew) {
      return std::unexpected(Error{ErrorCode::kInvalidArgument, "a store already exists in this database"});
    }
  }
  log->store_ = TURNLOG_TRY(ReadSqlStoreIdentity(*connection));
  log->hints_.emplace(log->pool_, std::move(options), log->store_.id(), [raw = log.get()] { raw->WakeTails(); });
  return log;
}

namespace {

PoolOptions PoolOptionsOf(const std::string& url, const SqlOptions& options) {
  return {.url = url,
          .name = options.holder.empty() ? "turnlog" : options.holder,
          .read_only = options.mode == OpenMode::kRead,
          .connections = std::max<std::size_t>(options.connections, 1),
          .patience = options.patience};
}

}  // namespace

Result<std::unique_ptr<Log>> OpenSqlLog(const std::string& url, const SqlOptions& options) {
  return SqlLog::Open(PoolOptionsOf(url, options), options.mode);
}

Status MigrateSqlLog(const std::string& url) {
  ConnectionPool pool(PoolOptionsOf(url, {}));
  ConnectionPool::Lease connection = TURNLOG_TRY(pool.TakeFirst());
  return MigrateSqlStore(*connection);
}

}  // namespace turnlog
