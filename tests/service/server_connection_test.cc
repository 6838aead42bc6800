// A connection whose client never lets it wait.
#include "http/server_connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

namespace turnlog::server_connection_test {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kRequest = "GET / HTTP/1.1\r\n\r\n";
constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // after which the client ends

// There is always something to read, and room to write.
class ReadyChannel : public Channel {
 public:
  explicit ReadyChannel(std::size_t& bytes) : bytes_(bytes) {}

  Step Read(std::span<char> out) override {
    if (bytes_ > kMostBytes) return {};
    const std::size_t size = std::min(out.size(), kRequest.size() - at_);
    std::ranges::copy(kRequest.substr(at_, size), out.begin());
    at_ = (at_ + size) % kRequest.size();
    return Moved(size);
  }
  Step ReadWithin(std::span<char> out, std::chrono::milliseconds) override { return Read(out); }
  Step Write(std::string_view bytes) override { return bytes_ > kMostBytes ? Step{} : Moved(bytes.size()); }
  bool silent() override { return false; }
  bool ended() override { return false; }
  void EndWriting() override {}

 private:
  Step Moved(std::size_t size) {
    bytes_ += size;
    return {State::kMoved, size};
  }

  std::size_t& bytes_;
  std::size_t at_ = 0;
};

class Endless : public BodySource {
 public:
  Result<State> Read(std::string& out) override { return out.append(1000, 'x'), State::kMore; }
};

class Application : public HttpApplication {
 public:
  explicit Application(bool streams) : streams_(streams) {}
  HttpResponse Admit(const HttpRequest&) override { return {}; }
  HttpResponse Handle(const HttpRequest&) override {
    HttpResponse response{.status = 200, .headers = {}, .body = {}};
    if (streams_) response.stream = std::make_unique<Endless>();
    return response;
  }
  HttpResponse Refuse(const HttpRequest&, int status, std::string_view) override {
    return {.status = status, .headers = {}, .body = {}};
  }

 private:
  const bool streams_;
};

class ServerConnectionTest : public testing::TestWithParam<bool>, private ConnectionOwner {
 protected:
  std::shared_ptr<ServerConnection> Connect() {
    SocketDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    return std::make_shared<ServerConnection>(static_cast<ConnectionOwner&>(*this), asio::make_strand(io_),
                                              std::move(socket), std::make_unique<ReadyChannel>(bytes_), true);
  }

  boost::asio::io_context io_;
  std::size_t bytes_ = 0;

 private:
  HttpApplication& application() override { return application_; }
  const HttpLimits& limits() const override { return limits_; }
  BodyBudget& bodies() override { return bodies_; }
  MessageLoop& messages() override { return messages_; }
  void Remove(ServerConnection&) override {}
  bool BeginStay() override { return false; }
  void EndStay() override {}

  Application application_{GetParam()};
  const HttpLimits limits_;
  BodyBudget bodies_{1};
  MessageLoop messages_;
};

// What others have to do on its thread is done, and it can be cut off.
TEST_P(ServerConnectionTest, IsCutOffAlthoughItNeverWaits) {
  auto connection = Connect();
  connection->Start();
  connection->Cut();
  connection.reset();
  io_.run();
  EXPECT_LT(bytes_, std::size_t{8} << 20);
}

INSTANTIATE_TEST_SUITE_P(OfRequestsAndStreams, ServerConnectionTest, testing::Bool());

}  // namespace
}  // namespace turnlog::server_connection_test
