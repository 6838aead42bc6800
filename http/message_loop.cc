#include "http/message_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace turnlog {
namespace {

constexpr std::size_t kScratch = std::size_t{64} << 10;
constexpr std::size_t kLength = 8;
constexpr int kEventsAtOnce = 64;

// Of the message at the beginning; more than any if its length has not come.
std::size_t LengthOf(std::string_view bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < kLength) return SIZE_MAX;
  std::memcpy(&length, bytes.data(), kLength);
  return length;
}

bool IsComplete(std::string_view bytes) { return bytes.size() >= kLength && bytes.size() - kLength >= LengthOf(bytes); }

bool IsTooLong(std::string_view bytes) {
  return bytes.size() >= kLength && LengthOf(bytes) > MessageHandler::kMaxMessage;
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

bool MessageLoop::Start() {
  events_ = SocketDescriptor(::epoll_create1(EPOLL_CLOEXEC));
  wake_ = SocketDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (!events_.open() || !wake_.open()) return false;
  if (::epoll_ctl(events_.number(), EPOLL_CTL_ADD, wake_.number(), &event) != 0) return false;
  scratch_.resize(kScratch);
  thread_ = std::thread([this] { Run(); });
  return true;
}

void MessageLoop::Add(Connection connection, std::string_view received) {
  auto peer = std::make_unique<Peer>();
  peer->connection = std::move(connection);
  peer->in.Append(received);
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return;
    added_.push_back(std::move(peer));
  }
  (void)::eventfd_write(wake_.number(), 1);
}

void MessageLoop::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  (void)::eventfd_write(wake_.number(), 1);
  thread_.join();
  peers_.clear();
  added_.clear();
}

void MessageLoop::Run() {
  while (!stopping_) {
    Wait(ready_.empty() ? -1 : 0);
    for (Peer* const peer : std::exchange(ready_, {})) Begin(*peer);
    EndRound();
  }
}

void MessageLoop::Wait(int milliseconds) {
  std::array<epoll_event, kEventsAtOnce> events{};
  const int count = ::epoll_wait(events_.number(), events.data(), kEventsAtOnce, milliseconds);
  for (int i = 0; i < count; ++i) {
    auto* const peer = static_cast<Peer*>(events[static_cast<std::size_t>(i)].data.ptr);
    peer == nullptr ? TakeAdded() : Serve(*peer);
  }
}

void MessageLoop::TakeAdded() {
  eventfd_t ignored = 0;
  (void)::eventfd_read(wake_.number(), &ignored);
  std::vector<std::unique_ptr<Peer>> added;
  {
    const std::scoped_lock lock(mutex_);
    added = std::exchange(added_, {});
  }
  for (auto& each : added) {
    Peer& peer = *each;
    const int socket = peer.connection.socket;
    peers_.emplace(socket, std::move(each));
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &peer}};
    if (::epoll_ctl(events_.number(), EPOLL_CTL_ADD, socket, &event) != 0) {
      Drop(peer);
    } else {
      Begin(peer);
    }
  }
}

// It can be read, or written to if an answer is left.
void MessageLoop::Serve(Peer& peer) {
  if (peer.answer) return;
  if (peer.blocked) {
    if (!Send(peer)) return Drop(peer);
    if (!peer.blocked) ready_.push_back(&peer);
    return;
  }
  if (!Receive(peer)) return Drop(peer);
  Begin(peer);
}

bool MessageLoop::Receive(Peer& peer) {
  const ssize_t got = ::recv(peer.connection.socket, scratch_.data(), scratch_.size(), MSG_DONTWAIT);
  if (got < 0) return WouldBlock();
  if (got == 0) return false;
  peer.in.Append({scratch_.data(), static_cast<std::size_t>(got)});
  ::explicit_bzero(scratch_.data(), static_cast<std::size_t>(got));
  return true;
}

void MessageLoop::Begin(Peer& peer) {
  if (IsTooLong(peer.in.view())) return Drop(peer);
  if (!IsComplete(peer.in.view()) || peer.answer) return;
  peer.connection.on_message();
  try {
    peer.answer = peer.connection.handler->Handle(peer.in.view().substr(kLength, LengthOf(peer.in.view())));
  } catch (const std::bad_alloc&) {
    return Drop(peer);
  }
  round_.push_back(&peer);
}

void MessageLoop::EndRound() {
  for (Peer* const peer : std::exchange(round_, {})) {
    if (!EndMessage(*peer)) {
      Drop(*peer);
    } else if (!peer->blocked && IsComplete(peer->in.view())) {
      ready_.push_back(peer);
    }
  }
}

bool MessageLoop::EndMessage(Peer& peer) {
  try {
    const std::string answer = std::exchange(peer.answer, {})();
    const std::uint64_t length = answer.size();
    peer.out.assign(reinterpret_cast<const char*>(&length), kLength).append(answer);
    peer.in = SecretString(peer.in.view().substr(kLength + LengthOf(peer.in.view())));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return Send(peer);
}

bool MessageLoop::Send(Peer& peer) {
  const std::string_view left = std::string_view(peer.out).substr(peer.sent);
  const ssize_t sent = ::send(peer.connection.socket, left.data(), left.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && !WouldBlock()) return false;
  peer.sent += sent > 0 ? static_cast<std::size_t>(sent) : 0;
  const bool blocked = peer.sent < peer.out.size();
  if (!blocked) peer.out.clear(), peer.sent = 0;
  if (blocked == std::exchange(peer.blocked, blocked)) return true;
  epoll_event event{.events = blocked ? EPOLLOUT : EPOLLIN, .data = {.ptr = &peer}};
  return ::epoll_ctl(events_.number(), EPOLL_CTL_MOD, peer.connection.socket, &event) == 0;
}

void MessageLoop::Drop(Peer& peer) {
  std::erase(round_, &peer);
  std::erase(ready_, &peer);
  const int socket = peer.connection.socket;
  (void)::epoll_ctl(events_.number(), EPOLL_CTL_DEL, socket, nullptr);
  peers_.erase(socket);
}

}  // namespace turnlog
