// Says that conversations are blocked, to those who do not look at the page. Without content: how many questions wait,
// and where to answer them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "service/notification_target.h"
#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct NotifierTimes {
  std::chrono::milliseconds gather{2'000};     // what blocks within it is one message; what is answered within it, none
  std::chrono::milliseconds interval{30'000};  // between two messages
  std::chrono::milliseconds attempt{10'000};
  std::vector<std::chrono::milliseconds> retries{std::chrono::seconds(1),
                                                 std::chrono::seconds(5)};  // waits before each
};

// One for each target, with a thread of its own, so that nothing waits for it. Threads: Wake may be called from any.
class Notifier {
 public:
  // Called from the notifier's thread after the last attempt.
  using OnOutcome = std::function<void(std::string_view kind, bool sent)>;

  // What waits already is a first message: at least once, whenever the service was stopped. `link`: of the page; may be
  // empty. `log` outlives it.
  Notifier(Log& log, std::unique_ptr<NotificationTarget> target, std::string link, NotifierTimes times,
           OnOutcome on_outcome);
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;
  // Gives up what is being sent.
  ~Notifier();

  // The log has changed.
  void Wake();

 private:
  using Inquiry = std::pair<std::string, std::uint64_t>;  // conversation, seq of the request

  // What waits, and the message that says so; empty if nothing has been added.
  struct News {
    std::set<Inquiry> waiting;
    std::string message;
  };

  void Run();
  bool Pause(std::unique_lock<std::mutex>& lock, std::chrono::milliseconds time);
  Result<News> Look();
  std::string MessageOf(const std::set<Inquiry>& waiting) const;
  // Whether it has arrived.
  bool Deliver(const std::string& message);

  Log& log_;
  const std::unique_ptr<NotificationTarget> target_;
  const std::string link_;
  const NotifierTimes times_;
  const OnOutcome on_outcome_;
  std::set<Inquiry> known_;  // what messages that have arrived have counted; only on the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  bool dirty_ = true, stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace turnlog
