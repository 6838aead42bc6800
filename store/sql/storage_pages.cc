#include "store/sql/storage_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/try.h"
#include "store/sql/append_calls.h"
#include "store/sql/event_row.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kReadAtOnce = std::uint64_t{4} << 20;
constexpr std::uint64_t kRowsAtOnce = 256;
constexpr std::uint64_t kPageBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kFileBytes = std::uint64_t{1} << 30;  // PostgreSQL continues a relation in files of this size
constexpr std::chrono::seconds kAwaitSnapshots{5};

const SqlStatement kUnpurged{"turnlog_unpurged", "SELECT unpurged FROM turnlog_store WHERE one = 1"};

// --- Purging ---

// Also gives the transaction an id, which is later than those of all erasures that are committed.
const SqlStatement kBeginPurge{"turnlog_purge_begin",
                               "UPDATE turnlog_store SET unpurged = unpurged WHERE one = 1 RETURNING unpurged, "
                               "txid_current()"};
const SqlStatement kEndPurge{"turnlog_purge_end", "UPDATE turnlog_store SET unpurged = unpurged - $1 WHERE one = 1"};
// Transactions that may still see rows from before the purge: VACUUM has to keep those. Those of other databases see no
// tables of this one.
const SqlStatement kOldSnapshots{
    "turnlog_old_snapshots",
    "SELECT (SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND greatest(age(backend_xmin), "
    "age(backend_xid)) > limit_age AND (datid IS NULL OR datname = current_database())) + "
    "(SELECT count(*) FROM pg_replication_slots WHERE age(xmin) > limit_age) + "
    "(SELECT count(*) FROM pg_prepared_xacts WHERE age(transaction) > limit_age AND database = current_database()) "
    "FROM (SELECT age(($1::bigint % 4294967296)::text::xid) AS limit_age) AS purge"};
// Samples that the planner has taken, e.g. while a store was of an earlier turnlog.
const SqlStatement kStatistics{
    "turnlog_statistics",
    "SELECT count(*) FROM pg_stats s JOIN pg_namespace n ON n.nspname = s.schemaname JOIN pg_class c ON c.relnamespace "
    "= n.oid WHERE c.oid = 'turnlog_store'::regclass AND (s.tablename, s.attname) IN (('turnlog_event', 'payload'), "
    "('turnlog_part', 'payload'), ('turnlog_watermark', 'state'))"};
// A new type, also the same one, removes the statistics, and the storage with it.
constexpr const char* kForgetStatistics =
    "ALTER TABLE turnlog_event ALTER COLUMN payload TYPE bytea, ALTER COLUMN payload SET STATISTICS 0;"
    "ALTER TABLE turnlog_event ALTER COLUMN payload SET STORAGE EXTERNAL;"
    "ALTER TABLE turnlog_part ALTER COLUMN payload TYPE bytea, ALTER COLUMN payload SET STATISTICS 0;"
    "ALTER TABLE turnlog_part ALTER COLUMN payload SET STORAGE EXTERNAL;"
    "ALTER TABLE turnlog_watermark ALTER COLUMN state TYPE bytea, ALTER COLUMN state SET STATISTICS 0;"
    "ALTER TABLE turnlog_watermark ALTER COLUMN state SET STORAGE EXTERNAL";
const SqlStatement kFileNodes{"turnlog_file_nodes",
                              "SELECT pg_relation_filenode('turnlog_event')::bigint, "
                              "pg_relation_filenode('turnlog_part')::bigint, "
                              "pg_relation_filenode('turnlog_watermark')::bigint, "
                              "pg_relation_filenode('pg_statistic')::bigint"};
constexpr int kStatisticNode = 3;

SqlResult<bool> HasOldSnapshots(Connection& connection, std::uint64_t transaction) {
  const auto end = std::chrono::steady_clock::now() + kAwaitSnapshots;
  for (;;) {
    SqlParams params;
    params.Big(transaction);
    if (TURNLOG_TRY(connection.Run(kOldSnapshots, std::move(params))).Integer(0, 0) == 0) return false;
    if (std::chrono::steady_clock::now() >= end) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// Rewrites the tables. VACUUM only warns if the role may not do it: the files tell.
SqlResult<bool> Rewrite(Connection& connection) {
  const SqlRows before = TURNLOG_TRY(connection.Run(kFileNodes));
  for (const char* table : {"turnlog_event", "turnlog_part", "turnlog_watermark"}) {
    TURNLOG_TRY(connection.Execute(fmt::format("VACUUM (FULL) {}", table)));
  }
  const SqlRows after = TURNLOG_TRY(connection.Run(kFileNodes));
  for (int table = 0; table < kStatisticNode; ++table) {
    if (before.Integer(0, table) == after.Integer(0, table)) return false;
  }
  return true;
}

// A role that may not rewrite the statistics leaves them where VisitPages finds them.
SqlStatus ForgetStatistics(Connection& connection) {
  if (TURNLOG_TRY(connection.Run(kStatistics)).Integer(0, 0) == 0) return {};
  const SqlRows before = TURNLOG_TRY(connection.Run(kFileNodes));
  TURNLOG_TRY(connection.Execute("VACUUM (FULL) pg_statistic"));
  const SqlRows after = TURNLOG_TRY(connection.Run(kFileNodes));
  if (after.Integer(0, kStatisticNode) == before.Integer(0, kStatisticNode)) return {};
  TURNLOG_TRY(connection.Execute(kForgetStatistics));
  return connection.Execute("VACUUM (FULL) pg_statistic");
}

SqlStatus Purge(Connection& connection) {
  const SqlRows begin = TURNLOG_TRY(connection.Run(kBeginPurge));
  if (TURNLOG_TRY(HasOldSnapshots(connection, begin.Integer(0, 1)))) return {};
  if (!TURNLOG_TRY(Rewrite(connection))) return {};
  (void)ForgetStatistics(connection);
  SqlParams params;
  params.Big(begin.Integer(0, 0));
  TURNLOG_TRY(connection.Run(kEndPurge, std::move(params)));
  // The log holds the old values twice, as they were inserted and as they were overwritten, until it is recycled.
  for (const char* recycle : {"CHECKPOINT", "SELECT pg_switch_wal()", "CHECKPOINT"}) (void)connection.Execute(recycle);
  return {};
}

// --- Visiting ---

const SqlStatement kRelations{
    "turnlog_relations",
    "WITH tables AS (SELECT oid, reltoastrelid FROM pg_class WHERE relkind IN ('r', 'p') AND relname LIKE "
    "'turnlog\\_%' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'turnlog_store'::regclass)), "
    "heaps AS (SELECT oid FROM tables UNION SELECT reltoastrelid FROM tables WHERE reltoastrelid <> 0), "
    "files AS (SELECT oid FROM heaps UNION SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM heaps)) "
    "SELECT oid::regclass::text::bytea, pg_relation_filepath(oid)::bytea, pg_relation_size(oid) FROM files ORDER BY 1"};
const SqlStatement kReadFile{"turnlog_read_file",
                             "SELECT pg_read_binary_file(convert_from($1, 'UTF8'), $2::bigint, $3::bigint, true)"};
// A page of the rows after a key, which ends after kPageBytes, and has one row at least.
SqlStatement PageAfter(const std::string& name, std::string_view key, std::string_view columns, std::string_view value,
                       std::string_view from) {
  return {name, fmt::format("SELECT {1} FROM (SELECT *, sum(octet_length({2})) OVER (ORDER BY {0} ROWS UNBOUNDED "
                            "PRECEDING) AS filled FROM (SELECT {1} FROM {3} WHERE ({0}) > ($1, $2, $3) ORDER BY {0} "
                            "LIMIT $4) AS page) AS measured WHERE filled - octet_length({2}) < $5 ORDER BY {0}",
                            key, columns, value, from)};
}

const SqlStatement kParts{"turnlog_part_rows",
                          "SELECT payload FROM turnlog_part WHERE lane = $1 AND conv = $2 AND seq = $3 ORDER BY part"};

class PageVisit {
 public:
  PageVisit(Connection& connection, const StorageScan& scan, StorageVisitor& visitor)
      : connection_(connection), scan_(scan), visitor_(visitor) {}

  SqlStatus Run() {
    if (TURNLOG_TRY(connection_.Run(kUnpurged)).Integer(0, 0) > 0) {
      visitor_.OnUnreadable(
          "turnlog_event",
          "the database may still keep old versions of erased events: as the owner of the tables, redact again or "
          "checkpoint once the older transactions of this database have ended");
    }
    if (TURNLOG_TRY(connection_.Run(kStatistics)).Integer(0, 0) > 0) {
      visitor_.OnUnreadable("pg_statistic",
                            "the planner's statistics may hold samples of erased events: redact again as a superuser, "
                            "who may rewrite them");
    }
    // Pages reach their files at a checkpoint at the latest.
    const SqlStatus written = connection_.Execute("CHECKPOINT");
    const SqlRows relations = TURNLOG_TRY(connection_.Run(kRelations));
    for (std::size_t row = 0; row < relations.size(); ++row) total_ += relations.Integer(row, 2);
    for (std::size_t row = 0; row < relations.size(); ++row) {
      const std::string name(relations.Bytes(row, 0));
      if (!written) {
        visitor_.OnUnreadable(name, Reason(written.error()));
      } else {
        VisitRelation(name, relations.Bytes(row, 1), relations.Integer(row, 2));
      }
    }
    TURNLOG_TRY(VisitEvents());
    return VisitStates();
  }

 private:
  static std::string Reason(const SqlError& error) {
    return fmt::format(
        "its file cannot be searched, which needs a superuser, or pg_checkpoint and "
        "pg_read_server_files: {}",
        Error(error).message);
  }

  void VisitRelation(const std::string& name, std::string_view path, std::uint64_t size) {
    std::string window;  // the end of the previous piece, and the next bytes
    for (std::uint64_t at = 0; at < size || at == 0;) {
      const std::uint64_t file = at / kFileBytes;
      const std::string part = file == 0 ? std::string(path) : fmt::format("{}.{}", path, file);
      const std::uint64_t wanted = std::min({kReadAtOnce, size - at, kFileBytes - at % kFileBytes});
      SqlParams params;
      params.Bytes(part).Big(at % kFileBytes).Big(wanted);
      const auto rows = connection_.Run(kReadFile, std::move(params));
      if (!rows) return visitor_.OnUnreadable(name, Reason(rows.error()));
      const std::string_view bytes = rows->Bytes(0, 0);
      if (rows->IsNull(0, 0) || bytes.size() < wanted) {
        return visitor_.OnUnreadable(name, "its file changed while it was read: try again");
      }
      const std::size_t kept = std::min(window.size(), scan_.overlap);
      window.erase(0, window.size() - kept);
      window.append(bytes);
      visitor_.OnPiece({.object = name, .offset = at - kept, .bytes = window, .last = at + wanted >= size});
      at += std::max<std::uint64_t>(wanted, 1);
      done_ += wanted;
      if (scan_.progress) scan_.progress(done_, total_);
    }
  }

  // TOAST stores long values in pieces, so that a search of the pages alone would miss what crosses two of them.
  SqlStatus VisitEvents() {
    static const SqlStatement statement = PageAfter("turnlog_event_rows", "lane, conv, seq",
                                                    "lane, conv, seq, parts, payload", "payload", "turnlog_event");
    ConversationKey key;
    for (std::uint64_t seq = 0;;) {
      SqlParams params = key.Params();
      params.Big(seq).Big(kRowsAtOnce).Big(kPageBytes);
      const SqlRows rows = TURNLOG_TRY(connection_.Run(statement, std::move(params)));
      if (rows.size() == 0) return {};
      for (std::size_t row = 0; row < rows.size(); ++row) {
        key = {.lane = static_cast<std::uint32_t>(rows.Integer(row, 0)), .conv = rows.Uuid(row, 1)};
        seq = rows.Integer(row, 2);
        std::string payload(rows.Bytes(row, 4));
        if (rows.Integer(row, 3) > 0) TURNLOG_TRY(AppendParts(key, seq, payload));
        visitor_.OnEntry("turnlog_event", fmt::format("{}/{:016x}/{}", key.lane, key.conv.high, seq), payload);
      }
    }
  }

  SqlStatus AppendParts(const ConversationKey& key, std::uint64_t seq, std::string& payload) {
    SqlParams params = key.Params();
    params.Big(seq);
    const SqlRows parts = TURNLOG_TRY(connection_.Run(kParts, std::move(params)));
    for (std::size_t part = 0; part < parts.size(); ++part) payload.append(parts.Bytes(part, 0));
    return {};
  }

  SqlStatus VisitStates() {
    static const SqlStatement statement =
        PageAfter("turnlog_watermark_rows", "lane, conv, consumer", "lane, conv, consumer, state, name", "state",
                  "(SELECT w.*, h.name FROM turnlog_watermark w LEFT JOIN turnlog_head h ON h.lane = w.lane AND "
                  "h.conv = w.conv) AS named");
    ConversationKey key;
    for (std::string consumer;;) {
      SqlParams params = key.Params();
      params.Bytes(consumer).Big(kRowsAtOnce).Big(kPageBytes);
      const SqlRows rows = TURNLOG_TRY(connection_.Run(statement, std::move(params)));
      if (rows.size() == 0) return {};
      for (std::size_t row = 0; row < rows.size(); ++row) {
        key = {.lane = static_cast<std::uint32_t>(rows.Integer(row, 0)), .conv = rows.Uuid(row, 1)};
        consumer = rows.Bytes(row, 2);
        visitor_.OnEntry("turnlog_watermark", fmt::format("{}/{}", rows.Bytes(row, 4), consumer), rows.Bytes(row, 3));
      }
    }
  }

  Connection& connection_;
  const StorageScan& scan_;
  StorageVisitor& visitor_;
  std::uint64_t done_ = 0, total_ = 0;
};

}  // namespace

Status VisitPages(ConnectionPool& pool, const StorageScan& scan, StorageVisitor& visitor) {
  ConnectionPool::Lease connection = TURNLOG_TRY(pool.Take());
  TURNLOG_TRY(PageVisit(*connection, scan, visitor).Run());
  // A role that may only read leaves them there.
  const SqlCall mark = MarkUnpurgedCall();
  if (visitor.FoundOutsideOfEntries()) (void)connection->RunAll({&mark, 1});
  return {};
}

Status PurgeErased(ConnectionPool& pool) {
  const SqlRows rows = TURNLOG_TRY(pool.Read([](Connection& connection) { return connection.Run(kUnpurged); }));
  if (rows.Integer(0, 0) == 0) return {};
  ConnectionPool::Lease connection = TURNLOG_TRY(pool.Take());
  (void)Purge(*connection);  // nothing depends on it; VisitPages reports what is left
  return {};
}

}  // namespace turnlog
