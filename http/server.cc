// Accepts connections. Each `co_await` is a statement of its own, with named operands: g++ 12 compiles others wrongly.
#include "http/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errno_text.h"
#include "base/try.h"
#include "http/body_room.h"
#include "http/server_connection.h"

namespace turnlog {
namespace {

namespace asio = boost::asio;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kExpiryStep{500};   // how late a connection may be closed
constexpr std::chrono::milliseconds kAcceptAgain{100};  // after the system had no descriptor to spare

class Server : public HttpServer, private ConnectionOwner {
 public:
  Server(const HttpLimits& limits, TlsServer* tls) : limits_(limits), tls_(tls), bodies_(limits.body_memory) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // NOLINTNEXTLINE(bugprone-exception-escape): only what cannot allocate memory throws.
  ~Server() override { Server::Stop(std::chrono::seconds(1)); }

  void Add(ListeningSocket socket);
  Status Start(HttpApplication& application, unsigned threads) override;

  std::span<const SocketAddress> addresses() const override { return addresses_; }
  std::size_t connections() const override {
    const std::scoped_lock lock(mutex_);
    return connections_.size();
  }
  std::uint64_t body_memory() const override { return bodies_.taken(); }
  void Stop(std::chrono::milliseconds grace) override;

 private:
  using Strand = asio::strand<asio::io_context::executor_type>;

  using Clock = ServerConnection::Clock;

  struct Listener {
    Listener(const Strand& strand, int number, bool is_local)
        : descriptor(strand, number), timer(strand), local(is_local) {}
    asio::posix::stream_descriptor descriptor;
    asio::steady_timer timer;
    bool local;
  };

  HttpApplication& application() override { return *application_; }
  const HttpLimits& limits() const override { return limits_; }
  BodyBudget& bodies() override { return bodies_; }
  MessageLoop& messages() override { return messages_; }
  bool BeginStay() override;
  void EndStay() override { --staying_; }
  void Remove(ServerConnection& connection) override;

  asio::awaitable<void> AcceptAll(Listener& listener);
  void Accept(SocketDescriptor socket, bool local);
  std::vector<std::shared_ptr<ServerConnection>> All();
  void ForAll(void (ServerConnection::*action)());
  asio::awaitable<void> ExpireAll();

  HttpApplication* application_ = nullptr;
  const HttpLimits limits_;
  TlsServer* const tls_;
  std::vector<SocketAddress> addresses_;
  BodyBudget bodies_;
  MessageLoop messages_;

  mutable std::mutex mutex_;
  std::condition_variable none_left_;
  std::unordered_map<ServerConnection*, std::weak_ptr<ServerConnection>> connections_;
  std::array<std::size_t, 2> counts_{};  // from elsewhere, and local ones, which the others cannot keep out
  std::atomic<bool> stopping_ = false;

  asio::io_context io_;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  asio::steady_timer expiry_{asio::make_strand(io_)};
  std::atomic<unsigned> staying_ = 0;
  unsigned most_staying_ = 0;  // the other threads are left for all others
  std::vector<std::thread> threads_;
};

void Server::Add(ListeningSocket socket) {
  const bool local = socket.address.local();
  listeners_.push_back(std::make_unique<Listener>(asio::make_strand(io_), socket.descriptor.Release(), local));
  addresses_.push_back(std::move(socket.address));
}

Status Server::Start(HttpApplication& application, unsigned threads) {
  if (!messages_.Start()) return std::unexpected(Error{ErrorCode::kIo, "the service: " + ErrnoText(errno)});
  application_ = &application;
  most_staying_ = threads * 3 / 4;
  for (const auto& listener : listeners_) {
    asio::co_spawn(listener->descriptor.get_executor(), AcceptAll(*listener), [](const std::exception_ptr&) {});
  }
  asio::co_spawn(expiry_.get_executor(), ExpireAll(), [](const std::exception_ptr&) {});
  work_.emplace(io_.get_executor());
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { io_.run(); });
  return {};
}

asio::awaitable<void> Server::AcceptAll(Listener& listener) {
  while (!stopping_) {
    const auto [error] = co_await listener.descriptor.async_wait(asio::posix::stream_descriptor::wait_read, kNoThrow);
    if (error) co_return;
    SocketDescriptor socket(
        ::accept4(listener.descriptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.open()) {
      try {
        Accept(std::move(socket), listener.local);
      } catch (const std::bad_alloc&) {
        continue;  // this one is closed; the next ones may find memory again
      }
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      listener.timer.expires_after(kAcceptAgain);
      [[maybe_unused]] const auto [waited] = co_await listener.timer.async_wait(kNoThrow);
    }
  }
}

void Server::Accept(SocketDescriptor socket, bool local) {
  const int on = 1;
  if (!local) (void)::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto channel = local || tls_ == nullptr ? PlainChannel(socket.number()) : tls_->Accept(socket.number());
  if (channel == nullptr) return;
  const auto connection = std::make_shared<ServerConnection>(
      static_cast<ConnectionOwner&>(*this), asio::make_strand(io_), std::move(socket), std::move(channel), local);
  {
    const std::scoped_lock lock(mutex_);
    const std::size_t count = ++counts_[local];
    connections_.emplace(connection.get(), connection);
    if (count > limits_.connections || stopping_) return;  // which closes it
  }
  connection->Start();
}

bool Server::BeginStay() {
  if (++staying_ <= most_staying_) return true;
  --staying_;
  return false;
}

void Server::Remove(ServerConnection& connection) {
  const std::scoped_lock lock(mutex_);
  connections_.erase(&connection);
  --counts_[connection.local()];
  if (connections_.empty()) none_left_.notify_all();
}

// A connection's deadline is a number that it sets; no timer is made for it.
asio::awaitable<void> Server::ExpireAll() {
  while (!stopping_) {
    expiry_.expires_after(kExpiryStep);
    [[maybe_unused]] const auto [waited] = co_await expiry_.async_wait(kNoThrow);
    const auto now = Clock::now();
    try {
      for (const auto& connection : All()) {
        if (connection->deadline() <= now) connection->Expire();
      }
    } catch (const std::bad_alloc&) {
      continue;  // later
    }
  }
}

std::vector<std::shared_ptr<ServerConnection>> Server::All() {
  std::vector<std::shared_ptr<ServerConnection>> all;
  const std::scoped_lock lock(mutex_);
  all.reserve(connections_.size());
  for (const auto& [key, weak] : connections_) {
    if (auto connection = weak.lock()) all.push_back(std::move(connection));
  }
  return all;
}

void Server::ForAll(void (ServerConnection::*action)()) {
  for (const auto& connection : All()) (connection.get()->*action)();
}

void Server::Stop(std::chrono::milliseconds grace) {
  if (threads_.empty()) return;
  stopping_ = true;
  for (const auto& listener : listeners_) {
    asio::post(listener->descriptor.get_executor(), [&each = *listener] {
      boost::system::error_code ignored;
      (void)each.descriptor.close(ignored);
      each.timer.cancel();
    });
  }
  asio::post(expiry_.get_executor(), [this] { expiry_.cancel(); });
  messages_.Stop();
  ForAll(&ServerConnection::BeginStop);
  const auto none = [this] { return connections_.empty(); };
  std::unique_lock lock(mutex_);
  if (!none_left_.wait_for(lock, grace, none)) {
    lock.unlock();
    ForAll(&ServerConnection::Cut);
    lock.lock();
    none_left_.wait(lock, none);
  }
  lock.unlock();
  work_.reset();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace

std::unique_ptr<HttpServer> HttpServer::Make(std::vector<ListeningSocket> sockets, const HttpLimits& limits,
                                             TlsServer* tls) {
  auto server = std::make_unique<Server>(limits, tls);
  for (ListeningSocket& each : sockets) server->Add(std::move(each));
  return server;
}

}  // namespace turnlog
