// The page's files, signing in over TCP, and what browsers may do then.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>

#include "http/socket.h"
#include "service/page_files.h"
#include "tests/service/service_fixture.h"
#include "turnlog/service/access_tokens.h"

namespace turnlog::page_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kToken = "0123456789abcdef";

class PageTest : public ServiceTest {
 protected:
  PageTest() {
    Stop();
    options_.listen = "127.0.0.1:0";
    options_.token = kToken;
    options_.sessions = folder_ / "sessions";
    Start();
  }

  std::string Host() const { return service_->locations().back().substr(std::string_view("http://").size()); }
  std::string Origin() const { return service_->locations().back(); }

  // Over TCP, with the headers of a browser.
  Reply Browse(std::string_view method, const std::string& target, std::string_view body = {},
               const std::vector<HttpHeader>& headers = {}) {
    const auto address = Must(ParseTcpAddress(Host()));
    const auto connection = Must(HttpConnection::Open(address, std::chrono::seconds(30)));
    const auto head = Must(connection->Send({method, target, headers, {body}}, std::chrono::seconds(30)));
    return {head.status, head.headers, Must(connection->ReadAll(std::size_t{1} << 20))};
  }
  std::vector<HttpHeader> Own(const std::string& cookie = {}) const {
    std::vector<HttpHeader> headers{{"Origin", Origin()}, {"Turnlog-Page", "1"}};
    if (!cookie.empty()) headers.push_back({"Cookie", "other=1; " + cookie + "; more=2"});
    return headers;
  }
  // NAME=VALUE.
  std::string SignIn(const std::string& body) {
    const Reply reply = Browse("POST", "/v1/sign-in", body, Own());
    EXPECT_EQ(reply.status, 204) << reply.body;
    const std::string header(FindHeader(reply.headers, "Set-Cookie"));
    EXPECT_THAT(header, HasSubstr("; HttpOnly; SameSite=Strict"));
    return header.substr(0, header.find(';'));
  }
  std::string NewCode() {
    const std::string link = service_->PairingLink("ann");
    EXPECT_THAT(link, StartsWith(Origin() + "/#pair="));
    return link.substr(link.find('=') + 1);
  }
  std::string SignInWithCode() { return SignIn(fmt::format(R"({{"code":"{}"}})", NewCode())); }
};

TEST_F(PageTest, ItsFilesAreForAnyoneAndRunNothingElse) {
  for (const PageFile& file : PageFiles()) {
    const Reply reply = Browse("GET", file.name == "index.html" ? "/" : fmt::format("/page/{}", file.name));
    EXPECT_EQ(reply.status, 200) << file.name;
    EXPECT_EQ(reply.body, file.content);
    EXPECT_THAT(
        std::string(FindHeader(reply.headers, "Content-Security-Policy")),
        testing::AllOf(HasSubstr("default-src 'none'; script-src 'self'; style-src 'self'"), Not(HasSubstr("unsafe"))));
    EXPECT_EQ(FindHeader(reply.headers, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(FindHeader(reply.headers, "Referrer-Policy"), "no-referrer");
    EXPECT_NE(FindHeader(reply.headers, "Content-Type"), "application/octet-stream") << file.name;
    for (const char* const part : {"<style", " style=", "onclick=", "http://", "https://", "innerHTML"}) {
      EXPECT_THAT(file.name == "icon.svg" ? "" : std::string(file.content), Not(HasSubstr(part))) << file.name;
    }
  }
  EXPECT_EQ(Browse("GET", "/page/other.js").status, 404);
  EXPECT_EQ(Browse("GET", "/page/..%2Findex.html").status, 404);
}

TEST_F(PageTest, FilesAreSentAgainOnlyIfTheyHaveChanged) {
  const Reply first = Browse("GET", "/page/main.js");
  const std::string tag(FindHeader(first.headers, "ETag"));
  const Reply again = Browse("GET", "/page/main.js", {}, {{"If-None-Match", tag}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(Browse("GET", "/page/main.js", {}, {{"If-None-Match", "\"other\""}}).status, 200);
}

TEST_F(PageTest, ACodeOrATokenBecomesASession) {
  for (const std::string& cookie : {SignInWithCode(), SignIn(fmt::format(R"({{"token":"{}","who":"bob"}})", kToken))}) {
    EXPECT_EQ(Browse("GET", "/v1/overview", {}, Own(cookie)).status, 200);
  }
  EXPECT_THAT(Browse("GET", "/v1/sessions", {}, Own(SignInWithCode())).body,
              testing::AllOf(HasSubstr(R"("who":"ann")"), HasSubstr(R"("who":"bob")")));
  for (const char* const body :
       {"{}", R"({"code":"AAAA-AAAA"})", R"({"token":""})", R"({"token":"0123456789abcdeg"})"}) {
    EXPECT_EQ(Browse("POST", "/v1/sign-in", body, Own()).status, 401) << body;
  }
}

TEST_F(PageTest, WhoIsNotSignedInSendsLittle) {
  const std::string body = R"({"code":")" + std::string(5000, 'A') + "\"}";
  EXPECT_EQ(Browse("POST", "/v1/sign-in", body, Own()).status, 413);
  EXPECT_THAT(SendRaw("POST /v1/sign-in HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"),
              HasSubstr(" 413 "));
}

TEST_F(PageTest, WithoutASessionNothingIsShown) {
  for (const char* const target :
       {"/v1/overview", "/v1/overview/stream", "/v1/sessions", "/v1/search?text=a", "/metrics"}) {
    EXPECT_EQ(Browse("GET", target, {}, Own("turnlog_1=abc")).status, 401) << target;
  }
}

TEST_F(PageTest, AnotherPageCannotUseTheSession) {
  const std::string cookie = SignInWithCode();
  const HttpHeader cookies{"Cookie", cookie}, origin{"Origin", Origin()}, page{"Turnlog-Page", "1"};
  const auto post = [&](std::vector<HttpHeader> headers) {
    return Browse("POST", "/v1/seen", {}, std::move(headers)).status;
  };
  EXPECT_EQ(post({cookies, origin, page}), 204);
  EXPECT_EQ(post({cookies, origin}), 403);
  EXPECT_EQ(post({cookies, page}), 403);
  EXPECT_EQ(post({cookies, page, {"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(post({cookies, page, {"Origin", "null"}}), 403);
  // Another port of this machine is of the same site: the browser sends the cookie.
  EXPECT_EQ(Browse("GET", "/v1/overview", {}, {cookies, {"Sec-Fetch-Site", "same-site"}}).status, 403);
  EXPECT_EQ(Browse("GET", "/v1/overview", {}, {cookies, {"Sec-Fetch-Site", "same-origin"}}).status, 200);
  EXPECT_EQ(Browse("POST", "/v1/sign-in", fmt::format(R"({{"code":"{}"}})", NewCode()), {origin}).status, 403);
}

TEST_F(PageTest, SessionsOutliveARestartUntilTheyAreEnded) {
  const std::string cookie = SignInWithCode();
  const std::string host = Host();
  Stop();
  options_.listen = host;
  Start();
  EXPECT_EQ(Browse("GET", "/v1/session", {}, Own(cookie)).status, 200);
  const std::string other = SignInWithCode();
  EXPECT_EQ(Browse("POST", "/v1/sign-out", {}, Own(other)).status, 204);
  EXPECT_EQ(Browse("GET", "/v1/session", {}, Own(other)).status, 401);
  const std::string own = Browse("GET", "/v1/session", {}, Own(cookie)).body;
  const std::string id = own.substr(std::string_view(R"({"id":")").size(), 12);
  EXPECT_EQ(Send("DELETE", "/v1/sessions/" + id).status, 204);
  EXPECT_EQ(Browse("GET", "/v1/session", {}, Own(cookie)).status, 401);
}

TEST_F(PageTest, ALongNameIsCutBetweenCharacters) {
  const std::string most(99, 'a');
  const std::string cookie = SignIn(fmt::format(R"({{"token":"{}","who":"{}ü"}})", kToken, most));
  EXPECT_THAT(Browse("GET", "/v1/session", {}, Own(cookie)).body, HasSubstr(fmt::format(R"("who":"{}")", most)));
  const Reply pairing = Post("/v1/pairing", fmt::format(R"({{"who":"{}ü"}})", most));
  const std::string code = pairing.body.substr(std::string_view(R"({"code":")").size(), 9);
  const std::string paired = SignIn(fmt::format(R"({{"code":"{}"}})", code));
  EXPECT_THAT(Browse("GET", "/v1/session", {}, Own(paired)).body, HasSubstr(fmt::format(R"("who":"{}")", most)));
}

TEST_F(PageTest, StreamsEndWithTheirSession) {
  const auto address = Must(ParseTcpAddress(Host()));
  for (const char* const target : {"/v1/overview/stream", "/v1/events"}) {
    const auto headers = Own(SignInWithCode());
    const auto connection = Must(HttpConnection::Open(address, std::chrono::seconds(30)));
    EXPECT_EQ(Must(connection->Send({"GET", target, headers, {}}, std::chrono::seconds(30))).status, 200);
    EXPECT_EQ(Browse("POST", "/v1/sign-out", {}, headers).status, 204);
    Must(connection->ReadAll(std::size_t{1} << 20));
  }
}

TEST_F(PageTest, AnswersAreOfThePersonWhoIsSignedIn) {
  Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Ask(Opaque("q"))}));
  const std::string cookie = SignInWithCode();
  const Reply reply =
      Browse("POST", "/v1/conversations/a/respond", R"({"answer":"yes","who":"mallory","via":"page"})", Own(cookie));
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_THAT(Get("/v1/conversations/a/events").body,
              HasSubstr(R"("responder":{"kind":"user","who":"ann","via":"page"})"));
}

// --- Rights of a session ---

TEST_F(PageTest, ASessionHasTheRightsAndTheNameOfItsToken) {
  options_.tokens = AccessTokensFile(folder_ / "store");
  Restart();
  const auto sign_in = [&](const std::string& name, const std::set<AccessRight>& rights) {
    const std::string token = Must(AddAccessToken(options_.tokens, name, rights));
    return SignIn(fmt::format(R"({{"token":"{}","who":"the boss"}})", token));
  };
  const std::string reader = sign_in("tv", {AccessRight::kRead});
  const std::string answerer = sign_in("phone", {AccessRight::kAnswer, AccessRight::kAppend});
  EXPECT_THAT(Browse("GET", "/v1/session", {}, Own(reader)).body,
              testing::AllOf(HasSubstr(R"("who":"tv")"), HasSubstr(R"("rights":["read"])")));
  EXPECT_THAT(Browse("GET", "/v1/session", {}, Own(SignInWithCode())).body,
              HasSubstr(R"("rights":["read","answer","append","maintain"])"));
  Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Ask(Opaque("q"))}));
  const std::string answer = R"({"answer":"yes","who":"the boss"})";
  EXPECT_EQ(Browse("GET", "/v1/overview", {}, Own(reader)).status, 200);
  for (const char* const target : {"/v1/conversations/a/respond", "/v1/conversations/a/cancel", "/v1/seen"}) {
    EXPECT_EQ(Browse("POST", target, answer, Own(reader)).status, 403) << target;
  }
  EXPECT_EQ(Browse("POST", "/v1/pairing", "{}", Own(answerer)).status, 403);
  EXPECT_EQ(Browse("GET", "/v1/sessions", {}, Own(answerer)).status, 403);
  EXPECT_EQ(Browse("POST", "/v1/conversations/a/respond", answer, Own(answerer)).status, 200);
  EXPECT_THAT(Get("/v1/conversations/a/events").body, HasSubstr(R"("who":"phone")"));
}

TEST_F(PageTest, ASessionWithoutTheRightToAnswerCannotAppendAnswers) {
  options_.tokens = AccessTokensFile(folder_ / "store");
  Restart();
  const std::string token = Must(AddAccessToken(options_.tokens, "agent", {AccessRight::kAppend}));
  const std::string cookie = SignIn(fmt::format(R"({{"token":"{}"}})", token));
  const std::string permission = R"({"type":"permission","tool":"tool","decision":"allow","remember":"turn"})";
  EXPECT_EQ(Browse("POST", "/v1/conversations/a/events", permission, Own(cookie)).status, 403);
  EXPECT_EQ(Browse("POST", "/v1/conversations/a/events", R"({"type":"turn_start"})", Own(cookie)).status, 200);
}

// Otherwise one right would become all, and outlive its token.
TEST_F(PageTest, ABrowserThatATokenInvitesHasTheRightsOfTheToken) {
  options_.tokens = AccessTokensFile(folder_ / "store");
  Restart();
  const std::string token = Must(AddAccessToken(options_.tokens, "ops", {AccessRight::kMaintain}));
  const Reply invited = Browse("POST", "/v1/pairing", "{}", {{"Authorization", "Bearer " + token}});
  ASSERT_EQ(invited.status, 200) << invited.body;
  const std::string code = invited.body.substr(invited.body.find(R"("code":")") + 8, 9);
  std::string cookie = SignIn(fmt::format(R"({{"code":"{}","who":"the boss"}})", code));
  const auto session = testing::AllOf(HasSubstr(R"("who":"ops")"), HasSubstr(R"("rights":["maintain"])"));
  EXPECT_THAT(Browse("GET", "/v1/session", {}, Own(cookie)).body, session);
  // And so has one that this browser invites.
  const std::string again = Browse("POST", "/v1/pairing", "{}", Own(cookie)).body;
  cookie = SignIn(fmt::format(R"({{"code":"{}"}})", again.substr(again.find(R"("code":")") + 8, 9)));
  EXPECT_THAT(Browse("GET", "/v1/session", {}, Own(cookie)).body, session);
  Must(RemoveAccessToken(options_.tokens, "ops"));
  EXPECT_EQ(Browse("GET", "/v1/session", {}, Own(cookie)).status, 401);
}

// The rights are looked at again when the body has come.
TEST_F(PageTest, ATokenThatIsRemovedWhileItsRequestIsSentIsRefused) {
  options_.tokens = AccessTokensFile(folder_ / "store");
  Restart();
  const std::string token = Must(AddAccessToken(options_.tokens, "agent", {AccessRight::kAppend}));
  const std::string body = R"({"type":"permission","tool":"tool","decision":"allow","remember":"turn"})";
  const auto socket = Must(Connect(Must(ParseTcpAddress(Host())), std::chrono::seconds(30)));
  (void)::fcntl(socket.number(), F_SETFL, 0);
  const std::string head = fmt::format(
      "POST /v1/conversations/a/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nExpect: 100-continue\r\n"
      "Content-Length: {}\r\n\r\n",
      Host(), token, body.size());
  std::array<char, 4096> answer{};
  ASSERT_EQ(::write(socket.number(), head.data(), head.size()), static_cast<ssize_t>(head.size()));
  ASSERT_GT(::read(socket.number(), answer.data(), answer.size()), 0);
  ASSERT_THAT(answer.data(), HasSubstr(" 100 ")) << "the head was let through";
  Must(RemoveAccessToken(options_.tokens, "agent"));
  ASSERT_EQ(::write(socket.number(), body.data(), body.size()), static_cast<ssize_t>(body.size()));
  answer = {};
  ASSERT_GT(::read(socket.number(), answer.data(), answer.size()), 0);
  EXPECT_THAT(answer.data(), HasSubstr(" 401 "));
  EXPECT_EQ(Get("/v1/conversations/a").status, 404);
}

TEST_F(PageTest, ASessionEndsWithItsTokenAlsoAfterARestart) {
  options_.tokens = AccessTokensFile(folder_ / "store");
  Restart();
  const std::string body = fmt::format(R"({{"token":"{}"}})", Must(AddAccessToken(options_.tokens, "tv", AllRights())));
  const std::string cookie = SignIn(body);
  options_.listen = Host();
  Restart();
  EXPECT_EQ(Browse("GET", "/v1/session", {}, Own(cookie)).status, 200);
  Must(RemoveAccessToken(options_.tokens, "tv"));
  Must(AddAccessToken(options_.tokens, "tv", AllRights()));
  EXPECT_EQ(Browse("GET", "/v1/session", {}, Own(cookie)).status, 401);
  EXPECT_EQ(Browse("GET", "/v1/overview", {}, Own(cookie)).status, 401);
  EXPECT_EQ(Get("/v1/sessions").body, R"({"sessions":[]})");
  EXPECT_EQ(Browse("POST", "/v1/sign-in", body, Own()).status, 401);
}

// --- Behind a proxy ---

TEST_F(PageTest, AnAddressThatOthersReachNeedsAProxy) {
  const auto start = [&] { return CodeOf(Service::Start(*log_, options_)); };
  Stop();
  log_ = Must(OpenSegmentLog(folder_ / "store", {.holder = "test"}));
  options_.listen = "0.0.0.0:0";
  EXPECT_EQ(start(), "invalid argument");
  options_.public_url = "https://example.org";
  EXPECT_EQ(start(), "invalid argument");
  options_.behind_proxy = true;
  options_.public_url.clear();
  EXPECT_EQ(start(), "invalid argument");
  options_.public_url = "http://example.org";
  EXPECT_EQ(start(), "invalid argument");
  options_.public_url = "https://example.org";
  EXPECT_TRUE(Service::Start(*log_, options_));
}

TEST_F(PageTest, EverythingIsServedBelowTheBasePath) {
  options_.behind_proxy = true;
  options_.public_url = "https://example.org/agents";
  Restart();
  const HttpHeader origin{"Origin", "https://example.org"}, page{"Turnlog-Page", "1"};
  const std::string link = service_->PairingLink("ann");
  ASSERT_THAT(link, StartsWith("https://example.org/agents/#pair="));
  const std::string body = fmt::format(R"({{"code":"{}"}})", link.substr(link.find('=') + 1));
  const Reply reply = Browse("POST", "/agents/v1/sign-in", body, {origin, page});
  ASSERT_EQ(reply.status, 204) << reply.body;
  const std::string set(FindHeader(reply.headers, "Set-Cookie"));
  EXPECT_THAT(set, testing::AllOf(HasSubstr("; Path=/agents/;"), HasSubstr("; Secure")));
  const HttpHeader cookie{"Cookie", set.substr(0, set.find(';'))};
  for (const char* const target : {"/agents/", "/agents/page/main.js", "/agents/v1/overview", "/v1/overview"}) {
    EXPECT_EQ(Browse("GET", target, {}, {cookie}).status, 200) << target;
  }
  for (const char* const target : {"/agents/agents/", "/agentsv1/overview", "/other/"}) {
    EXPECT_EQ(Browse("GET", target, {}, {cookie}).status, 404) << target;
  }
  const Reply base = Browse("GET", "/agents");
  EXPECT_EQ(base.status, 308);
  EXPECT_EQ(StatusText(308), "Permanent Redirect");
  EXPECT_EQ(FindHeader(base.headers, "Location"), "/agents/");
  EXPECT_EQ(Browse("POST", "/agents/v1/seen", {}, {cookie, page, {"Origin", "https://evil.example"}}).status, 403);
}

TEST_F(PageTest, ALinkNeedsAnAddress) {
  Stop();
  options_.listen.clear();
  Start();
  EXPECT_EQ(service_->PairingLink("ann"), "");
  EXPECT_EQ(Post("/v1/pairing", "{}").status, 409);
}

}  // namespace
}  // namespace turnlog::page_test
