// One connection of a server: a coroutine on its own strand that reads requests and writes responses. It calls the
// system itself and only waits with Asio, and the server looks for those whose time is over: completions and timers of
// Asio would each wake further threads, which costs more than the request. For the same reason its thread waits a
// moment for the next request itself, and Asio knows the socket only while it waits for it.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/secret_string.h"
#include "http/body_room.h"
#include "http/channel.h"
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
  // Whether a thread may wait for one connection alone; until EndStay.
  virtual bool BeginStay() = 0;
  virtual void EndStay() = 0;
  // Called once, by the connection's destructor.
  virtual void Remove(ServerConnection& connection) = 0;

 protected:
  ~ConnectionOwner() = default;
};

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  using Clock = std::chrono::steady_clock;

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
  Clock::time_point deadline() const { return Clock::time_point(Clock::duration(deadline_.load())); }

 private:
  using Buffer = boost::beast::basic_flat_buffer<WipingAllocator<char>>;
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
  boost::asio::awaitable<bool> Respond(HttpResponse& response, bool keep, const Parser& parser);
  boost::asio::awaitable<bool> SendStream(BodySource& source, std::string& text, bool chunked);
  boost::asio::awaitable<bool> WaitForMore(const BodySource& source);
  boost::asio::awaitable<bool> Send(std::string_view text);
  // More bytes in the buffer; false: the connection has ended, or its time is over.
  boost::asio::awaitable<bool> Receive(std::size_t size);
  boost::asio::awaitable<bool> Await(Channel::State state);
  // Waits a moment for the beginning of a request.
  Channel::Step Read(std::span<char> out);
  bool StayForRoom();
  // After this many bytes were read or written; false: the connection was closed meanwhile.
  boost::asio::awaitable<bool> GiveWay(std::size_t bytes);

  void EndWithin(std::chrono::milliseconds time) { deadline_ = (Clock::now() + time).time_since_epoch().count(); }
  void EndNever() { deadline_ = Clock::time_point::max().time_since_epoch().count(); }
  void Close();

  ConnectionOwner& owner_;
  const SocketDescriptor descriptor_;
  Socket socket_;  // the same; open while it is waited for
  const std::unique_ptr<Channel> channel_;
  boost::asio::steady_timer idle_timer_;
  std::atomic<Clock::rep> deadline_;
  const bool local_;
  Buffer buffer_;
  // On the strand.
  bool stopping_ = false;
  bool closed_ = false;
  std::size_t unbroken_ = 0;  // bytes read and written without waiting
  bool begun_ = false;        // has sent anything
  bool waiting_ = false;      // for a request
  bool reads_fast_ = true;    // the client, as far as is known of this response
  bool idling_ = false;       // a stream waits for more
  bool woken_ = false;
};

}  // namespace turnlog
