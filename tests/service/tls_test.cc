// A service that encrypts, and clients that trust it or not.
#include "http/tls.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "service/public_address.h"
#include "tests/service/service_fixture.h"

namespace turnlog::tls_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kToken[] = "0123456789abcdef";

class TlsTest : public ServiceTest {
 protected:
  void SetUp() override {
    if (std::system("command -v openssl > /dev/null") != 0) GTEST_SKIP() << "there is no openssl";
    MakeCertificate("IP:127.0.0.1");
    Stop();
    options_.listen = "127.0.0.1:0";
    options_.token = kToken;
    options_.tls_certificate = folder_ / "cert";
    options_.tls_key = folder_ / "key";
    Start();
  }

  void MakeCertificate(std::string_view name) const {
    const std::string command = fmt::format(
        "cd {} && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out cert -days 2 "
        "-subj /CN=test -addext subjectAltName={} 2> /dev/null && chmod 600 key",
        folder_.path().string(), name);
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  std::string Location() const { return service_->locations().back(); }
  Result<std::unique_ptr<Log>> OpenTrusting(const std::filesystem::path& authorities) const {
    return OpenRemoteLog(Location(), {.mode = OpenMode::kWrite, .token = kToken, .authorities = authorities});
  }
  Result<std::unique_ptr<Log>> Open() const { return OpenTrusting(folder_ / "cert"); }
  std::string StartCode() {
    Stop();
    log_ = Must(OpenSegmentLog(folder_ / "store"));
    const auto service = Service::Start(*log_, options_);
    return service ? "fine" : CodeOf(service);
  }
};

TEST_F(TlsTest, AClientThatTrustsItUsesTheLog) {
  EXPECT_THAT(Location(), StartsWith("https://127.0.0.1:"));
  const auto remote = Must(Open());
  const std::string large(3 << 20, 'x');
  EXPECT_EQ(Must(remote->Append(Id("a"), Say(large))).events.front().seq, Seq{1});
  EXPECT_EQ(Must(remote->Append(Id("a"), Say("2"), {.expected_last = Seq{1}})).events.front().seq, Seq{2});
  EXPECT_EQ(Lines(*remote, "a"), Lines(*log_, "a"));
  const auto tail = Must(remote->Follow(Must(remote->End()), Id("a")));
  Must(service_->log().Append(Id("a"), Say("3")));
  while (!Must(tail->Wait(std::chrono::seconds(60)))) {
  }
  EXPECT_TRUE(std::holds_alternative<Record>(Must(tail->Next())));
}

TEST_F(TlsTest, OneThatDoesNotTrustItIsToldAtOnce) {
  const auto opened = OpenTrusting({});
  EXPECT_EQ(CodeOf(opened), "invalid argument");
}

TEST_F(TlsTest, ACertificateOfAnotherNameIsNotTrusted) {
  MakeCertificate("DNS:elsewhere.example");
  Must(service_->ReloadCertificate());
  EXPECT_EQ(CodeOf(Open()), "invalid argument");
}

TEST_F(TlsTest, AClientThatAsksByNameNeedsACertificateOfTheName) {
  const std::string location = "https://localhost" + Location().substr(Location().rfind(':'));
  const RemoteOptions options{.mode = OpenMode::kWrite, .token = kToken, .authorities = folder_ / "cert"};
  EXPECT_EQ(CodeOf(OpenRemoteLog(location, options)), "invalid argument");
  MakeCertificate("DNS:localhost");
  Must(service_->ReloadCertificate());
  Must(Must(OpenRemoteLog(location, options))->Append(Id("a"), Say("1")));
}

TEST_F(TlsTest, ItIsReloadedForNewConnections) {
  const auto before = Must(Open());
  const std::string old_certificate = (folder_ / "old").string();
  std::filesystem::copy_file(folder_ / "cert", old_certificate);
  MakeCertificate("IP:127.0.0.1");
  Must(service_->ReloadCertificate());
  EXPECT_EQ(CodeOf(OpenTrusting(old_certificate)), "invalid argument");
  Must(Must(Open())->Append(Id("a"), Say("1")));
  Must(before->Append(Id("a"), Say("2")));
  std::ofstream(folder_ / "cert") << "nothing";
  EXPECT_EQ(CodeOf(service_->ReloadCertificate()), "invalid argument");
  Must(before->Append(Id("a"), Say("3")));
}

TEST_F(TlsTest, WhatIsNotEncryptedGetsNoAnswer) {
  const SocketAddress address = Must(ParseTcpAddress(Location().substr(8)));
  const auto connection = Must(HttpConnection::Open(address, std::chrono::seconds(30)));
  EXPECT_FALSE(connection->Send({"GET", "/healthz", {}, {}}, std::chrono::seconds(30)));
}

TEST_F(TlsTest, AnAppendOutlivesARestart) {
  options_.listen = Location().substr(8);
  const auto remote = Must(Open());
  Must(remote->Append(Id("a"), Say("1")));
  Restart();
  Must(remote->Append(Id("a"), Say("2")));
  EXPECT_EQ(Lines(*log_, "a").size(), 2U);
}

TEST_F(TlsTest, AnAgentThatGoesAwayWhileItWaitsIsNoticed) {
  Must(service_->log().Append(Id("a"), std::vector<Event>{NewTurn(), Ask(Opaque("q"))}));
  const auto await_clients = [&](int count) {
    const std::string line = fmt::format("turnlog_waiting_clients {}\n", count);
    while (!Get("/metrics").body.contains(line)) std::this_thread::yield();
  };
  const auto begin = std::chrono::steady_clock::now();
  {
    const auto trusting = Must(TlsClient::Make(folder_ / "cert"));
    const SocketDescriptor socket =
        Must(Connect(Must(ParseTcpAddress(Location().substr(8))), std::chrono::seconds(30)));
    const auto channel = Must(trusting->Connect(socket.number(), "127.0.0.1"));
    const std::string request = fmt::format(
        "GET /v1/conversations/a/wait?inquiry=q&wait=60000 HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        Location().substr(8), kToken);
    for (std::string_view rest = request; !rest.empty();) {
      const auto step = channel->Write(rest);
      ASSERT_NE(step.state, Channel::State::kEnded);
      rest.remove_prefix(step.bytes);
    }
    await_clients(1);
  }
  await_clients(0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

TEST_F(TlsTest, TheKeyMustBeItsOwnersAlone) {
  ASSERT_EQ(::chmod((folder_ / "key").c_str(), 0640), 0);
  EXPECT_EQ(StartCode(), "invalid argument");
  ASSERT_EQ(::chmod((folder_ / "key").c_str(), 0600), 0);
  options_.tls_certificate.clear();
  EXPECT_EQ(StartCode(), "invalid argument");  // a key without a certificate
  EXPECT_FALSE(std::filesystem::exists(Address().path));
}

TEST_F(TlsTest, AKeyWithAPasswordIsRefused) {
  const std::string command = fmt::format(
      "cd {} && openssl pkey -in key -aes128 -passout pass:secret -out encrypted 2> /dev/null && chmod 600 encrypted",
      folder_.path().string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  options_.tls_key = folder_ / "encrypted";
  EXPECT_EQ(StartCode(), "invalid argument");
}

TEST_F(TlsTest, OtherMachinesMayReachItOnlyIfItEncrypts) {
  options_.listen = "0.0.0.0:0";
  EXPECT_EQ(StartCode(), "invalid argument");  // no name to call it by
  EXPECT_FALSE(std::filesystem::exists(Address().path)) << "no service is there";
  options_.public_url = "https://agents.example:8443";
  EXPECT_EQ(StartCode(), "fine");
  options_.tls_certificate.clear(), options_.tls_key.clear();
  EXPECT_EQ(StartCode(), "invalid argument");
}

TEST(EncryptedAddressTest, ItsOriginAndCookiesAreSecure) {
  const PublicAddress address =
      Must(PublicAddress::Parse({.path = {}, .host = "10.0.0.5", .port = 8443}, {}, {}, true));
  EXPECT_EQ(address.page_url(), "https://10.0.0.5:8443/");
  EXPECT_TRUE(address.IsOrigin("https://10.0.0.5:8443"));
  EXPECT_FALSE(address.IsOrigin("http://10.0.0.5:8443"));
  EXPECT_THAT(address.SetCookie("x").value, HasSubstr("Secure"));
}

}  // namespace
}  // namespace turnlog::tls_test
