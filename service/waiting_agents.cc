#include "service/waiting_agents.h"

#include <iterator>

namespace turnlog {

void WaitingAgent::Set(State state) {
  {
    const std::scoped_lock lock(mutex_);
    state_ = state;
    if (state == State::kGone) secret_ = SecretString();
  }
  changed_.notify_all();
}

std::optional<SecretString> WaitingAgent::Take() {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::kGiven) return std::nullopt;
  state_ = State::kTaken;
  return std::exchange(secret_, SecretString());
}

bool WaitingAgent::IsPromised() {
  const std::scoped_lock lock(mutex_);
  return state_ == State::kPromised;
}

void WaitingAgent::Confirm() {
  {
    const std::scoped_lock lock(mutex_);
    if (state_ != State::kTaken) return;
    state_ = State::kPassed;
  }
  changed_.notify_all();
}

void WaitingAgent::Leave() {
  {
    const std::scoped_lock lock(mutex_);
    if (state_ == State::kPassed) return;
  }
  Set(State::kGone);
}

bool WaitingAgent::Promise() {
  const std::scoped_lock lock(mutex_);
  if (!takes_secret_ || state_ != State::kWaiting) return false;
  state_ = State::kPromised;
  return true;
}

void WaitingAgent::Withdraw() {
  {
    const std::scoped_lock lock(mutex_);
    if (state_ == State::kPromised) state_ = State::kWaiting;
  }
  wake_();
}

bool WaitingAgent::Give(std::string_view secret, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  if (state_ != State::kPromised) return false;
  secret_ = SecretString(secret);
  state_ = State::kGiven;
  lock.unlock();
  wake_();
  lock.lock();
  changed_.wait_for(lock, timeout, [this] { return state_ == State::kPassed || state_ == State::kGone; });
  if (state_ == State::kPassed) return true;
  state_ = State::kGone;  // before it can be taken: its giver is told that it was not
  secret_ = SecretString();
  return false;
}

void WaitingAgents::Add(const std::string& conversation, const std::string& inquiry,
                        std::shared_ptr<WaitingAgent> agent) {
  const std::scoped_lock lock(mutex_);
  agents_.emplace(Key(conversation, inquiry), std::move(agent));
}

void WaitingAgents::Remove(const std::string& conversation, const std::string& inquiry, const WaitingAgent& agent) {
  const std::scoped_lock lock(mutex_);
  auto [entry, last] = agents_.equal_range({conversation, inquiry});
  while (entry != last && entry->second.get() != &agent) ++entry;
  if (entry != last) agents_.erase(entry);
}

bool WaitingAgents::AnyIn(const std::string& conversation) {
  const std::scoped_lock lock(mutex_);
  const auto first = agents_.lower_bound({conversation, ""});
  return first != agents_.end() && first->first.first == conversation;
}

std::shared_ptr<WaitingAgent> WaitingAgents::PromiseSecret(const std::string& conversation,
                                                           const std::string& inquiry) {
  const std::scoped_lock lock(mutex_);
  const auto [first, last] = agents_.equal_range({conversation, inquiry});
  for (auto entry = last; entry != first;) {
    --entry;
    if (entry->second->Promise()) return entry->second;
  }
  return nullptr;
}

}  // namespace turnlog
