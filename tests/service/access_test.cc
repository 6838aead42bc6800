// Who may call the service over TCP.
#include "service/access.h"

#include <gmock/gmock.h>

namespace turnlog::access_test {
namespace {

constexpr std::string_view kToken = "0123456789abcdef";

int StatusFor(std::vector<HttpHeader> headers, bool needs_token = true) {
  const HttpRequest request{.method = "GET", .path = "/", .query = {}, .headers = std::move(headers), .body = {}};
  const Sessions none({});
  const auto refusal = AccessRules(std::string(kToken), 8080, none).Refuse(request, needs_token);
  return refusal ? refusal->status : 200;
}

const HttpHeader kHost{"Host", "127.0.0.1:8080"}, kBearer{"Authorization", "Bearer 0123456789abcdef"};

TEST(AccessTest, TheTokenIsNeeded) {
  EXPECT_EQ(StatusFor({kHost, kBearer}), 200);
  EXPECT_EQ(StatusFor({kHost}, false), 200);
  EXPECT_EQ(StatusFor({kHost}), 401);
  for (const char* wrong : {"", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdeg",
                            "Bearer 0123456789abcdef0123456789abcdef", "Basic 0123456789abcdef"}) {
    EXPECT_EQ(StatusFor({kHost, {"Authorization", wrong}}), 401) << wrong;
  }
}

TEST(AccessTest, AnotherNameOfThisMachineIsRefused) {
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "[::1]:8080"}) {
    EXPECT_EQ(StatusFor({{"host", host}, kBearer}), 200) << host;
  }
  for (const char* host : {"", "evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "127.0.0.1:8080.evil.example"}) {
    EXPECT_EQ(StatusFor({{"Host", host}, kBearer}), 403) << host;
  }
  EXPECT_EQ(StatusFor({kBearer}), 403);
}

TEST(AccessTest, APageElsewhereIsRefused) {
  EXPECT_EQ(StatusFor({kHost, kBearer, {"Origin", "http://localhost:8080"}}), 200);
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081"}) {
    EXPECT_EQ(StatusFor({kHost, kBearer, {"Origin", origin}}), 403) << origin;
    EXPECT_EQ(StatusFor({kHost, {"Origin", origin}}, false), 403) << origin;
  }
}

TEST(AccessTest, AUnixSocketLetsThroughWhoCanOpenIt) {
  const HttpRequest request{
      .method = "GET", .path = "/", .query = {}, .headers = {{"Host", "anything"}}, .body = {}, .local = true};
  const Sessions none({});
  EXPECT_FALSE(AccessRules(std::string(kToken), 8080, none).Refuse(request, true));
}

TEST(AccessTest, WithoutATokenNoneIsRight) {
  const Sessions none({});
  const AccessRules rules({}, 8080, none);
  for (const char* given : {"Bearer ", "Bearer x"}) {
    const HttpRequest request{
        .method = "GET", .path = "/", .query = {}, .headers = {kHost, {"Authorization", given}}, .body = {}};
    EXPECT_EQ(rules.Refuse(request, true)->status, 401) << given;
  }
}

TEST(AccessTest, SecretsAreTheSameOnlyIfAllOfThemIs) {
  EXPECT_TRUE(SameSecret("", ""));
  EXPECT_TRUE(SameSecret("abc", "abc"));
  for (const char* other : {"", "ab", "abd", "abcabc", "xbc"}) EXPECT_FALSE(SameSecret("abc", other)) << other;
}

}  // namespace
}  // namespace turnlog::access_test
