// Calls whose connection is lost when they have waited for longer than they would wait for a lost service.
#include <gmock/gmock.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/server.h"
#include "remote/service_client.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::lost_service_test {
namespace {

using testing::ElementsAre;

constexpr std::chrono::milliseconds kPatience{20};

// Its connection is lost.
class LostSource : public BodySource {
 public:
  Result<State> Read(std::string&) override { return std::unexpected(Error{ErrorCode::kIo, "lost"}); }
};

// Loses some requests after more time than the patience of their client.
class Application : public HttpApplication {
 public:
  HttpResponse Admit(const HttpRequest&) override { return {}; }
  HttpResponse Handle(const HttpRequest& request) override {
    HttpResponse response{.status = 200, .headers = {{std::string(kInstanceHeader), "one"}}, .body = "here"};
    if (request.path == "/healthz") return response;
    const std::scoped_lock lock(mutex_);
    retries_of_.emplace_back(request.header(kRetryHeader));
    if (losses_-- <= 0) return response;
    std::this_thread::sleep_for(2 * kPatience);
    response.stream = std::make_unique<LostSource>();
    return response;
  }
  HttpResponse Refuse(const HttpRequest&, int status, std::string_view) override {
    return {.status = status, .headers = {}, .body = {}};
  }

  void Lose(int requests) { losses_ = requests; }
  // Of which instance each request was a retry.
  std::vector<std::string> TakeRetries() { return std::exchange(retries_of_, {}); }

 private:
  std::mutex mutex_;
  int losses_ = 0;
  std::vector<std::string> retries_of_;
};

class LostServiceTest : public testing::Test {
 protected:
  LostServiceTest() {
    std::vector<ListeningSocket> sockets;
    sockets.push_back(Must(Listen(address_)));
    server_ = HttpServer::Make(std::move(sockets), {});
    Must(server_->Start(application_, 2));
    Must(client_.Get("/healthz"));  // as opening a log does
  }
  static HttpCall Post() { return {.method = "POST", .target = "/append", .headers = {}, .body = {}}; }

  const TempDir folder_;
  const SocketAddress address_{.path = folder_ / "socket", .host = {}};
  Application application_;
  std::unique_ptr<HttpServer> server_;
  ServiceClient client_{{.address = address_, .web = {}, .tls = {}, .token = {}, .patience = kPatience}};
};

TEST_F(LostServiceTest, ACallThatWaitsGoesOnHoweverLongItHadWaited) {
  application_.Lose(1);
  EXPECT_EQ(Must(client_.Get("/wait")), "here");
  application_.Lose(3);
  EXPECT_EQ(Must(client_.Get("/wait")), "here") << "the service was there in between";
  EXPECT_EQ(application_.TakeRetries().size(), 6U);
}

TEST_F(LostServiceTest, ABodyIsOpenedHoweverLongTheServiceHadTaken) {
  application_.Lose(1);
  EXPECT_TRUE(client_.Open({.method = "GET", .target = "/events", .headers = {}, .body = {}}));
}

// It waited for others in the queue, or for the disk.
TEST_F(LostServiceTest, AWriteIsSentAgainHoweverLongItHadWaited) {
  application_.Lose(1);
  EXPECT_EQ(Must(client_.Write(Post(), std::chrono::steady_clock::now() - std::chrono::hours(1))), "here");
  EXPECT_THAT(application_.TakeRetries(), ElementsAre("", "one"));
}

// Those that come from a queue waited for the service there, and do not wait once more.
TEST_F(LostServiceTest, PatienceIsOfTheServiceAndNotOfEachCall) {
  server_.reset();
  const auto since = std::chrono::steady_clock::now();
  EXPECT_EQ(CodeOf(client_.Write(Post(), since)), "i/o error");
  const auto given_up = std::chrono::steady_clock::now();
  EXPECT_GE(given_up, since + kPatience);
  EXPECT_EQ(CodeOf(client_.Write(Post(), since)), "i/o error");
  EXPECT_EQ(CodeOf(client_.Write(Post())), "i/o error");
  EXPECT_GE(std::chrono::steady_clock::now(), given_up + kPatience) << "a new call waits";
}

}  // namespace
}  // namespace turnlog::lost_service_test
