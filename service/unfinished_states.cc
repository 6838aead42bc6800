#include "service/unfinished_states.h"

#include <set>
#include <string_view>
#include <utility>
#include <variant>

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
// With more, all conversations are listed again: then that costs less, or too many have gone on without being finished.
constexpr std::size_t kMostAppended = 2000, kMostStates = kMostPending + 2 * kNewest;

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

std::shared_ptr<const StateSnapshot> SnapshotOf(
    const std::map<std::string, std::shared_ptr<const SecretString>>& states) {
  auto snapshot = std::make_shared<StateSnapshot>();
  std::size_t bytes = 0;
  for (const auto& [conversation, state] : states) {
    bytes += state->size();
    snapshot->states.push_back(state);
    if (bytes > kMostBytes) break;
  }
  return snapshot;
}

}  // namespace

Result<std::shared_ptr<const StateSnapshot>> UnfinishedStates::Take() {
  const std::scoped_lock lock(mutex_);
  const Position end = TURNLOG_TRY(log_.End());
  if (newest_ != nullptr && end_ == end) return newest_;
  const bool current = newest_ != nullptr && TURNLOG_TRY(ReadAppended());
  if (!current) TURNLOG_TRY(ReadAll(end));
  newest_ = SnapshotOf(states_);
  end_ = end;
  return newest_;
}

void UnfinishedStates::Forget() {
  const std::scoped_lock lock(mutex_);
  newest_.reset();
  states_.clear();
}

Status UnfinishedStates::ReadAll(const Position& end) {
  newest_.reset();
  states_.clear();
  read_ = end;
  std::set<std::string> ids;
  TURNLOG_TRY(AddPending(log_, ids));
  TURNLOG_TRY(AddNewest(log_, ids));
  for (const std::string& id : ids) Read(id);
  return {};
}

// False: it is too much, and some of it may have been read.
Result<bool> UnfinishedStates::ReadAppended() {
  const auto tail = TURNLOG_TRY(log_.Follow(read_));
  std::set<std::string> changed;
  for (std::size_t count = 0;; ++count) {
    const Item item = TURNLOG_TRY(tail->Next());
    if (std::holds_alternative<EndOfLog>(item)) break;
    if (const auto* record = std::get_if<Record>(&item)) changed.emplace(record->conversation);
    if (count == kMostAppended) return false;
  }
  read_ = tail->position();
  for (const std::string& conversation : changed) Read(conversation);
  return states_.size() <= kMostStates;
}

void UnfinishedStates::Read(const std::string& conversation) {
  std::string state = UnfinishedState(log_, conversation);
  if (state.empty()) {
    states_.erase(conversation);
  } else {
    states_[conversation] = std::make_shared<const SecretString>(state);
  }
  Wipe(state);
}

}  // namespace turnlog
