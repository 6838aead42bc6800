// One request to a server elsewhere, over HTTP or HTTPS: the system's certificates say whom to trust.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "http/socket.h"
#include "http/web_address.h"
#include "turnlog/result.h"

namespace turnlog {

// Sends one request at a time. Threads: Abort may be called from any thread.
class WebClient {
 public:
  WebClient();

  // The status of the response; its body is not read. kInvalidArgument: its certificate is not trusted; kIo: no
  // connection, or no response within the time. Looking up the host's name may take longer than `timeout`.
  Result<int> Post(const WebAddress& address, const std::vector<HttpHeader>& headers, std::string_view body,
                   std::chrono::milliseconds timeout);
  // Ends what is being sent, and everything later, with kIo.
  void Abort();

 private:
  const SocketDescriptor aborted_;  // readable when it was
};

}  // namespace turnlog
