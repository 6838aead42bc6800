// What the conversations that are not finished are doing: with it event streams of all conversations begin.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/secret_string.h"
#include "turnlog/log.h"

namespace turnlog {

// The texts of `state` events, by conversation id. They may be redacted later, and are wiped.
struct StateSnapshot {
  std::vector<std::shared_ptr<const SecretString>> states;
};

// Threads: all members may be called from any thread at once.
class UnfinishedStates {
 public:
  explicit UnfinishedStates(Log& log) : log_(log) {}

  // Of the conversations in which an inquiry is pending, and at least of the newest others: some hundred, and some MiB.
  // Cost: the events appended since it was taken last, and the last turns of their conversations. The first time, and
  // after many events, a list of all conversations, and the last turns of those.
  Result<std::shared_ptr<const StateSnapshot>> Take();
  // Contents were redacted or erased.
  void Forget();

 private:
  Status ReadAll(const Position& end);
  Result<bool> ReadAppended();
  void Read(const std::string& conversation);

  Log& log_;
  std::mutex mutex_;             // held while it reads, so that streams that begin at once share that
  std::optional<Position> end_;  // of the log when newest_ was taken
  Position read_;                // up to which states_ has what was appended; not before end_
  std::map<std::string, std::shared_ptr<const SecretString>> states_;  // none: nothing has been read
  std::shared_ptr<const StateSnapshot> newest_;
};

}  // namespace turnlog
