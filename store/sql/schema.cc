#include "store/sql/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <string_view>

#include "base/try.h"

namespace turnlog {
namespace {

// Only types and clauses that PostgreSQL, Citus, YugabyteDB and CockroachDB share. The distribution key `lane` begins
// every key. No CHECK, NOT NULL or second index on tables with payloads: their errors would print the payload.
// `integer` has 8 bytes on CockroachDB, and an index is hashed on YugabyteDB if nothing is said: hence int4, and ASC.
constexpr std::string_view kTables = R"(
CREATE TABLE turnlog_store (one int2 PRIMARY KEY, version int4, lanes int4, store uuid, unpurged int8);
CREATE TABLE turnlog_lane (lane int4 PRIMARY KEY, pos int8, tag int8);
CREATE TABLE turnlog_head (lane int4, conv uuid, name bytea, last_seq int8, turns int8, bytes int8,
  repairs int8, first_time int8, last_time int8, tag int8, open bytea, PRIMARY KEY (lane, conv));
CREATE INDEX turnlog_head_name ON turnlog_head (name ASC);
CREATE TABLE turnlog_event (lane int4, conv uuid, seq int8, kind int2, state int2, turn int8, tag int8,
  checksum int8, parts int4, payload bytea, events int4, PRIMARY KEY (lane, conv, seq));
CREATE TABLE turnlog_part (lane int4, conv uuid, seq int8, part int4, payload bytea,
  PRIMARY KEY (lane, conv, seq, part));
CREATE TABLE turnlog_event_id (lane int4, conv uuid, id uuid, seq int8, PRIMARY KEY (lane, conv, id));
CREATE TABLE turnlog_turn (lane int4, conv uuid, turn int8, seq int8, PRIMARY KEY (lane, conv, turn));
CREATE TABLE turnlog_inquiry (lane int4, conv uuid, id uuid, first_seq int8, turn int8, request int8,
  response int8, PRIMARY KEY (lane, conv, id, first_seq));
CREATE TABLE turnlog_pending (lane int4, conv uuid, PRIMARY KEY (lane, conv));
CREATE TABLE turnlog_repair (lane int4, conv uuid, seq int8, from_seq int8, to_seq int8,
  PRIMARY KEY (lane, conv, seq));
CREATE TABLE turnlog_watermark (lane int4, conv uuid, consumer bytea, head int8, state bytea,
  PRIMARY KEY (lane, conv, consumer));
CREATE TABLE turnlog_feed (lane int4, pos int8, conv uuid, first_seq int8, events int8, tag int8,
  PRIMARY KEY (lane, pos));
)";

// New in version 2.
constexpr std::string_view kConsumerTables = R"(
CREATE TABLE turnlog_consumer (lane int4, consumer bytea, pos int8, PRIMARY KEY (lane, consumer));
CREATE TABLE turnlog_changed (lane int4, conv uuid, consumer bytea, name bytea, PRIMARY KEY (lane, conv, consumer));
CREATE INDEX turnlog_changed_name ON turnlog_changed (consumer, name ASC);
)";

// From version 1. Of two processes, the second one waits for the first, and then finds the column. Rows stay as they
// are: NULL means one event.
constexpr std::string_view kMigration = R"(
UPDATE turnlog_store SET version = 2 WHERE one = 1 AND version = 1;
ALTER TABLE turnlog_event ADD COLUMN events int4;
)";

// Only PostgreSQL understands them all, and no engine needs them.
constexpr std::string_view kTuning[] = {
    // Uncompressed, so that a search of the files finds what is stored (and replay is faster).
    "ALTER TABLE turnlog_event ALTER COLUMN payload SET STORAGE EXTERNAL",
    "ALTER TABLE turnlog_part ALTER COLUMN payload SET STORAGE EXTERNAL",
    "ALTER TABLE turnlog_watermark ALTER COLUMN state SET STORAGE EXTERNAL",
    // Statistics of the planner are samples of the values, which would stay after these are erased.
    "ALTER TABLE turnlog_event ALTER COLUMN payload SET STATISTICS 0",
    "ALTER TABLE turnlog_part ALTER COLUMN payload SET STATISTICS 0",
    "ALTER TABLE turnlog_watermark ALTER COLUMN state SET STATISTICS 0",
    // Rows of several events fill a page (StoredRow).
    "ALTER TABLE turnlog_event SET (toast_tuple_target = 8160)",
    // Rows that every append updates: room for new versions on the same page.
    "ALTER TABLE turnlog_lane SET (fillfactor = 10)",
    "ALTER TABLE turnlog_head SET (fillfactor = 50)",
};

const SqlStatement kFind{"turnlog_store_find", "SELECT version, lanes, store FROM turnlog_store WHERE one = 1"};

Hash128 NewStoreId() {
  std::random_device random;
  const auto word = [&] { return std::uint64_t{random()} << 32 | random(); };
  return {.low = word(), .high = word()};
}

std::string Uuid(const Hash128& id) { return fmt::format("{:016x}{:016x}", id.high, id.low); }

std::string FirstRows() {
  return fmt::format(
      "INSERT INTO turnlog_lane SELECT lane, 0, 0 FROM generate_series(0, {}) AS lane;"
      "INSERT INTO turnlog_store VALUES (1, {}, {}, '{}', 0);",
      kSqlLanes - 1, kSqlSchemaVersion, kSqlLanes, Uuid(NewStoreId()));
}

// In one transaction, with the tuning where the engine understands it: before the rows, whose places it decides.
SqlStatus Change(Connection& connection, std::string_view tables, const std::string& rows) {
  const std::string tuned =
      fmt::format("BEGIN;{}{}{};{}COMMIT", tables, kConsumerTables, fmt::join(kTuning, ";"), rows);
  const SqlStatus done = connection.Execute(tuned);
  if (done || done.error().kind() != SqlFailureKind::kOther) return done;
  return connection.Execute(fmt::format("BEGIN;{}{}{}COMMIT", tables, kConsumerTables, rows));
}

// Of any version that this turnlog knows.
Result<SqlStoreIdentity> ReadRow(Connection& connection) {
  const SqlRows rows = TURNLOG_TRY(connection.Run(kFind));
  if (rows.size() == 0) {
    return std::unexpected(Error{ErrorCode::kCorruption, "turnlog_store is empty: its row has been deleted"});
  }
  const SqlStoreIdentity identity{.version = static_cast<std::uint32_t>(rows.Integer(0, 0)),
                                  .lanes = static_cast<std::uint32_t>(rows.Integer(0, 1)),
                                  .store = rows.Uuid(0, 2)};
  if (identity.version > kSqlSchemaVersion) {
    return std::unexpected(Error{
        ErrorCode::kUnsupportedVersion,
        fmt::format("the store has schema version {}, and this turnlog knows versions up to {}: use a later turnlog",
                    identity.version, kSqlSchemaVersion)});
  }
  if (identity.version == 0 || identity.lanes == 0 || identity.lanes > kSqlLanes) {
    return std::unexpected(Error{ErrorCode::kCorruption, "the row of turnlog_store is damaged"});
  }
  return identity;
}

}  // namespace

std::string SqlStoreIdentity::id() const { return Uuid(store); }

Result<SqlStoreIdentity> ReadSqlStoreIdentity(Connection& connection) {
  const SqlStoreIdentity identity = TURNLOG_TRY(ReadRow(connection));
  if (identity.version == kSqlSchemaVersion) return identity;
  return std::unexpected(
      Error{ErrorCode::kUnsupportedVersion,
            fmt::format("the store has schema version {}, and this turnlog needs {}: stop programs that use an earlier "
                        "turnlog, and then migrate it with `logctl store init URL`",
                        identity.version, kSqlSchemaVersion)});
}

Result<bool> CreateSqlStore(Connection& connection) {
  const auto found = ReadRow(connection);
  if (found) return false;
  if (found.error().code != ErrorCode::kNotFound) return std::unexpected(found.error());
  if (const SqlStatus made = Change(connection, kTables, FirstRows()); !made) {
    if (ReadRow(connection)) return false;  // another process has made it meanwhile
    return std::unexpected(Error(made.error()));
  }
  return true;
}

Status MigrateSqlStore(Connection& connection) {
  const SqlStoreIdentity found = TURNLOG_TRY(ReadRow(connection));
  if (found.version == kSqlSchemaVersion) return {};
  if (const SqlStatus migrated = Change(connection, kMigration, ""); !migrated) {
    if (ReadSqlStoreIdentity(connection)) return {};  // another process has migrated it meanwhile
    return std::unexpected(Error(migrated.error()));
  }
  return {};
}

}  // namespace turnlog
