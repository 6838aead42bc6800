#include "store/sql/appender.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "log/append_checks.h"
#include "store/sql/append_calls.h"

namespace turnlog {
namespace {

constexpr std::size_t kMostTogether = 32;
constexpr std::size_t kHeadsKept = 4096;  // of a group

const SqlStatement kFindIds{"turnlog_event_id_find",
                            "SELECT i.id, i.seq, e.state FROM turnlog_event_id i LEFT JOIN turnlog_event e ON e.lane = "
                            "i.lane AND e.conv = i.conv AND e.seq = i.seq WHERE i.lane = $1 AND i.conv = $2 AND "
                            "i.id = ANY($3)"};
const SqlStatement kFindTag{"turnlog_event_tag",
                            "SELECT tag FROM turnlog_event WHERE lane = $1 AND conv = $2 AND seq = $3"};

}  // namespace

Result<AppendResult> Appender::Append(const ConversationId& conversation, EncodedEvents events,
                                      const AppendOptions& options) {
  const ConversationKey key = ConversationKey::Of(store_, conversation.text());
  Request request{.name = conversation.text(),
                  .key = key,
                  .events = std::move(events),
                  .options = options,
                  .tag = NewAppendTag(),
                  .in_doubt = {},
                  .result = {}};
  Group& group = groups_[key.lane % groups_.size()];
  std::unique_lock lock(group.mutex);
  group.waiting.push_back(&request);
  while (!request.result) {
    if (group.has_leader) {
      group.changed.wait(lock);
      continue;
    }
    group.has_leader = true;
    const std::size_t count = std::min(group.waiting.size(), kMostTogether);
    std::vector<Request*> taken(group.waiting.begin(), group.waiting.begin() + static_cast<std::ptrdiff_t>(count));
    group.waiting.erase(group.waiting.begin(), group.waiting.begin() + static_cast<std::ptrdiff_t>(count));
    lock.unlock();
    WriteTogether(group, taken);
    lock.lock();
    group.has_leader = false;
    group.changed.notify_all();
  }
  return *std::move(request.result);
}

// Every request has a result afterwards. Optimistic: heads are as this process knows them, and event ids new. What is
// refused or fails is judged again from the stored state, alone.
void Appender::WriteTogether(Group& group, std::span<Request*> requests) {
  // In this order, transactions of different processes never wait for each other in a circle.
  std::ranges::stable_sort(requests, {}, &Request::key);
  const auto write = [&]() -> SqlStatus {
    ConnectionPool::Lease connection = TURNLOG_TRY(pool_.Take());
    if (!FindHeads(group, *connection, requests)) return {};
    std::unordered_map<Hash128, ConversationHead> heads;
    std::vector<std::pair<Request*, AppendPlan>> planned;
    Durability durability = Durability::kBuffered;
    for (Request* request : requests) {
      const ConversationHead& head = heads.try_emplace(request->key.conv, group.heads[request->key.conv]).first->second;
      if (head.name != request->name) continue;
      (void)MarkRepeats(request->events, head.last_seq + 1, [](const Hash128&) { return std::nullopt; });
      if (!CheckExpected(request->options.expected_last, head.last_seq)) continue;
      if (!RefuseSecrets(head.open, request->events)) continue;
      planned.emplace_back(request, PlanAppend(head, request->events, request->tag));
      heads[request->key.conv] = planned.back().second.after;
      if (request->options.durability == Durability::kSync) durability = Durability::kSync;
    }
    if (planned.empty()) return {};
    SqlTransaction transaction(durability);
    for (const auto& [request, plan] : planned) transaction.Append(plan);
    const auto done = connection->RunAll(transaction.Finish());
    for (auto& [request, plan] : planned) {
      if (done) {
        request->result = ResultOf(*request);
        Keep(group, std::move(plan.after));
      } else {
        group.heads.erase(request->key.conv);
        if (done.error().kind() == SqlFailureKind::kLost) {
          request->in_doubt.push_back({plan.first_seq(), ResultOf(*request)});
        }
      }
    }
    return {};
  }();
  for (Request* request : requests) {
    if (request->result) continue;
    if (write) {
      WriteAlone(group, *request);
    } else {
      request->result = std::unexpected(Error(write.error()));
    }
  }
}

// Adds the heads that are not known yet.
SqlStatus Appender::FindHeads(Group& group, Connection& connection, std::span<Request*> requests) {
  std::vector<Request*> unknown;
  std::vector<SqlCall> calls;
  for (Request* request : requests) {
    const bool again = !unknown.empty() && unknown.back()->key == request->key;
    if (again || group.heads.contains(request->key.conv)) continue;
    unknown.push_back(request);
    calls.push_back(FindHead(request->key));
  }
  if (calls.empty()) return {};
  const auto found = TURNLOG_TRY(connection.RunAll(calls));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    auto head = HeadFound(found[i], unknown[i]->key, unknown[i]->name);
    Keep(group, head ? *std::move(head) : ConversationHead{});  // an error is found again by WriteAlone
  }
  return {};
}

void Appender::WriteAlone(Group& group, Request& request) {
  for (ConnectionPool::Retry retry(pool_); !request.result;) {
    const SqlStatus done = TryAlone(group, request);
    if (!done && (done.error().kind() == SqlFailureKind::kOther || !retry.Wait())) {
      request.result = std::unexpected(Error(done.error()));
    }
  }
}

// Sets the request's result if it succeeds.
SqlStatus Appender::TryAlone(Group& group, Request& request) {
  ConnectionPool::Lease connection = TURNLOG_TRY(pool_.Take());
  const State state = TURNLOG_TRY(FindState(*connection, request));
  // After the state was read: a refusal may be the effect of an attempt that was in doubt.
  if (TURNLOG_TRY(ResolveDoubt(*connection, request))) return {};
  // A client that repeats an append after a lost acknowledgement cannot know later events: no check for repeats.
  if (MarkKnown(state, request.events) > 0) {
    TURNLOG_TRY(CheckExpected(request.options.expected_last, state.head.last_seq));
    TURNLOG_TRY(RefuseSecrets(state.head.open, request.events));
    AppendPlan plan = PlanAppend(state.head, request.events, request.tag);
    SqlTransaction transaction(request.options.durability);
    transaction.Append(plan);
    if (auto written = connection->RunAll(transaction.Finish()); !written) {
      if (written.error().kind() == SqlFailureKind::kLost) {
        request.in_doubt.push_back({plan.first_seq(), ResultOf(request)});
      }
      return std::unexpected(std::move(written).error());
    }
    Keep(group, std::move(plan.after));
  }
  request.result = ResultOf(request);
  return {};
}

// Returns how many events are new.
std::size_t Appender::MarkKnown(const State& state, EncodedEvents& events) {
  const std::size_t fresh =
      MarkRepeats(events, state.head.last_seq + 1, [&](const Hash128& id) -> std::optional<std::uint64_t> {
        const auto known = state.ids.find(id);
        if (known == state.ids.end()) return std::nullopt;
        return known->second.seq;
      });
  for (EncodedEvents::One& one : events.events) {
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
    SqlCall& call = calls.emplace_back(SqlCall{&kFindIds, request.key.Params()});
    call.params.Uuids(ids);
  }
  const auto found = TURNLOG_TRY(connection.RunAll(calls));
  State state{.head = TURNLOG_TRY(HeadFound(found[0], request.key, request.name)), .ids = {}};
  for (std::size_t row = 0; !ids.empty() && row < found[1].size(); ++row) {
    const bool redacted = found[1].Integer(row, 2) == static_cast<std::uint64_t>(EventState::kRedacted);
    state.ids.emplace(found[1].Uuid(row, 0), KnownId{.seq = found[1].Integer(row, 1), .redacted = redacted});
  }
  return state;
}

SqlResult<bool> Appender::ResolveDoubt(Connection& connection, Request& request) {
  for (const Attempt& attempt : request.in_doubt) {
    SqlParams params = request.key.Params();
    params.Big(attempt.first);
    const SqlRows rows = TURNLOG_TRY(connection.Run(kFindTag, std::move(params)));
    if (rows.size() == 0 || rows.Integer(0, 0) != request.tag) continue;
    request.result = attempt.result;
    return true;
  }
  return false;
}

// The ticket of a buffered append names the lane that Wait has to make durable.
AppendResult Appender::ResultOf(const Request& request) {
  const bool buffered = request.options.durability == Durability::kBuffered;
  AppendResult result{.events = {}, .ticket = {buffered ? request.key.lane + 1 : 0}};
  for (const EncodedEvents::One& one : request.events.events) result.events.push_back(one.result);
  return result;
}

void Appender::Keep(Group& group, ConversationHead head) {
  if (group.heads.size() >= kHeadsKept) group.heads.clear();
  group.heads.insert_or_assign(head.key.conv, std::move(head));
}

}  // namespace turnlog
