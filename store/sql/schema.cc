#include "store/sql/schema.h"

#include <fmt/format.h>

#include <random>
#include <string_view>

#include "base/try.h"

namespace turnlog {
namespace {

// Only types and clauses that PostgreSQL, Citus, YugabyteDB and CockroachDB share. The distribution key `lane` begins
// every key. No CHECK, NOT NULL or second index on tables with payloads: their errors would print the payload.
constexpr std::string_view kTables = R"(
CREATE TABLE turnlog_store (one smallint PRIMARY KEY, version integer, lanes integer, store uuid, unpurged bigint);
CREATE TABLE turnlog_lane (lane integer PRIMARY KEY, pos bigint, tag bigint);
CREATE TABLE turnlog_head (lane integer, conv uuid, name bytea, last_seq bigint, turns bigint, bytes bigint,
  repairs bigint, first_time bigint, last_time bigint, tag bigint, open bytea, PRIMARY KEY (lane, conv));
CREATE INDEX turnlog_head_name ON turnlog_head (name);
CREATE TABLE turnlog_event (lane integer, conv uuid, seq bigint, kind smallint, state smallint, turn bigint, tag bigint,
  checksum bigint, parts integer, payload bytea, events integer, PRIMARY KEY (lane, conv, seq));
CREATE TABLE turnlog_part (lane integer, conv uuid, seq bigint, part integer, payload bytea,
  PRIMARY KEY (lane, conv, seq, part));
CREATE TABLE turnlog_event_id (lane integer, conv uuid, id uuid, seq bigint, PRIMARY KEY (lane, conv, id));
CREATE TABLE turnlog_turn (lane integer, conv uuid, turn bigint, seq bigint, PRIMARY KEY (lane, conv, turn));
CREATE TABLE turnlog_inquiry (lane integer, conv uuid, id uuid, first_seq bigint, turn bigint, request bigint,
  response bigint, PRIMARY KEY (lane, conv, id, first_seq));
CREATE TABLE turnlog_pending (lane integer, conv uuid, PRIMARY KEY (lane, conv));
CREATE TABLE turnlog_repair (lane integer, conv uuid, seq bigint, from_seq bigint, to_seq bigint,
  PRIMARY KEY (lane, conv, seq));
CREATE TABLE turnlog_watermark (lane integer, conv uuid, consumer bytea, head bigint, state bytea,
  PRIMARY KEY (lane, conv, consumer));
CREATE TABLE turnlog_feed (lane integer, pos bigint, conv uuid, first_seq bigint, events bigint, tag bigint,
  PRIMARY KEY (lane, pos));
)";

// New in version 2.
constexpr std::string_view kConsumerTables = R"(
CREATE TABLE turnlog_consumer (lane integer, consumer bytea, pos bigint, PRIMARY KEY (lane, consumer));
CREATE TABLE turnlog_changed (lane integer, conv uuid, consumer bytea, name bytea, PRIMARY KEY (lane, conv, consumer));
CREATE INDEX turnlog_changed_name ON turnlog_changed (consumer, name);
)";

// From version 1. Of two processes, the second one waits for the first, and then finds the column. Rows stay as they
// are: NULL means one event.
constexpr std::string_view kMigration = R"(
UPDATE turnlog_store SET version = 2 WHERE one = 1 AND version = 1;
ALTER TABLE turnlog_event ADD COLUMN events integer;
)";

// Not every engine understands them, and none needs them.
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

std::string Creation() {
  return fmt::format(
      "BEGIN;{}{}INSERT INTO turnlog_lane SELECT lane, 0, 0 FROM generate_series(0, {}) AS lane;"
      "INSERT INTO turnlog_store VALUES (1, {}, {}, '{}', 0);COMMIT",
      kTables, kConsumerTables, kSqlLanes - 1, kSqlSchemaVersion, kSqlLanes, Uuid(NewStoreId()));
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
  if (!found && found.error().code != ErrorCode::kNotFound) return std::unexpected(found.error());
  if (found && found->version == kSqlSchemaVersion) return false;
  const std::string change = found ? fmt::format("BEGIN;{}{}COMMIT", kMigration, kConsumerTables) : Creation();
  if (const auto done = connection.Execute(change); !done) {
    // Another process may have done it meanwhile.
    if (ReadSqlStoreIdentity(connection)) return false;
    return std::unexpected(Error(done.error()));
  }
  for (const std::string_view statement : kTuning) (void)connection.Execute(std::string(statement));
  return !found;
}

}  // namespace turnlog
