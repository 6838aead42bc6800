// Agents that wait for answers, and the secrets that are handed over to them in memory.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/secret_string.h"

namespace turnlog {

// An agent that waits for the answer to one inquiry. If that is a secret, it is promised, recorded as given, and given.
class WaitingAgent {
 public:
  WaitingAgent(bool takes_secret, std::function<void()> wake) : takes_secret_(takes_secret), wake_(std::move(wake)) {}

  // --- For the agent's connection ---

  // The secret, once it is there.
  std::optional<SecretString> Take();
  // While this is so, the answer that is on record is not all there is to it.
  bool IsPromised();
  // What was taken has been passed to the agent's system.
  void Confirm();
  // The connection is lost.
  void Leave();

  // --- For the handler that gets the secret ---

  // False: it takes none, or another one was promised.
  bool Promise();
  // Takes the promise back.
  void Withdraw();
  // REQUIRES: promised. False: it was not passed on within this time.
  bool Give(std::string_view secret, std::chrono::milliseconds timeout);

 private:
  enum class State { kWaiting, kPromised, kGiven, kTaken, kPassed, kGone };

  void Set(State state);

  const bool takes_secret_;
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kWaiting;
  SecretString secret_;
};

// Threads: all members may be called from any thread at once.
class WaitingAgents {
 public:
  void Add(const std::string& conversation, const std::string& inquiry, std::shared_ptr<WaitingAgent> agent);
  void Remove(const std::string& conversation, const std::string& inquiry, const WaitingAgent& agent);
  // Whether an agent waits for the answer to any inquiry of this conversation.
  bool AnyIn(const std::string& conversation);
  // The last one that has come to wait for a secret, which is promised to it now; null: none waits.
  std::shared_ptr<WaitingAgent> PromiseSecret(const std::string& conversation, const std::string& inquiry);

 private:
  using Key = std::pair<std::string, std::string>;

  std::mutex mutex_;
  std::multimap<Key, std::shared_ptr<WaitingAgent>> agents_;
};

}  // namespace turnlog
