// Each `co_await` is a statement of its own, with named operands: g++ 12 compiles others wrongly.
#include "http/server_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace turnlog {
namespace {

namespace asio = boost::asio;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;  // after which others get a turn
constexpr std::chrono::milliseconds kStay{1};

}  // namespace

ServerChannel::ServerChannel(StayingThreads& threads, const asio::any_io_executor& strand, SocketDescriptor socket,
                             std::unique_ptr<Channel> channel, std::chrono::milliseconds progress_time)
    : threads_(threads),
      descriptor_(std::move(socket)),
      socket_(strand),
      channel_(std::move(channel)),
      progress_time_(progress_time) {
  EndNever();
}

ServerChannel::~ServerChannel() {
  boost::system::error_code ignored;
  (void)socket_.release(ignored);  // the descriptor is closed once
}

void ServerChannel::Close() {
  closed_ = true;
  (void)::shutdown(descriptor_.number(), SHUT_RDWR);
  boost::system::error_code ignored;
  (void)socket_.cancel(ignored);
}

bool ServerChannel::Register() {
  if (socket_.is_open()) return true;
  boost::system::error_code failed;
  // The protocol matters for opening a socket only, and this one is open.
  (void)socket_.assign(asio::generic::stream_protocol(AF_UNIX, 0), descriptor_.number(), failed);
  return !failed;
}

asio::awaitable<bool> ServerChannel::Await(Channel::State state) {
  unbroken_ = 0;
  if (closed_ || !Register()) co_return false;
  const auto kind = state == Channel::State::kWantsWrite ? Socket::wait_write : Socket::wait_read;
  const auto [error] = co_await socket_.async_wait(kind, kNoThrow);
  boost::system::error_code failed;
  (void)socket_.release(failed);
  co_return !error && !failed && !closed_;
}

void ServerChannel::Watch(std::function<void()> on_input) {
  if (!Register()) return;
  socket_.async_wait(Socket::wait_read, [on_input = std::move(on_input)](const boost::system::error_code& error) {
    if (!error) on_input();
  });
}

void ServerChannel::EndWatch() {
  boost::system::error_code ignored;
  (void)socket_.release(ignored);
}

Channel::Step ServerChannel::Read(std::span<char> out, Patience patience) {
  if (patience == Patience::kNone || closed_ || !threads_.BeginStay()) return channel_->Read(out);
  const Channel::Step step = channel_->ReadWithin(out, kStay);
  threads_.EndStay();
  return step;
}

// A client that reads as fast as this writes soon has room for more. One that does not is waited for like that once.
bool ServerChannel::StayForRoom() {
  if (!reads_fast_ || !threads_.BeginStay()) return false;
  reads_fast_ = AwaitEvents(descriptor_.number(), POLLOUT, kStay) == 0;
  threads_.EndStay();
  return reads_fast_;
}

// A client that always has something to read or to send would keep a thread, and nothing that is posted to this
// connection would run.
asio::awaitable<bool> ServerChannel::GiveWay(std::size_t bytes) {
  unbroken_ += bytes;
  if (unbroken_ >= kBytesAtOnce) {
    unbroken_ = 0;
    co_await asio::post(socket_.get_executor(), asio::use_awaitable);
  }
  co_return !closed_;
}

asio::awaitable<bool> ServerChannel::Receive(std::size_t size, Patience patience) {
  for (;;) {
    const auto free = buffer_.prepare(size);
    const Channel::Step step = Read({static_cast<char*>(free.data()), free.size()}, patience);
    if (step.state == Channel::State::kMoved) {
      buffer_.commit(step.bytes);
      const bool open = co_await GiveWay(step.bytes);
      co_return open;
    }
    if (step.state == Channel::State::kEnded) co_return false;
    const bool ready = co_await Await(step.state);
    if (!ready) co_return false;
  }
}

asio::awaitable<bool> ServerChannel::Send(std::string_view text) {
  while (!text.empty()) {
    EndWithin(progress_time_);
    const Channel::Step step = channel_->Write(text);
    text.remove_prefix(step.bytes);
    if (step.state == Channel::State::kEnded) co_return false;
    bool goes_on = false;
    if (step.state == Channel::State::kMoved) {
      goes_on = co_await GiveWay(step.bytes);
    } else if (step.state == Channel::State::kWantsWrite && StayForRoom()) {
      goes_on = !closed_;
    } else {
      goes_on = co_await Await(step.state);
    }
    if (!goes_on) co_return false;
  }
  EndNever();
  co_return true;
}

}  // namespace turnlog
