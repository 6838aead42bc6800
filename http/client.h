// The client's end of one HTTP/1.1 connection: one request after another.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "http/socket.h"
#include "http/tls.h"
#include "http/web_address.h"
#include "turnlog/result.h"

namespace turnlog {

struct HttpCall {
  std::string_view method;
  std::string target;  // encoded path and query
  std::vector<HttpHeader> headers;
  std::vector<std::string_view> body;  // sent as if they were one text
};

// One thread at a time. Errors of all calls are kIo: the connection is lost, or the server is silent or speaks no HTTP.
// kInvalidArgument: it is not trusted, or cannot encrypt.
class HttpConnection {
 public:
  // kNotFound: nothing listens there.
  static Result<std::unique_ptr<HttpConnection>> Open(const SocketAddress& address, std::chrono::milliseconds timeout);
  // Encrypted. The server must have a certificate of `address.host` that `tls` trusts; it is asked for it with the
  // first request.
  static Result<std::unique_ptr<HttpConnection>> Open(const WebAddress& address, const TlsClient& tls,
                                                      std::chrono::milliseconds timeout);
  virtual ~HttpConnection() = default;

  struct Head {
    int status = 0;
    std::vector<HttpHeader> headers;
  };
  // Sends the request and waits for the beginning of its response. `timeout`: for the first byte of it, and for each
  // further step. REQUIRES: reusable().
  virtual Result<Head> Send(const HttpCall& call, std::chrono::milliseconds timeout) = 0;
  // The next bytes of the response's body; 0: it is complete.
  virtual Result<std::size_t> Read(std::span<char> out) = 0;
  // After a response with 101: sends a message (message_handler.h) and waits for its answer. `parts`: sent as if they
  // were one text. `timeout`: as above.
  virtual Result<std::string> Ask(std::span<const std::string_view> parts, std::chrono::milliseconds timeout) = 0;
  // Whether another request can be sent: the last response was read to its end.
  virtual bool reusable() const = 0;
  // Whether the server has not closed it, as far as is known here. REQUIRES: reusable().
  virtual bool alive() const = 0;

  // The rest of the body. kIo if it has more than `limit` bytes.
  Result<std::string> ReadAll(std::size_t limit);
};

}  // namespace turnlog
