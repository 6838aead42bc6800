#include "store/sql/sql_tail.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kPageAppends = 512;
constexpr std::chrono::milliseconds kLongestPoll{100};

const SqlStatement kLanes{"turnlog_lanes", "SELECT lane, pos, tag FROM turnlog_lane ORDER BY lane"};
const SqlStatement kTag{"turnlog_feed_tag", "SELECT tag FROM turnlog_feed WHERE lane = $1 AND pos = $2"};
// Only PostgreSQL has standbys that are behind.
const SqlStatement kStandby{"turnlog_standby", "SELECT pg_is_in_recovery()::int"};
const SqlStatement kPage{
    "turnlog_feed_page",
    "SELECT f.pos, f.tag, f.conv, f.first_seq, f.events, h.name FROM turnlog_feed f JOIN turnlog_head h ON h.lane = "
    "f.lane AND h.conv = f.conv WHERE f.lane = $1 AND f.pos > $2 AND f.pos <= $3 ORDER BY f.pos LIMIT $4"};
const SqlStatement kPageOfOne{
    "turnlog_feed_page_of_one",
    "SELECT f.pos, f.tag, f.conv, f.first_seq, f.events, h.name FROM turnlog_feed f JOIN turnlog_head h ON h.lane = "
    "f.lane AND h.conv = f.conv WHERE f.lane = $1 AND f.pos > $2 AND f.pos <= $3 AND f.conv = $5 ORDER BY f.pos "
    "LIMIT $4"};

LanePosition PositionIn(const SqlRows& rows, std::size_t row, int pos_column) {
  return {.pos = rows.Integer(row, pos_column), .tag = static_cast<std::uint32_t>(rows.Integer(row, pos_column + 1))};
}

SqlCall TagAt(std::uint32_t lane, const LanePosition& position) {
  SqlCall call{&kTag, {}};
  call.params.Int(static_cast<std::int32_t>(lane)).Big(position.pos);
  return call;
}

bool NamesAppend(const LanePosition& position) { return position.pos > 0 && position.tag != 0; }

// `found`: the answer to TagAt. Buffered appends can be lost with the server, and other appends be in their place.
bool IsLost(const LanePosition& position, const SqlRows& found) {
  if (!NamesAppend(position)) return false;
  return found.size() != 1 || static_cast<std::uint32_t>(found.Integer(0, 0)) != position.tag;
}

// What a server says of the appends at positions that a tail has read.
enum class Standing : std::uint8_t { kThere, kLost, kBehind };

// `found`: the answers of this connection to TagAt.
Standing StandingOf(Connection& connection, std::span<const LanePosition> positions, std::span<const SqlRows> found) {
  Standing standing = Standing::kThere;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!IsLost(positions[i], found[i])) continue;
    if (found[i].size() > 0) return Standing::kLost;
    standing = Standing::kBehind;
  }
  if (standing == Standing::kThere) return standing;
  const auto standby = connection.Run(kStandby);
  return standby && standby->Integer(0, 0) == 1 ? Standing::kBehind : Standing::kLost;
}

std::unexpected<Error> LostEvents() {
  return std::unexpected(
      Error{ErrorCode::kConflict, "the position is of events that were lost with the server, or of another store"});
}

}  // namespace

SqlTail::Run SqlTail::RunIn(const SqlRows& rows, std::size_t row, std::uint32_t lane) {
  const std::uint64_t first = rows.Integer(row, 3);
  return {.key = {lane, rows.Uuid(row, 2)},
          .name = std::string(rows.Bytes(row, 5)),
          .seqs = {first, first + rows.Integer(row, 4) - 1},
          .end = PositionIn(rows, row, 0)};
}

Result<LanePositions> EndOfLanes(ConnectionPool& pool, const SqlStoreIdentity& store) {
  const SqlRows rows = TURNLOG_TRY(pool.Read([](Connection& connection) { return connection.Run(kLanes); }));
  LanePositions ends = LanePositions::Beginning(store);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::uint64_t lane = rows.Integer(row, 0);
    if (lane < ends.lanes.size()) ends.lanes[lane] = PositionIn(rows, row, 1);
  }
  return ends;
}

Result<std::unique_ptr<Tail>> SqlTail::Open(ConnectionPool& pool, const SqlStoreIdentity& store, LanePositions from,
                                            const std::optional<ConversationId>& conversation, AwaitAppend await) {
  std::unique_ptr<SqlTail> tail(new SqlTail(pool, store, std::move(from), std::move(await)));
  if (conversation) tail->only_ = ConversationKey::Of(store, conversation->text());
  TURNLOG_TRY(tail->Verify());
  TURNLOG_TRY(tail->Resume());
  return tail;
}

// Continues a page whose first events have been returned before.
Status SqlTail::Resume() {
  const std::optional<OpenPage> open = std::exchange(at_.page, std::nullopt);
  if (!open || (only_ && only_->lane != open->lane)) return {};
  next_lane_ = (open->lane + 1) % static_cast<std::uint32_t>(at_.lanes.size());
  TURNLOG_TRY(LoadPage(open->lane, open->last.pos));
  for (std::uint64_t left = open->events; HasPage() && left > 0;) {
    ReadRange& seqs = runs_[next_run_].seqs;
    const std::uint64_t skipped = std::min(left, seqs.last + 1 - seqs.first);
    seqs.first += skipped;
    left -= skipped;
    at_.page->events += skipped;
    if (seqs.first > seqs.last) EndRun();
  }
  return {};
}

Status SqlTail::Verify() const {
  std::vector<SqlCall> calls;
  std::vector<LanePosition> expected;
  const auto add = [&](std::uint32_t lane, const LanePosition& position) {
    if (!NamesAppend(position)) return;
    calls.push_back(TagAt(lane, position));
    expected.push_back(position);
  };
  for (std::uint32_t lane = 0; lane < at_.lanes.size(); ++lane) add(lane, at_.lanes[lane]);
  if (at_.page) add(at_.page->lane, at_.page->last);
  if (calls.empty()) return {};
  const auto look = [&](Connection& connection) -> SqlResult<Standing> {
    const auto found = TURNLOG_TRY(connection.RunAll(calls));
    return StandingOf(connection, expected, found);
  };
  for (ConnectionPool::Retry retry(pool_);;) {
    const Standing standing = TURNLOG_TRY(pool_.Read(look));
    if (standing == Standing::kThere) return {};
    if (standing == Standing::kLost) return LostEvents();
    if (!retry.Wait()) {
      return std::unexpected(
          Error{ErrorCode::kIo, "the standby has not replayed what comes before the position yet; try again"});
    }
  }
}

Result<Item> SqlTail::Next() {
  TURNLOG_TRY(pool_.MustBeOpen());
  for (;;) {
    if (!HasPage() && !TURNLOG_TRY(LoadNextPage())) return EndOfLog{};
    Run& run = runs_[next_run_];
    const std::uint64_t left = run.seqs.last + 1 - run.seqs.first;
    if (only_ && run.key != *only_) {
      at_.page->events += left;
      EndRun();
    } else if (left == 0) {
      EndRun();
    } else {
      if (reader_ == nullptr) {
        const ReadRange range{run.seqs.first, of_one_ ? runs_.back().seqs.last : run.seqs.last};
        reader_ = std::make_unique<EventReader>(pool_, run.key, run.name, range, false);
      }
      Item item = TURNLOG_TRY(reader_->Next());
      ++run.seqs.first;
      ++at_.page->events;
      if (auto* record = std::get_if<Record>(&item)) record->turn = {};
      if (auto* erased = std::get_if<Erased>(&item)) erased->turn = {};
      return item;
    }
  }
}

Result<bool> SqlTail::LoadNextPage() {
  const LanePositions ends = TURNLOG_TRY(EndOfLanes(pool_, store_));
  const auto count = static_cast<std::uint32_t>(at_.lanes.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t lane = (next_lane_ + i) % count;
    if (only_ && only_->lane != lane) continue;
    const LanePosition &at = at_.lanes[lane], &end = ends.lanes[lane];
    if (end.pos == at.pos && NamesAppend(at) && end.tag != at.tag) return LostEvents();
    if (end.pos <= at.pos) continue;  // smaller: a standby may be behind
    TURNLOG_TRY(only_ ? LoadPageOfOne(end) : LoadPage(lane, end.pos));
    if (!HasPage()) continue;
    next_lane_ = (lane + 1) % count;
    return true;
  }
  return false;
}

// What follows the position says nothing if the append at the position was lost: the same connection is asked for both.
Status SqlTail::LoadPage(std::uint32_t lane, std::uint64_t last) {
  const LanePosition& at = at_.lanes[lane];
  const auto found = TURNLOG_TRY(pool_.Read([&](Connection& connection) {
    std::array<SqlCall, 2> calls{SqlCall{&kPage, {}}, TagAt(lane, at)};
    calls[0].params.Int(static_cast<std::int32_t>(lane)).Big(at.pos).Big(last).Big(kPageAppends);
    return connection.RunAll(calls);
  }));
  if (IsLost(at, found[1])) return LostEvents();
  const SqlRows& rows = found[0];
  runs_.clear();
  next_run_ = 0;
  of_one_ = false;
  if (rows.size() == 0) return {};
  std::map<Hash128, std::size_t> run_of;  // the appends of a conversation follow each other in seq
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto [known, is_new] = run_of.try_emplace(rows.Uuid(row, 2), runs_.size());
    if (is_new) {
      runs_.push_back(RunIn(rows, row, lane));
    } else {
      runs_[known->second].seqs.last = RunIn(rows, row, lane).seqs.last;
    }
  }
  at_.page = OpenPage{.lane = lane, .last = PositionIn(rows, rows.size() - 1, 0)};
  return {};
}

Status SqlTail::LoadPageOfOne(const LanePosition& last) {
  const LanePosition& at = at_.lanes[only_->lane];
  const auto found = TURNLOG_TRY(pool_.Read([&](Connection& connection) {
    std::array<SqlCall, 3> calls{TagAt(only_->lane, last), SqlCall{&kPageOfOne, {}}, TagAt(only_->lane, at)};
    calls[1].params.Int(static_cast<std::int32_t>(only_->lane)).Big(at.pos).Big(last.pos).Big(kPageAppends);
    calls[1].params.Uuid(only_->conv);
    return connection.RunAll(calls);
  }));
  if (IsLost(at, found[2])) return LostEvents();
  const SqlRows& rows = found[1];
  runs_.clear();
  next_run_ = 0;
  of_one_ = true;
  for (std::size_t row = 0; row < rows.size(); ++row) runs_.push_back(RunIn(rows, row, only_->lane));
  // Nothing of the conversation up to there, unless this server is a standby that has not seen that much.
  if (runs_.empty() && found[0].size() == 1) at_.lanes[only_->lane] = last;
  if (!runs_.empty()) BeginRun();
  return {};
}

void SqlTail::BeginRun() {
  const Run& run = runs_[next_run_];
  at_.lanes[run.key.lane] = {.pos = run.end.pos - 1, .tag = 0};
  at_.page = OpenPage{.lane = run.key.lane, .last = run.end};
}

void SqlTail::EndRun() {
  if (!of_one_) reader_.reset();
  if (++next_run_ == runs_.size()) {
    at_.lanes[at_.page->lane] = at_.page->last;
    at_.page.reset();
    reader_.reset();
  } else if (of_one_) {
    BeginRun();
  }
}

Result<bool> SqlTail::Wait(std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (std::chrono::milliseconds pause{1};; pause = std::min(pause * 2, kLongestPoll)) {
    TURNLOG_TRY(pool_.MustBeOpen());
    if (HasPage() || TURNLOG_TRY(LoadNextPage())) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    await_(std::min(left, pause));
  }
}

}  // namespace turnlog
