// Who may call the service over TCP.
#include "service/access.h"

#include <gmock/gmock.h>

#include "tests/support/must.h"

namespace turnlog::access_test {
namespace {

constexpr std::string_view kToken = "0123456789abcdef";

PublicAddress At(const std::string& host) {
  return Must(PublicAddress::Parse({.path = {}, .host = host, .port = 8080}, {}, {}));
}

const PublicAddress kAddress = At("127.0.0.1");
const Sessions kNoSessions({});
const NamedTokens kNoTokens({});

int StatusFor(std::vector<HttpHeader> headers, bool needs_token = true) {
  const HttpRequest request{.method = "GET", .path = "/", .query = {}, .headers = std::move(headers), .body = {}};
  const auto needs = needs_token ? std::optional(AccessRight::kRead) : std::nullopt;
  const auto refusal = AccessRules(std::string(kToken), kAddress, kNoSessions, kNoTokens).Refuse(request, needs);
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

TEST(AccessTest, WhoIsUnknownLacksEveryRight) {
  const AccessRules rules(std::string(kToken), kAddress, kNoSessions, kNoTokens);
  const HttpRequest unknown{.method = "POST", .path = "/", .query = {}, .headers = {kHost}, .body = {}};
  const auto refusal = rules.RefuseWithout(AccessRight::kAnswer, unknown);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 401);
  EXPECT_FALSE(rules.RefuseWithout(
      AccessRight::kAnswer, {.method = "POST", .path = "/", .query = {}, .headers = {kHost, kBearer}, .body = {}}));
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

TEST(AccessTest, TheAddressItselfIsAName) {
  const AccessRules rules(std::string(kToken), At("127.0.0.2"), kNoSessions, kNoTokens);
  for (const char* host : {"127.0.0.2:8080", "localhost:8080", "127.0.0.3:8080", "127.0.0.2"}) {
    const HttpRequest request{
        .method = "GET", .path = "/", .query = {}, .headers = {{"Host", host}, kBearer}, .body = {}};
    const std::string_view name = host;
    EXPECT_EQ(rules.Refuse(request, AccessRight::kRead).has_value(), name == "127.0.0.3:8080" || name == "127.0.0.2");
  }
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
  const AccessRules rules(std::string(kToken), kAddress, kNoSessions, kNoTokens);
  EXPECT_FALSE(rules.Refuse(request, AccessRight::kMaintain));
  EXPECT_FALSE(rules.RefuseWithout(AccessRight::kMaintain, request));
}

TEST(AccessTest, WithoutATokenNoneIsRight) {
  const AccessRules rules({}, kAddress, kNoSessions, kNoTokens);
  for (const char* given : {"Bearer ", "Bearer x"}) {
    const HttpRequest request{
        .method = "GET", .path = "/", .query = {}, .headers = {kHost, {"Authorization", given}}, .body = {}};
    EXPECT_EQ(rules.Refuse(request, AccessRight::kRead)->status, 401) << given;
  }
}

TEST(AccessTest, SecretsAreTheSameOnlyIfAllOfThemIs) {
  EXPECT_TRUE(SameSecret("", ""));
  EXPECT_TRUE(SameSecret("abc", "abc"));
  for (const char* other : {"", "ab", "abd", "abcabc", "xbc"}) EXPECT_FALSE(SameSecret("abc", other)) << other;
}

}  // namespace
}  // namespace turnlog::access_test
