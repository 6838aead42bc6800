#include "service/unfinished_states.h"

#include <set>
#include <string_view>
#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "service/event_feed.h"
#include "service/newest_conversations.h"
#include "service/state_json.h"
#include "turnlog/load_turn_state.h"

namespace turnlog {
namespace {

constexpr std::size_t kPage = 1000;
constexpr std::size_t kNewest = 300, kMostPending = 1000;
constexpr std::size_t kMostBytes = std::size_t{4} << 20;

Status AddPending(Log& log, std::set<std::string>& ids) {
  for (PendingInquiry& inquiry : TURNLOG_TRY(log.Pending({}))) {
    if (ids.size() >= kMostPending) return {};
    ids.insert(std::move(inquiry.conversation));
  }
  return {};
}

Status AddNewest(Log& log, std::set<std::string>& ids) {
  const auto page = [&](std::string_view after) { return log.List(after, kPage); };
  for (ConversationInfo& info : TURNLOG_TRY(NewestConversations(kNewest, page))) ids.insert(std::move(info.id));
  return {};
}

// Empty: it is finished, or cannot be read: its damage is an event of a stream that reads it.
std::string UnfinishedState(Log& log, const std::string& conversation) {
  const auto id = ConversationId::Parse(conversation);
  if (!id) return {};
  const auto info = log.Info(*id);
  const auto state = LoadTurnState(log, *id);
  if (!info || !state || state->activity() == Activity::kIdle) return {};
  return StateEvent(StateJson(*info, *state));
}

Result<std::shared_ptr<const StateSnapshot>> ReadStates(Log& log) {
  std::set<std::string> ids;
  TURNLOG_TRY(AddPending(log, ids));
  TURNLOG_TRY(AddNewest(log, ids));
  auto snapshot = std::make_shared<StateSnapshot>();
  std::size_t bytes = 0;
  for (const std::string& id : ids) {
    std::string state = UnfinishedState(log, id);
    if (state.empty()) continue;
    bytes += state.size();
    snapshot->states.push_back(std::move(state));
    if (bytes > kMostBytes) break;
  }
  return snapshot;
}

}  // namespace

StateSnapshot::~StateSnapshot() {
  for (std::string& state : states) Wipe(state);
}

Result<std::shared_ptr<const StateSnapshot>> UnfinishedStates::Take() {
  const std::scoped_lock lock(mutex_);
  const Position end = TURNLOG_TRY(log_.End());
  if (newest_ != nullptr && end_ == end) return newest_;
  newest_ = TURNLOG_TRY(ReadStates(log_));
  end_ = end;
  return newest_;
}

void UnfinishedStates::Forget() {
  const std::scoped_lock lock(mutex_);
  newest_.reset();
}

}  // namespace turnlog
