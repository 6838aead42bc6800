// Streams that have nothing to send at the moment: what they keep meanwhile, and clients that go away.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/server.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::idle_stream_test {
namespace {

constexpr std::chrono::seconds kLong{30};
constexpr std::size_t kLargePiece = std::size_t{1} << 20;
constexpr std::string_view kRequest = "GET / HTTP/1.1\r\n\r\n";

// What a test and its stream know of each other.
struct Shared {
  std::promise<void> idle, destroyed;
  std::atomic<int> reads = 0;
  std::atomic<bool> ends = false;
  std::size_t kept = 0;  // the room in the second piece before anything was in it
  std::function<void()> wake;
};

// A large piece, nothing for a moment, and the end.
class PausingSource : public BodySource {
 public:
  explicit PausingSource(Shared& shared) : shared_(shared) {}
  Result<State> Read(std::string& piece) override {
    if (++shared_.reads > 1) {
      shared_.kept = piece.capacity();
      return State::kEnd;
    }
    piece.append(kLargePiece, 'x');
    return State::kIdle;
  }
  std::chrono::milliseconds idle_limit() const override { return std::chrono::milliseconds(1); }

 private:
  Shared& shared_;
};

// Waits until the test ends it, or its client goes.
class WaitingSource : public BodySource {
 public:
  explicit WaitingSource(Shared& shared) : shared_(shared) {}
  ~WaitingSource() override { shared_.destroyed.set_value(); }
  void OnWake(std::function<void()> wake) override { shared_.wake = std::move(wake); }
  Result<State> Read(std::string& piece) override {
    if (shared_.reads++ == 0) shared_.idle.set_value();
    if (!shared_.ends) return State::kIdle;
    piece += "answer";
    return State::kEnd;
  }
  std::chrono::milliseconds idle_limit() const override { return std::chrono::hours(1); }
  bool ends_with_client() const override { return true; }

 private:
  Shared& shared_;
};

class Application : public HttpApplication {
 public:
  using Make = std::function<std::unique_ptr<BodySource>()>;
  explicit Application(Make make) : make_(std::move(make)) {}
  HttpResponse Admit(const HttpRequest&) override { return {}; }
  HttpResponse Handle(const HttpRequest& request) override {
    HttpResponse response{.status = 200, .headers = {}, .body = "next"};
    if (request.path == "/") response.stream = make_();
    return response;
  }
  HttpResponse Refuse(const HttpRequest&, int status, std::string_view) override {
    return {.status = status, .headers = {}, .body = {}};
  }

 private:
  const Make make_;
};

class IdleStreamTest : public testing::Test {
 protected:
  // It must not outlive the server.
  void TearDown() override { shared_.wake = {}; }

  template <class Source>
  void Serve() {
    application_.emplace([this] { return std::make_unique<Source>(shared_); });
    std::vector<ListeningSocket> sockets;
    sockets.push_back(Must(Listen(address_)));
    server_ = HttpServer::Make(std::move(sockets), {});
    Must(server_->Start(*application_, 2));
    client_ = Must(Connect(address_, kLong));
    Send(kRequest);
  }
  void Send(std::string_view bytes) const {
    ASSERT_EQ(::send(client_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // Up to these bytes, or to the end.
  std::string ReceiveTo(std::string_view last) const {
    std::string text;
    std::array<char, 65536> piece{};
    while (!text.ends_with(last) && AwaitEvents(client_.number(), POLLIN, kLong) == 0) {
      const ssize_t got = ::recv(client_.number(), piece.data(), piece.size(), 0);
      if (got <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

  Shared shared_;
  const TempDir folder_;
  const SocketAddress address_{.path = folder_ / "socket", .host = {}};
  std::optional<Application> application_;
  std::unique_ptr<HttpServer> server_;
  SocketDescriptor client_;
};

TEST_F(IdleStreamTest, TheMemoryOfALargePieceIsNotKept) {
  Serve<PausingSource>();
  EXPECT_GT(ReceiveTo("\r\n0\r\n\r\n").size(), kLargePiece);
  EXPECT_EQ(shared_.reads, 2);
  EXPECT_LT(shared_.kept, kLargePiece / 64);
}

TEST_F(IdleStreamTest, AClientThatGoesAwayIsNoticedWhileTheStreamWaits) {
  Serve<WaitingSource>();
  shared_.idle.get_future().wait();
  client_ = {};
  EXPECT_EQ(shared_.destroyed.get_future().wait_for(kLong), std::future_status::ready);
  EXPECT_EQ(shared_.reads, 1);
}

TEST_F(IdleStreamTest, TheNextRequestOfAClientIsNotTakenForItsEnd) {
  Serve<WaitingSource>();
  shared_.idle.get_future().wait();
  Send("GET /next HTTP/1.1\r\n\r\n");
  EXPECT_EQ(shared_.destroyed.get_future().wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  shared_.ends = true;
  shared_.wake();
  const std::string answers = ReceiveTo("next");
  EXPECT_TRUE(answers.contains("answer\r\n0\r\n\r\nHTTP/1.1 200 OK")) << answers;
  EXPECT_EQ(shared_.reads, 2);
}

}  // namespace
}  // namespace turnlog::idle_stream_test
