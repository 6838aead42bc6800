// The names of a service behind a proxy, in requests and links.
#include "service/public_address.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/must.h"

namespace turnlog::public_address_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const SocketAddress kListens{.path = {}, .host = "10.0.0.5", .port = 8080};

PublicAddress Parse(std::string_view url, std::string_view base_path = {}) {
  return Must(PublicAddress::Parse(kListens, url, base_path));
}

TEST(PublicAddressTest, WithoutAProxyItIsTheAddressItself) {
  const PublicAddress address = Parse({});
  EXPECT_EQ(address.page_url(), "http://10.0.0.5:8080/");
  EXPECT_TRUE(address.IsHost("10.0.0.5:8080"));
  EXPECT_FALSE(address.IsHost(""));
  EXPECT_FALSE(address.IsOrigin("https://10.0.0.5:8080"));
  EXPECT_THAT(address.SetCookie("x").value, Not(HasSubstr("Secure")));
}

TEST(PublicAddressTest, AProxyAddsItsHostAndItsOrigin) {
  const PublicAddress address = Parse("https://Example.org/agents/");
  EXPECT_EQ(address.page_url(), "https://example.org/agents/");
  EXPECT_EQ(address.base_path(), "/agents");
  for (const char* host : {"example.org", "EXAMPLE.org", "10.0.0.5:8080", "localhost:8080"}) {
    EXPECT_TRUE(address.IsHost(host)) << host;
  }
  for (const char* host : {"example.org:8080", "example.org.evil.example", "evil.example", ""}) {
    EXPECT_FALSE(address.IsHost(host)) << host;
  }
  EXPECT_TRUE(address.IsOrigin("https://example.org"));
  for (const char* origin : {"http://example.org", "https://example.org:8443", "https://evil.example", "null", ""}) {
    EXPECT_FALSE(address.IsOrigin(origin)) << origin;
  }
  const std::string cookie = address.SetCookie("x").value;
  EXPECT_THAT(cookie, HasSubstr("; Path=/agents/;"));
  EXPECT_THAT(cookie, EndsWith("; HttpOnly; SameSite=Strict; Secure"));
}

// As clients send it, which leave it out, and written in full.
TEST(PublicAddressTest, TheUsualPortOfItsSchemeNeedNotBeGiven) {
  for (const bool encrypted : {false, true}) {
    const std::uint16_t usual = encrypted ? 443 : 80, other = encrypted ? 80 : 443;
    const std::string scheme = encrypted ? "https://" : "http://";
    const PublicAddress address =
        Must(PublicAddress::Parse({.path = {}, .host = "10.0.0.5", .port = usual}, {}, {}, encrypted));
    EXPECT_EQ(address.page_url(), scheme + "10.0.0.5/");
    for (const std::string name : {"10.0.0.5", "localhost", "127.0.0.1", "[::1]"}) {
      EXPECT_TRUE(address.IsHost(name)) << name;
      EXPECT_TRUE(address.IsHost(fmt::format("{}:{}", name, usual))) << name;
      EXPECT_FALSE(address.IsHost(fmt::format("{}:{}", name, other))) << name;
      EXPECT_TRUE(address.IsOrigin(scheme + name)) << name;
      EXPECT_TRUE(address.IsOrigin(fmt::format("{}{}:{}", scheme, name, usual))) << name;
      EXPECT_FALSE(address.IsOrigin(fmt::format("{}{}:{}", scheme, name, other))) << name;
    }
    EXPECT_FALSE(address.IsOrigin((encrypted ? "http://" : "https://") + std::string("10.0.0.5")));
  }
  EXPECT_FALSE(Parse({}).IsHost("10.0.0.5"));
}

TEST(PublicAddressTest, TheUsualPortOfAProxyNeedNotBeGiven) {
  for (const char* const url : {"https://example.org:443/a", "https://example.org/a"}) {
    const PublicAddress address = Parse(url);
    EXPECT_EQ(address.page_url(), "https://example.org/a/");
    EXPECT_TRUE(address.IsHost("example.org") && address.IsHost("Example.org:443"));
    EXPECT_TRUE(address.IsOrigin("https://example.org") && address.IsOrigin("https://example.org:443"));
    EXPECT_FALSE(address.IsHost("example.org:80") || address.IsOrigin("http://example.org:443"));
  }
}

TEST(PublicAddressTest, TheBasePathIsRemovedOnce) {
  const PublicAddress address = Parse({}, "/a/b");
  EXPECT_EQ(address.page_url(), "http://10.0.0.5:8080/a/b/");
  EXPECT_EQ(address.WithoutBase("/a/b/v1/pending"), "/v1/pending");
  EXPECT_EQ(address.WithoutBase("/a/b/a/b/v1/pending"), "/a/b/v1/pending");
  for (const char* path : {"/v1/pending", "/a/b", "/a/bc/v1/pending", "", "/"}) {
    EXPECT_EQ(address.WithoutBase(path), path);
  }
  EXPECT_EQ(Parse("https://example.org/a/b", "/a/b").base_path(), "/a/b");
}

TEST(PublicAddressTest, OthersAreRefused) {
  for (const char* url :
       {"example.org", "http://example.org", "ftp://example.org", "https://", "https:///a", "https://:443/a",
        "https://user@example.org", "https://example.org/a?b", "https://example.org/a//b", "https://example.org/../b",
        "https://exam ple.org", "http://127.0.0.1.evil.example"}) {
    EXPECT_EQ(CodeOf(PublicAddress::Parse(kListens, url, {})), "invalid argument") << url;
  }
  for (const char* path : {"a", "/", "/a/", "//a", "/a\"b", "/a b", "/.", "/a/..", "/a?b", "/a;b"}) {
    EXPECT_EQ(CodeOf(PublicAddress::Parse(kListens, {}, path)), "invalid argument") << path;
  }
  EXPECT_EQ(CodeOf(PublicAddress::Parse(kListens, "https://example.org/a", "/b")), "invalid argument");
  EXPECT_EQ(Parse("http://localhost:9000/a").page_url(), "http://localhost:9000/a/");
}

}  // namespace
}  // namespace turnlog::public_address_test
