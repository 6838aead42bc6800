#include "service/unfinished_states.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "service/event_feed.h"
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
  const auto newer = [](const ConversationInfo& left, const ConversationInfo& right) {
    return left.last_time > right.last_time;
  };
  std::vector<ConversationInfo> newest;
  for (std::string after;;) {
    auto page = TURNLOG_TRY(log.List(after, kPage));
    if (page.empty()) break;
    after = page.back().id;
    std::ranges::move(page, std::back_inserter(newest));
    const std::size_t keep = std::min(newest.size(), kNewest);
    std::ranges::partial_sort(newest, newest.begin() + static_cast<std::ptrdiff_t>(keep), newer);
    newest.resize(keep);
  }
  for (ConversationInfo& info : newest) ids.insert(std::move(info.id));
  return {};
}

// A conversation that cannot be read is left out: its damage is an event of a stream that reads it.
bool IsUnfinished(Log& log, const std::string& conversation) {
  const auto id = ConversationId::Parse(conversation);
  if (!id) return false;
  const auto state = LoadTurnState(log, *id);
  return state && state->activity() != Activity::kIdle;
}

Result<std::shared_ptr<const StateSnapshot>> ReadStates(Log& log) {
  std::set<std::string> ids;
  TURNLOG_TRY(AddPending(log, ids));
  TURNLOG_TRY(AddNewest(log, ids));
  auto snapshot = std::make_shared<StateSnapshot>();
  for (const std::string& id : ids) {
    if (!IsUnfinished(log, id)) continue;
    auto entry = StateEntry(log, id);
    if (!entry) continue;
    snapshot->bytes += entry->text.size();
    snapshot->states.push_back(std::move(entry->text));
    if (snapshot->bytes > kMostBytes) break;
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
