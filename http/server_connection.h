// One connection of a server: a coroutine on its own strand that reads requests and writes responses.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "http/body_room.h"
#include "http/channel.h"
#include "http/message.h"
#include "http/message_loop.h"
#include "http/server.h"
#include "http/server_channel.h"

namespace turnlog {

class ServerConnection;

// What a connection needs of the server that accepted it, which outlives it.
class ConnectionOwner : public StayingThreads {
 public:
  virtual HttpApplication& application() = 0;
  virtual const HttpLimits& limits() const = 0;
  virtual BodyBudget& bodies() = 0;
  virtual MessageLoop& messages() = 0;
  // Called once, by the connection's destructor.
  virtual void Remove(ServerConnection& connection) = 0;

 protected:
  ~ConnectionOwner() = default;
};

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  using Clock = ServerChannel::Clock;

  // `channel` is over the socket.
  ServerConnection(ConnectionOwner& owner, const boost::asio::any_io_executor& strand, SocketDescriptor socket,
                   std::unique_ptr<Channel> channel, bool local);
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;
  ~ServerConnection();

  void Start();
  // From any thread.
  void BeginStop();
  void Cut();
  // Its time may be over: closes it, or wakes a stream that waits.
  void Expire();
  bool local() const { return local_; }
  Clock::time_point deadline() const { return channel_.deadline(); }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

  boost::asio::awaitable<void> Run();
  boost::asio::awaitable<bool> Serve();
  boost::asio::awaitable<int> ReadHead(Parser& parser);
  boost::asio::awaitable<int> ReceiveBody(Parser& parser, HttpRequest& request, BodyRoom& room, HttpResponse& refusal);
  boost::asio::awaitable<int> Claim(std::uint64_t length, BodyRoom& room);
  boost::asio::awaitable<int> ReadBody(Parser& parser, HttpRequest& request, BodyRoom& room, HttpResponse& refusal);
  int TakePiece(Parser& parser, HttpRequest& request, bool& starved, HttpResponse& refusal);
  boost::asio::awaitable<int> WaitForRoom(std::uint64_t bytes, BodyRoom& room);
  // These get references to what lives in the coroutine that awaits them.
  boost::asio::awaitable<void> Refuse(const HttpResponse& response);
  boost::asio::awaitable<void> BeginMessages(HttpResponse& response);
  boost::asio::awaitable<bool> Respond(HttpResponse& response, bool keep, const Parser& parser);
  boost::asio::awaitable<bool> SendStream(BodySource& source, std::string& text, bool chunked);
  boost::asio::awaitable<bool> WaitForMore(const BodySource& source);
  void WatchClient();

  void Close();

  ConnectionOwner& owner_;
  ServerChannel channel_;
  boost::asio::steady_timer idle_timer_;
  const bool local_;
  // On the strand.
  bool stopping_ = false;
  bool begun_ = false;    // has sent anything
  bool waiting_ = false;  // for a request
  bool idling_ = false;   // a stream waits for more
  bool woken_ = false;
};

}  // namespace turnlog
