// Which questions this process has asked, and how far it has handed their answers on. Not on record: after a restart a
// tool begins again, and gets the answers that are on record in the order in which it asks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "turnlog/inquiry/inquirer.h"

namespace turnlog {

// Threads: all members may be called from any thread at once.
class AskedQuestions {
 public:
  using Ask = std::function<Result<Resolution>(std::uint32_t handed)>;

  // Runs `ask` unless another thread is asking the same question of the same call; then gives what that one gets, so
  // that no question is asked twice. `handed`: the attempt whose answer this process has handed on last, 0 if none.
  Result<Resolution> Once(const InquiryAttempt& attempt, const Ask& ask);
  // Answers up to the attempt of this number have been handed on.
  void Hand(const InquiryAttempt& attempt, std::uint32_t number);

  // This process asks it now; it waits for its user, perhaps for longer than this process lives.
  void Begin(const std::string& inquiry);
  void Defer(const std::string& inquiry);
  // Whether this process has begun to ask it, has not deferred it, and was kept from going on by an exception: one that
  // left Once, or, if `failing`, one that is on its way now.
  bool IsLost(const InquiryId& inquiry, bool failing) const;

 private:
  using Key = std::pair<std::string, std::string>;  // call, question id

  struct RunningQuestion {
    Question question;
    bool done = false;
    std::optional<Result<Resolution>> result;  // done, but none: it was left by an exception
  };

  mutable std::mutex mutex_;
  std::condition_variable done_;
  std::map<Key, std::shared_ptr<RunningQuestion>> running_;
  std::map<Key, std::uint32_t> handed_;
  std::set<std::string> begun_;
  std::set<Key> failed_;  // left by an exception
};

}  // namespace turnlog
