#include "store/sql/changed_conversations.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "store/sql/append_calls.h"

namespace turnlog {
namespace {

// One snapshot for all statements: a lane's position and the appends up to it belong together. Two processes at once
// are a serialization failure, and one of them repeats it.
const SqlStatement kBegin{"turnlog_changed_begin", "BEGIN ISOLATION LEVEL REPEATABLE READ"};
const SqlStatement kCommit{"turnlog_changed_commit", "COMMIT"};
// A consumer that asks for the first time: by its watermarks, once.
const SqlStatement kEnterAll{
    "turnlog_changed_all",
    "INSERT INTO turnlog_changed (lane, conv, consumer, name) SELECT h.lane, h.conv, $1, h.name FROM turnlog_head h "
    "LEFT JOIN turnlog_watermark w ON w.lane = h.lane AND w.conv = h.conv AND w.consumer = $1 "
    "WHERE NOT EXISTS (SELECT 1 FROM turnlog_consumer c WHERE c.consumer = $1) AND (w.head IS NULL OR w.head < "
    "h.last_seq) ON CONFLICT DO NOTHING"};
const SqlStatement kEnterNew{
    "turnlog_changed_new",
    "INSERT INTO turnlog_changed (lane, conv, consumer, name) SELECT DISTINCT h.lane, h.conv, c.consumer, h.name FROM "
    "turnlog_consumer c JOIN turnlog_lane l ON l.lane = c.lane AND l.pos > c.pos JOIN turnlog_feed f ON f.lane = "
    "c.lane "
    "AND f.pos > c.pos JOIN turnlog_head h ON h.lane = f.lane AND h.conv = f.conv WHERE c.consumer = $1 ON CONFLICT DO "
    "NOTHING"};
const SqlStatement kAdvance{"turnlog_consumer_advance",
                            "UPDATE turnlog_consumer c SET pos = l.pos FROM turnlog_lane l WHERE l.lane = c.lane AND "
                            "c.consumer = $1 AND c.pos < l.pos"};
const SqlStatement kBeginConsumer{
    "turnlog_consumer_begin",
    "INSERT INTO turnlog_consumer (lane, consumer, pos) SELECT l.lane, $1, l.pos FROM turnlog_lane l WHERE NOT EXISTS "
    "(SELECT 1 FROM turnlog_consumer c WHERE c.consumer = $1) ON CONFLICT DO NOTHING"};

const SqlStatement kSetWatermark{
    "turnlog_watermark_set",
    "INSERT INTO turnlog_watermark (lane, conv, consumer, head, state) VALUES ($1, $2, $3, $4, $5) "
    "ON CONFLICT (lane, conv, consumer) DO UPDATE SET head = excluded.head, state = excluded.state"};
const SqlStatement kHasState{"turnlog_watermark_state",
                             "SELECT 1::bigint FROM turnlog_watermark WHERE lane = $1 AND conv = $2 AND consumer = $3 "
                             "AND octet_length(state) > 0"};
const SqlStatement kRemove{
    "turnlog_changed_remove",
    "DELETE FROM turnlog_changed WHERE lane = $1 AND conv = $2 AND consumer = $3 AND NOT EXISTS (SELECT 1 FROM "
    "turnlog_head h WHERE h.lane = $1 AND h.conv = $2 AND h.last_seq > $4)"};
const SqlStatement kEnter{
    "turnlog_changed_enter",
    "INSERT INTO turnlog_changed (lane, conv, consumer, name) SELECT h.lane, h.conv, $3, h.name FROM turnlog_head h "
    "WHERE h.lane = $1 AND h.conv = $2 AND h.last_seq > $4 ON CONFLICT DO NOTHING"};
const SqlStatement kBeginSet{"turnlog_watermark_begin", "BEGIN"};

constexpr std::string_view kIsChanged = "(w.head IS NULL OR w.head < h.last_seq) AND h.repairs >= $4";

const SqlStatement& ChangedStatement() {
  static const SqlStatement statement{
      "turnlog_changed_page",
      fmt::format("SELECT {} FROM turnlog_changed c JOIN turnlog_head h ON h.lane = c.lane AND h.conv = c.conv LEFT "
                  "JOIN turnlog_watermark w ON w.lane = c.lane AND w.conv = c.conv AND w.consumer = c.consumer WHERE "
                  "c.consumer = $3 AND c.name > $1 AND {} ORDER BY c.name LIMIT $2",
                  HeadColumns("h"), kIsChanged)};
  return statement;
}

const SqlStatement& ComparedStatement() {
  static const SqlStatement statement{
      "turnlog_head_changed",
      fmt::format("SELECT {} FROM turnlog_head h LEFT JOIN turnlog_watermark w ON w.lane = h.lane AND w.conv = h.conv "
                  "AND w.consumer = $3 WHERE h.name > $1 AND {} ORDER BY h.name LIMIT $2",
                  HeadColumns("h"), kIsChanged)};
  return statement;
}

SqlParams Page(std::string_view consumer, std::string_view after, std::uint64_t limit, Changes which) {
  SqlParams params;
  params.Bytes(after).Big(limit).Bytes(consumer).Big(which == Changes::kRepaired ? 1 : 0);
  return params;
}

}  // namespace

Status EnterChanged(ConnectionPool& pool, std::string_view consumer) {
  std::vector<SqlCall> calls;
  for (const SqlStatement* statement : {&kBegin, &kEnterAll, &kEnterNew, &kAdvance, &kBeginConsumer, &kCommit}) {
    SqlCall& call = calls.emplace_back(SqlCall{statement, {}});
    if (statement != &kBegin && statement != &kCommit) call.params.Bytes(consumer);
  }
  (void)TURNLOG_TRY(pool.Read([&](Connection& connection) { return connection.RunAll(calls); }));
  return {};
}

SqlResult<SqlRows> ChangedPage(Connection& connection, std::string_view consumer, std::string_view after,
                               std::uint64_t limit, Changes which) {
  return connection.Run(ChangedStatement(), Page(consumer, after, limit, which));
}

SqlResult<SqlRows> ComparedPage(Connection& connection, std::string_view consumer, std::string_view after,
                                std::uint64_t limit, Changes which) {
  return connection.Run(ComparedStatement(), Page(consumer, after, limit, which));
}

// The row of the watermark stays locked until the commit, so that of two calls the later one decides what is listed. An
// append that is committed meanwhile is found in the feed. To set it twice is harmless, so that it is repeated like a
// read.
Status StoreWatermark(ConnectionPool& pool, const ConversationKey& key, std::string_view consumer,
                      const Watermark& watermark) {
  const auto call = [&](const SqlStatement& statement) {
    SqlCall made{&statement, key.Params()};
    made.params.Bytes(consumer);
    return made;
  };
  const auto store = [&](Connection& connection) -> SqlResult<bool> {
    // What an emptied state has held must not stay in the files.
    const bool empties =
        watermark.state.empty() && TURNLOG_TRY(connection.Run(kHasState, call(kHasState).params)).size() > 0;
    std::vector<SqlCall> calls;
    calls.push_back({&kBeginSet, {}});
    if (empties) calls.push_back(MarkUnpurgedCall());
    for (const SqlStatement* statement : {&kSetWatermark, &kRemove, &kEnter}) {
      calls.push_back(call(*statement));
      calls.back().params.Big(watermark.head.value);
      if (statement == &kSetWatermark) calls.back().params.Bytes(watermark.state);
    }
    calls.push_back({&kCommit, {}});
    TURNLOG_TRY(connection.RunAll(calls));
    return true;
  };
  (void)TURNLOG_TRY(pool.Read(store));
  return {};
}

}  // namespace turnlog
