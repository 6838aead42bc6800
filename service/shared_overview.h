// The overview as text, computed once for all who want the same moment of it.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "service/overview.h"

namespace turnlog {

// Threads: all members may be called from any thread at once.
class SharedOverview {
 public:
  using Clock = std::chrono::steady_clock;

  explicit SharedOverview(Overview& overview) : overview_(overview) {}

  // It has everything that had been appended at that moment. Whoever comes while it is being computed waits.
  Result<std::shared_ptr<const std::string>> NotBefore(Clock::time_point moment);
  // What was redacted may be in the text: it is wiped as soon as nobody has it any more.
  void Forget();

 private:
  Overview& overview_;
  std::mutex mutex_;
  std::shared_ptr<const std::string> text_;
  Clock::time_point begun_;
};

}  // namespace turnlog
