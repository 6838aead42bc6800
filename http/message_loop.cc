#include "http/message_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "base/coding.h"

namespace turnlog {
namespace {

constexpr std::size_t kScratch = std::size_t{64} << 10;
constexpr int kEventsAtOnce = 64;

// Of the message at the beginning, with its length; nothing: that has not come.
std::optional<std::size_t> SizeOf(std::string_view bytes) {
  if (bytes.size() < kMessageLength) return std::nullopt;
  const auto length = LoadLittle<std::uint64_t>(bytes.data());
  return kMessageLength + std::min<std::uint64_t>(length, kMaxMessage + 1);
}

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
  std::list<Peer> added(1);
  Peer& peer = added.front();
  peer.channel = PlainChannel(connection.socket);
  peer.connection = std::move(connection);
  peer.in.Append(received);
  peer.self = added.begin();
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return;
    added_.splice(added_.end(), added);
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
    for (Peer* const peer : std::exchange(ready_, {})) Do(&MessageLoop::Begin, *peer);
    for (Peer* const peer : std::exchange(round_, {})) Do(&MessageLoop::End, *peer);
  }
}

void MessageLoop::Wait(int milliseconds) {
  std::array<epoll_event, kEventsAtOnce> events{};
  const int count = ::epoll_wait(events_.number(), events.data(), kEventsAtOnce, milliseconds);
  for (int i = 0; i < count; ++i) {
    auto* const peer = static_cast<Peer*>(events[static_cast<std::size_t>(i)].data.ptr);
    peer == nullptr ? TakeAdded() : Do(&MessageLoop::Serve, *peer);
  }
}

void MessageLoop::TakeAdded() {
  eventfd_t ignored = 0;
  (void)::eventfd_read(wake_.number(), &ignored);
  std::list<Peer> added;
  {
    const std::scoped_lock lock(mutex_);
    added.swap(added_);
  }
  while (!added.empty()) {
    Peer& peer = added.front();
    peers_.splice(peers_.end(), added, peer.self);
    Do(&MessageLoop::Watch, peer);
  }
}

void MessageLoop::Do(bool (MessageLoop::*step)(Peer& peer), Peer& peer) {
  bool goes_on = false;
  try {
    goes_on = (this->*step)(peer);
  } catch (const std::exception&) {
    goes_on = false;  // as in a request, it costs the connection
  }
  if (!goes_on) Drop(peer);
}

void MessageLoop::Drop(Peer& peer) {
  std::erase(round_, &peer);
  std::erase(ready_, &peer);
  (void)::epoll_ctl(events_.number(), EPOLL_CTL_DEL, peer.connection.socket, nullptr);
  peers_.erase(peer.self);
}

bool MessageLoop::Watch(Peer& peer) {
  epoll_event event{.events = EPOLLIN, .data = {.ptr = &peer}};
  return ::epoll_ctl(events_.number(), EPOLL_CTL_ADD, peer.connection.socket, &event) == 0 && Begin(peer);
}

// It can be read, or written to if an answer is left.
bool MessageLoop::Serve(Peer& peer) {
  if (peer.answer) return true;
  if (!peer.blocked) return Receive(peer) && Begin(peer);
  return Send(peer);
}

bool MessageLoop::Receive(Peer& peer) {
  const Channel::Step step = peer.channel->Read(scratch_);
  if (step.state != Channel::State::kMoved) return step.state != Channel::State::kEnded;
  peer.in.Append({scratch_.data(), step.bytes});
  ::explicit_bzero(scratch_.data(), step.bytes);
  return true;
}

// Handles the next message, if all of it has come.
bool MessageLoop::Begin(Peer& peer) {
  const std::string_view received = peer.in.view();
  const auto size = SizeOf(received);
  if (size && *size > kMessageLength + kMaxMessage) return false;
  if (!size || received.size() < *size || peer.answer) return true;
  peer.connection.on_message();
  round_.push_back(&peer);
  peer.answer = peer.connection.handler->Handle(received.substr(kMessageLength, *size - kMessageLength));
  return true;
}

bool MessageLoop::End(Peer& peer) {
  const std::string answer = std::exchange(peer.answer, {})();
  peer.out.resize(kMessageLength);
  StoreLittle(peer.out.data(), std::uint64_t{answer.size()});
  peer.out += answer;
  peer.in = SecretString(peer.in.view().substr(*SizeOf(peer.in.view())));
  return Send(peer);
}

bool MessageLoop::Send(Peer& peer) {
  const Channel::Step step = peer.channel->Write(std::string_view(peer.out).substr(peer.sent));
  if (step.state == Channel::State::kEnded) return false;
  peer.sent += step.bytes;
  const bool blocked = peer.sent < peer.out.size();
  if (!blocked) {
    peer.out.clear(), peer.sent = 0;
    if (!peer.in.empty()) ready_.push_back(&peer);
  }
  if (blocked == std::exchange(peer.blocked, blocked)) return true;
  epoll_event event{.events = blocked ? EPOLLOUT : EPOLLIN, .data = {.ptr = &peer}};
  return ::epoll_ctl(events_.number(), EPOLL_CTL_MOD, peer.connection.socket, &event) == 0;
}

}  // namespace turnlog
