#include "store/sql/append_hints.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::chrono::milliseconds kBetweenHints{10}, kBetweenConnections{1'000};

}  // namespace

AppendHints::AppendHints(ConnectionPool& pool, PoolOptions options, const std::string& store_id,
                         std::function<void()> on_hint)
    : pool_(pool),
      options_(std::move(options)),
      channel_("turnlog_" + store_id),
      on_hint_(std::move(on_hint)),
      stop_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

AppendHints::~AppendHints() {
  Stop();
  if (stop_event_ >= 0) ::close(stop_event_);
}

void AppendHints::Stop() {
  std::thread sender, listener;
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    sender.swap(sender_);
    listener.swap(listener_);
  }
  changed_.notify_all();
  (void)::eventfd_write(stop_event_, 1);
  if (sender.joinable()) sender.join();
  if (listener.joinable()) listener.join();
}

bool AppendHints::Pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [&] { return stopped_; });
}

// --- Sending ---

void AppendHints::Send() {
  if (appended_.exchange(true)) return;
  {
    const std::scoped_lock lock(mutex_);
    if (!stopped_ && !sender_.joinable()) sender_ = std::thread([this] { SendAll(); });
  }
  changed_.notify_all();
}

void AppendHints::SendAll() {
  do {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || appended_; });
    if (stopped_) return;
    appended_ = false;
    lock.unlock();
    (void)SendOne();
  } while (Pause(kBetweenHints));
}

SqlStatus AppendHints::SendOne() {
  ConnectionPool::Lease connection = TURNLOG_TRY(pool_.Take());
  // It need not wait for the disk. The channel's name is of our making.
  return connection->Execute("BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_notify('" + channel_ +
                             "', ''); COMMIT");
}

// --- Listening ---

void AppendHints::Listen() {
  if (listening_.exchange(true)) return;
  const std::scoped_lock lock(mutex_);
  if (!stopped_ && stop_event_ >= 0) listener_ = std::thread([this] { ListenOn(); });
}

// Until it is stopped, or the server refuses: a standby, or an engine without it.
void AppendHints::ListenOn() {
  for (;;) {
    const SqlStatus ended = ListenOnce();
    if (ended || ended.error().kind() != SqlFailureKind::kLost || !Pause(kBetweenConnections)) return;
  }
}

SqlStatus AppendHints::ListenOnce() {
  const auto connection = TURNLOG_TRY(Connection::Open(options_.url, options_.name));
  TURNLOG_TRY(connection->Execute("LISTEN " + channel_));
  while (TURNLOG_TRY(connection->AwaitNotification(stop_event_))) on_hint_();
  return {};
}

}  // namespace turnlog
