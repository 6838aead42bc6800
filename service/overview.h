// What needs attention in all conversations: what the page shows first.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "service/attention.h"
#include "service/turn_summary.h"
#include "turnlog/log.h"

namespace turnlog {

// Threads: all members may be called from any thread at once.
class Overview {
 public:
  explicit Overview(Log& log) : log_(log) {}

  // The conversation has changed: what is known of it is read again when it is needed.
  void Forget(const std::string& conversation);
  // As GET /v1/overview. Cost: what waits, and the conversations that have not been seen; turns are read once.
  Result<std::string> ToJson(Timestamp now);
  // Everything has been seen, but for what is running. Cost: the conversations that had not been seen.
  Status MarkAllSeen(Timestamp now);

 private:
  struct Known {
    Seq last;
    TurnSummary summary;
  };

  Result<TurnSummary> SummaryOf(const ConversationInfo& info);

  Log& log_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;
};

}  // namespace turnlog
