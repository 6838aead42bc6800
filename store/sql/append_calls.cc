#include "store/sql/append_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>

#include "base/try.h"
#include "store/sql/row_statement.h"

namespace turnlog {
namespace {

constexpr std::size_t kStatementBytes = std::size_t{4} << 20;  // payload in one statement, roughly

void AddKey(SqlParams& params, const ConversationKey& key) {
  params.Int(static_cast<std::int32_t>(key.lane)).Uuid(key.conv);
}

// The same for rows of that kind of all plans. `add` adds the parameters after lane and conv.
template <class Row, class AddFn>
void AddRowCallsOf(std::span<const AppendPlan* const> plans, std::vector<Row> AppendPlan::* rows,
                   std::vector<SqlCall>& calls, const RowStatement& insert, AddFn add) {
  std::vector<std::pair<const ConversationKey*, const Row*>> all;
  for (const AppendPlan* plan : plans) {
    for (const Row& row : plan->*rows) all.emplace_back(&plan->after.key, &row);
  }
  AddRowCalls(calls, insert, all, [&](SqlParams& params, const auto& keyed) {
    AddKey(params, *keyed.first);
    add(params, *keyed.second);
  });
}

// Of the plans, those that begin with the first one and have the same `projection`.
template <class Projection>
std::span<const AppendPlan* const> FirstRun(std::span<const AppendPlan* const> plans, Projection projection) {
  const auto end = std::ranges::find_if(
      plans, [&](const AppendPlan* plan) { return projection(*plan) != projection(*plans.front()); });
  return plans.first(static_cast<std::size_t>(end - plans.begin()));
}

const SqlStatement kBegin{"turnlog_begin", "BEGIN"};
const SqlStatement kCommit{"turnlog_commit", "COMMIT"};
const SqlStatement kBuffered{"turnlog_buffered", "SET LOCAL synchronous_commit = off"};

const SqlStatement kHeadInsert{"turnlog_head_insert",
                               "INSERT INTO turnlog_head (lane, conv, last_seq, turns, bytes, repairs, first_time, "
                               "last_time, tag, open, name) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"};
// A conflict is a division by zero, which ends the transaction. The divisor depends on the row: a constant would fail
// whenever the statement is planned.
constexpr const char* kHeadUpdate =
    "UPDATE turnlog_head SET last_seq = CASE WHEN last_seq = $11 AND tag = $12 THEN $3 ELSE mod(1, last_seq - "
    "last_seq) "
    "END, turns = $4, bytes = $5, repairs = $6, first_time = $7, last_time = $8, tag = $9, open = $10 "
    "WHERE lane = $1 AND conv = $2";
// Locks the rows in the order of the values, or of the table's key, which is the same.
constexpr const char* kHeadsUpdate =
    "UPDATE turnlog_head AS h SET last_seq = CASE WHEN h.last_seq = a.was AND h.tag = a.was_tag THEN a.last_seq ELSE "
    "mod(1, h.last_seq - h.last_seq) END, turns = a.turns, bytes = a.bytes, repairs = a.repairs, first_time = "
    "a.first_time, last_time = a.last_time, tag = a.tag, open = a.open FROM (VALUES {}) AS a (lane, conv, last_seq, "
    "turns, bytes, repairs, first_time, last_time, tag, open, was, was_tag) WHERE h.lane = a.lane AND h.conv = a.conv";
const SqlStatement kHeadGuard{
    "turnlog_head_guard",
    "UPDATE turnlog_head SET last_seq = CASE WHEN last_seq = $3 AND tag = $4 THEN last_seq ELSE mod(1, last_seq - "
    "last_seq) END WHERE lane = $1 AND conv = $2"};
const SqlStatement kAnswer{"turnlog_inquiry_answer",
                           "UPDATE turnlog_inquiry SET response = $5 WHERE lane = $1 AND conv = $2 AND id = $3 AND "
                           "first_seq = $4"};
const SqlStatement kPendingDelete{"turnlog_pending_delete",
                                  "DELETE FROM turnlog_pending WHERE lane = $1 AND conv = $2"};
const SqlStatement kEventReplace{
    "turnlog_event_replace",
    "UPDATE turnlog_event SET checksum = CASE WHEN checksum = $4 THEN $5 ELSE mod(1, checksum - checksum) END, "
    "kind = $6, state = $7, turn = $8, parts = $9, payload = $10, events = $11 WHERE lane = $1 AND conv = $2 AND seq = "
    "$3"};
const SqlStatement kPartsDelete{"turnlog_part_delete",
                                "DELETE FROM turnlog_part WHERE lane = $1 AND conv = $2 AND seq = $3"};
const SqlStatement kMarkUnpurged{"turnlog_store_unpurged",
                                 "UPDATE turnlog_store SET unpurged = unpurged + 1 WHERE one = 1"};

// Any commit that waits for the disk, and for standbys, makes what was committed before durable, too.
const SqlStatement kFlush{"turnlog_lane_flush", "UPDATE turnlog_lane SET tag = tag WHERE lane = $1"};

const SqlStatement kFindTag{"turnlog_event_tag",
                            "SELECT tag FROM turnlog_event WHERE lane = $1 AND conv = $2 AND seq = $3"};

const RowStatement& HeadUpdate() {
  static const RowStatement update("turnlog_head_update", [](std::size_t rows) -> std::string {
    if (rows == 1) return kHeadUpdate;
    const std::vector casts{"::int",    "::uuid",   "::bigint", "::bigint", "::bigint", "::bigint",
                            "::bigint", "::bigint", "::bigint", "::bytea",  "::bigint", "::bigint"};
    return fmt::format(kHeadsUpdate, ValuesOf(rows, casts));
  });
  return update;
}
const RowStatement& LaneAdvance() {
  static const RowStatement update("turnlog_lane_advance", [](std::size_t rows) -> std::string {
    if (rows == 1) return "UPDATE turnlog_lane SET pos = pos + $2, tag = $3 WHERE lane = $1";
    return fmt::format(
        "UPDATE turnlog_lane AS l SET pos = l.pos + a.more, tag = a.tag FROM (VALUES {}) AS a (lane, more, tag) "
        "WHERE l.lane = a.lane",
        ValuesOf(rows, std::vector{"::int", "::bigint", "::bigint"}));
  });
  return update;
}
const RowStatement& EventIdInsert() {
  static const RowStatement insert = RowStatement::Insert("turnlog_event_id", 4);
  return insert;
}
const RowStatement& TurnInsert() {
  static const RowStatement insert = RowStatement::Insert("turnlog_turn", 4);
  return insert;
}
const RowStatement& InquiryInsert() {
  static const RowStatement insert = RowStatement::Insert("turnlog_inquiry", 7);
  return insert;
}
const RowStatement& RepairInsert() {
  static const RowStatement insert = RowStatement::Insert("turnlog_repair", 5);
  return insert;
}
const RowStatement& PendingInsert() {
  static const RowStatement insert = RowStatement::Insert("turnlog_pending", 2);
  return insert;
}
const RowStatement& EventInsert() {
  static const RowStatement insert = RowStatement::Insert("turnlog_event", 11);
  return insert;
}
const RowStatement& PartInsert() {
  static const RowStatement insert = RowStatement::Insert("turnlog_part", 5);
  return insert;
}

// Positions come from the table of lanes. One append names its lane there, so that a distributed engine sees that one
// node can run it.
const RowStatement& FeedInsert() {
  static const RowStatement insert("turnlog_feed_insert", [](std::size_t rows) {
    constexpr std::string_view kInsert = "INSERT INTO turnlog_feed (lane, pos, conv, first_seq, events, tag) SELECT ";
    if (rows == 1) {
      return fmt::format(
          "{}l.lane, l.pos - $2::bigint, $3::uuid, $4::bigint, $5::bigint, $6::bigint "
          "FROM turnlog_lane l WHERE l.lane = $1",
          kInsert);
    }
    const std::vector casts{"::int", "::bigint", "::uuid", "::bigint", "::bigint", "::bigint"};
    return fmt::format(
        "{}l.lane, l.pos - a.back, a.conv, a.first_seq, a.events, a.tag FROM turnlog_lane l JOIN "
        "(VALUES {}) AS a (lane, back, conv, first_seq, events, tag) ON a.lane = l.lane",
        kInsert, ValuesOf(rows, casts));
  });
  return insert;
}

void AddTime(SqlParams& params, const std::optional<Timestamp>& time) {
  if (time) {
    params.Big(std::bit_cast<std::uint64_t>(time->nanos));
  } else {
    params.Null();
  }
}

std::string_view FirstPart(const EventRow& row) { return row.payload.substr(0, kPartBytes); }

SqlStatus RunWithoutWarning(Connection& connection, std::span<const SqlCall> calls) {
  TURNLOG_TRY(connection.RunAll(calls));
  if (!connection.warned()) return {};
  return std::unexpected(SqlError(std::string(kUnreplicatedCommit), "it has stopped to wait", true));
}

}  // namespace

void SqlTransaction::Guard(const ConversationHead& before) {
  SqlCall& call = Add(kHeadGuard);
  call.params = before.key.Params();
  call.params.Big(before.last_seq).Big(before.tag);
}

void SqlTransaction::Append(const AppendPlan& plan) {
  const PackedRows& packed = packed_.emplace_back(PackRows(plan.after.key, plan.events, plan.after.tag));
  AddRows(plan.after.key, packed.rows);
  AddParts(plan.after.key, plan.events);
  plans_.push_back(&plan);
}

// Each conversation once: as its first append found it, and as its last one leaves it.
void SqlTransaction::WriteHeads() {
  struct Change {
    const ConversationHead *before, *after;
  };
  std::vector<Change> changes;
  for (std::span<const AppendPlan* const> left = plans_; !left.empty();) {
    const auto run = FirstRun(left, [](const AppendPlan& plan) { return plan.after.key; });
    left = left.subspan(run.size());
    const Change change{&run.front()->before, &run.back()->after};
    if (change.before->exists()) {
      changes.push_back(change);
    } else {
      SqlCall& call = Add(kHeadInsert);
      AddHead(call.params, *change.after);
      call.params.Bytes(change.after->name);
    }
  }
  AddRowCalls(calls_, HeadUpdate(), changes, [this](SqlParams& params, const Change& change) {
    AddHead(params, *change.after);
    params.Big(change.before->last_seq).Big(change.before->tag);
  });
}

void SqlTransaction::AddHead(SqlParams& params, const ConversationHead& head) {
  AddKey(params, head.key);
  params.Big(head.last_seq).Big(head.turns).Big(head.bytes).Big(head.repairs);
  AddTime(params, head.first_time);
  AddTime(params, head.last_time);
  texts_.push_back(std::make_unique<std::string>(EncodeOpen(head.open)));
  params.Big(head.tag).Bytes(*texts_.back());
}

// Those of all appends together: a statement costs more than a row. An answer may be to an inquiry of the same
// transaction.
void SqlTransaction::WriteIndexes() {
  AddRowCallsOf(plans_, &AppendPlan::event_ids, calls_, EventIdInsert(),
                [](SqlParams& params, const auto& row) { params.Uuid(row.id).Big(row.seq); });
  AddRowCallsOf(plans_, &AppendPlan::turns, calls_, TurnInsert(),
                [](SqlParams& params, const auto& row) { params.Big(row.turn).Big(row.seq); });
  AddRowCallsOf(plans_, &AppendPlan::inquiries, calls_, InquiryInsert(), [](SqlParams& params, const auto& row) {
    params.Uuid(row.id).Big(row.first()).Big(row.turn).Big(row.request).Big(row.response);
  });
  for (const AppendPlan* plan : plans_) {
    for (const AppendPlan::Inquiry& inquiry : plan->answered) {
      SqlCall& call = Add(kAnswer);
      call.params = plan->after.key.Params();
      call.params.Uuid(inquiry.id).Big(inquiry.request).Big(inquiry.response);
    }
  }
  AddRowCallsOf(plans_, &AppendPlan::repairs, calls_, RepairInsert(), [](SqlParams& params, const auto& row) {
    params.Big(row.seq.value).Big(row.from.value).Big(row.to.value);
  });
}

// What the last append of each conversation leaves, if it is not as the first one found it.
void SqlTransaction::WritePending() {
  std::vector<ConversationKey> pending;
  for (std::span<const AppendPlan* const> left = plans_; !left.empty();) {
    const auto run = FirstRun(left, [](const AppendPlan& plan) { return plan.after.key; });
    left = left.subspan(run.size());
    const bool was = !run.front()->before.open.empty(), is = !run.back()->after.open.empty();
    if (is && !was) pending.push_back(run.front()->after.key);
    if (was && !is) Add(kPendingDelete).params = run.front()->after.key.Params();
  }
  AddRowCalls(calls_, PendingInsert(), pending, AddKey);
}

void SqlTransaction::WriteRows() {
  for (std::span<const KeyedRow> left = rows_; !left.empty();) {
    const std::size_t count = EventRowsAtOnce(left);
    SqlCall& call = Add(EventInsert().For(count));
    for (const auto& [key, stored] : left.first(count)) {
      const EventRow& row = stored.row;
      call.params.Int(static_cast<std::int32_t>(key.lane)).Uuid(key.conv).Big(row.seq);
      call.params.Small(static_cast<std::int16_t>(row.kind)).Small(static_cast<std::int16_t>(row.state));
      call.params.Big(row.turn).Big(stored.tag).Big(row.checksum).Int(static_cast<std::int32_t>(row.parts));
      call.params.Bytes(FirstPart(row)).Int(static_cast<std::int32_t>(stored.events));
    }
    left = left.subspan(count);
  }
}

// The same as RowsAtOnce, with a bounded sum of payloads.
std::size_t SqlTransaction::EventRowsAtOnce(std::span<const KeyedRow> rows) {
  std::size_t count = 0;
  for (std::size_t bytes = 0; count < rows.size() && bytes < kStatementBytes; ++count) {
    bytes += FirstPart(rows[count].stored.row).size();
  }
  return RowsAtOnce(count);
}

void SqlTransaction::AddRows(const ConversationKey& key, std::span<const StoredRow> rows) {
  for (const StoredRow& stored : rows) rows_.push_back({key, stored});
}

void SqlTransaction::AddParts(const ConversationKey& key, std::span<const EventRow> events) {
  for (const EventRow& event : events) {
    if (event.parts > 0) large_.emplace_back(key, event);
  }
}

void SqlTransaction::WriteParts() {
  for (const auto& [key, event] : large_) {
    for (std::uint32_t part = 1; part <= event.parts; ++part) {
      SqlCall& call = Add(PartInsert().For(1));
      call.params = key.Params();
      call.params.Big(event.seq).Int(static_cast<std::int32_t>(part));
      call.params.Bytes(event.payload.substr(part * kPartBytes, kPartBytes));
    }
  }
}

void SqlTransaction::Replace(const ConversationKey& key, const StoredRow& was, std::span<const EventRow> now) {
  const std::span<const StoredRow> rows = packed_.emplace_back(PackRows(key, now, was.tag)).rows;
  const EventRow& first = rows.front().row;
  SqlCall& call = Add(kEventReplace);
  call.params = key.Params();
  call.params.Big(first.seq).Big(was.row.checksum).Big(first.checksum).Small(static_cast<std::int16_t>(first.kind));
  call.params.Small(static_cast<std::int16_t>(first.state)).Big(first.turn);
  call.params.Int(static_cast<std::int32_t>(first.parts)).Bytes(FirstPart(first));
  call.params.Int(static_cast<std::int32_t>(rows.front().events));
  if (was.row.parts > 0) {
    SqlCall& parts = Add(kPartsDelete);
    parts.params = key.Params();
    parts.params.Big(was.row.seq);
  }
  AddRows(key, rows.subspan(1));  // what no longer fits into the first one
  AddParts(key, now);
}

// The row of a lane stays locked until the commit, so that its positions become visible in order and without holes: a
// tail misses nothing. Last, so that it is locked for the shortest time, and in ascending order, as all lock them.
void SqlTransaction::WriteFeed() {
  struct Row {
    const AppendPlan* plan;
    std::size_t back;  // from the last position of the lane
  };
  struct Lane {
    const ConversationHead* last;
    std::size_t more;
  };
  std::vector<Row> rows;
  std::vector<Lane> lanes;
  for (std::span<const AppendPlan* const> left = plans_; !left.empty();) {
    const auto run = FirstRun(left, [](const AppendPlan& plan) { return plan.after.key.lane; });
    left = left.subspan(run.size());
    lanes.push_back({&run.back()->after, run.size()});
    for (std::size_t i = 0; i < run.size(); ++i) rows.push_back({run[i], run.size() - 1 - i});
  }
  AddRowCalls(calls_, LaneAdvance(), lanes, [](SqlParams& params, const Lane& lane) {
    params.Int(static_cast<std::int32_t>(lane.last->key.lane)).Big(lane.more).Big(lane.last->tag);
  });
  AddRowCalls(calls_, FeedInsert(), rows, [](SqlParams& params, const Row& row) {
    const ConversationHead& head = row.plan->after;
    params.Int(static_cast<std::int32_t>(head.key.lane)).Big(row.back).Uuid(head.key.conv);
    params.Big(row.plan->first_seq()).Big(row.plan->events.size()).Big(head.tag);
  });
}

SqlStatus SqlTransaction::Commit(Connection& connection) {
  std::vector<SqlCall> added = std::exchange(calls_, {});
  Add(kBegin);
  if (durability_ == Durability::kBuffered) Add(kBuffered);
  WriteHeads();  // locks them before anything else
  std::ranges::move(added, std::back_inserter(calls_));
  WriteIndexes();
  WritePending();
  WriteRows();
  WriteParts();
  WriteFeed();
  Add(kCommit);
  return RunWithoutWarning(connection, calls_);
}

SqlCall MarkUnpurgedCall() { return {&kMarkUnpurged, {}}; }

SqlStatus FlushLane(Connection& connection, std::uint32_t lane) {
  SqlCall call{&kFlush, {}};
  call.params.Int(static_cast<std::int32_t>(lane));
  return RunWithoutWarning(connection, {&call, 1});
}

SqlResult<bool> IsAppended(Connection& connection, const ConversationKey& key, std::uint64_t first, std::uint64_t tag) {
  SqlParams params = key.Params();
  params.Big(first);
  const SqlRows rows = TURNLOG_TRY(connection.Run(kFindTag, std::move(params)));
  return rows.size() > 0 && rows.Integer(0, 0) == tag;
}

}  // namespace turnlog
