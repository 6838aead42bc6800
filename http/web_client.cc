#include "http/web_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

#include "base/try.h"
#include "http/channel.h"
#include "http/tls.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostHead = 16 << 10;

std::unexpected<Error> Failed(std::string message) {
  return std::unexpected(Error{ErrorCode::kIo, std::move(message)});
}

// What all steps of a request share: the time that is left, and whether it was aborted.
class Patience {
 public:
  Patience(int aborted, milliseconds time) : aborted_(aborted), end_(steady_clock::now() + time) {}

  Status Wait(int socket, short events) const {
    for (;;) {
      std::array<pollfd, 2> waiting{pollfd{.fd = aborted_, .events = POLLIN, .revents = 0},
                                    pollfd{.fd = socket, .events = events, .revents = 0}};
      const auto left = std::chrono::ceil<milliseconds>(end_ - steady_clock::now()).count();
      const int ready = left <= 0 ? 0 : ::poll(waiting.data(), waiting.size(), static_cast<int>(left));
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return Failed("the server did not answer in time");
      return waiting[0].revents == 0 ? Status() : Failed("the request was given up");
    }
  }

 private:
  const int aborted_;
  const steady_clock::time_point end_;
};

// A connection, encrypted or not.
class Stream {
 public:
  Stream(SocketDescriptor socket, std::unique_ptr<Channel> channel, const Patience& patience)
      : socket_(std::move(socket)), channel_(std::move(channel)), patience_(patience) {}

  Status Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto step = channel_->Write(bytes);
      bytes.remove_prefix(step.bytes);
      TURNLOG_TRY(After(step.state));
    }
    return {};
  }

  // Up to the end of the first line.
  Result<std::string> ReadLine() {
    std::string text;
    while (text.find('\n') == std::string::npos && text.size() < kMostHead) {
      std::array<char, 1024> piece{};
      const auto step = channel_->Read(piece);
      text.append(piece.data(), step.bytes);
      TURNLOG_TRY(After(step.state));
    }
    return text.substr(0, text.find('\n'));
  }

 private:
  Status After(Channel::State state) const {
    if (state == Channel::State::kMoved) return {};
    if (state == Channel::State::kWantsRead) return patience_.Wait(socket_.number(), POLLIN);
    if (state == Channel::State::kWantsWrite) return patience_.Wait(socket_.number(), POLLOUT);
    std::string refusal = channel_->refusal();
    if (refusal.empty()) return Failed("the server closed the connection");
    return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(refusal)});
  }

  const SocketDescriptor socket_;
  const std::unique_ptr<Channel> channel_;
  const Patience& patience_;
};

Result<std::unique_ptr<Channel>> ChannelTo(const WebAddress& address, int socket) {
  if (!address.encrypted) return PlainChannel(socket);
  return TURNLOG_TRY(TlsClient::Make({}))->Connect(socket, address.host);
}

std::string RequestText(const WebAddress& address, const std::vector<HttpHeader>& headers, std::string_view body) {
  std::string text = fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n",
                                 address.target, address.Authority(), body.size());
  for (const HttpHeader& each : headers) text += fmt::format("{}: {}\r\n", each.name, each.value);
  return text.append("\r\n").append(body);
}

Result<int> StatusIn(std::string_view line) {
  int status = 0;
  const std::size_t space = line.find(' ');
  if (line.starts_with("HTTP/1.") && space != std::string_view::npos) {
    std::from_chars(line.data() + space + 1, line.data() + line.size(), status);
  }
  if (status < 100) return Failed("the answer is no HTTP");
  return status;
}

}  // namespace

WebClient::WebClient() : aborted_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<int> WebClient::Post(const WebAddress& address, const std::vector<HttpHeader>& headers, std::string_view body,
                            milliseconds timeout) {
  const Patience patience(aborted_.number(), timeout);
  SocketDescriptor socket =
      TURNLOG_TRY(ConnectTo(address, [&](int number, short events) { return patience.Wait(number, events); }));
  auto channel = TURNLOG_TRY(ChannelTo(address, socket.number()));
  Stream stream(std::move(socket), std::move(channel), patience);
  TURNLOG_TRY(stream.Write(RequestText(address, headers, body)));
  return StatusIn(TURNLOG_TRY(stream.ReadLine()));
}

void WebClient::Abort() { (void)::eventfd_write(aborted_.number(), 1); }

}  // namespace turnlog
