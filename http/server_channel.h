// The socket of a server's connection, read and written by a coroutine. It calls the system itself and only waits with
// Asio, and the server looks for what is over its time: completions and timers of Asio would each wake further threads,
// which costs more than a request. For the same reason its thread waits a moment for the next request itself, and Asio
// knows the socket only while it waits for it.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/secret_string.h"
#include "http/channel.h"
#include "http/socket.h"

namespace turnlog {

// Who may wait for one connection alone.
class StayingThreads {
 public:
  // Whether one more thread may; until EndStay.
  virtual bool BeginStay() = 0;
  virtual void EndStay() = 0;

 protected:
  ~StayingThreads() = default;
};

// Threads: the strand, but for `deadline`.
class ServerChannel {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  using Clock = std::chrono::steady_clock;
  using Buffer = boost::beast::basic_flat_buffer<WipingAllocator<char>>;
  enum class Patience : std::uint8_t { kNone, kStay };

  // `channel` is over the socket; what is sent must go on within `progress_time`.
  ServerChannel(StayingThreads& threads, const boost::asio::any_io_executor& strand, SocketDescriptor socket,
                std::unique_ptr<Channel> channel, std::chrono::milliseconds progress_time);
  ServerChannel(const ServerChannel&) = delete;
  ServerChannel& operator=(const ServerChannel&) = delete;
  ~ServerChannel();

  boost::asio::any_io_executor executor() { return socket_.get_executor(); }
  Buffer& buffer() { return buffer_; }
  // More bytes in the buffer, at most `size`; false: the connection has ended, or its time is over. With kStay, the
  // thread waits a moment for them.
  boost::asio::awaitable<bool> Receive(std::size_t size, Patience patience = Patience::kNone);
  // False likewise.
  boost::asio::awaitable<bool> Send(std::string_view text);
  // Lets others run after this many bytes were read, written or worth of work; false: it was closed meanwhile.
  boost::asio::awaitable<bool> GiveWay(std::size_t bytes);
  // A response begins, and its client may read as fast as it is written.
  void BeginResponse() { reads_fast_ = true; }
  void EndWriting() { channel_->EndWriting(); }

  int number() const { return descriptor_.number(); }
  void Close();
  bool closed() const { return closed_; }
  bool ended() const { return closed_ || channel_->ended(); }
  // There is nothing to read now, not even the end.
  bool silent() const { return channel_->silent(); }

  // Calls `on_input` on the strand, once, when there is something to read, or the end. Nothing is received or sent
  // until EndWatch; a call may come after it.
  void Watch(std::function<void()> on_input);
  void EndWatch();

  void EndWithin(std::chrono::milliseconds time) { deadline_ = (Clock::now() + time).time_since_epoch().count(); }
  void EndNever() { deadline_ = Clock::time_point::max().time_since_epoch().count(); }
  // From any thread.
  Clock::time_point deadline() const { return Clock::time_point(Clock::duration(deadline_.load())); }

 private:
  boost::asio::awaitable<bool> Await(Channel::State state);
  bool Register();
  Channel::Step Read(std::span<char> out, Patience patience);
  bool StayForRoom();

  StayingThreads& threads_;
  const SocketDescriptor descriptor_;
  Socket socket_;  // the same; open while it is waited for
  const std::unique_ptr<Channel> channel_;
  const std::chrono::milliseconds progress_time_;
  std::atomic<Clock::rep> deadline_;
  Buffer buffer_;
  bool closed_ = false;
  std::size_t unbroken_ = 0;  // bytes read and written without waiting
  bool reads_fast_ = true;    // the client, as far as is known of this response
};

}  // namespace turnlog
