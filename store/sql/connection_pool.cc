#include "store/sql/connection_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

namespace turnlog {
namespace {

// Of every session. A transaction that hangs would stop all writers of its lane. The first time-out is for statements
// that are sent one by one: to the server, an append that has arrived in part is not idle.
constexpr const char* kSession =
    "SET idle_in_transaction_session_timeout = '60s'; SET lock_timeout = '{}ms'; "
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";
constexpr std::chrono::milliseconds kLeastLockTimeout{1000};  // many times longer than an append
// A failing statement must not quote its parameters in the server's log. Servers before 13 do not do it, nor know this.
constexpr const char* kQuietSession = "SET log_parameter_max_length_on_error = 0";
// Every statement here finds a few rows by a key, whatever the statistics say: a table that looks small has many dead
// rows between vacuums. Where there is no index to use, the planner counts a scan as so dear that it would compile it.
// Only PostgreSQL knows these.
constexpr const char* kPlans =
    "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off; SET jit = off";
// VACUUM (FULL), of which a purge consists. Servers before 12 and other engines do not have the view.
const SqlStatement kRewrites{"turnlog_rewrites",
                             "SELECT count(*) FROM pg_stat_progress_cluster WHERE datname = current_database()"};
constexpr const char* kReadOnlySession = "SET default_transaction_read_only = on";

}  // namespace

Result<ConnectionPool::Lease> ConnectionPool::Take(std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return closed_ || taken_ < options_.connections; });
    if (closed_) return std::unexpected(Error{ErrorCode::kNeedsReopen, "the store has been closed"});
    ++taken_;
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(connection));
    }
  }
  auto opened = Open();
  for (Retry retry(*this, patience); !opened && opened.error().code == ErrorCode::kIo && retry.Wait();) opened = Open();
  if (opened) return Lease(*this, *std::move(opened));
  Return(nullptr);
  return std::unexpected(std::move(opened).error());
}

Result<std::unique_ptr<Connection>> ConnectionPool::Open() {
  auto connection = TURNLOG_TRY(Connection::Open(options_.url, options_.name));
  connection->set_number(++opened_);
  const auto longest = std::max(options_.patience / 3, kLeastLockTimeout);
  TURNLOG_TRY(connection->Execute(fmt::format(kSession, longest.count())));
  (void)connection->Execute(kQuietSession);
  (void)connection->Execute(kPlans);
  if (options_.read_only) TURNLOG_TRY(connection->Execute(kReadOnlySession));
  return connection;
}

void ConnectionPool::Return(std::unique_ptr<Connection> connection) {
  {
    const std::scoped_lock lock(mutex_);
    --taken_;
    if (connection != nullptr && !closed_ && connection->usable()) {
      idle_.push_back(std::move(connection));
    } else if (connection != nullptr) {
      idle_.clear();  // the others have most likely lost their server, too
    }
  }
  returned_.notify_one();
}

void ConnectionPool::Close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  idle_.clear();
  returned_.notify_all();
}

Status ConnectionPool::MustBeOpen() const {
  const std::scoped_lock lock(mutex_);
  if (closed_) return std::unexpected(Error{ErrorCode::kNeedsReopen, "the store has been closed"});
  return {};
}

bool ConnectionPool::IsRewriting() {
  auto connection = TakeFirst();
  if (!connection) return false;
  const auto rewrites = (**connection).Run(kRewrites);
  return rewrites && rewrites->Integer(0, 0) > 0;
}

bool ConnectionPool::Retry::Again(const SqlError& error) {
  if (error.kind() == SqlFailureKind::kOther) return false;
  if (error.kind() != SqlFailureKind::kLocked) return Wait();
  // Between two tables, and while the files of the last one are removed, no table is being rewritten.
  return (pool_.IsRewriting() || !std::exchange(locked_, true)) && pool_.MustBeOpen();
}

bool ConnectionPool::Retry::Wait() {
  if (std::chrono::steady_clock::now() >= end_ || !pool_.MustBeOpen()) return false;
  thread_local std::minstd_rand random(std::random_device{}());
  const unsigned longest = std::min(1U << std::min(tries_++, 8U), 200U);
  std::this_thread::sleep_for(std::chrono::milliseconds(random() % longest));
  return true;
}

}  // namespace turnlog
