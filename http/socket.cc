#include "http/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/errno_text.h"
#include "base/try.h"

namespace turnlog {
namespace {

constexpr int kBacklog = 1024;

std::unexpected<Error> Failed(std::string_view what, const SocketAddress& address, int error) {
  const bool absent = error == ECONNREFUSED || error == ENOENT;
  return std::unexpected(Error{absent ? ErrorCode::kNotFound : ErrorCode::kIo,
                               fmt::format("cannot {} {}: {}", what, address.ToText(), ErrnoText(error))});
}

// An address in the system's form. Paths of Unix sockets are short there (108 bytes), so a socket is named by its
// folder's descriptor, which must stay open while the address is used.
struct SystemAddress {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  SocketDescriptor folder;

  template <class T>
  T& As() {
    return reinterpret_cast<T&>(storage);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

Result<SystemAddress> LocalAddress(const SocketAddress& address) {
  SystemAddress system;
  auto& name = system.As<sockaddr_un>();
  const std::filesystem::path folder = address.path.has_parent_path() ? address.path.parent_path() : ".";
  system.folder = SocketDescriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!system.folder.open()) return Failed("open", address, errno);
  const std::string path = fmt::format("/proc/self/fd/{}/{}", system.folder.number(), address.path.filename().string());
  if (path.size() >= sizeof name.sun_path) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "the name of a socket must be shorter"});
  }
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  system.length = sizeof name;
  return system;
}

Result<SystemAddress> ToSystem(const SocketAddress& address) {
  if (address.local()) return LocalAddress(address);
  SystemAddress system;
  if (auto& v4 = system.As<sockaddr_in>(); ::inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    system.length = sizeof v4;
    return system;
  }
  if (auto& v6 = system.As<sockaddr_in6>(); ::inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    system.length = sizeof v6;
    return system;
  }
  return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("\"{}\" is no IP address", address.host)});
}

Result<SocketDescriptor> OpenSocket(const SocketAddress& address, int family) {
  SocketDescriptor socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.open()) return Failed("open a socket for", address, errno);
  return socket;
}

// The address that the system has for it.
Result<ListeningSocket> AtItsAddress(SocketDescriptor socket) {
  SystemAddress system;
  SocketAddress address;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::getsockname(socket.number(), &system.As<sockaddr>(), &system.length) != 0) {
    return Failed("find the address of", address, errno);
  }
  if (system.family() == AF_UNIX) {
    address.path = system.As<sockaddr_un>().sun_path;
  } else if (system.family() == AF_INET6) {
    const auto& v6 = system.As<sockaddr_in6>();
    address.host = ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    address.port = ntohs(v6.sin6_port);
  } else if (system.family() == AF_INET) {
    const auto& v4 = system.As<sockaddr_in>();
    address.host = ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    address.port = ntohs(v4.sin_port);
  }
  if (address.host.empty() && address.path.empty()) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "a socket has neither a path nor an IP address"});
  }
  return ListeningSocket{std::move(socket), std::move(address)};
}

// False with the reason in errno. A Unix socket whose backlog is full says EAGAIN and has not begun to connect.
bool TryConnect(const SocketDescriptor& socket, const SystemAddress& system, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    if (::connect(socket.number(), system.get(), system.length) == 0) return true;
    if (errno != EAGAIN || std::chrono::steady_clock::now() >= deadline) return false;
    (void)::poll(nullptr, 0, 5);
  }
}

// A Unix socket must be served by this user, by root, or by who owns its folder. In a folder that others may write to,
// another user could have put it there, and would get all that is sent.
Status CheckServer(const SocketDescriptor& socket, const SystemAddress& system, const SocketAddress& address) {
  ucred server{};
  socklen_t length = sizeof server;
  struct stat folder{};
  if (::getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &server, &length) != 0 ||
      ::fstat(system.folder.number(), &folder) != 0) {
    return Failed("find out who serves", address, errno);
  }
  if (server.uid == ::geteuid() || server.uid == 0 || server.uid == folder.st_uid) return {};
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument,
            fmt::format("{} is served by another user, who does not own its folder", address.ToText())});
}

}  // namespace

SocketDescriptor::~SocketDescriptor() {
  if (number_ >= 0) ::close(number_);
}

std::string SocketAddress::ToText() const {
  if (local()) return path.string();
  if (host.find(':') != std::string::npos) return fmt::format("[{}]:{}", host, port);
  return fmt::format("{}:{}", host, port);
}

Result<SocketAddress> ParseTcpAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  std::string_view host = text.substr(0, std::min(colon, text.size()));
  SocketAddress address;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty() && !host.empty()) {
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    address.host = host == "localhost" ? "127.0.0.1" : std::string(host);
    TURNLOG_TRY(ToSystem(address));
    return address;
  }
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not ADDRESS:PORT, such as 127.0.0.1:8080", text)});
}

Result<ListeningSocket> Listen(const SocketAddress& address) {
  SystemAddress system = TURNLOG_TRY(ToSystem(address));
  const char* const path = address.local() ? system.As<sockaddr_un>().sun_path : "";
  SocketDescriptor socket = TURNLOG_TRY(OpenSocket(address, system.family()));
  const int on = 1;
  if (!address.local()) (void)::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.local() && ::unlink(path) != 0 && errno != ENOENT) return Failed("replace", address, errno);
  if (::bind(socket.number(), system.get(), system.length) != 0) return Failed("listen at", address, errno);
  // No client can connect before it listens, so there is no moment with other permissions.
  if (address.local() && ::chmod(path, 0600) != 0) return Failed("protect", address, errno);
  if (::listen(socket.number(), kBacklog) != 0) return Failed("listen at", address, errno);
  if (address.local()) return ListeningSocket{std::move(socket), address};
  return AtItsAddress(std::move(socket));
}

Result<ListeningSocket> InheritSocket(int number) {
  SocketDescriptor socket(number);
  int listening = 0, type = 0;
  socklen_t length = sizeof listening;
  const bool known = ::getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) == 0 &&
                     ::getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
  if (!known || listening == 0 || type != SOCK_STREAM) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, fmt::format("descriptor {} is no listening stream socket", number)});
  }
  (void)::fcntl(number, F_SETFD, FD_CLOEXEC);
  (void)::fcntl(number, F_SETFL, ::fcntl(number, F_GETFL) | O_NONBLOCK);
  return AtItsAddress(std::move(socket));
}

int AwaitEvents(int socket, short events, std::chrono::milliseconds timeout) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  const auto end = steady_clock::now() + timeout;
  for (;;) {
    pollfd waiting{.fd = socket, .events = events, .revents = 0};
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::max(left, milliseconds(0)).count()));
    if (ready > 0) return 0;
    if (ready == 0) return ETIMEDOUT;
    if (errno != EINTR) return errno;
  }
}

Result<SocketDescriptor> Connect(const SocketAddress& address, std::chrono::milliseconds timeout) {
  const SystemAddress system = TURNLOG_TRY(ToSystem(address));
  SocketDescriptor socket = TURNLOG_TRY(OpenSocket(address, system.family()));
  const int on = 1;
  if (!address.local()) (void)::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (TryConnect(socket, system, timeout)) {
    if (address.local()) TURNLOG_TRY(CheckServer(socket, system, address));
    return socket;
  }
  if (errno != EINPROGRESS) return Failed("connect to", address, errno);
  int error = AwaitEvents(socket.number(), POLLOUT, timeout);
  if (error != 0) return Failed("connect to", address, error);
  socklen_t length = sizeof error;
  (void)::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return Failed("connect to", address, error);
  return socket;
}

}  // namespace turnlog
