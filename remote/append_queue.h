// Appends of several threads in as few requests as possible: what comes while requests are on their way waits, and goes
// together with the next one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/wait_group.h"
#include "turnlog/log.h"

namespace turnlog {

// Threads: Append may be called from any thread at once.
class AppendQueue {
 public:
  using Outcomes = std::vector<Result<AppendResult>>;
  using Time = std::chrono::steady_clock::time_point;
  // Sends one request, and returns the outcome of each of its appends. Called on a thread that is in Append. `since`:
  // when the first of them came.
  using SendFn = std::function<Outcomes(std::span<const std::string_view> appends, Time since)>;

  explicit AppendQueue(SendFn send) : send_(std::move(send)) {}

  // `append`: encoded (append_batch.h). Blocks until it has been acknowledged or has failed.
  Result<AppendResult> Append(std::string_view append);
  // Appends that wait for a request.
  std::size_t waiting();

 private:
  // The appends of one request, and the threads that wait for them.
  struct Batch {
    std::vector<std::string_view> appends;
    std::size_t bytes = 0;
    const Time since = std::chrono::steady_clock::now();
    bool handed_over = false;  // to one of its threads, which has a request's turn
    Outcomes outcomes;
    WaitGroup done;
  };

  void Lead(const std::shared_ptr<Batch>& batch);
  void PassOn();

  const SendFn send_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Batch>> waiting_;  // each has room, but for the ones before the last
  unsigned on_their_way_ = 0;                   // requests, and turns that were handed over
  std::atomic<bool> crowded_ = false;           // several threads append
};

}  // namespace turnlog
