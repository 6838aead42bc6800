// Sockets that a service manager has opened before the service, and what is refused of them.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include "http/socket.h"
#include "tests/service/service_fixture.h"
#include "tests/support/asleep.h"

namespace turnlog::inherited_socket_test {
namespace {

using testing::ElementsAre;

class InheritedSocketTest : public ServiceTest {
 protected:
  InheritedSocketTest() {
    Stop();
    std::filesystem::remove(Address().path);
  }

  int OpenTcp() { return Must(Listen(Must(ParseTcpAddress("127.0.0.1:0")))).descriptor.Release(); }
  // At the path itself, as others than turnlog do it.
  static int OpenUnix(const std::filesystem::path& path, mode_t mode = 0600) {
    const int number = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    EXPECT_EQ(::bind(number, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0) << path;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_EQ(::listen(number, 8), 0);
    return number;
  }
  std::string Started() {
    log_ = Must(OpenSegmentLog(folder_ / "store", {.holder = "test"}));
    options_.socket = Address().path;
    options_.threads = 4;
    auto service = Service::Start(*log_, options_);
    const std::string code = service ? "" : CodeOf(service);
    service_ = service ? *std::move(service) : nullptr;
    return code;
  }
};

TEST_F(InheritedSocketTest, TheStoresSocketStaysWithWhoOpenedIt) {
  options_.inherited = {OpenUnix(Address().path)};
  // A client that connects before the service runs is answered when it does.
  const auto early = Must(HttpConnection::Open(Address(), std::chrono::seconds(30)));
  ASSERT_EQ(Started(), "");
  EXPECT_THAT(service_->locations(), ElementsAre("unix:" + Address().path.string()));
  EXPECT_EQ(Must(early->Send({"GET", "/healthz", {}, {}}, std::chrono::seconds(30))).status, 200);
  EXPECT_NE(::fcntl(options_.inherited[0], F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(options_.inherited[0], F_GETFD) & FD_CLOEXEC, 0);
  Stop();
  EXPECT_TRUE(std::filesystem::exists(Address().path));
}

TEST_F(InheritedSocketTest, TheStoreIsCreatedAroundItsSocket) {
  std::filesystem::remove_all(folder_ / "store");
  std::filesystem::create_directory(folder_ / "store");
  options_.inherited = {OpenUnix(Address().path)};
  ASSERT_EQ(Started(), "");
  EXPECT_EQ(Post("/v1/conversations/a/events", R"({"type":"turn_start"})").status, 200);
}

TEST_F(InheritedSocketTest, ATcpSocketIsUsedBesideTheStoresOwn) {
  options_.inherited = {OpenTcp()};
  ASSERT_EQ(Started(), "");
  ASSERT_EQ(service_->locations().size(), 2U);
  const auto address = Must(ParseTcpAddress(service_->locations().back().substr(7)));
  const auto connection = Must(HttpConnection::Open(address, std::chrono::seconds(30)));
  EXPECT_EQ(Must(connection->Send({"GET", "/v1/end", {}, {}}, std::chrono::seconds(30))).status, 401);
  EXPECT_EQ(Get("/v1/end").status, 200);
}

TEST_F(InheritedSocketTest, AnotherSocketOfTheUserIsServedToo) {
  options_.inherited = {OpenUnix(folder_ / "other.sock")};
  ASSERT_EQ(Started(), "");
  EXPECT_EQ(service_->locations().size(), 2U);
  EXPECT_EQ(Get("/healthz").status, 200);
  const auto other = Must(HttpConnection::Open({.path = folder_ / "other.sock", .host = {}}, std::chrono::seconds(30)));
  EXPECT_EQ(Must(other->Send({"GET", "/healthz", {}, {}}, std::chrono::seconds(30))).status, 200);
}

TEST_F(InheritedSocketTest, ASocketThatOthersCanOpenIsRefused) {
  options_.inherited = {OpenUnix(folder_ / "open.sock", 0666)};
  EXPECT_EQ(Started(), "invalid argument");
  Stop();
  options_.inherited = {OpenUnix(Address().path, 0660)};
  EXPECT_EQ(Started(), "invalid argument");
}

TEST_F(InheritedSocketTest, WhatDoesNotListenIsRefused) {
  for (const int number :
       {::open("/dev/null", O_RDONLY), ::socket(AF_INET, SOCK_STREAM, 0), ::socket(AF_INET, SOCK_DGRAM, 0), 9'999}) {
    options_.inherited = {number};
    EXPECT_EQ(Started(), "invalid argument") << number;
    Stop();
  }
  options_.inherited = {OpenTcp(), OpenTcp()};
  EXPECT_EQ(Started(), "invalid argument");
  options_.inherited = {OpenTcp()};
  options_.listen = "127.0.0.1:0";
  Stop();
  EXPECT_EQ(Started(), "invalid argument");
}

std::atomic<int> signals_taken = 0;

// Each signal comes while the thread waits: it is asleep nowhere else.
TEST(AwaitEventsTest, ASignalDoesNotEndTheWait) {
  struct sigaction handler{}, before{};
  handler.sa_handler = [](int) { ++signals_taken; };
  ASSERT_EQ(::sigaction(SIGURG, &handler, &before), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const SocketDescriptor waits(ends[0]), writes(ends[1]);
  EXPECT_EQ(AwaitEvents(waits.number(), POLLIN, std::chrono::milliseconds(1)), ETIMEDOUT);
  int error = -1;
  std::atomic<pid_t> thread = 0;
  std::thread waiting([&] {
    thread = ::gettid();
    thread.notify_one();
    error = AwaitEvents(waits.number(), POLLIN, std::chrono::minutes(10));
  });
  thread.wait(0);
  const int taken = signals_taken;
  for (int i = 1; i <= 50; ++i) {
    while (!IsAsleep(thread)) std::this_thread::yield();
    ::pthread_kill(waiting.native_handle(), SIGURG);
    while (signals_taken < taken + i) std::this_thread::yield();
  }
  EXPECT_EQ(::send(writes.number(), "x", 1, MSG_NOSIGNAL), 1);
  waiting.join();
  EXPECT_EQ(error, 0);
  (void)::sigaction(SIGURG, &before, nullptr);
}

}  // namespace
}  // namespace turnlog::inherited_socket_test
