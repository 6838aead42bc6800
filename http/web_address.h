// Servers elsewhere, by their URL.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http/socket.h"
#include "turnlog/result.h"

namespace turnlog {

struct WebAddress {
  bool encrypted = false;
  std::string host;  // a name, or an IP address without brackets
  std::string port;
  std::string target;  // path and query

  std::string Authority() const;  // "host", "host:8443", "[::1]:8443"
};

// "https://host[:port][/path]", or http. kInvalidArgument otherwise.
Result<WebAddress> ParseWebAddress(std::string_view url);

// Tries each address of the host. `wait`: until the socket has one of these events of poll(2), or an error, which ends
// this try. Non-blocking. kNotFound: nothing listens there; kIo: other reasons. Looking up the name has its own time.
Result<SocketDescriptor> ConnectTo(const WebAddress& address,
                                   const std::function<Status(int socket, short events)>& wait);

}  // namespace turnlog
