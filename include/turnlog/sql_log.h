// The engine in a database, over PostgreSQL's protocol. See docs/sql_engine.md.
//
// Any number of processes may write. Conversations are independent: what a tail of all of them returns is in order per
// conversation, and nothing is missed.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct SqlOptions {
  OpenMode mode = OpenMode::kCreate;
  std::string holder = "turnlog";  // names this program in the server's lists of sessions
  std::size_t connections = 8;     // at most, and one more once a tail waits; at least 1
  // Calls try again for so long after the connection is lost, so that they survive a restart or a failover, and wait
  // for so long for locks of others, at least 3 s, and for those of a purge until its end.
  std::chrono::milliseconds patience{30'000};
};

// Whether the location of a log is for this engine: "postgresql://..." or "postgres://...".
bool IsSqlLocation(std::string_view location);
// Whether it contains a password, or may contain one that is not escaped as it should be. Programs refuse that on their
// command line, where other users see it.
bool HasSqlPassword(std::string_view location);

// `url`: as libpq takes it, with several hosts, `service`, `sslmode`, `target_session_attrs` and so on.
// kUnsupportedVersion: a later turnlog made the store, or an earlier one, and it was not migrated.
Result<std::unique_ptr<Log>> OpenSqlLog(const std::string& url, const SqlOptions& options = {});

// From the schema of an earlier turnlog to that of this one, in one transaction; nothing if it has it. Programs that
// use an earlier turnlog must be stopped before, and cannot use the store afterwards. kNotFound: there is no store.
Status MigrateSqlLog(const std::string& url);

// Where a database may keep what was erased, outside of the tables.
struct KeptCopy {
  std::string place;  // e.g. "the write-ahead log (5 files in pg_wal)"
  std::string end;    // the setting or command that ends it, with this server's names and values
};

// As the server is set at the moment; call it after Log::Checkpoint. A place that the role may not look at is included,
// with the right that is missing. Cost: six queries, over a connection of their own.
Result<std::vector<KeptCopy>> FindKeptCopies(const std::string& url);

}  // namespace turnlog
