// Appends of all threads: what waits is written together, in one transaction and one round trip.
//
// Lanes are divided into groups. One thread at a time, the leader, writes for a group: it takes what has been appended
// meanwhile, and the other threads wait for their results. So the threads of this process never conflict with each
// other, and their commits share a flush. Conflicts with other processes are found by the guards of the transaction,
// and each append is then repeated alone, from a fresh head.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "log/encoded_events.h"
#include "store/sql/append_plan.h"
#include "store/sql/connection_pool.h"
#include "turnlog/log.h"

namespace turnlog {

class Appender {
 public:
  Appender(ConnectionPool& pool, const SqlStoreIdentity& store) : pool_(pool), store_(store) {}

  // Waits until the append is committed as its durability says.
  Result<AppendResult> Append(const ConversationId& conversation, EncodedEvents events, const AppendOptions& options);

 private:
  // An attempt whose outcome is unknown because the connection was lost: it is in the log if the event at `first` has
  // the request's tag.
  struct Attempt {
    std::uint64_t first = 0;
    AppendResult result;
  };
  struct Request {
    const std::string& name;
    const ConversationKey key;
    EncodedEvents events;
    const AppendOptions& options;
    const std::uint64_t tag;
    std::vector<Attempt> in_doubt;
    std::optional<Result<AppendResult>> result;
  };
  struct Group {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Request*> waiting;
    bool has_leader = false;
    std::unordered_map<Hash128, ConversationHead> heads;  // as of the last append; the leader's
  };
  // An event_id that is in the log.
  struct KnownId {
    std::uint64_t seq = 0;
    bool redacted = false;
  };
  struct State {
    ConversationHead head;
    std::unordered_map<Hash128, KnownId> ids;
  };

  void WriteTogether(Group& group, std::span<Request*> requests);
  SqlStatus FindHeads(Group& group, Connection& connection, std::span<Request*> requests);
  void WriteAlone(Group& group, Request& request);
  SqlStatus TryAlone(Group& group, Request& request);
  static std::size_t MarkKnown(const State& state, EncodedEvents& events);
  SqlResult<State> FindState(Connection& connection, const Request& request);
  // Whether one of its attempts is in the log after all; sets its result.
  SqlResult<bool> ResolveDoubt(Connection& connection, Request& request);
  static AppendResult ResultOf(const Request& request);
  static void Keep(Group& group, ConversationHead head);

  ConnectionPool& pool_;
  const SqlStoreIdentity& store_;
  std::array<Group, 4> groups_;
};

}  // namespace turnlog
