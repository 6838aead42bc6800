// Named tokens: what each may do over TCP, and what is kept of them.
#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "service/handlers.h"
#include "service/routes.h"
#include "tests/service/service_fixture.h"
#include "turnlog/event_json.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/service/access_tokens.h"

namespace turnlog::token_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class TokenTest : public ServiceTest {
 protected:
  TokenTest() {
    Stop();
    options_.listen = "127.0.0.1:0";
    options_.tokens = File();
    Start();
  }
  std::filesystem::path File() const { return AccessTokensFile(folder_ / "store"); }
  std::string Add(const std::string& name, const std::set<AccessRight>& rights) {
    return Must(AddAccessToken(File(), name, rights));
  }
  Reply Call(std::string_view method, const std::string& target, const std::string& token, std::string_view body = {}) {
    const SocketAddress address = Must(ParseTcpAddress(service_->locations().back().substr(7)));
    const auto connection = Must(HttpConnection::Open(address, std::chrono::seconds(30)));
    const std::vector<HttpHeader> headers{{"Authorization", "Bearer " + token}};
    const auto head = Must(connection->Send({method, target, headers, {body}}, std::chrono::seconds(60)));
    return {head.status, head.headers, Must(connection->ReadAll(std::size_t{1} << 30))};
  }
  // A request over TCP whose answer has begun.
  std::unique_ptr<HttpConnection> Begin(const std::string& target, const std::string& token) {
    const SocketAddress address = Must(ParseTcpAddress(service_->locations().back().substr(7)));
    auto connection = Must(HttpConnection::Open(address, std::chrono::seconds(30)));
    const std::vector<HttpHeader> headers{{"Authorization", "Bearer " + token}};
    EXPECT_EQ(Must(connection->Send({"GET", target, headers, {}}, std::chrono::seconds(60))).status, 200);
    return connection;
  }
  void LeaveQuestion(AnswerKind kind = AnswerKind::kBoolean) {
    auto recorder = Must(TurnRecorder::Begin(service_->log(), Id("a"), {.content = "go", .author = {}, .schema = {}}));
    Must(recorder->RequestTool({.id = "c", .name = "tool", .arguments = {}}));
    Must(recorder->Ask(
        {"c", "q", {SourceKind::kTool, "tool", {}}, {.text = "Well?", .answer_type = {.kind = kind}}, {}}));
    recorder->Suspend();
  }
};

TEST_F(TokenTest, ListsChangedByManyAtOnceLoseNothing) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 5; ++i) Add(fmt::format("{}-{}", t, i), {AccessRight::kRead});
      Must(RemoveAccessToken(File(), fmt::format("{}-0", t)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Must(ListAccessTokens(File())).size(), 32U);
}

TEST_F(TokenTest, EachRightOpensItsRoutesAndNoOthers) {
  const std::string read = Add("reader", {AccessRight::kRead});
  for (const ServiceRoute& route : Routes()) {
    if (!route.right || *route.right == AccessRight::kRead) continue;
    std::string target(route.pattern);
    for (std::size_t at = 0; (at = target.find('{')) != std::string::npos;) {
      target.replace(at, target.find('}') - at + 1, "a");
    }
    const Reply refused = Call(route.method, target, read);
    EXPECT_EQ(refused.status, 403) << route.operation;
    const std::string allowed = Add(fmt::format("for {}", route.operation), {*route.right});
    EXPECT_NE(Call(route.method, target, allowed).status, 403) << route.operation;
  }
  EXPECT_EQ(Call("GET", "/v1/conversations", read).status, 200);
  EXPECT_EQ(Call("GET", "/v1/conversations", Add("agent", {AccessRight::kAppend})).status, 200);
}

TEST_F(TokenTest, AnAnswerIsOnRecordWithTheNameOfItsToken) {
  LeaveQuestion();
  const std::string token = Add("phone", {AccessRight::kAnswer});
  EXPECT_EQ(Call("POST", "/v1/conversations/a/respond", token, R"({"answer":true,"who":"somebody else"})").status, 200);
  EXPECT_THAT(Get("/v1/conversations/a/events").body,
              HasSubstr(R"("responder":{"kind":"user","who":"phone","via":"api"})"));
}

TEST_F(TokenTest, SecretsAreForTokensOfAgents) {
  LeaveQuestion(AnswerKind::kSecret);
  const std::string target = "/v1/conversations/a/wait?inquiry=c.q.1&wait=1&secret=";
  const std::string answer = Add("phone", {AccessRight::kAnswer}), append = Add("agent", {AccessRight::kAppend});
  EXPECT_EQ(Call("GET", target + "true", answer).status, 403);
  EXPECT_EQ(Call("GET", target + "false", answer).status, 200);
  EXPECT_EQ(Call("GET", target + "true", append).status, 200);
}

TEST_F(TokenTest, OnlyATokenOfAnAgentWaitsAsOne) {
  LeaveQuestion();
  ObservedLog log(service_->log(), [](const LogChange&) {});
  ServiceState state(log, "test", {}, File());
  const SocketAddress address{.path = {}, .host = "127.0.0.1", .port = 1};
  state.rules.emplace("", Must(PublicAddress::Parse(address, {}, {})), state.sessions, state.tokens);
  for (const AccessRight right : {AccessRight::kRead, AccessRight::kAnswer, AccessRight::kAppend}) {
    const HttpHeader bearer{"Authorization", "Bearer " + Add(std::string(ToString(right)), {right})};
    const HttpRequest request{
        .method = "GET", .path = {}, .query = {}, .headers = {{"Host", address.ToText()}, bearer}, .body = {}};
    turnlog::Call call{request, {"a"}, Must(Query::Parse("inquiry=c.q.1&wait=60000"))};
    const HttpResponse wait = Must(WaitForInquiry(state, call));
    wait.stream->OnWake([] {});
    EXPECT_EQ(state.agents.AnyIn("a"), right == AccessRight::kAppend);
  }
}

TEST_F(TokenTest, ASecretIsNotGivenToAnAgentThatHasGone) {
  LeaveQuestion(AnswerKind::kSecret);
  auto agent = Begin("/v1/conversations/a/wait?inquiry=c.q.1&wait=60000&secret=true", Add("x", {AccessRight::kAppend}));
  agent.reset();
  EXPECT_NE(Post("/v1/conversations/a/respond", R"({"answer":"open sesame"})").status, 200);
}

TEST_F(TokenTest, AppendedAnswersNeedTheRightToAnswer) {
  LeaveQuestion();
  const std::string agent = Add("agent", {AccessRight::kAppend});
  const std::string both = Add("both", {AccessRight::kAppend, AccessRight::kAnswer});
  const std::string target = "/v1/conversations/a/events";
  const std::string permission = R"({"type":"permission","tool":"tool","decision":"allow","remember":"turn"})";
  const std::string answered = R"({"type":"inquiry_response","id":"c.q.1","outcome":"answered","answer":true})";
  for (const std::string& decision : {permission, answered}) {
    const Reply refused = Call("POST", target, agent, decision);
    EXPECT_EQ(refused.status, 403) << decision;
    EXPECT_EQ(Call("POST", target, both, decision).status, 200) << decision;
  }
  const std::string cancelled = R"({"type":"inquiry_response","id":"x","outcome":"cancelled","reason":"user"})";
  EXPECT_NE(Call("POST", target, agent, cancelled).status, 403);
}

// Also among others in one request, which go on.
TEST_F(TokenTest, EachOfSeveralAppendsNeedsItsRight) {
  LeaveQuestion();
  const RemoteOptions options{.mode = OpenMode::kWrite, .token = Add("agent", {AccessRight::kAppend})};
  const auto remote = Must(OpenRemoteLog(service_->locations().back(), options));
  const Event permission =
      Must(ParseEvent(R"({"type":"permission","tool":"tool","decision":"allow","remember":"turn"})"));
  std::atomic<int> refused = 0, written = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      const auto done = remote->Append(Id("a"), i % 2 == 0 ? permission : Say("x"));
      written += done.has_value();
      refused += !done && done.error().code == ErrorCode::kInvalidArgument;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(written, 8);
  EXPECT_EQ(refused, 8);
}

TEST_F(TokenTest, StreamsEndWhenTheirTokenIsRemoved) {
  LeaveQuestion(AnswerKind::kText);
  for (const char* const target : {"/v1/overview/stream", "/v1/events",
                                   "/v1/conversations/a/wait?inquiry=c.q.1&wait=60000", "/v1/tail?wait=60000&from="}) {
    const bool tail = std::string_view(target).ends_with('=');
    const auto stream = Begin(tail ? target + Must(log_->End()).ToText() : target, Add("x", {AccessRight::kRead}));
    Must(RemoveAccessToken(File(), "x"));
    Must(service_->log().Append(Id("a"), Say("not for the stream")));
    const auto rest = stream->ReadAll(std::size_t{1} << 20);
    EXPECT_THAT(rest.value_or(""), Not(HasSubstr("not for the stream"))) << target;
  }
}

TEST_F(TokenTest, ARunningServiceKnowsATokenThatIsAddedOrRemovedAtOnce) {
  EXPECT_EQ(Call("GET", "/v1/end", std::string(48, 'a')).status, 401);
  const std::string token = Add("x", {AccessRight::kRead});
  EXPECT_EQ(Call("GET", "/v1/end", token).status, 200);
  EXPECT_EQ(Call("GET", "/v1/end", token + "a").status, 401);
  Must(RemoveAccessToken(File(), "x"));
  EXPECT_EQ(Call("GET", "/v1/end", token).status, 401);
}

TEST_F(TokenTest, TheFileHasHashesOnlyAndIsForItsOwner) {
  const std::string token = Add("x", {AccessRight::kRead, AccessRight::kMaintain});
  std::ostringstream text;
  text << std::ifstream(File()).rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr(R"("name":"x")"), Not(HasSubstr(token))));
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(File()).permissions(), perms::owner_read | perms::owner_write);
  const auto all = Must(ListAccessTokens(File()));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].rights, ElementsAre(AccessRight::kRead, AccessRight::kMaintain));
}

TEST_F(TokenTest, NamesAreDifferentAndRightsAreNeeded) {
  Add("x", {AccessRight::kRead});
  EXPECT_EQ(CodeOf(AddAccessToken(File(), "x", {AccessRight::kRead})), "conflict");
  EXPECT_EQ(CodeOf(AddAccessToken(File(), "", {AccessRight::kRead})), "invalid argument");
  EXPECT_EQ(CodeOf(AddAccessToken(File(), "a\nb", {AccessRight::kRead})), "invalid argument");
  EXPECT_EQ(CodeOf(AddAccessToken(File(), "y", {})), "invalid argument");
  EXPECT_EQ(CodeOf(RemoveAccessToken(File(), "y")), "not found");
}

TEST_F(TokenTest, AFileThatCannotBeUnderstoodLetsNobodyIn) {
  const std::string token = Add("x", {AccessRight::kRead});
  for (const std::string_view text : {R"({"tokens":[{"name":"x"}]})",
                                      R"({"tokens":[{"name":"x","hash":"0","made":"now","read":true,)"
                                      R"("answer":false,"append":false,"maintain":false}]})",
                                      R"({})", R"({"tok)", ""}) {
    std::ofstream(File()) << text;
    EXPECT_EQ(Call("GET", "/v1/end", token).status, 401) << text;
    EXPECT_EQ(CodeOf(ListAccessTokens(File())), "corruption") << text;
    // It is not replaced by a list of the new token alone.
    EXPECT_EQ(CodeOf(AddAccessToken(File(), "y", {AccessRight::kRead})), "corruption") << text;
  }
}

}  // namespace
}  // namespace turnlog::token_test
