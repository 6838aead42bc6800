// The only file that parses responses with Boost.Beast. The socket is our own: Asio's blocking calls have no timeouts.
#include "http/client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/errno_text.h"
#include "base/secret_string.h"
#include "base/try.h"

namespace turnlog {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::uint32_t kHeaderBytes = std::uint32_t{64} << 10;

std::unexpected<Error> Lost(std::string_view what) {
  return std::unexpected(Error{ErrorCode::kIo, fmt::format("the connection to the service is lost: {}", what)});
}

// A connected, non-blocking socket with a limit on every wait, in the form that Beast reads from.
class TimedSocket {
 public:
  explicit TimedSocket(SocketDescriptor socket) : socket_(std::move(socket)) {}
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, error_code& error) {
    const auto buffer = *boost::asio::buffer_sequence_begin(buffers);
    for (;;) {
      const ssize_t got = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
      if (got > 0) return error = {}, static_cast<std::size_t>(got);
      if (got == 0) return error = boost::asio::error::eof, 0;
      if (!Retry(errno, POLLIN, error)) return 0;
    }
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    error_code ignored;
    return read_some(buffers, ignored);
  }

  // There is nothing to read, not even the end.
  bool silent() const {
    pollfd waiting{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 0) == 0;
  }

  error_code WriteAll(std::vector<iovec> pieces) {
    error_code error;
    std::size_t first = 0;
    while (first < pieces.size()) {
      msghdr message{};
      message.msg_iov = pieces.data() + first;
      message.msg_iovlen = std::min<std::size_t>(pieces.size() - first, 64);
      const ssize_t sent = ::sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
      if (sent < 0 && !Retry(errno, POLLOUT, error)) return error;
      for (auto left = static_cast<std::size_t>(std::max<ssize_t>(sent, 0)); first < pieces.size();) {
        iovec& piece = pieces[first];
        const std::size_t taken = std::min(left, piece.iov_len);
        piece.iov_base = static_cast<char*>(piece.iov_base) + taken;
        piece.iov_len -= taken;
        left -= taken;
        if (piece.iov_len > 0) break;
        ++first;
      }
    }
    return {};
  }

 private:
  // Waits if the socket was not ready; false with the error otherwise.
  bool Retry(int number, short events, error_code& error) {
    if (number == EINTR) return true;
    error = error_code(number, boost::system::system_category());
    if (number != EAGAIN && number != EWOULDBLOCK) return false;
    pollfd waiting{.fd = socket_.number(), .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(timeout_.count()));
    if (ready == 0) error = boost::asio::error::timed_out;
    return ready > 0 || (ready < 0 && errno == EINTR);
  }

  SocketDescriptor socket_;
  std::chrono::milliseconds timeout_{0};
};

iovec Piece(std::string_view text) { return {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()}; }

class Connection : public HttpConnection {
 public:
  Connection(SocketDescriptor socket, std::string host) : socket_(std::move(socket)), host_(std::move(host)) {}

  Result<Head> Send(const HttpCall& call, std::chrono::milliseconds timeout) override {
    reusable_ = false;
    socket_.set_timeout(timeout);
    const std::string head = HeadOf(call);
    std::vector<iovec> pieces{Piece(head)};
    for (const std::string_view part : call.body) pieces.push_back(Piece(part));
    const error_code unsent = socket_.WriteAll(std::move(pieces));
    // A server that refuses a request need not read all of it: what it says comes first.
    auto response = ReadHead();
    if (!response && unsent) return Lost(unsent.message());
    return response;
  }

  Result<std::size_t> Read(std::span<char> out) override {
    while (!parser_->is_done()) {
      auto& body = parser_->get().body();
      body.data = out.data();
      body.size = out.size();
      body.more = true;
      error_code error;
      http::read_some(socket_, buffer_, *parser_, error);
      if (error && error != http::error::need_buffer) return Lost(error.message());
      if (const std::size_t got = out.size() - body.size; got > 0) {
        FinishIfDone();
        return got;
      }
    }
    FinishIfDone();
    return 0;
  }

  bool reusable() const override { return reusable_; }
  bool alive() const override { return socket_.silent(); }

 private:
  std::string HeadOf(const HttpCall& call) const {
    std::size_t length = 0;
    for (const std::string_view part : call.body) length += part.size();
    std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", call.method, call.target, host_);
    for (const HttpHeader& header : call.headers) head += fmt::format("{}: {}\r\n", header.name, header.value);
    if (call.method != "GET") head += fmt::format("Content-Length: {}\r\n", length);
    return head += "\r\n";
  }

  Result<Head> ReadHead() {
    parser_.emplace();
    parser_->header_limit(kHeaderBytes);
    parser_->body_limit(boost::none);
    error_code error;
    http::read_header(socket_, buffer_, *parser_, error);
    if (error) return Lost(error.message());
    Head head{.status = static_cast<int>(parser_->get().result_int()), .headers = {}};
    for (const auto& field : parser_->get()) {
      const auto name = field.name_string(), value = field.value();
      head.headers.push_back({{name.data(), name.size()}, {value.data(), value.size()}});
    }
    FinishIfDone();
    return head;
  }

  void FinishIfDone() { reusable_ = parser_->is_done() && parser_->keep_alive(); }

  TimedSocket socket_;
  const std::string host_;
  boost::beast::basic_flat_buffer<WipingAllocator<char>> buffer_;
  std::optional<http::response_parser<http::buffer_body>> parser_;
  bool reusable_ = true;
};

}  // namespace

Result<std::unique_ptr<HttpConnection>> HttpConnection::Open(const SocketAddress& address,
                                                             std::chrono::milliseconds timeout) {
  SocketDescriptor socket = TURNLOG_TRY(Connect(address, timeout));
  return std::make_unique<Connection>(std::move(socket), address.local() ? "localhost" : address.ToText());
}

Result<std::string> HttpConnection::ReadAll(std::size_t limit) {
  std::string text;
  std::array<char, 16384> piece{};
  for (;;) {
    const std::size_t got = TURNLOG_TRY(Read(piece));
    if (got == 0) return text;
    if (text.size() + got > limit) return Lost("a response is longer than expected");
    text.append(piece.data(), got);
  }
}

}  // namespace turnlog
