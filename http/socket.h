// Sockets by their address: a path, or a host and port.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "turnlog/result.h"

namespace turnlog {

struct SocketAddress {
  std::filesystem::path path;  // of a Unix socket; empty: TCP
  std::string host;            // of TCP: a numeric address, "127.0.0.1" or "::1"
  std::uint16_t port = 0;      // 0: when listening, a free one

  bool local() const { return !path.empty(); }
  std::string ToText() const;  // the path, or "127.0.0.1:8080", "[::1]:8080"
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080". kInvalidArgument otherwise.
Result<SocketAddress> ParseTcpAddress(std::string_view text);

// An open file descriptor.
class SocketDescriptor {
 public:
  SocketDescriptor() = default;
  explicit SocketDescriptor(int number) : number_(number) {}
  SocketDescriptor(SocketDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  SocketDescriptor& operator=(SocketDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~SocketDescriptor();

  int number() const { return number_; }
  int Release() { return std::exchange(number_, -1); }
  bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Non-blocking.
struct ListeningSocket {
  SocketDescriptor descriptor;
  SocketAddress address;  // with the port that is used
};

// A Unix socket gets mode 0600; one that is there already is replaced, so the caller must know that no other process
// serves it. kIo: the system's error.
Result<ListeningSocket> Listen(const SocketAddress& address);
// Takes over a descriptor that the process was started with. kInvalidArgument: it is no listening stream socket.
Result<ListeningSocket> InheritSocket(int number);
// Until the socket has one of these events of poll(2), or an error. 0, or the system's error: ETIMEDOUT.
int AwaitEvents(int socket, short events, std::chrono::milliseconds timeout);
// Non-blocking, connected. kNotFound: nothing listens there. kInvalidArgument: a Unix socket is not served by this
// user, by root, or by the owner of its folder. kIo: other errors of the system.
Result<SocketDescriptor> Connect(const SocketAddress& address, std::chrono::milliseconds timeout);

}  // namespace turnlog
