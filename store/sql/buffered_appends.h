// Appends that did not wait for the disk, until they are known to be durable, or to be lost with the server.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "store/sql/connection_pool.h"
#include "store/sql/conversation_head.h"
#include "turnlog/log.h"

namespace turnlog {

class BufferedAppends {
 public:
  explicit BufferedAppends(ConnectionPool& pool) : pool_(pool) {}

  // What was there before a transaction was sent: appends of this log whose commits have returned, and connections.
  struct Moment {
    std::uint64_t appends = 0, connections = 0;
  };
  Moment Now() const;

  // An append that is in the log if the event at `first` has the tag.
  struct Append {
    ConversationKey key;
    std::uint64_t first = 0, tag = 0;
    Moment before;
    std::uint64_t connection = 0;  // number of the connection that committed it
  };
  Ticket Add(const Append& append);

  // Makes the append of the ticket durable. kIo: there is no server, or the append was lost with it.
  Status Settle(Ticket ticket);
  // All of them. What it reports as lost, it reports once.
  Status SettleAll();

 private:
  struct Entry {
    std::uint64_t number;
    Append append;
  };
  using Numbers = std::pair<std::uint64_t, std::uint64_t>;  // from, to
  struct Lane {
    std::uint64_t settled = 0;     // the number up to which all appends are durable or lost
    std::vector<Entry> unsettled;  // ascending; each stands for those since the one before it, too
    std::vector<Numbers> lost;
  };

  // Makes the appends of a lane durable. False: some of them were lost.
  Result<bool> SettleLane(std::uint32_t lane);
  bool Conclude(Lane& lane, const std::vector<Entry>& entries, const std::vector<bool>& found);

  ConnectionPool& pool_;
  mutable std::mutex mutex_;
  std::uint64_t last_ = 0;  // number
  std::array<Lane, kSqlLanes> lanes_;
};

}  // namespace turnlog
