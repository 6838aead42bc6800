// A server that is reached over TLS alone, with a certificate that signs itself.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/store/log_fixture.h"
#include "tests/support/postgres_server.h"
#include "turnlog/sql_log.h"

namespace turnlog::tls_test {
namespace {

// A loopback address of this process alone, so that no other server has its port.
std::string OwnAddress() {
  const int process = ::getpid();
  return "127." + std::to_string(100 + process / 62'500 % 100) + "." + std::to_string(1 + process / 250 % 250) + "." +
         std::to_string(1 + process % 250);
}

bool MakeCertificate(const std::string& folder, const std::string& address) {
  const std::string command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=" + address +
                              " -addext subjectAltName=IP:" + address + " -keyout " + folder + "/key -out " + folder +
                              "/certificate 2> /dev/null";
  struct stat of_folder{};
  return std::system(command.c_str()) == 0 && ::stat(folder.c_str(), &of_folder) == 0 &&
         ::chown((folder + "/key").c_str(), of_folder.st_uid, of_folder.st_gid) == 0 &&
         ::chmod((folder + "/key").c_str(), 0600) == 0;
}

// Of the connections of this process to the address: after so many milliseconds a server that answers nothing is given
// up, and whether silent connections are probed.
std::set<std::pair<int, bool>> Timeouts(const std::string& address) {
  std::set<std::pair<int, bool>> timeouts;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int file = std::stoi(entry.path().filename().string());
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || peer.sin_family != AF_INET) continue;
    if (peer.sin_addr.s_addr != ::inet_addr(address.c_str())) continue;
    int timeout = 0, probed = 0;
    size = sizeof timeout;
    EXPECT_EQ(::getsockopt(file, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, &size), 0);
    EXPECT_EQ(::getsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &probed, &size), 0);
    timeouts.insert({timeout, probed != 0});
  }
  return timeouts;
}

TEST(TlsTest, TheUrlSaysWhatIsVerified) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
  const std::string address = OwnAddress();
  PostgresServer server({"listen_addresses=" + address});
  const std::string folder = server.folder();
  if (!MakeCertificate(folder, address)) GTEST_SKIP() << "no certificate without openssl";
  std::ofstream(folder + "/data/pg_hba.conf") << "local all all trust\nhostssl all all all trust\n";
  server.Run("ALTER SYSTEM SET ssl_cert_file = '" + folder + "/certificate'");
  server.Run("ALTER SYSTEM SET ssl_key_file = '" + folder + "/key'");
  server.Run("ALTER SYSTEM SET ssl = on");
  server.Stop(SIGINT);
  server.Start();

  const std::string url = "postgresql://postgres@" + address + "/postgres?sslmode=";
  Must(Must(OpenSqlLog(url + "require"))->Append(Id("a"), Say("1")));
  const auto verified = Must(OpenSqlLog(url + "verify-full&sslrootcert=" + folder + "/certificate"));
  EXPECT_THAT(Lines(*verified, "a"), testing::ElementsAre("1 0 1"));
  // A machine that vanishes closes no connection.
  EXPECT_THAT(Timeouts(address), testing::ElementsAre(testing::Pair(25'000, true)));
  const auto patient = Must(OpenSqlLog(url + "require&tcp_user_timeout=60000"));
  EXPECT_THAT(Timeouts(address), testing::Contains(testing::Pair(60'000, true)));
  EXPECT_EQ(CodeOf(OpenSqlLog(url + "disable")), "i/o error");
  EXPECT_EQ(CodeOf(OpenSqlLog(url + "verify-full&sslrootcert=" + folder + "/no-such-certificate")), "i/o error");
}

}  // namespace
}  // namespace turnlog::tls_test
