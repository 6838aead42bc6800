// The only file that parses responses with Boost.Beast. The socket is our own: Asio's blocking calls have no timeouts.
#include "http/client.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/coding.h"
#include "base/errno_text.h"
#include "base/secret_string.h"
#include "base/try.h"
#include "http/channel.h"
#include "http/message_handler.h"

namespace turnlog {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::uint32_t kHeaderBytes = std::uint32_t{64} << 10;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::size_t kJoined = std::size_t{64} << 10;
constexpr std::uint64_t kMaxMessageAnswer = std::uint64_t{64} << 20;
constexpr std::size_t kUsualHead = 512, kUsualHeaders = 8;

std::unexpected<Error> Lost(std::string_view what) {
  return std::unexpected(Error{ErrorCode::kIo, fmt::format("the connection to the service is lost: {}", what)});
}

// A connected socket with a limit on every wait, in the form that Beast reads from.
class TimedSocket {
 public:
  TimedSocket(SocketDescriptor socket, std::unique_ptr<Channel> channel)
      : socket_(std::move(socket)), channel_(std::move(channel)) {}
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, error_code& error) {
    const auto buffer = *boost::asio::buffer_sequence_begin(buffers);
    const std::span<char> out(static_cast<char*>(buffer.data()), buffer.size());
    const auto end = Clock::now() + timeout_;
    for (;;) {
      const auto step =
          std::exchange(answer_takes_time_, false) ? channel_->ReadWithin(out, timeout_) : channel_->Read(out);
      if (step.state == Channel::State::kMoved) return error = {}, step.bytes;
      if (step.state == Channel::State::kEnded) return error = boost::asio::error::eof, 0;
      if (error = Wait(step.state, end); error) return 0;
    }
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    error_code ignored;
    return read_some(buffers, ignored);
  }

  error_code Write(std::string_view bytes) {
    answer_takes_time_ = true;
    while (!bytes.empty()) {
      const auto step = channel_->Write(bytes);
      bytes.remove_prefix(step.bytes);
      // A server that answers before it has all of a body refuses it, and does not wait for the rest.
      if (step.state == Channel::State::kMoved && (bytes.empty() || channel_->silent())) continue;
      if (step.state == Channel::State::kMoved) return boost::asio::error::operation_aborted;
      if (step.state == Channel::State::kEnded) return boost::asio::error::broken_pipe;
      if (const error_code error = Wait(step.state, Clock::now() + timeout_); error) return error;
    }
    return {};
  }

  // There is nothing to read, not even the end.
  bool silent() const { return channel_->silent(); }
  std::string refusal() const { return channel_->refusal(); }

 private:
  using Clock = std::chrono::steady_clock;

  error_code Wait(Channel::State state, Clock::time_point end) const {
    const short events = state == Channel::State::kWantsWrite ? POLLOUT : POLLIN;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    return {AwaitEvents(socket_.number(), events, left), boost::system::system_category()};
  }

  SocketDescriptor socket_;
  std::unique_ptr<Channel> channel_;
  std::chrono::milliseconds timeout_{0};
  bool answer_takes_time_ = false;  // trying to read at once would be in vain
};

class Connection : public HttpConnection {
 public:
  Connection(SocketDescriptor socket, std::unique_ptr<Channel> channel, std::string host)
      : socket_(std::move(socket), std::move(channel)), host_(std::move(host)) {
    buffer_.reserve(kReadBytes);  // Beast reads what is free in it, and 512 bytes otherwise
  }

  Result<Head> Send(const HttpCall& call, std::chrono::milliseconds timeout) override {
    reusable_ = false;
    socket_.set_timeout(timeout);
    const error_code unsent = Write(call);
    // A server that refuses a request need not read all of it: what it says comes first.
    auto response = ReadHead();
    if (!response && unsent) return LostBy(unsent);
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

  Result<std::string> Ask(std::span<const std::string_view> parts, std::chrono::milliseconds timeout) override {
    std::uint64_t length = 0;
    for (const std::string_view part : parts) length += part.size();
    SecretString message;
    message.Reserve(kMessageLength + length);
    StoreLittle(message.Resize(kMessageLength).data(), length);
    for (const std::string_view part : parts) message.Append(part);
    socket_.set_timeout(timeout);
    if (const error_code unsent = socket_.Write(message.view()); unsent) return LostBy(unsent);
    TURNLOG_TRY(Receive(kMessageLength));
    const auto answer = LoadLittle<std::uint64_t>(static_cast<const char*>(buffer_.data().data()));
    if (answer > kMaxMessageAnswer) return Lost("an answer is longer than expected");
    TURNLOG_TRY(Receive(kMessageLength + answer));
    std::string text(static_cast<const char*>(buffer_.data().data()) + kMessageLength, answer);
    buffer_.consume(kMessageLength + answer);
    return text;
  }

  bool reusable() const override { return reusable_; }
  bool alive() const override { return socket_.silent(); }

 private:
  // As few calls of the system as possible, and large bodies without a copy.
  error_code Write(const HttpCall& call) {
    SecretString joined(HeadOf(call));
    std::size_t length = joined.size();
    for (const std::string_view part : call.body) length += part.size();
    joined.Reserve(std::min(length, kJoined));
    for (const std::string_view part : call.body) {
      if (joined.size() + part.size() <= kJoined) {
        joined.Append(part);
        continue;
      }
      if (const error_code unsent = socket_.Write(joined.view()); unsent) return unsent;
      joined.Clear();
      if (const error_code unsent = socket_.Write(part); unsent) return unsent;
    }
    return socket_.Write(joined.view());
  }

  // At least so many bytes in the buffer.
  Status Receive(std::size_t bytes) {
    while (buffer_.size() < bytes) {
      error_code error;
      const std::size_t got = socket_.read_some(buffer_.prepare(std::max(kReadBytes, bytes) - buffer_.size()), error);
      if (error) return LostBy(error);
      buffer_.commit(got);
    }
    return {};
  }

  std::unexpected<Error> LostBy(const error_code& error) const {
    const std::string refusal = socket_.refusal();
    if (refusal.empty()) return Lost(error.message());
    return std::unexpected(Error{ErrorCode::kInvalidArgument, refusal});
  }

  std::string HeadOf(const HttpCall& call) const {
    std::size_t length = 0;
    for (const std::string_view part : call.body) length += part.size();
    std::string head;
    head.reserve(kUsualHead);
    head.append(call.method).append(" ").append(call.target).append(" HTTP/1.1\r\nHost: ").append(host_).append("\r\n");
    for (const HttpHeader& header : call.headers) AppendHeader(header.name, header.value, head);
    if (call.method != "GET") AppendHeader("Content-Length", std::to_string(length), head);
    return head += "\r\n";
  }

  Result<Head> ReadHead() {
    parser_.emplace();
    parser_->header_limit(kHeaderBytes);
    parser_->body_limit(boost::none);
    error_code error;
    http::read_header(socket_, buffer_, *parser_, error);
    if (error) return LostBy(error);
    Head head{.status = static_cast<int>(parser_->get().result_int()), .headers = {}};
    head.headers.reserve(kUsualHeaders);
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
  auto channel = PlainChannel(socket.number());
  return std::make_unique<Connection>(std::move(socket), std::move(channel),
                                      address.local() ? "localhost" : address.ToText());
}

Result<std::unique_ptr<HttpConnection>> HttpConnection::Open(const WebAddress& address, const TlsClient& tls,
                                                             std::chrono::milliseconds timeout) {
  const auto wait = [&](int socket, short events) {
    const int error = AwaitEvents(socket, events, timeout);
    if (error == 0) return Status();
    return Status(
        std::unexpected(Error{ErrorCode::kIo, error == ETIMEDOUT ? "it did not answer in time" : ErrnoText(error)}));
  };
  SocketDescriptor socket = TURNLOG_TRY(ConnectTo(address, wait));
  auto channel = TURNLOG_TRY(tls.Connect(socket.number(), address.host));
  return std::make_unique<Connection>(std::move(socket), std::move(channel), address.Authority());
}

Result<std::string> HttpConnection::ReadAll(std::size_t limit) {
  std::string text;
  std::array<char, 16384> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): overwritten, as far as it is read
  for (;;) {
    const std::size_t got = TURNLOG_TRY(Read(piece));
    if (got == 0) return text;
    if (text.size() + got > limit) return Lost("a response is longer than expected");
    text.append(piece.data(), got);
  }
}

}  // namespace turnlog
