// Clients that take their time, and bodies in many pieces. The limits are as short as the server allows; nothing
// depends on how long anything takes.
#include <gmock/gmock.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <utility>

#include "http/client.h"
#include "http/server.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::slow_client_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::chrono::milliseconds kAtOnce{1};
const std::string kLargeBody(std::size_t{2} << 20, 'x');
const std::string kLargeHead = "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(kLargeBody.size()) + "\r\n\r\n";

class Application : public HttpApplication {
 public:
  HttpResponse Admit(const HttpRequest&) override { return {}; }
  HttpResponse Handle(const HttpRequest& request) override {
    if (request.path == "/held") {
      begun.count_down();
      go_on.wait();
    }
    HttpResponse response{.status = 200, .headers = {}, .body = std::to_string(request.body.size())};
    response.body.resize(std::max(response.body.size(), answer_bytes), ' ');
    return response;
  }
  HttpResponse Refuse(const HttpRequest&, int status, std::string_view) override {
    return {.status = status, .headers = {}, .body = {}};
  }

  std::size_t answer_bytes = 0;
  std::latch begun{1}, go_on{1};
};

class SlowClientTest : public testing::Test {
 protected:
  void Serve() {
    MakeServer();
    Must(server_->Start(application_, 2));
    client_ = Must(Connect(server_->addresses().front(), std::chrono::seconds(30)));
  }
  void MakeServer() {
    std::vector<ListeningSocket> sockets;
    sockets.push_back(Must(Listen(address_)));
    server_ = HttpServer::Make(std::move(sockets), limits_);
  }
  void Write(std::string_view bytes) const {
    ASSERT_EQ(::send(client_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // Returns when the server has read it.
  void Send(std::string_view bytes) const {
    Write(bytes);
    for (int left = 1; left > 0; std::this_thread::yield()) ASSERT_EQ(::ioctl(client_.number(), TIOCOUTQ, &left), 0);
  }
  void WriteAll(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(client_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno == EPIPE) return;  // refused, or cut off
      if (sent < 0) std::this_thread::yield();
    }
  }
  // By a request that is handled until `go_on`; there is another connection then.
  void HoldAllRoom() {
    limits_.body_memory = kLargeBody.size() * 4;
    Serve();
    Send("POST /held" + kLargeHead.substr(std::string_view("POST /").size()));
    WriteAll(kLargeBody);
    application_.begun.wait();
    held_ = std::exchange(client_, Must(Connect(address_, std::chrono::seconds(30))));
  }
  // Up to the end, or to the end of one response without a body.
  std::string Receive(bool to_end = true) const {
    std::string text;
    std::array<char, 4096> piece{};
    for (;;) {
      const ssize_t got = ::recv(client_.number(), piece.data(), piece.size(), 0);
      if (got == 0) return text;
      if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
      if (got < 0) std::this_thread::yield();
      if (!to_end && text.contains("\r\n\r\n")) return text;
    }
  }

  const TempDir folder_;
  SocketAddress address_{.path = folder_ / "socket", .host = {}};
  HttpLimits limits_;
  Application application_;
  std::unique_ptr<HttpServer> server_;
  SocketDescriptor client_, held_;
};

TEST_F(SlowClientTest, AHeadThatDoesNotEndIsGivenUp) {
  limits_.header_time = kAtOnce;
  Serve();
  Send("GET / HT");
  EXPECT_THAT(Receive(), IsEmpty());
}

TEST_F(SlowClientTest, ABodyThatDoesNotComeIsGivenUp) {
  limits_.progress_time = kAtOnce;
  Serve();
  Send("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc");
  EXPECT_THAT(Receive(), IsEmpty());
}

TEST_F(SlowClientTest, AConnectionWithoutRequestsIsClosed) {
  limits_.idle_time = kAtOnce;
  Serve();
  EXPECT_THAT(Receive(), IsEmpty());
}

TEST_F(SlowClientTest, OneThatDoesNotReadIsCutOff) {
  limits_.progress_time = kAtOnce;
  application_.answer_bytes = std::size_t{64} << 20;
  Serve();
  Send("GET / HTTP/1.1\r\n\r\n");
  while (server_->connections() > 0) std::this_thread::yield();
}

// While it is held, the server gives up another connection whose time begins later and is as short.
TEST_F(SlowClientTest, AHandlerMayTakeLonger) {
  limits_.header_time = limits_.progress_time = kAtOnce;
  Serve();
  Send("POST /held HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
  application_.begun.wait();
  SocketDescriptor held = std::exchange(client_, Must(Connect(address_, std::chrono::seconds(30))));
  Send("GET / HT");
  EXPECT_THAT(Receive(), IsEmpty());
  application_.go_on.count_down();
  client_ = std::move(held);
  EXPECT_THAT(Receive(false), HasSubstr("HTTP/1.1 200 OK"));
}

TEST_F(SlowClientTest, ABodyTakesItsOwnSizeHoweverItComes) {
  limits_.body_memory = 400;  // four times its size
  Serve();
  Send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 20; ++i) {
    Send("5\r\nhe");
    Send("llo\r\n");
  }
  Send("0\r\n\r\n");
  EXPECT_THAT(Receive(false), HasSubstr("HTTP/1.1 200 OK"));
}

// While another one is handled, which has taken all there is.
TEST_F(SlowClientTest, ABodyWithoutRoomIsRefusedAfterAWhile) {
  limits_.room_time = kAtOnce;
  HoldAllRoom();
  Send(kLargeHead);
  WriteAll(std::string(std::size_t{512} << 10, 'x'));  // more than small ones may take beside it
  EXPECT_THAT(Receive(), HasSubstr("HTTP/1.1 503"));
  application_.go_on.count_down();
}

// While it waits, the server gives up another connection whose head begins later.
TEST_F(SlowClientTest, ABodyThatWaitsForRoomMayTakeLongerThanAHead) {
  limits_.header_time = std::chrono::milliseconds(200);
  limits_.room_time = std::chrono::minutes(2);
  HoldAllRoom();
  Send(kLargeHead);
  SocketDescriptor waiting = std::exchange(client_, Must(Connect(address_, std::chrono::seconds(30))));
  Send("GET / HT");
  EXPECT_THAT(Receive(), IsEmpty());
  application_.go_on.count_down();
  client_ = std::move(waiting);
  WriteAll(kLargeBody);
  EXPECT_THAT(Receive(false), HasSubstr("HTTP/1.1 200 OK"));
}

// The first request is there before its connection is accepted.
TEST_F(SlowClientTest, AHandlerThatTakesLongDoesNotKeepOthersFromConnecting) {
  MakeServer();
  client_ = Must(Connect(address_, std::chrono::seconds(30)));
  Write("GET /held HTTP/1.1\r\n\r\n");
  Must(server_->Start(application_, 2));
  const SocketDescriptor held = std::exchange(client_, Must(Connect(address_, std::chrono::seconds(30))));
  Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(Receive(false), HasSubstr("HTTP/1.1 200 OK"));
  application_.go_on.count_down();
}

TEST_F(SlowClientTest, WhatAChunkBeginsWithIsLimited) {
  Serve();
  Write("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(limits_.header_bytes + 1, 'a'));
  EXPECT_THAT(Receive(false), HasSubstr("HTTP/1.1 400"));
}

TEST_F(SlowClientTest, OverTcpTheFirstRequestComesSoon) {
  limits_.header_time = kAtOnce;
  address_ = {.path = {}, .host = "127.0.0.1"};
  Serve();
  EXPECT_THAT(Receive(), IsEmpty());
}

TEST_F(SlowClientTest, ConnectionsOverTcpDoNotUseUpWhatLocalOnesNeed) {
  limits_.connections = 1;
  std::vector<ListeningSocket> sockets;
  sockets.push_back(Must(Listen(address_)));
  sockets.push_back(Must(Listen({.path = {}, .host = "127.0.0.1"})));
  server_ = HttpServer::Make(std::move(sockets), limits_);
  Must(server_->Start(application_, 2));
  const SocketDescriptor first = Must(Connect(server_->addresses()[1], std::chrono::seconds(30)));
  while (server_->connections() == 0) std::this_thread::yield();
  client_ = Must(Connect(server_->addresses()[1], std::chrono::seconds(30)));
  EXPECT_THAT(Receive(), IsEmpty());
  client_ = Must(Connect(address_, std::chrono::seconds(30)));
  Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(Receive(false), HasSubstr("HTTP/1.1 200 OK"));
}

// Each piece is a call of the system.
TEST_F(SlowClientTest, ALargeResponseIsReadInLargePieces) {
  application_.answer_bytes = std::size_t{1} << 20;
  Serve();
  const auto connection = Must(HttpConnection::Open(address_, std::chrono::seconds(30)));
  Must(connection->Send({"GET", "/", {}, {}}, std::chrono::seconds(30)));
  std::vector<char> piece(std::size_t{64} << 10);
  std::size_t pieces = 0;
  while (Must(connection->Read(piece)) > 0) ++pieces;
  EXPECT_LT(pieces, 512U);
}

}  // namespace
}  // namespace turnlog::slow_client_test
