#include "store/sql/buffered_appends.h"

#include <algorithm>

#include "base/try.h"
#include "store/sql/append_calls.h"

namespace turnlog {
namespace {

std::unexpected<Error> LostAppends() {
  return std::unexpected(Error{ErrorCode::kIo,
                               "the server has restarted or was replaced, and buffered appends were lost with it; "
                               "append again with the same event_ids"});
}

// Whether `later` cannot be in the log without `earlier`: it was sent when the commit of `earlier` had returned, over a
// connection that was open before that, so that the server did not restart in between.
bool Implies(const BufferedAppends::Append& later, std::uint64_t number, const BufferedAppends::Append& earlier) {
  return number <= later.before.appends && later.connection <= earlier.before.connections;
}

}  // namespace

BufferedAppends::Moment BufferedAppends::Now() const {
  const std::scoped_lock lock(mutex_);
  return {.appends = last_, .connections = pool_.opened()};
}

// A ticket is the append's number and its lane.
Ticket BufferedAppends::Add(const Append& append) {
  const std::scoped_lock lock(mutex_);
  std::vector<Entry>& entries = lanes_[append.key.lane].unsettled;
  while (!entries.empty() && Implies(append, entries.back().number, entries.back().append)) entries.pop_back();
  entries.push_back({++last_, append});
  return {last_ * kSqlLanes + append.key.lane};
}

Status BufferedAppends::Settle(Ticket ticket) {
  const std::uint64_t number = ticket.handle / kSqlLanes;
  const auto index = static_cast<std::uint32_t>(ticket.handle % kSqlLanes);
  const Lane& lane = lanes_[index];
  std::unique_lock lock(mutex_);
  if (number == 0 || number > last_) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "the ticket is not of this log"});
  }
  if (number > lane.settled) {
    lock.unlock();
    (void)TURNLOG_TRY(SettleLane(index));
    lock.lock();
  }
  const bool lost = std::ranges::any_of(
      lane.lost, [&](const Numbers& numbers) { return numbers.first <= number && number <= numbers.second; });
  if (lost) return LostAppends();
  return {};
}

Status BufferedAppends::SettleAll() {
  bool complete = true;
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) complete &= TURNLOG_TRY(SettleLane(lane));
  if (!complete) return LostAppends();
  return {};
}

// A commit that waits succeeds also on a server that has lost what came before it.
Result<bool> BufferedAppends::SettleLane(std::uint32_t lane) {
  std::unique_lock lock(mutex_);
  const std::vector<Entry> entries = lanes_[lane].unsettled;
  lock.unlock();
  if (entries.empty()) return true;
  const auto settle = [&](Connection& connection) -> SqlResult<std::vector<bool>> {
    TURNLOG_TRY(FlushLane(connection, lane));
    std::vector<bool> each;
    for (const auto& [number, append] : entries) {
      each.push_back(TURNLOG_TRY(IsAppended(connection, append.key, append.first, append.tag)));
    }
    return each;
  };
  const auto found = TURNLOG_TRY(pool_.Read(settle));
  lock.lock();
  return Conclude(lanes_[lane], entries, found);
}

// Another thread may have settled them meanwhile, and later appends may stand for them.
bool BufferedAppends::Conclude(Lane& lane, const std::vector<Entry>& entries, const std::vector<bool>& found) {
  bool complete = true;
  std::uint64_t from = lane.settled + 1;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t to = entries[i].number;
    if (to < from) continue;
    if (!found[i]) lane.lost.emplace_back(from, to);
    complete &= found[i];
    from = to + 1;
  }
  lane.settled = std::max(lane.settled, entries.back().number);
  std::erase_if(lane.unsettled, [&](const Entry& entry) { return entry.number <= lane.settled; });
  return complete;
}

}  // namespace turnlog
