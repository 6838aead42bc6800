// An HTTP/1.1 server over Unix sockets and TCP. A few threads serve all connections; an idle connection costs a few
// kilobytes and no thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "http/message.h"
#include "http/socket.h"
#include "http/tls.h"
#include "turnlog/result.h"

namespace turnlog {

struct HttpLimits {
  std::size_t header_bytes = std::size_t{64} << 10;
  std::uint64_t body_bytes = std::uint64_t{512} << 20;             // of one request, unless its sink is endless
  std::uint64_t body_memory = std::uint64_t{2048} << 20;           // for the bodies of all requests (BodySink::cost)
  std::chrono::milliseconds room_time = std::chrono::seconds(10);  // to wait for some of that memory
  std::size_t connections = 4096;                                  // of local clients, and as many of others
  // From the first byte of a request to the last one; over TCP also until the first byte of the first request.
  std::chrono::milliseconds header_time = std::chrono::seconds(10);
  std::chrono::milliseconds idle_time = std::chrono::minutes(2);       // between two requests
  std::chrono::milliseconds progress_time = std::chrono::seconds(30);  // to take or send some bytes of a body
};

class HttpServer {
 public:
  // Answers nothing yet. `tls`: encrypts TCP, and outlives the server; null: nothing does.
  static std::unique_ptr<HttpServer> Make(std::vector<ListeningSocket> sockets, const HttpLimits& limits,
                                          TlsServer* tls = nullptr);
  // Stops, if it was not stopped.
  virtual ~HttpServer() = default;

  // Begins to serve, once. `application` must outlive the server. Each request is handled on one of `threads` threads,
  // which it may block.
  // kIo: the system has no descriptors to spare.
  virtual Status Start(HttpApplication& application, unsigned threads) = 0;
  // In the order of the sockets.
  virtual std::span<const SocketAddress> addresses() const = 0;
  virtual std::size_t connections() const = 0;
  // What bodies of requests take now of HttpLimits::body_memory.
  virtual std::uint64_t body_memory() const = 0;
  // Accepts nothing more, ends streams and idle connections, and waits for requests that are being handled. What takes
  // longer than `grace` is cut off, except for handlers, which are always waited for.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace turnlog
