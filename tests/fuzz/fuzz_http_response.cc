// Any bytes as a server's answer: an error, or a response that is read to its end.
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>

#include "http/client.h"
#include "http/socket.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace turnlog;

constexpr std::chrono::seconds kTime{30};
constexpr std::size_t kMostBytes = std::size_t{1} << 16;  // fits into the buffer of a socket

ListeningSocket Listening(const SocketAddress& address) {
  auto socket = Listen(address);
  Require(socket.has_value());
  return *std::move(socket);
}

// Sends the answer before there is a request, and ends the connection.
void Answer(int listening, std::string_view bytes) {
  const SocketDescriptor accepted(::accept(listening, nullptr, nullptr));
  Require(accepted.open());
  Require(::send(accepted.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  ::shutdown(accepted.number(), SHUT_WR);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir dir;
  static const SocketAddress address{.path = dir / "socket"};
  static const ListeningSocket socket = Listening(address);
  if (size > kMostBytes) return 0;
  const auto connection = HttpConnection::Open(address, kTime);
  Require(connection.has_value());
  Answer(socket.descriptor.number(), {reinterpret_cast<const char*>(data), size});
  const auto head = (*connection)->Send({.method = "GET", .target = "/", .headers = {}, .body = {}}, kTime);
  if (!head) return 0;
  const auto body = (*connection)->ReadAll(kMostBytes);
  if (body) Require(body->size() <= size);
  return 0;
}
