#include "store/sql/appender.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "log/append_checks.h"
#include "store/sql/append_calls.h"

namespace turnlog {
namespace {

constexpr std::size_t kMostTogether = 32;
constexpr std::chrono::milliseconds kLongestGathering{1};
constexpr std::size_t kHeadsKept = 16'384;

// With the state of the event: of its row, or the last byte of its entry (StoredRow). And with the row that holds it.
const SqlStatement& FindIdsStatement() {
  static const SqlStatement statement{
      "turnlog_event_id_find",
      fmt::format(
          "SELECT i.id, i.seq, e.state, CASE WHEN e.events > 1 THEN substr(e.payload, ({} * (i.seq - e.seq + "
          "1))::integer, 1) END, e.seq, e.tag FROM turnlog_event_id i LEFT JOIN turnlog_event e ON e.lane = i.lane AND "
          "e.conv = i.conv AND e.seq = (SELECT max(r.seq) FROM turnlog_event r WHERE r.lane = i.lane AND "
          "r.conv = i.conv AND r.seq <= i.seq) WHERE i.lane = $1 AND i.conv = $2 AND i.id = ANY($3)",
          kEntryBytes)};
  return statement;
}

// Also after a time-out: an engine that commits on several nodes may have gone on.
bool MayHaveHappened(SqlFailureKind kind) {
  return kind == SqlFailureKind::kLost || kind == SqlFailureKind::kLocked || kind == SqlFailureKind::kOther;
}

EventState StateIn(const SqlRows& rows, std::size_t row) {
  const std::string_view entry = rows.Bytes(row, 3);
  return static_cast<EventState>(entry.empty() ? rows.Integer(row, 2) : static_cast<unsigned char>(entry.front()));
}

}  // namespace

Result<AppendResult> Appender::Append(const ConversationId& conversation, PreparedEvents events,
                                      const AppendOptions& options) {
  const ConversationKey key = ConversationKey::Of(store_, conversation.text());
  Request request{.name = conversation.text(),
                  .key = key,
                  .events = std::move(events),
                  .options = options,
                  .tag = NewAppendTag(),
                  .in_doubt = {},
                  .result = {}};
  AwaitLeader(queues_[key.lane % queues_.size()], request);
  if (!request.result) WriteAlone(request);
  return *std::move(request.result);
}

// Until the request's group is written, by this thread or another one.
void Appender::AwaitLeader(Queue& queue, Request& request) {
  std::unique_lock lock(queue.mutex);
  const std::shared_ptr<Group> group = queue.filling;
  group->requests.push_back(&request);
  if (group->requests.size() == queue.awaited) queue.arrived.notify_one();
  if (queue.has_leader) {
    ++group->wait.members;
    lock.unlock();
    if (group->wait.Await() == WaitGroup::Outcome::kDone) return;
    lock.lock();
  }
  Lead(queue, *group, lock);
}

// Writes what is waiting. Then one of those that have come meanwhile leads.
void Appender::Lead(Queue& queue, Group& group, std::unique_lock<std::mutex>& lock) {
  queue.has_leader = true;
  Gather(queue, lock);
  const auto next = std::make_shared<Group>();
  queue.filling = next;
  lock.unlock();
  const auto start = std::chrono::steady_clock::now();
  // In this order, transactions of different processes never wait for each other in a circle.
  std::ranges::sort(group.requests, {}, &Request::key);
  for (std::span<Request* const> left = group.requests; !left.empty();) {
    const std::size_t count = std::min(left.size(), kMostTogether);
    WriteTogether(left.first(count));
    left = left.subspan(count);
  }
  const auto time = std::chrono::steady_clock::now() - start;
  lock.lock();
  queue.last_count = group.requests.size();
  queue.last_time = time;
  queue.has_leader = next->wait.members > 0;
  const bool pass_on = queue.has_leader;
  lock.unlock();
  group.wait.Finish();
  if (pass_on) next->wait.HandOver();
}

// The threads whose appends were in the last transaction come back at about the same time: without a moment of patience
// every second transaction would have a single append, and the others would wait for two.
void Appender::Gather(Queue& queue, std::unique_lock<std::mutex>& lock) {
  queue.awaited = std::min(queue.last_count, kMostTogether);
  queue.arrived.wait_for(lock, std::min<std::chrono::steady_clock::duration>(queue.last_time / 8, kLongestGathering),
                         [&] { return queue.filling->requests.size() >= queue.awaited; });
  queue.awaited = 0;
}

void Appender::WriteTogether(std::span<Request* const> requests) {
  const SqlStatus tried = TryTogether(requests);
  if (tried) return;
  for (Request* request : requests) request->result = std::unexpected(Error(tried.error()));
}

// Optimistic: heads are as this process knows them, and event ids new. Fails only if there is no connection; requests
// that were not written have no result then.
SqlStatus Appender::TryTogether(std::span<Request* const> requests) {
  ConnectionPool::Lease connection = TURNLOG_TRY(pool_.Take());
  if (!FindHeads(*connection, requests)) return {};
  const std::vector<Planned> planned = PlanTogether(requests);
  if (planned.empty()) return {};
  Durability durability = Durability::kBuffered;
  for (const Planned& each : planned) {
    if (each.request->options.durability == Durability::kSync) durability = Durability::kSync;
  }
  SqlTransaction transaction(durability);
  for (const Planned& each : planned) transaction.Append(each.plan);
  const BufferedAppends::Moment before = buffered_.Now();
  const auto written = transaction.Commit(*connection);
  for (const auto& [request, plan] : planned) {
    Attempt attempt = AttemptOf(*request, plan.first_seq(), before, *connection);
    if (written) {
      Finish(*request, std::move(attempt));
      Keep(plan.after);
      continue;
    }
    Forget(request->key);
    if (MayHaveHappened(written.error().kind())) {
      request->in_doubt.push_back(std::move(attempt));
    }
  }
  return {};
}

// Adds the heads that are not known yet.
SqlStatus Appender::FindHeads(Connection& connection, std::span<Request* const> requests) {
  std::vector<Request*> unknown;
  std::vector<SqlCall> calls;
  for (Request* request : requests) {
    const bool again = !unknown.empty() && unknown.back()->key == request->key;
    if (again || Known(request->key)) continue;
    unknown.push_back(request);
    calls.push_back(FindHead(request->key));
  }
  if (calls.empty()) return {};
  const auto found = TURNLOG_TRY(connection.RunAll(calls));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    auto head = HeadFound(found[i], unknown[i]->key, unknown[i]->name);
    if (head) Keep(*std::move(head));  // an error is found again by WriteAlone
  }
  return {};
}

// Those of the requests that nothing speaks against. Several of one conversation continue each other.
std::vector<Appender::Planned> Appender::PlanTogether(std::span<Request* const> requests) {
  std::vector<Planned> planned;
  for (Request* request : requests) {
    const bool continues = !planned.empty() && planned.back().request->key == request->key;
    const auto head = continues ? planned.back().plan.after : Known(request->key);
    if (!head || head->name != request->name) continue;
    (void)MarkRepeats(request->events, head->last_seq + 1, [](const Hash128&) { return std::nullopt; });
    if (!CheckExpected(request->options.expected_last, head->last_seq)) continue;
    if (!RefuseSecrets(head->open, request->events)) continue;
    planned.push_back({request, PlanAppend(*head, request->events, request->tag)});
  }
  return planned;
}

void Appender::WriteAlone(Request& request) {
  for (ConnectionPool::Retry retry(pool_); !request.result;) {
    const SqlStatus done = TryAlone(request);
    if (!done && !retry.Again(done.error())) request.result = std::unexpected(Error(done.error()));
  }
}

// Sets the request's result if it succeeds.
SqlStatus Appender::TryAlone(Request& request) {
  ConnectionPool::Lease connection = TURNLOG_TRY(pool_.Take());
  const BufferedAppends::Moment before = buffered_.Now();
  const State state = TURNLOG_TRY(FindState(*connection, request));
  // After the state was read: a refusal may be the effect of an attempt that was in doubt.
  if (TURNLOG_TRY(ResolveDoubt(*connection, request))) return {};
  // A client that repeats an append after a lost acknowledgement cannot know later events: no check for repeats.
  if (MarkKnown(state, request.events) == 0) return FinishRepeat(*connection, request, state, before);
  TURNLOG_TRY(CheckExpected(request.options.expected_last, state.head.last_seq));
  TURNLOG_TRY(RefuseSecrets(state.head.open, request.events));
  const AppendPlan plan = PlanAppend(state.head, request.events, request.tag);
  SqlTransaction transaction(request.options.durability);
  transaction.Append(plan);
  auto written = transaction.Commit(*connection);
  Attempt attempt = AttemptOf(request, plan.first_seq(), before, *connection);
  if (!written) {
    if (MayHaveHappened(written.error().kind())) request.in_doubt.push_back(std::move(attempt));
    return std::unexpected(std::move(written).error());
  }
  Finish(request, std::move(attempt));
  Keep(plan.after);
  return {};
}

// What it repeats may itself be buffered, e.g. by another process. Of one conversation, the last one is lost first.
SqlStatus Appender::FinishRepeat(Connection& connection, Request& request, const State& state,
                                 const BufferedAppends::Moment& before) {
  if (request.options.durability == Durability::kSync) TURNLOG_TRY(FlushLane(connection, request.key.lane));
  request.result = ResultOf(request);
  const auto last = std::ranges::max_element(state.ids, {}, [](const auto& known) { return known.second.seq; });
  if (request.options.durability == Durability::kSync || last == state.ids.end()) return {};
  // When it was committed is not known, so that it speaks for no earlier append.
  request.result->value().ticket = buffered_.Add({.key = request.key,
                                                  .first = last->second.row,
                                                  .tag = last->second.tag,
                                                  .before = {.appends = 0, .connections = before.connections},
                                                  .connection = connection.number()});
  return {};
}

// Returns how many events are new.
std::size_t Appender::MarkKnown(const State& state, PreparedEvents& events) {
  const std::size_t fresh =
      MarkRepeats(events, state.head.last_seq + 1, [&](const Hash128& id) -> std::optional<std::uint64_t> {
        const auto known = state.ids.find(id);
        if (known == state.ids.end()) return std::nullopt;
        return known->second.seq;
      });
  for (PreparedEvents::One& one : events.events) {
    const auto known = one.result.repeated ? state.ids.find(*one.fields.event_id) : state.ids.end();
    if (known != state.ids.end()) one.result.redacted = known->second.redacted;
  }
  return fresh;
}

SqlResult<Appender::State> Appender::FindState(Connection& connection, const Request& request) {
  std::vector<SqlCall> calls;
  calls.push_back(FindHead(request.key));
  const std::vector<Hash128> ids = EventIds(request.events);
  if (!ids.empty()) {
    SqlCall& call = calls.emplace_back(SqlCall{&FindIdsStatement(), request.key.Params()});
    call.params.Uuids(ids);
  }
  const auto found = TURNLOG_TRY(connection.RunAll(calls));
  State state{.head = TURNLOG_TRY(HeadFound(found[0], request.key, request.name)), .ids = {}};
  for (std::size_t row = 0; !ids.empty() && row < found[1].size(); ++row) {
    state.ids.emplace(found[1].Uuid(row, 0), KnownId{.seq = found[1].Integer(row, 1),
                                                     .redacted = StateIn(found[1], row) == EventState::kRedacted,
                                                     .row = found[1].Integer(row, 4),
                                                     .tag = found[1].Integer(row, 5)});
  }
  return state;
}

SqlResult<bool> Appender::ResolveDoubt(Connection& connection, Request& request) {
  for (const Attempt& attempt : request.in_doubt) {
    if (!TURNLOG_TRY(IsAppended(connection, request.key, attempt.append.first, request.tag))) continue;
    if (request.options.durability == Durability::kSync) TURNLOG_TRY(FlushLane(connection, request.key.lane));
    Finish(request, attempt);
    return true;
  }
  return false;
}

AppendResult Appender::ResultOf(const Request& request) {
  AppendResult result;
  for (const PreparedEvents::One& one : request.events.events) result.events.push_back(one.result);
  return result;
}

Appender::Attempt Appender::AttemptOf(const Request& request, std::uint64_t first,
                                      const BufferedAppends::Moment& before, const Connection& connection) {
  return {.append = {.key = request.key,
                     .first = first,
                     .tag = request.tag,
                     .before = before,
                     .connection = connection.number()},
          .result = ResultOf(request)};
}

void Appender::Finish(Request& request, Attempt attempt) {
  if (request.options.durability == Durability::kBuffered) attempt.result.ticket = buffered_.Add(attempt.append);
  request.result = std::move(attempt.result);
}

std::optional<ConversationHead> Appender::Known(const ConversationKey& key) {
  const std::scoped_lock lock(heads_mutex_);
  const auto known = heads_.find(key.conv);
  return known == heads_.end() ? std::nullopt : std::optional(known->second);
}

// Of two threads that keep one, the later append counts.
void Appender::Keep(ConversationHead head) {
  const std::scoped_lock lock(heads_mutex_);
  if (heads_.size() >= kHeadsKept) heads_.clear();
  const auto [known, is_new] = heads_.try_emplace(head.key.conv, head);
  if (!is_new && known->second.last_seq < head.last_seq) known->second = std::move(head);
}

void Appender::Forget(const ConversationKey& key) {
  const std::scoped_lock lock(heads_mutex_);
  heads_.erase(key.conv);
}

}  // namespace turnlog
