// Appends of all threads: what waits is written together, in one transaction and one round trip.
//
// One thread at a time, the leader, writes what has been appended meanwhile, and the others wait for their results:
// their commits share a flush, and most threads of this process never conflict with each other. What is refused or
// fails in the shared transaction is judged again by its own thread, alone and from the stored state: conflicts with
// other processes, and repeated event ids.
#pragma once

#include <chrono>
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
    bool done = false;  // by the leader; without a result it has to be written alone
    std::optional<Result<AppendResult>> result;
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
  struct Planned {
    Request* request;
    AppendPlan plan;
  };

  void AwaitLeader(Request& request);
  std::vector<Request*> Gather(std::unique_lock<std::mutex>& lock);
  void WriteTogether(std::span<Request* const> requests);
  SqlStatus TryTogether(std::span<Request* const> requests);
  SqlStatus FindHeads(Connection& connection, std::span<Request* const> requests);
  std::vector<Planned> PlanTogether(std::span<Request* const> requests);
  void WriteAlone(Request& request);
  SqlStatus TryAlone(Request& request);
  static std::size_t MarkKnown(const State& state, EncodedEvents& events);
  SqlResult<State> FindState(Connection& connection, const Request& request);
  // Whether one of its attempts is in the log after all; sets its result.
  SqlResult<bool> ResolveDoubt(Connection& connection, Request& request);
  static AppendResult ResultOf(const Request& request);

  // Heads as of the last append of this process. They may be outdated: the guard of the transaction finds out.
  std::optional<ConversationHead> Known(const ConversationKey& key);
  void Keep(ConversationHead head);
  void Forget(const ConversationKey& key);

  ConnectionPool& pool_;
  const SqlStoreIdentity& store_;

  std::mutex mutex_;
  std::condition_variable changed_, arrived_;
  std::vector<Request*> waiting_;
  bool has_leader_ = false;
  // Of the last transaction: so many appends in it, and so long it took.
  std::size_t last_count_ = 0;
  std::chrono::steady_clock::duration last_time_{};

  std::mutex heads_mutex_;
  std::unordered_map<Hash128, ConversationHead> heads_;
};

}  // namespace turnlog
