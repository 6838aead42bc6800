#include "http/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "http/socket.h"

namespace turnlog {
namespace {

class Plain : public Channel {
 public:
  explicit Plain(int socket) : socket_(socket) {}

  Step Read(std::span<char> out) override {
    return After([&] { return ::recv(socket_, out.data(), out.size(), 0); }, State::kWantsRead);
  }
  // Not by a receive that blocks: that would also be woken each time the other side has read what was sent to it.
  Step ReadWithin(std::span<char> out, std::chrono::milliseconds time) override {
    return AwaitEvents(socket_, POLLIN, time) == 0 ? Read(out) : Step{State::kWantsRead, 0};
  }
  Step Write(std::string_view bytes) override {
    return After([&] { return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }, State::kWantsWrite);
  }
  bool silent() override { return Peek() < 0; }
  bool ended() override { return Peek() == 0; }
  void EndWriting() override { (void)::shutdown(socket_, SHUT_WR); }

 private:
  // -1: nothing, 0: the end.
  ssize_t Peek() const {
    char next = 0;
    const ssize_t got = ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR ? 0 : got;
  }

  static Step After(const auto& call, State blocked) {
    for (;;) {
      const ssize_t moved = call();
      if (moved > 0) return {State::kMoved, static_cast<std::size_t>(moved)};
      if (moved == 0) return {};
      if (errno == EAGAIN || errno == EWOULDBLOCK) return {blocked, 0};
      if (errno != EINTR) return {};
    }
  }

  const int socket_;
};

}  // namespace

std::unique_ptr<Channel> PlainChannel(int socket) { return std::make_unique<Plain>(socket); }

}  // namespace turnlog
