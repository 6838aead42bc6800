// Tells other processes that something was appended, over NOTIFY and LISTEN where the server has them. Hints wake tails
// early; nothing depends on them: one may come late, twice, or never.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "store/sql/connection_pool.h"

namespace turnlog {

class AppendHints {
 public:
  // `pool` must outlive it; listening has a connection of its own. `on_hint` is called on a thread of this object.
  AppendHints(ConnectionPool& pool, PoolOptions options, const std::string& store_id, std::function<void()> on_hint);
  ~AppendHints();
  AppendHints(const AppendHints&) = delete;
  AppendHints& operator=(const AppendHints&) = delete;

  // Sends a hint soon, one for all appends of 10 ms, outside of their transactions: a transaction that notifies takes a
  // lock of the whole database. Costs the caller one atomic operation.
  void Send();
  // From now on, and again after a lost connection.
  void Listen();
  void Stop();

 private:
  void SendAll();
  SqlStatus SendOne();
  void ListenOn();
  SqlStatus ListenOnce();
  bool Pause(std::chrono::milliseconds time);  // false: stopped

  ConnectionPool& pool_;
  const PoolOptions options_;
  const std::string channel_;
  const std::function<void()> on_hint_;

  std::atomic<bool> appended_ = false, listening_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  const int stop_event_;  // readable once it is stopped
  std::thread sender_, listener_;
};

}  // namespace turnlog
