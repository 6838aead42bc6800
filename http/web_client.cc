#include "http/web_client.h"

#include <fmt/format.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

#include "base/errno_text.h"
#include "base/try.h"

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

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
struct FreeTls {
  void operator()(SSL* tls) const { ::SSL_free(tls); }
  void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
};

Result<SocketDescriptor> ConnectTo(const addrinfo& address, const Patience& patience) {
  SocketDescriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.open()) return Failed(ErrnoText(errno));
  if (::connect(socket.number(), address.ai_addr, address.ai_addrlen) == 0) return socket;
  if (errno != EINPROGRESS) return Failed(ErrnoText(errno));
  TURNLOG_TRY(patience.Wait(socket.number(), POLLOUT));
  int error = 0;
  socklen_t length = sizeof error;
  (void)::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return Failed(ErrnoText(error));
  return socket;
}

Result<SocketDescriptor> ConnectTo(const WebAddress& address, const Patience& patience) {
  const addrinfo wanted{.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found); error != 0) {
    return Failed(fmt::format("cannot find {}: {}", address.host, ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  std::string reason;
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    auto socket = ConnectTo(*each, patience);
    if (socket) return socket;
    reason = socket.error().message;
  }
  return Failed(fmt::format("cannot connect to {}: {}", address.host, reason));
}

// A connection, encrypted or not.
class Stream {
 public:
  Stream(SocketDescriptor socket, const Patience& patience) : socket_(std::move(socket)), patience_(patience) {}

  Status Encrypt(const std::string& host) {
    ::ERR_clear_error();  // of an earlier request
    context_.reset(::SSL_CTX_new(::TLS_client_method()));
    if (context_ == nullptr || ::SSL_CTX_set_default_verify_paths(context_.get()) != 1) return TlsFailed("begin");
    (void)::SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    ::SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    tls_.reset(::SSL_new(context_.get()));
    if (tls_ == nullptr || ::SSL_set_fd(tls_.get(), socket_.number()) != 1) return TlsFailed("begin");
    const bool is_number = ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(tls_.get()), host.c_str()) == 1;
    if (!is_number) {
      // SSL_set_tlsext_host_name without its cast.
      (void)::SSL_ctrl(tls_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                       const_cast<char*>(host.c_str()));
      if (::SSL_set1_host(tls_.get(), host.c_str()) != 1) return TlsFailed("begin");
    }
    for (;;) {
      const int done = ::SSL_connect(tls_.get());
      if (done == 1) return {};
      TURNLOG_TRY(WaitForTls(done));
    }
  }

  Status Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = tls_ != nullptr ? ::SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                                        : ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else {
        TURNLOG_TRY(WaitAfter(sent, POLLOUT));
      }
    }
    return {};
  }

  // Up to the end of the first line.
  Result<std::string> ReadLine() {
    std::string text;
    while (text.find('\n') == std::string::npos && text.size() < kMostHead) {
      std::array<char, 1024> piece{};
      const auto got = tls_ != nullptr ? ::SSL_read(tls_.get(), piece.data(), static_cast<int>(piece.size()))
                                       : ::recv(socket_.number(), piece.data(), piece.size(), 0);
      if (got > 0) {
        text.append(piece.data(), static_cast<std::size_t>(got));
      } else if (got == 0 && tls_ == nullptr) {
        return Failed("the server closed the connection");
      } else {
        TURNLOG_TRY(WaitAfter(got, POLLIN));
      }
    }
    return text.substr(0, text.find('\n'));
  }

 private:
  static Status TlsFailed(std::string_view what) {
    std::array<char, 256> reason{};
    ::ERR_error_string_n(::ERR_get_error(), reason.data(), reason.size());
    return Failed(fmt::format("cannot {} an encrypted connection: {}", what, reason.data()));
  }

  Status WaitForTls(int result) {
    const int error = ::SSL_get_error(tls_.get(), result);
    if (error == SSL_ERROR_WANT_READ) return patience_.Wait(socket_.number(), POLLIN);
    if (error == SSL_ERROR_WANT_WRITE) return patience_.Wait(socket_.number(), POLLOUT);
    const auto verified = ::SSL_get_verify_result(tls_.get());
    if (verified != X509_V_OK) {
      return Failed(fmt::format("the server's certificate: {}", ::X509_verify_cert_error_string(verified)));
    }
    return TlsFailed("keep");
  }

  Status WaitAfter(long result, short events) {
    if (tls_ != nullptr) return WaitForTls(static_cast<int>(result));
    if (errno != EAGAIN && errno != EINTR) return Failed(ErrnoText(errno));
    return patience_.Wait(socket_.number(), events);
  }

  const SocketDescriptor socket_;
  const Patience& patience_;
  std::unique_ptr<SSL_CTX, FreeTls> context_;
  std::unique_ptr<SSL, FreeTls> tls_;
};

std::string RequestText(const WebAddress& address, const std::vector<HttpHeader>& headers, std::string_view body) {
  const bool v6 = address.host.find(':') != std::string::npos;
  const bool usual = address.port == (address.encrypted ? "443" : "80");
  std::string text =
      fmt::format("POST {} HTTP/1.1\r\nHost: {}{}{}{}\r\nConnection: close\r\nContent-Length: {}\r\n", address.target,
                  v6 ? "[" : "", address.host, v6 ? "]" : "", usual ? "" : ":" + address.port, body.size());
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

Result<WebAddress> ParseWebAddress(std::string_view url) {
  const auto wrong = std::unexpected(Error{ErrorCode::kInvalidArgument, "a URL must be https://HOST[:PORT][/PATH]"});
  WebAddress address;
  address.encrypted = url.starts_with("https://");
  if (!address.encrypted && !url.starts_with("http://")) return wrong;
  std::string_view rest = url.substr(url.find("//") + 2);
  const std::size_t path = std::min(rest.find_first_of("/?#"), rest.size());
  address.target = path < rest.size() ? std::string(rest.substr(path, rest.find('#') - path)) : "/";
  if (!address.target.starts_with('/')) address.target.insert(0, "/");
  rest = rest.substr(0, path);
  const std::size_t bracket = rest.find(']');
  const std::size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  address.host = rest.substr(0, colon);
  address.port = colon == std::string_view::npos ? (address.encrypted ? "443" : "80") : rest.substr(colon + 1);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f' && c != '@' && c != '"' && c != '\\'; };
  const bool digits = !address.port.empty() && address.port.find_first_not_of("0123456789") == std::string::npos;
  if (address.host.empty() || !digits || !std::ranges::all_of(address.host + address.target, is_plain)) return wrong;
  return address;
}

WebClient::WebClient() : aborted_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<int> WebClient::Post(const WebAddress& address, const std::vector<HttpHeader>& headers, std::string_view body,
                            milliseconds timeout) {
  const Patience patience(aborted_.number(), timeout);
  Stream stream(TURNLOG_TRY(ConnectTo(address, patience)), patience);
  if (address.encrypted) TURNLOG_TRY(stream.Encrypt(address.host));
  TURNLOG_TRY(stream.Write(RequestText(address, headers, body)));
  return StatusIn(TURNLOG_TRY(stream.ReadLine()));
}

void WebClient::Abort() { (void)::eventfd_write(aborted_.number(), 1); }

}  // namespace turnlog
