// A bounded number of connections, shared by the threads of a log. They are opened when needed, and again after the
// server was restarted or replaced.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/try.h"
#include "store/sql/connection.h"

namespace turnlog {

struct PoolOptions {
  std::string url;
  std::string name;  // of this program, for the server's lists
  bool read_only = false;
  std::size_t connections = 8;  // at most
  // For which calls try again while there is no server, e.g. in a failover, or a lock is held.
  std::chrono::milliseconds patience{30'000};
};

class ConnectionPool {
 public:
  explicit ConnectionPool(PoolOptions options) : options_(std::move(options)) {}

  // A connection for one thread, until it is destroyed. REQUIRES: the thread has none yet.
  class Lease {
   public:
    Lease(ConnectionPool& pool, std::unique_ptr<Connection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_ != nullptr) pool_->Return(std::move(connection_));
    }
    Connection& operator*() { return *connection_; }
    Connection* operator->() { return connection_.get(); }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  // Waits for a free connection. kNeedsReopen after Close.
  Result<Lease> Take() { return Take(options_.patience); }
  // The same, but fails at once if there is no server: what opens a store must not wait for a wrong URL.
  Result<Lease> TakeFirst() { return Take(std::chrono::milliseconds(0)); }

  // Calls `ask(connection)`, which only reads, until it has an answer: again after a lost connection.
  template <class AskFn>
  auto Read(AskFn ask) -> Result<typename decltype(ask(std::declval<Connection&>()))::value_type> {
    for (Retry retry(*this);;) {
      auto answer = [&]() -> Result<decltype(ask(std::declval<Connection&>()))> {
        Lease lease = TURNLOG_TRY(Take());
        return ask(*lease);
      }();
      if (!answer) return std::unexpected(std::move(answer).error());
      if (*answer) return **std::move(answer);
      if (!retry.Again(answer->error())) return std::unexpected(Error(answer->error()));
    }
  }

  // Decides whether a call is repeated after a failure, and waits before it.
  class Retry {
   public:
    explicit Retry(ConnectionPool& pool) : Retry(pool, pool.options_.patience) {}
    Retry(ConnectionPool& pool, std::chrono::milliseconds patience)
        : pool_(pool), end_(std::chrono::steady_clock::now() + patience) {}
    // After a failure that may pass. One of those is a lock, for as long as tables are being rewritten.
    bool Again(const SqlError& error);
    // Waits a little, longer each time, and not for all threads alike.
    bool Wait();

   private:
    ConnectionPool& pool_;
    const std::chrono::steady_clock::time_point end_;
    unsigned tries_ = 0;
    bool locked_ = false;  // before, while no table was being rewritten
  };

  bool read_only() const { return options_.read_only; }
  // How many connections have been opened so far; the last one has this number.
  std::uint64_t opened() const { return opened_; }
  // Calls that wait or come later fail; connections are closed as they come back.
  void Close();
  Status MustBeOpen() const;

 private:
  void Return(std::unique_ptr<Connection> connection);
  Result<Lease> Take(std::chrono::milliseconds patience);
  Result<std::unique_ptr<Connection>> Open();
  bool IsRewriting();

  const PoolOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t taken_ = 0;
  std::atomic<std::uint64_t> opened_ = 0;
  bool closed_ = false;
};

}  // namespace turnlog
