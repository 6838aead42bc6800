// What the conversations that are not finished are doing: with it event streams of all conversations begin.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// The texts of `state` events, by conversation id. They may be redacted later, and are wiped.
struct StateSnapshot {
  StateSnapshot() = default;
  StateSnapshot(const StateSnapshot&) = delete;
  StateSnapshot& operator=(const StateSnapshot&) = delete;
  ~StateSnapshot();

  std::vector<std::string> states;
};

// Threads: all members may be called from any thread at once.
class UnfinishedStates {
 public:
  explicit UnfinishedStates(Log& log) : log_(log) {}

  // Of the conversations in which an inquiry is pending, and of the newest others: at most some hundred, and some MiB.
  // Cost: a list of all conversations and the last turns of those, once until something is appended.
  Result<std::shared_ptr<const StateSnapshot>> Take();
  // Contents were redacted or erased.
  void Forget();

 private:
  Log& log_;
  std::mutex mutex_;  // held while it reads, so that streams that begin at once share that
  std::optional<Position> end_;
  std::shared_ptr<const StateSnapshot> newest_;  // as of end_, or later
};

}  // namespace turnlog
