// Many clients with large bodies, some of them slow, some of them killed: they share the memory for bodies, and every
// append is in the log or not, as its client was told.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "http/client.h"
#include "tests/service/child_service.h"
#include "tests/service/service_fixture.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"

namespace turnlog::body_memory_test {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr std::uint64_t kBodyMemory = 32 * kMib;
constexpr int kFast = 12, kSlow = 6;
constexpr int kEventsOfFast = 60, kEventsOfSlow = 4;
constexpr std::size_t kEventBytes = 60'000;
constexpr std::chrono::seconds kPatience{120};

std::string Lines(int events) {
  std::string body;
  for (int i = 0; i < events; ++i) body += ToJson(Say(std::string(kEventBytes, 'x'))) + "\n";
  return body;
}

class BodyMemoryTest : public testing::Test {
 protected:
  BodyMemoryTest() {
    while (!Connect(address_, kPatience)) std::this_thread::yield();
  }

  Reply Send(std::string_view method, const std::string& target, std::string_view body = {}) const {
    const auto connection = Must(HttpConnection::Open(address_, kPatience));
    const auto head = Must(connection->Send({method, target, {}, {body}}, kPatience));
    return {head.status, head.headers, Must(connection->ReadAll(kMib))};
  }
  // Again while the service has no room for it. Returns how often it was sent.
  int Append(const std::string& conversation, std::string_view lines) const {
    for (int sent = 1;; ++sent) {
      const Reply reply = Send("POST", "/v1/conversations/" + conversation + "/events", lines);
      if (reply.status == 200) return sent;
      EXPECT_EQ(reply.status, 503) << reply.body;
      EXPECT_NE(FindHeader(reply.headers, "Retry-After"), "");
      if (reply.status != 503) return sent;
    }
  }
  std::string Info(const std::string& conversation) const {
    return Send("GET", "/v1/conversations/" + conversation).body;
  }
  void AwaitNoBodies() const {
    while (!Send("GET", "/metrics").body.contains("\nturnlog_body_memory_bytes 0\n")) std::this_thread::yield();
  }

  const TempDir folder_;
  const SocketAddress address_{.path = folder_ / "socket", .host = {}};
  ChildService service_{(folder_ / "store").string(), address_.path.string(), kBodyMemory};
};

// Sends the first half of a body, and the second one when all fast clients are done.
class SlowClient {
 public:
  SlowClient(const SocketAddress& address, const std::string& conversation, const std::string& lines)
      : socket_(Must(Connect(address, kPatience))) {
    const std::string head =
        fmt::format("POST /v1/conversations/{}/events HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                    conversation, lines.size());
    rest_ = lines.substr(lines.size() / 2);
    Write(head + lines.substr(0, lines.size() / 2));
  }

  std::string Finish() {
    Write(rest_);
    std::string answer(4096, '\0');
    pollfd ready{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&ready, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())), 1);
    const ssize_t got = ::recv(socket_.number(), answer.data(), answer.size(), 0);
    return answer.substr(0, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }

 private:
  void Write(std::string_view bytes) const {
    while (!bytes.empty()) {
      pollfd ready{.fd = socket_.number(), .events = POLLOUT, .revents = 0};
      ASSERT_EQ(::poll(&ready, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())), 1);
      const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  const SocketDescriptor socket_;
  std::string rest_;
};

// Hundreds of megabytes of bodies that would take four times that: the service takes what one after another needs.
TEST_F(BodyMemoryTest, TheProcessTakesLittleMoreThanItsBudget) {
  const std::string large = Lines(kEventsOfFast);
  constexpr int kClients = kSanitized ? 12 : 64;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&, i] { (void)Append(fmt::format("client-{}", i), large); });
  }
  for (std::thread& thread : clients) thread.join();
  AwaitNoBodies();
  if (!kSanitized) {
    EXPECT_LT(service_.MostMemory(), kBodyMemory + 160 * kMib);
  }
  for (int i = 0; i < kClients; ++i) {
    EXPECT_THAT(Info(fmt::format("client-{}", i)), HasSubstr(fmt::format("\"last\":{}", kEventsOfFast)));
  }
}

// All together their bodies are 43 MB, and would take four times that.
TEST_F(BodyMemoryTest, ManyLargeBodiesArriveOneAfterAnother) {
  const std::string large = Lines(kEventsOfFast);
  std::vector<std::thread> fast;
  for (int i = 0; i < kFast; ++i) {
    fast.emplace_back([&, i] { (void)Append(fmt::format("fast-{}", i), large); });
  }
  for (std::thread& thread : fast) thread.join();
  AwaitNoBodies();
  for (int i = 0; i < kFast; ++i) {
    EXPECT_THAT(Info(fmt::format("fast-{}", i)), HasSubstr(fmt::format("\"last\":{}", kEventsOfFast)));
  }
}

// Slow ones keep what they have sent, and the others get on beside them.
TEST_F(BodyMemoryTest, SlowClientsDoNotKeepOthersFromAppending) {
  const std::string large = Lines(kEventsOfFast / 2), small = Lines(kEventsOfSlow);
  std::vector<std::unique_ptr<SlowClient>> slow;
  for (int i = 0; i < kSlow; ++i) {
    slow.push_back(std::make_unique<SlowClient>(address_, fmt::format("slow-{}", i), small));
  }
  std::vector<std::thread> fast;
  for (int i = 0; i < kSlow; ++i) {
    fast.emplace_back([&, i] { (void)Append(fmt::format("fast-{}", i), large); });
  }
  for (std::thread& thread : fast) thread.join();
  for (int i = 0; i < kSlow; ++i) EXPECT_THAT(slow[static_cast<std::size_t>(i)]->Finish(), HasSubstr("200 OK"));
  AwaitNoBodies();
}

// Killed by the system, with half of their bodies sent.
TEST_F(BodyMemoryTest, ClientsThatAreKilledLeaveNothingBehind) {
  const std::string large = Lines(kEventsOfFast / 2);
  std::vector<pid_t> clients;
  for (int i = 0; i < kSlow; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const SlowClient client(address_, fmt::format("killed-{}", i), large);
      ::kill(::getpid(), SIGKILL);
    }
    clients.push_back(child);
  }
  for (const pid_t child : clients) ::waitpid(child, nullptr, 0);
  AwaitNoBodies();
  for (int i = 0; i < kSlow; ++i) {
    EXPECT_EQ(Send("GET", fmt::format("/v1/conversations/killed-{}", i)).status, 404);
  }
  EXPECT_EQ(Append("after", large), 1);
}

}  // namespace
}  // namespace turnlog::body_memory_test
