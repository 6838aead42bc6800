// Questions that wait are answered through the service, and secrets reach the agent that waits for them, and no one
// else.
#include <fmt/format.h>
#include <sys/socket.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "log/forwarding_log.h"
#include "service/answering.h"
#include "service/handlers.h"
#include "tests/service/service_fixture.h"
#include "turnlog/event_json.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/ask_user_question.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/service/wait_for_answer.h"

namespace turnlog::answer_test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSecret = "correct-horse-battery-staple";

class AnswerTest : public ServiceTest {
 protected:
  // A turn with one call that has asked a question, whose agent is gone.
  std::string AskAndLeave(AnswerKind kind) {
    auto recorder = Must(TurnRecorder::Begin(service_->log(), Id("a"), {.content = "go", .author = {}, .schema = {}}));
    Must(recorder->RequestTool({.id = "call", .name = "tool", .arguments = {}}));
    const InquiryId id = Must(recorder->Ask({.tool_call = "call",
                                             .question_id = "q",
                                             .source = {SourceKind::kTool, "tool", {}},
                                             .question = {.text = "Well?", .answer_type = {.kind = kind}},
                                             .escalated_from = {}}));
    recorder->Suspend();
    return id.text;
  }
  // A second question in the same call.
  void AskMoreAndLeave() {
    auto recorder = Must(TurnRecorder::Resume(service_->log(), Id("a")));
    Must(recorder->Ask({.tool_call = "call",
                        .question_id = "second",
                        .source = {SourceKind::kTool, "tool", {}},
                        .question = {.text = "And?", .answer_type = {.kind = AnswerKind::kText}},
                        .escalated_from = {}}));
    recorder->Suspend();
  }
  Reply Respond(const std::string& body) { return Post("/v1/conversations/a/respond", body); }
  std::string WaitTarget(int wait, bool secret) {
    return fmt::format("/v1/conversations/a/wait?inquiry=call.q.1&wait={}&secret={}", wait, secret);
  }
  // Until the service knows of `count` clients that wait.
  void AwaitClients(int count) {
    while (Get("/metrics").body.find(fmt::format("turnlog_waiting_clients {}\n", count)) == std::string::npos) {
      std::this_thread::yield();
    }
  }
  std::string EverythingStored() {
    std::ostringstream all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "store")) {
      if (entry.is_regular_file()) all << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    }
    return all.str();
  }
};

TEST_F(AnswerTest, ClosesAQuestion) {
  AskAndLeave(AnswerKind::kBoolean);
  EXPECT_THAT(Get("/v1/pending").body, HasSubstr(R"("id":"call.q.1")"));
  const Reply reply = Respond(R"({"inquiry":"call.q.1","answer":true,"note":"sure","who":"ann","via":"page"})");
  EXPECT_EQ(reply.body, R"({"conversation":"a","closed":["call.q.1"],"activity":"running_tools","pending":[]})");
  const std::string events = Get("/v1/conversations/a/events").body;
  EXPECT_THAT(events, HasSubstr(R"("answer":true)"));
  EXPECT_THAT(events, HasSubstr(R"("reason":"sure")"));
  EXPECT_THAT(events, HasSubstr(R"("responder":{"kind":"user","who":"ann","via":"page"})"));
  EXPECT_EQ(Respond(R"({"inquiry":"call.q.1","answer":true})").status, 409);
  const std::string attempts = Get("/v1/conversations/a/attempts?id=call.q.1&events=true").body;
  EXPECT_THAT(attempts, HasSubstr(R"("text":"Well?")"));
  EXPECT_THAT(attempts, HasSubstr(R"("outcome":"answered")"));
}

TEST_F(AnswerTest, RefusesWhatIsNoAnswerAndDoesNotQuoteIt) {
  AskAndLeave(AnswerKind::kBoolean);
  for (const char* body : {R"({"answer":"not-quoted"})", R"({"answer":["not-quoted"]})", R"({"answr":"not-quoted"})",
                           R"({"inquiry":7,"answer":"not-quoted"})", R"({"answers":{"not-quoted":1}})", "not-quoted",
                           R"({"answer":true,"decline":true})", R"({"answer":true,"via":"hook"})", "{}"}) {
    const Reply reply = Respond(body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_THAT(reply.body, Not(HasSubstr("not-quoted")));
  }
  EXPECT_EQ(Respond(R"({"inquiry":"other","answer":true})").status, 404);
  EXPECT_EQ(Must(log_->Pending({})).size(), 1U);
}

TEST_F(AnswerTest, ACallThatWaitsForItsApprovalGetsOtherArguments) {
  auto recorder = Must(TurnRecorder::Begin(service_->log(), Id("a"), {.content = "go", .author = {}, .schema = {}}));
  const Json made = Must(ParseJson(R"({"to":"production"})"));
  Must(recorder->RequestTools(std::vector<ToolCallRequest>{{"call", "deploy", made}, {"next", "deploy", made}}));
  const auto later = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> { return PromptReply{}; };
  for (const char* call : {"call", "next"}) Must(Approve(*recorder, call, {.user = later}));
  recorder->Suspend();
  EXPECT_EQ(Respond(R"({"inquiry":"call.approve.1","arguments":["not-quoted"]})").status, 400);
  EXPECT_EQ(Respond(R"({"inquiry":"call.approve.1","arguments":{"to":"production"}})").status, 400);
  EXPECT_EQ(Respond(R"({"inquiry":"call.approve.1","arguments":{"to":"x"},"answer":true})").status, 400);
  EXPECT_EQ(Respond(R"({"inquiry":"call.approve.1","arguments":{"to":"x"},"remember":true})").status, 400);
  EXPECT_EQ(Respond(R"({"inquiry":"call.approve.1","arguments":{"to": "staging"},"who":"ann"})").status, 200);
  Reply waited;  // the same while the agent waits
  std::thread agent([&] { waited = Get("/v1/conversations/a/wait?inquiry=next.approve.1&wait=60000"); });
  AwaitClients(1);
  EXPECT_EQ(Respond(R"({"inquiry":"next.approve.1","arguments":{"to":"nowhere"}})").status, 200);
  agent.join();
  recorder = Must(TurnRecorder::Resume(service_->log(), Id("a")));
  EXPECT_EQ(Must(Approve(*recorder, "call", {})).arguments.text(), R"({"to":"staging"})");
  EXPECT_EQ(Must(Approve(*recorder, "next", {})).arguments.text(), R"({"to":"nowhere"})");
}

TEST_F(AnswerTest, CancelsAQuestion) {
  AskAndLeave(AnswerKind::kBoolean);
  EXPECT_EQ(Post("/v1/conversations/a/cancel", R"({"decline":true,"who":"ann"})").status, 200);
  EXPECT_THAT(Get("/v1/conversations/a/events").body, HasSubstr(R"("outcome":"cancelled")"));
  EXPECT_EQ(Post("/v1/conversations/a/cancel", "{}").status, 404);
}

TEST_F(AnswerTest, QuestionsOfTheModelAreAnsweredByTheirTextAndTheCallGetsItsResult) {
  auto recorder = Must(TurnRecorder::Begin(service_->log(), Id("a"), {.content = "go", .author = {}, .schema = {}}));
  const Json arguments =
      Must(ParseJson(R"({"questions":[{"question":"Which?","header":"W","options":[{"label":"one"},{"label":"two"}]},)"
                     R"({"question":"How?","header":"H","options":[{"label":"fast"},{"label":"slow"}]}]})"));
  Must(recorder->RequestTool({.id = "call", .name = "ask_user_question", .arguments = arguments}));
  ASSERT_EQ(Must(AskUserQuestion(*recorder, "call", AgentKind::kMain)).size(), 2U);
  recorder->Suspend();
  EXPECT_EQ(Respond(R"({"answers":{"Which?":"two","How?":"gently"}})").status, 200);
  EXPECT_THAT(Get("/v1/conversations/a/events").body,
              HasSubstr(R"({\"answers\":{\"Which?\":\"two\",\"How?\":\"gently\"}})"));
}

TEST_F(AnswerTest, AnAgentThatWaitsGetsTheAnswer) {
  AskAndLeave(AnswerKind::kText);
  EXPECT_EQ(Get(WaitTarget(1, false)).body, R"({"state":"waiting"})");
  Reply waited;
  std::thread agent([&] { waited = Get(WaitTarget(60'000, false)); });
  AwaitClients(1);
  EXPECT_EQ(Respond(R"({"answer":"blue"})").status, 200);
  agent.join();
  EXPECT_THAT(waited.body, testing::StartsWith(R"({"state":"closed","response":{)"));
  EXPECT_THAT(waited.body, HasSubstr(R"("answer":"blue")"));
}

// The user ends the turn at the second question, and the agent waits for the first one.
TEST_F(AnswerTest, TheEndOfATurnReachesAnAgentThatWaitsForAnotherQuestion) {
  AskAndLeave(AnswerKind::kText);
  AskMoreAndLeave();
  Reply waited;
  std::thread agent([&] { waited = Get(WaitTarget(60'000, false)); });
  AwaitClients(1);
  const Reply reply = Post("/v1/conversations/a/cancel", R"({"inquiry":"call.second.1"})");
  EXPECT_THAT(reply.body, HasSubstr(R"("closed":["call.q.1","call.second.1"])"));
  agent.join();
  EXPECT_THAT(waited.body, HasSubstr(R"("reason":"end_turn")"));
}

// Of one call, of another one, of one that waits for its approval, and of a form.
TEST_F(AnswerTest, TheEndOfATurnClosesAllThatWaitsAlsoIfNoAgentDoes) {
  auto recorder = Must(TurnRecorder::Begin(service_->log(), Id("a"), {.content = "go", .author = {}, .schema = {}}));
  const Json form = Must(ParseJson(R"({"questions":[{"id":"one","text":"One?"},{"id":"two","text":"Two?"}]})"));
  Must(recorder->RequestTools(std::vector<ToolCallRequest>{
      {"call", "tool", {}}, {"other", "tool", {}}, {"deploy", "deploy", {}}, {"form", "ask_user", form}}));
  for (const auto& [call, question] : {std::pair("call", "p"), std::pair("call", "q"), std::pair("other", "q")}) {
    Must(recorder->Ask({.tool_call = call,
                        .question_id = question,
                        .source = {SourceKind::kTool, "tool", {}},
                        .question = {.text = "Well?", .answer_type = {.kind = AnswerKind::kText}},
                        .escalated_from = {}}));
  }
  const auto later = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> { return PromptReply{}; };
  Must(Approve(*recorder, "deploy", {.user = later}));
  Must(AskUser(*recorder, "form", {.user = later}));
  recorder->Suspend();
  EXPECT_THAT(Post("/v1/conversations/a/cancel", R"({"inquiry":"other.q.1"})").body, HasSubstr(R"("pending":[]})"));
  EXPECT_EQ(Must(log_->Pending({})).size(), 0U);
  recorder = Must(TurnRecorder::Resume(service_->log(), Id("a")));
  EXPECT_EQ(CodeOf(recorder->CheckOpen("form")), "conflict") << "it has its result";
}

TEST_F(AnswerTest, DecliningClosesOneQuestion) {
  AskAndLeave(AnswerKind::kText);
  AskMoreAndLeave();
  EXPECT_THAT(Post("/v1/conversations/a/cancel", R"({"inquiry":"call.q.1","decline":true})").body,
              HasSubstr(R"("closed":["call.q.1"],"activity":"awaiting_user","pending":["call.second.1"])"));
}

// The agent of the turn calls tools: as often as it is told to, right before somebody else appends.
class BusyAgentLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  void CallTools(int times) { left_ = times; }

  using Log::Append;
  Result<AppendResult> Append(const ConversationId& conversation, std::span<const EventView> events,
                              const AppendOptions& options) override {
    if (left_ > 0) {
      --left_;
      const Event call{.body =
                           ToolCallRequest{.id = fmt::format("busy-{}", ++calls_), .name = "tool", .arguments = {}}};
      Must(ForwardingLog::Append(conversation, std::vector{View(call)}, {}));
    }
    return ForwardingLog::Append(conversation, events, options);
  }

 private:
  int left_ = 0, calls_ = 0;
};

// The service's answering, without a server.
class BusyAgentTest : public testing::Test {
 protected:
  BusyAgentTest() { state_.rules.emplace("", Must(PublicAddress::Parse({}, {}, {})), state_.sessions, state_.tokens); }

  std::string Respond(std::string_view body) {
    return CodeOrBody(RespondTo(state_, Id("a"), Must(ReadAnswerBody(body))));
  }
  std::string Cancel(std::string_view body) {
    return CodeOrBody(CancelIn(state_, Id("a"), Must(ReadAnswerBody(body))));
  }
  void Ask(std::string_view question) {
    auto recorder = Must(TurnRecorder::Begin(*log_, Id("a"), {.content = "go", .author = {}, .schema = {}}));
    Must(recorder->RequestTool({.id = "call", .name = "tool", .arguments = {}}));
    Must(recorder->Ask({.tool_call = "call",
                        .question_id = std::string(question),
                        .source = {SourceKind::kTool, "tool", {}},
                        .question = {.text = "Well?", .answer_type = {.kind = AnswerKind::kText}},
                        .escalated_from = {}}));
    recorder->Suspend();
  }
  static std::string CodeOrBody(const Result<std::string>& result) {
    return result ? *result : std::string(ToString(result.error().code));
  }

  TempDir folder_;
  std::unique_ptr<Log> log_ = Must(OpenSegmentLog(folder_ / "store"));
  BusyAgentLog busy_{*log_};
  ObservedLog observed_{busy_, [](const LogChange&) {}};
  ServiceState state_{observed_, "test", folder_ / "sessions", {}};
};

TEST_F(BusyAgentTest, AnAnswerIsNoConflictWithWhatTheAgentWritesMeanwhile) {
  for (const bool by_id : {true, false}) {
    Ask("q");
    busy_.CallTools(3);
    EXPECT_THAT(Respond(by_id ? R"({"inquiry":"call.q.1","answer":"x"})" : R"({"answer":"x"})"),
                HasSubstr(R"("closed":["call.q.1"])"));
  }
  EXPECT_EQ(Respond(R"({"inquiry":"call.q.1","answer":"y"})"), "conflict");
}

TEST_F(BusyAgentTest, ACancellationIsNoConflictWithWhatTheAgentWritesMeanwhile) {
  for (const bool agent_waits : {true, false}) {
    Ask("q");
    const HttpRequest request{.method = "GET", .path = {}, .query = {}, .headers = {}, .body = {}, .local = true};
    Call call{request, {"a"}, Must(Query::Parse("inquiry=call.q.1&wait=60000"))};
    const HttpResponse wait = Must(WaitForInquiry(state_, call));
    if (agent_waits) wait.stream->OnWake([] {});
    busy_.CallTools(3);
    EXPECT_THAT(Cancel(R"({"inquiry":"call.q.1"})"), HasSubstr(R"("closed":["call.q.1"])"));
  }
  EXPECT_EQ(Cancel(R"({"inquiry":"call.q.1"})"), "conflict");
}

TEST_F(BusyAgentTest, TheResultOfAnsweredQuestionsIsNoConflictWithWhatTheAgentWritesMeanwhile) {
  auto recorder = Must(TurnRecorder::Begin(*log_, Id("a"), {.content = "go", .author = {}, .schema = {}}));
  const Json arguments = Must(
      ParseJson(R"({"questions":[{"question":"Which?","header":"W","options":[{"label":"one"},{"label":"two"}]}]})"));
  Must(recorder->RequestTool({.id = "call", .name = "ask_user_question", .arguments = arguments}));
  Must(AskUserQuestion(*recorder, "call", AgentKind::kMain));
  recorder->Suspend();
  busy_.CallTools(1);
  EXPECT_THAT(Respond(R"({"answers":{"Which?":"two"}})"), HasSubstr(R"("pending":[])"));
  busy_.CallTools(0);
  EXPECT_EQ(CodeOf(Must(TurnRecorder::Resume(*log_, Id("a")))->CheckOpen("call")), "conflict");
}

TEST_F(BusyAgentTest, AnAgentThatDoesNotStopWritingIsAConflictInTheEnd) {
  Ask("q");
  busy_.CallTools(1'000'000);
  EXPECT_EQ(Respond(R"({"answer":"x"})"), "conflict");
  EXPECT_EQ(Must(log_->Pending({})).size(), 1U);
}

TEST_F(AnswerTest, ASecretIsRefusedIfNoAgentWaitsForIt) {
  AskAndLeave(AnswerKind::kSecret);
  const Reply reply = Respond(fmt::format(R"({{"answer":"{}"}})", kSecret));
  EXPECT_EQ(reply.status, 409);
  EXPECT_THAT(reply.body, HasSubstr("no agent is waiting for this secret"));
  EXPECT_EQ(Must(log_->Pending({})).size(), 1U);
}

TEST_F(AnswerTest, ASecretGoesToTheAgentThatWaitsForItAndNowhereElse) {
  Stop();
  std::string logged;
  std::mutex mutex;
  options_.access_log = [&](std::string_view line) {
    const std::scoped_lock lock(mutex);
    logged.append(line);
  };
  Start();
  AskAndLeave(AnswerKind::kSecret);
  Reply waited, onlooker;
  std::thread agent([&] { waited = Get(WaitTarget(60'000, true)); });
  std::thread other([&] { onlooker = Get(WaitTarget(60'000, false)); });
  AwaitClients(2);
  const Reply reply = Respond(fmt::format(R"({{"answer":"{}","note":"{}"}})", kSecret, kSecret));
  agent.join();
  other.join();
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_THAT(waited.body, HasSubstr(fmt::format(R"("secret":"{}")", kSecret)));
  EXPECT_THAT(waited.body, HasSubstr(R"("outcome":"redacted")"));
  const std::string metrics = Get("/metrics").body;
  Stop();
  for (const std::string& text : {reply.body, onlooker.body, metrics, logged, EverythingStored()}) {
    EXPECT_THAT(text, Not(HasSubstr(std::string(kSecret))));
  }
}

// The agent goes while it waits, long before its wait would be over.
TEST_F(AnswerTest, AnAgentThatHasGoneDoesNotWaitAnyMore) {
  AskAndLeave(AnswerKind::kSecret);
  const auto begin = std::chrono::steady_clock::now();
  {
    const SocketDescriptor agent = Must(Connect(Address(), std::chrono::seconds(30)));
    const std::string request = fmt::format("GET {} HTTP/1.1\r\n\r\n", WaitTarget(60'000, true));
    ASSERT_EQ(::send(agent.number(), request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
    AwaitClients(1);
  }
  AwaitClients(0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
  EXPECT_EQ(Respond(fmt::format(R"({{"answer":"{}"}})", kSecret)).status, 409);
  EXPECT_EQ(Must(log_->Pending({})).size(), 1U) << "it is asked, and not recorded as answered";
}

TEST_F(AnswerTest, AgentsWaitThroughTheLibrary) {
  AskAndLeave(AnswerKind::kSecret);
  const auto remote = OpenRemote();
  EXPECT_EQ(Must(WaitForAnswer(*remote, Id("a"), "call.q.1", {.timeout = milliseconds(1)})).state,
            WaitedAnswer::State::kWaiting);
  AwaitClients(0);  // the service may notice later than the client that the wait is over
  WaitedAnswer answer;
  std::thread agent([&] { answer = Must(WaitForAnswer(*remote, Id("a"), "call.q.1", {.takes_secret = true})); });
  AwaitClients(1);
  EXPECT_EQ(Respond(fmt::format(R"({{"answer":"{}"}})", kSecret)).status, 200);
  agent.join();
  EXPECT_EQ(answer.state, WaitedAnswer::State::kClosed);
  EXPECT_EQ(answer.secret, kSecret);
  EXPECT_EQ(std::get<InquiryResponse>(answer.response->body).outcome, Outcome::kRedacted);
  EXPECT_EQ(CodeOf(WaitForAnswer(*remote, Id("a"), "other", {})), "not found");
}

TEST_F(AnswerTest, AgentsWaitForAnAnswerInTheirOwnProcess) {
  AskAndLeave(AnswerKind::kText);
  EXPECT_EQ(Must(WaitForAnswer(*log_, Id("a"), "call.q.1", {.timeout = milliseconds(1)})).state,
            WaitedAnswer::State::kWaiting);
  WaitedAnswer answer;
  std::thread agent([&] { answer = Must(WaitForAnswer(*log_, Id("a"), "call.q.1")); });
  EXPECT_EQ(Respond(R"({"answer":"blue"})").status, 200);
  agent.join();
  EXPECT_EQ(answer.state, WaitedAnswer::State::kClosed);
  EXPECT_EQ(std::get<InquiryResponse>(answer.response->body).answer.text(), R"("blue")");
  EXPECT_EQ(CodeOf(WaitForAnswer(*log_, Id("a"), "call.q.1", {.takes_secret = true})), "unsupported");
}

TEST_F(AnswerTest, AnAnswerInClearToASecretIsRefusedAtTheDoor) {
  AskAndLeave(AnswerKind::kSecret);
  const Reply reply = Post("/v1/conversations/a/events",
                           R"({"type":"inquiry_response","id":"call.q.1","outcome":"answered","answer":"x"})");
  EXPECT_EQ(reply.status, 422);
  EXPECT_THAT(reply.body, HasSubstr(R"("code":"secret refused")"));
}

}  // namespace
}  // namespace turnlog::answer_test
