// Appends of all threads: what waits is written together, in one transaction and one round trip.
//
// One thread at a time of each queue, the leader, writes what has been appended meanwhile, and the others wait for
// their results: their commits share a flush, and most threads of this process never conflict with each other. What is
// refused or fails in the shared transaction is judged again by its own thread, alone and from the stored state:
// conflicts with other processes, and repeated event ids.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/wait_group.h"
#include "log/prepared_events.h"
#include "store/sql/append_plan.h"
#include "store/sql/buffered_appends.h"
#include "store/sql/connection_pool.h"
#include "turnlog/log.h"

namespace turnlog {

class Appender {
 public:
  // All must outlive it. Buffered appends, and those that repeat, are added to `buffered`.
  Appender(ConnectionPool& pool, const SqlStoreIdentity& store, BufferedAppends& buffered)
      : pool_(pool), store_(store), buffered_(buffered) {}

  // Waits until the append is committed as its durability says.
  Result<AppendResult> Append(const ConversationId& conversation, PreparedEvents events, const AppendOptions& options);
  // Of a conversation that was changed otherwise: its next append reads the head again.
  void Forget(const ConversationKey& key);

 private:
  // An attempt whose outcome is unknown because the connection was lost: it is in the log if the event at `first` has
  // the request's tag.
  struct Attempt {
    BufferedAppends::Append append;
    AppendResult result;  // without its ticket
  };
  struct Request {
    const std::string& name;
    const ConversationKey key;
    PreparedEvents events;
    const AppendOptions& options;
    const std::uint64_t tag;
    std::vector<Attempt> in_doubt;
    std::optional<Result<AppendResult>> result;  // without one, after its group, it has to be written alone
  };
  // Appends that are written together, and their threads.
  struct Group {
    std::vector<Request*> requests;
    WaitGroup wait;
  };
  // What waits, in some of the lanes: appends of one conversation follow each other.
  struct Queue {
    std::mutex mutex;
    std::condition_variable arrived;
    std::shared_ptr<Group> filling = std::make_shared<Group>();
    bool has_leader = false;
    std::size_t awaited = 0;  // the leader waits until so many are waiting
    // Of the last transaction: so many appends in it, and so long it took.
    std::size_t last_count = 0;
    std::chrono::steady_clock::duration last_time{};
  };
  // An event_id that is in the log.
  struct KnownId {
    std::uint64_t seq = 0;
    bool redacted = false;
    std::uint64_t row = 0, tag = 0;  // the row that holds it: its seq, and the tag of its append
  };
  struct State {
    ConversationHead head;
    std::unordered_map<Hash128, KnownId> ids;
  };
  struct Planned {
    Request* request;
    AppendPlan plan;
  };

  void AwaitLeader(Queue& queue, Request& request);
  void Lead(Queue& queue, Group& group, std::unique_lock<std::mutex>& lock);
  static void Gather(Queue& queue, std::unique_lock<std::mutex>& lock);
  void WriteTogether(std::span<Request* const> requests);
  SqlStatus TryTogether(std::span<Request* const> requests);
  SqlStatus FindHeads(Connection& connection, std::span<Request* const> requests);
  std::vector<Planned> PlanTogether(std::span<Request* const> requests);
  void WriteAlone(Request& request);
  SqlStatus TryAlone(Request& request);
  static std::size_t MarkKnown(const State& state, PreparedEvents& events);
  SqlResult<State> FindState(Connection& connection, const Request& request);
  // Whether one of its attempts is in the log after all; sets its result.
  SqlResult<bool> ResolveDoubt(Connection& connection, Request& request);
  static AppendResult ResultOf(const Request& request);
  static Attempt AttemptOf(const Request& request, std::uint64_t first, const BufferedAppends::Moment& before,
                           const Connection& connection);
  // Sets the result of a request that is in the log.
  void Finish(Request& request, Attempt attempt);
  // The same, if all its events are there already.
  SqlStatus FinishRepeat(Connection& connection, Request& request, const State& state,
                         const BufferedAppends::Moment& before);

  // Heads as of the last append of this process. They may be outdated: the guard of the transaction finds out.
  std::optional<ConversationHead> Known(const ConversationKey& key);
  void Keep(ConversationHead head);

  ConnectionPool& pool_;
  const SqlStoreIdentity& store_;
  BufferedAppends& buffered_;

  // Two, so that one transaction is prepared while the server is at work on the other. They never share a lane, and so
  // never wait for each other there.
  std::array<Queue, 2> queues_;

  std::mutex heads_mutex_;
  std::unordered_map<Hash128, ConversationHead> heads_;
};

}  // namespace turnlog
