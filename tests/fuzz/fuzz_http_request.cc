// Any bytes as what a client sends to a server: it answers in HTTP or closes the connection, and goes on to serve.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server.h"
#include "http/socket.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace turnlog;

// Gives back what it got.
class Echo : public HttpApplication {
 public:
  HttpResponse Admit(const HttpRequest& head) override {
    return {.status = head.path == "/no" ? 403 : 200, .headers = {}, .body = {}};
  }
  HttpResponse Handle(const HttpRequest& request) override {
    std::string body = request.method + request.path + request.query;
    for (const HttpHeader& header : request.headers) body += header.value;
    return {.status = 200, .headers = {}, .body = body.append(request.body.view())};
  }
  HttpResponse Refuse(const HttpRequest&, int status, std::string_view reason) override {
    return {.status = status, .headers = {}, .body = std::string(reason)};
  }
};

class Service {
 public:
  Service() {
    auto socket = Listen(address_);
    Require(socket.has_value());
    std::vector<ListeningSocket> sockets;
    sockets.push_back(*std::move(socket));
    server_ = HttpServer::Make(std::move(sockets), {.body_bytes = 1 << 20, .body_memory = 1 << 23});
    Require(server_->Start(echo_, 1).has_value());
  }

  // All that is answered until the server closes the connection.
  std::string Send(std::string_view bytes) {
    const auto socket = Connect(address_, kTime);
    Require(socket.has_value());
    const int number = socket->number();
    while (!bytes.empty() && AwaitEvents(number, POLLOUT, kTime) == 0) {
      const auto sent = ::send(number, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;  // it has closed the connection already
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    ::shutdown(number, SHUT_WR);
    return ReadToEnd(number);
  }

 private:
  static constexpr std::chrono::seconds kTime{30};

  static std::string ReadToEnd(int number) {
    std::string answer;
    std::vector<char> piece(1 << 16);
    for (;;) {
      Require(AwaitEvents(number, POLLIN, kTime) == 0);
      const auto got = ::recv(number, piece.data(), piece.size(), 0);
      if (got <= 0) return answer;
      answer.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

  TempDir dir_;
  const SocketAddress address_{.path = dir_ / "socket"};
  Echo echo_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Service service;
  const std::string answer = service.Send({reinterpret_cast<const char*>(data), size});
  Require(answer.empty() || answer.starts_with("HTTP/1.1 "));
  Require(service.Send("GET /ok HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").contains("GET/ok"));
  return 0;
}
