#include "tests/support/cutting_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

namespace turnlog {
namespace {

constexpr int kLookForStop = 20;  // milliseconds

sockaddr_un Address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

bool SendAll(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(to, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

CuttingProxy::CuttingProxy(std::string server) : server_(std::move(server)) {
  const std::string path = (folder_ / std::filesystem::path(server_).filename()).string();
  const sockaddr_un address = Address(path);
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  (void)::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  (void)::listen(listener_, 16);
  accepting_ = std::thread([this] { Serve(); });
}

CuttingProxy::~CuttingProxy() {
  stopping_ = true;
  accepting_.join();
  for (std::thread& connection : connections_) connection.join();
  ::close(listener_);
}

void CuttingProxy::CutAfter(Direction direction, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  direction_ = direction;
  left_ = static_cast<std::int64_t>(bytes);
}

std::int64_t CuttingProxy::Admit(Direction direction, std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (left_ < 0 || direction != direction_) return bytes;
  const std::int64_t admitted = std::min<std::int64_t>(bytes, left_);
  left_ = admitted < bytes ? -1 : left_ - bytes;
  return admitted;
}

void CuttingProxy::Serve() {
  while (!stopping_) {
    pollfd ready{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, kLookForStop) <= 0) continue;
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client >= 0) connections_.emplace_back([this, client] { Forward(client); });
  }
}

void CuttingProxy::Forward(int client) {
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = Address(server_);
  bool open = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  std::array<pollfd, 2> ends{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
  std::array<char, 16384> buffer;
  while (open && !stopping_) {
    if (::poll(ends.data(), ends.size(), kLookForStop) <= 0) continue;
    for (std::size_t from = 0; from < ends.size() && open; ++from) {
      if (ends[from].revents == 0) continue;
      const ssize_t got = ::recv(ends[from].fd, buffer.data(), buffer.size(), 0);
      const std::int64_t admitted = got <= 0 ? 0 : Admit(from == 0 ? Direction::kToServer : Direction::kToClient, got);
      open =
          got > 0 && SendAll(ends[1 - from].fd, buffer.data(), static_cast<std::size_t>(admitted)) && admitted == got;
    }
  }
  ::close(client);
  ::close(server);
}

}  // namespace turnlog
