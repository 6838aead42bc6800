#include "http/web_address.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/errno_text.h"
#include "base/try.h"

namespace turnlog {
namespace {

using WaitFn = std::function<Status(int socket, short events)>;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

std::unexpected<Error> Refused(int error) {
  return std::unexpected(Error{error == ECONNREFUSED ? ErrorCode::kNotFound : ErrorCode::kIo, ErrnoText(error)});
}

Result<SocketDescriptor> ConnectTo(const addrinfo& address, const WaitFn& wait) {
  SocketDescriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.open()) return Refused(errno);
  const int on = 1;
  (void)::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(socket.number(), address.ai_addr, address.ai_addrlen) == 0) return socket;
  if (errno != EINPROGRESS) return Refused(errno);
  TURNLOG_TRY(wait(socket.number(), POLLOUT));
  int error = 0;
  socklen_t length = sizeof error;
  (void)::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return Refused(error);
  return socket;
}

}  // namespace

std::string WebAddress::Authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  const bool usual = port == (encrypted ? "443" : "80");
  return fmt::format("{}{}{}{}", v6 ? "[" : "", host, v6 ? "]" : "", usual ? "" : ":" + port);
}

Result<WebAddress> ParseWebAddress(std::string_view url) {
  const auto wrong = std::unexpected(Error{ErrorCode::kInvalidArgument, "a URL must be https://HOST[:PORT][/PATH]"});
  WebAddress address;
  address.encrypted = url.starts_with("https://");
  if (!address.encrypted && !url.starts_with("http://")) return wrong;
  std::string_view rest = url.substr(url.find("//") + 2);
  const std::size_t path = std::min(rest.find_first_of("/?#"), rest.size());
  address.target = path < rest.size() ? std::string(rest.substr(path, rest.find('#') - path)) : "/";
  if (!address.target.starts_with('/')) address.target.insert(0, "/");
  rest = rest.substr(0, path);
  const std::size_t bracket = rest.find(']');
  const std::size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  address.host = rest.substr(0, colon);
  address.port = colon == std::string_view::npos ? (address.encrypted ? "443" : "80") : rest.substr(colon + 1);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f' && c != '@' && c != '"' && c != '\\'; };
  const bool digits = !address.port.empty() && address.port.find_first_not_of("0123456789") == std::string::npos;
  if (address.host.empty() || !digits || !std::ranges::all_of(address.host + address.target, is_plain)) return wrong;
  return address;
}

Result<SocketDescriptor> ConnectTo(const WebAddress& address, const WaitFn& wait) {
  const addrinfo wanted{.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found); error != 0) {
    return std::unexpected(
        Error{ErrorCode::kIo, fmt::format("cannot find {}: {}", address.host, ::gai_strerror(error))});
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  Error reason{ErrorCode::kIo, "it has no address"};
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    auto socket = ConnectTo(*each, wait);
    if (socket) return socket;
    reason = std::move(socket).error();
  }
  return std::unexpected(Error{reason.code, fmt::format("cannot connect to {}: {}", address.host, reason.message)});
}

}  // namespace turnlog
