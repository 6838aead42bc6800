// A server that is reached over TLS alone, with a certificate that signs itself.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

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
  EXPECT_EQ(CodeOf(OpenSqlLog(url + "disable")), "i/o error");
  EXPECT_EQ(CodeOf(OpenSqlLog(url + "verify-full&sslrootcert=" + folder + "/no-such-certificate")), "i/o error");
}

}  // namespace
}  // namespace turnlog::tls_test
