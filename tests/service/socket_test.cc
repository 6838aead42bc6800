// Whom a client talks to through a Unix socket.
#include "http/socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace turnlog::socket_test {
namespace {

constexpr uid_t kOther = 65534;

// A process of another user that listens at a path.
class OtherUser {
 public:
  explicit OtherUser(const std::filesystem::path& path) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    process_ = ::fork();
    if (process_ == 0) Serve(path, ready[1]);
    ::close(ready[1]);
    char done = 0;
    EXPECT_EQ(::read(ready[0], &done, 1), 1);
    ::close(ready[0]);
  }
  OtherUser(const OtherUser&) = delete;
  OtherUser& operator=(const OtherUser&) = delete;
  ~OtherUser() {
    (void)::kill(process_, SIGKILL);
    (void)::waitpid(process_, nullptr, 0);
  }

 private:
  [[noreturn]] static void Serve(const std::filesystem::path& path, int ready) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    const int number = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const bool listens = ::setuid(kOther) == 0 &&
                         ::bind(number, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
                         ::listen(number, 8) == 0;
    if (listens) (void)::write(ready, "x", 1);
    for (;;) ::pause();
  }

  pid_t process_ = 0;
};

class SocketTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
  }

  std::string CodeOfConnect() {
    const auto socket = Connect({.path = folder_ / "service.sock", .host = {}}, std::chrono::seconds(5));
    return socket ? std::string() : std::string(ToString(socket.error().code));
  }

  TempDir folder_;
};

TEST_F(SocketTest, OneThatAnotherUserHasPutIntoTheFolderIsNotUsed) {
  const OtherUser other(folder_ / "service.sock");
  EXPECT_EQ(CodeOfConnect(), "invalid argument");
}

TEST_F(SocketTest, TheOwnerOfTheFolderMayServeIt) {
  ASSERT_EQ(::chown(folder_.path().c_str(), kOther, static_cast<gid_t>(-1)), 0);
  const OtherUser owner(folder_ / "service.sock");
  EXPECT_EQ(CodeOfConnect(), "");
}

TEST_F(SocketTest, ThisUserMayServeIt) {
  const auto listening = Listen({.path = folder_ / "service.sock", .host = {}});
  EXPECT_TRUE(listening);
  EXPECT_EQ(CodeOfConnect(), "");
}

}  // namespace
}  // namespace turnlog::socket_test
