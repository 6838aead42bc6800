#include "store/sql/sql_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "log/append_checks.h"
#include "log/read_range.h"
#include "store/sql/sql_tail.h"
#include "store/sql/storage_pages.h"

namespace turnlog {
namespace {

const SqlStatement kTurnStart{"turnlog_turn_find",
                              "SELECT seq FROM turnlog_turn WHERE lane = $1 AND conv = $2 AND turn = $3"};
const SqlStatement kStats{"turnlog_stats",
                          "SELECT count(*), coalesce(sum(last_seq), 0)::bigint, coalesce(sum(bytes), 0)::bigint, "
                          "coalesce(sum(repairs), 0)::bigint FROM turnlog_head"};

}  // namespace

SqlLog::~SqlLog() { (void)SqlLog::Close(); }

Capabilities SqlLog::capabilities() const { return {.many_writers = true}; }

Status SqlLog::MustBeWritable() const {
  if (pool_.read_only()) {
    return std::unexpected(Error{ErrorCode::kReadOnly, "the store was opened for reading only"});
  }
  return pool_.MustBeOpen();
}

// --- Appending ---

Result<AppendResult> SqlLog::Append(const ConversationId& conversation, std::span<const EventView> events,
                                    const AppendOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  TURNLOG_TRY(CheckAppend(conversation, events));
  PreparedEvents encoded = TURNLOG_TRY(PreparedEvents::Make(events, store_.salt()));
  AppendResult result = TURNLOG_TRY(appender_.Append(conversation, std::move(encoded), options));
  OnAppend();
  return result;
}

void SqlLog::OnAppend() {
  WakeTails();
  hints_->Send();
}

// A tail that looks at this moment may miss it, and then sees the append when it polls.
void SqlLog::WakeTails() {
  ++appends_;
  appended_.notify_all();
}

Result<AppendResult> SqlLog::AppendLater(const ConversationId& conversation, std::span<const EventView> events,
                                         const AppendOptions& options) {
  return Append(conversation, events, options);
}

Status SqlLog::Wait(Ticket ticket, Durability durability) {
  TURNLOG_TRY(MustBeWritable());
  if (ticket.handle == 0 || durability == Durability::kBuffered) return {};
  return buffered_.Settle(ticket);
}

// --- Reading ---

Result<ConversationHead> SqlLog::FindHeadIfAny(const ConversationId& conversation) {
  const ConversationKey key = ConversationKey::Of(store_, conversation.text());
  const auto found = TURNLOG_TRY(pool_.Read([&](Connection& connection) {
    const SqlCall call = FindHead(key);
    return connection.RunAll({&call, 1});
  }));
  return HeadFound(found.front(), key, conversation.text());
}

Result<ConversationHead> SqlLog::FindHeadOf(const ConversationId& conversation) {
  ConversationHead head = TURNLOG_TRY(FindHeadIfAny(conversation));
  if (head.exists()) return head;
  return std::unexpected(
      Error{ErrorCode::kNotFound, fmt::format("there is no conversation \"{}\"", conversation.text())});
}

Result<std::optional<std::uint64_t>> SqlLog::TurnStart(const ConversationKey& key, std::uint64_t turn) {
  const SqlRows rows = TURNLOG_TRY(pool_.Read([&](Connection& connection) {
    SqlParams params = key.Params();
    params.Big(turn);
    return connection.Run(kTurnStart, std::move(params));
  }));
  if (rows.size() == 0) return std::nullopt;
  return rows.Integer(0, 0);
}

Result<std::unique_ptr<Cursor>> SqlLog::ReadRaw(const ConversationId& conversation, const ReadOptions& options) {
  ConversationHead head = TURNLOG_TRY(FindHeadOf(conversation));
  const ReadRange range = TURNLOG_TRY(
      ReadRangeOf(options, head.last_seq, head.turns, [&](std::uint64_t turn) { return TurnStart(head.key, turn); }));
  return std::make_unique<EventReader>(pool_, head.key, std::move(head.name), range, options.backward);
}

Result<ConversationInfo> SqlLog::Info(const ConversationId& conversation) {
  return TURNLOG_TRY(FindHeadOf(conversation)).Info();
}

// --- Following ---

Result<std::unique_ptr<Tail>> SqlLog::Follow(const Position& from, const std::optional<ConversationId>& conversation) {
  TURNLOG_TRY(pool_.MustBeOpen());
  LanePositions start = TURNLOG_TRY(LanePositions::From(store_, from));
  const auto await = [this, seen = appends_.load()](std::chrono::milliseconds timeout) mutable {
    hints_->Listen();
    std::unique_lock lock(appended_mutex_);
    appended_.wait_for(lock, timeout, [&] { return appends_ != seen || closed_; });
    seen = appends_;
  };
  return SqlTail::Open(pool_, store_, std::move(start), conversation, await);
}

Result<Position> SqlLog::End() { return TURNLOG_TRY(EndOfLanes(pool_, store_)).ToPosition(store_); }

// --- The store as a whole ---

Result<StoreStats> SqlLog::Stats() {
  const SqlRows rows = TURNLOG_TRY(pool_.Read([](Connection& connection) { return connection.Run(kStats); }));
  return StoreStats{.store_id = store_.id(),
                    .engine = "postgresql",
                    .format_version = store_.version,
                    .conversations = rows.Integer(0, 0),
                    .events = rows.Integer(0, 1),
                    .payload_bytes = rows.Integer(0, 2),
                    .figures = {{"lanes", store_.lanes}, {"repairs", rows.Integer(0, 3)}}};
}

Status SqlLog::VisitStorage(const StorageScan& scan, StorageVisitor& visitor) {
  return VisitPages(pool_, scan, visitor);
}

Status SqlLog::Refresh() { return pool_.MustBeOpen(); }

Status SqlLog::Checkpoint() {
  TURNLOG_TRY(pool_.MustBeOpen());
  if (pool_.read_only()) return {};
  TURNLOG_TRY(buffered_.SettleAll());
  return PurgeErased(pool_);
}

Status SqlLog::Close() {
  if (closed_.exchange(true)) return {};
  const Status status = pool_.read_only() ? Status() : buffered_.SettleAll();
  pool_.Close();
  WakeTails();
  if (hints_) hints_->Stop();
  return status;
}

}  // namespace turnlog
