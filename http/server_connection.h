// One connection of a server: a coroutine on its own strand that reads requests and writes responses.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/secret_string.h"
#include "http/body_room.h"
#include "http/message.h"
#include "http/server.h"

namespace turnlog {

class ServerConnection;

// What a connection needs of the server that accepted it, which outlives it.
class ConnectionOwner {
 public:
  virtual HttpApplication& application() = 0;
  virtual const HttpLimits& limits() const = 0;
  virtual BodyBudget& bodies() = 0;
  // Called once, by the connection's destructor.
  virtual void Remove(ServerConnection& connection) = 0;

 protected:
  ~ConnectionOwner() = default;
};

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  using Stream = boost::beast::basic_stream<boost::asio::generic::stream_protocol>;

  ServerConnection(ConnectionOwner& owner, Stream stream, bool local)
      : owner_(owner), stream_(std::move(stream)), idle_timer_(stream_.get_executor()), local_(local) {}
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;
  ~ServerConnection();

  void Start();
  // From any thread.
  void BeginStop();
  void Cut();

 private:
  using Buffer = boost::beast::basic_flat_buffer<WipingAllocator<char>>;
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

  boost::asio::awaitable<void> Run();
  boost::asio::awaitable<bool> Serve();
  boost::asio::awaitable<int> ReadHead(Parser& parser);
  boost::asio::awaitable<int> ReadBody(Parser& parser, HttpRequest& request, BodyRoom& room);
  // These get references to what lives in the coroutine that awaits them.
  boost::asio::awaitable<void> Refuse(const HttpResponse& response);
  boost::asio::awaitable<bool> Respond(HttpResponse& response, bool keep, const Parser& parser);
  boost::asio::awaitable<bool> SendStream(BodySource& source, std::string& text, bool chunked);
  boost::asio::awaitable<bool> WaitForMore(const BodySource& source);
  boost::asio::awaitable<bool> Send(std::string_view text);

  ConnectionOwner& owner_;
  Stream stream_;
  boost::asio::steady_timer idle_timer_;
  const bool local_;
  Buffer buffer_;
  // On the strand.
  bool stopping_ = false;
  bool waiting_ = false;  // for a request
  bool woken_ = false;
};

}  // namespace turnlog
