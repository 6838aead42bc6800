// What needs attention, what people say about it, and finding text.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <map>
#include <thread>

#include "schema/json/json_tree.h"
#include "service/cut_event.h"
#include "service/handlers.h"
#include "service/shared_overview.h"
#include "tests/service/service_fixture.h"
#include "turnlog/event_json.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::overview_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kLongAgo = "2020-01-01T00:00:00Z";
constexpr const char* kBash = R"({"command":"ls"})";

class OverviewTest : public ServiceTest {
 protected:
  void Append(const std::string& conversation, const std::vector<std::string>& lines) {
    std::string body;
    for (const std::string& line : lines) body += line + "\n";
    ASSERT_EQ(Post("/v1/conversations/" + conversation + "/events", body).status, 200);
  }
  static std::string Say(const std::string& text, const std::string& time = TimestampNow()) {
    return fmt::format(R"({{"type":"chat_response","message":"{}","timestamp":"{}"}})", text, time);
  }
  static std::string TimestampNow() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return Timestamp{std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()}.ToRfc3339();
  }
  static std::string Turn(const std::string& text, const std::string& time = TimestampNow()) {
    return fmt::format(
        "{{\"type\":\"turn_start\",\"timestamp\":\"{}\"}}\n"
        "{{\"type\":\"chat_request\",\"content\":\"{}\",\"timestamp\":\"{}\"}}",
        time, text, time);
  }
  // A call that waits for leave.
  std::string AskLeave() {
    auto recorder = Must(TurnRecorder::Begin(service_->log(), Id("a"), {.content = "go", .author = {}, .schema = {}}));
    Must(recorder->RequestTool({.id = "call", .name = "Bash", .arguments = Must(ParseJson(kBash))}));
    const auto later = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> { return PromptReply{}; };
    const Approval approval = Must(Approve(*recorder, "call", {.user = later}));
    recorder->Suspend();
    return approval.inquiry.text;
  }
  std::vector<std::string> Group(const std::string& name) {
    const Json json = Must(ParseJson(Get("/v1/overview").body));
    const JsonNode root = ParseTree(json);
    std::vector<std::string> ids;
    for (const JsonNode& entry : root.Find(name)->elements) ids.push_back(entry.Find("conversation")->string);
    return ids;
  }
  Reply Attend(const std::string& conversation, const std::string& body) {
    return Send("PUT", "/v1/conversations/" + conversation + "/attention", body);
  }
};

TEST_F(OverviewTest, GroupsConversationsByWhatTheyNeed) {
  Append("done", {Turn("a"), Say("b")});
  Append("running", {Turn("a")});
  Append("stopped", {Turn("a", kLongAgo)});
  Append("stopped-long-ago-but-done", {Turn("a", kLongAgo), Say("b", kLongAgo)});
  AskLeave();
  EXPECT_THAT(Group("blocked"), ElementsAre("a"));
  EXPECT_THAT(Group("finished"), testing::UnorderedElementsAre("done", "stopped-long-ago-but-done"));
  EXPECT_THAT(Group("running"), ElementsAre("running"));
  EXPECT_THAT(Group("failed"), ElementsAre("stopped"));
}

TEST_F(OverviewTest, ATurnThatFailedIsShownAsFailedUntilTheNext) {
  auto recorder = Must(TurnRecorder::Begin(service_->log(), Id("a"), {.content = "go", .author = {}, .schema = {}}));
  Must(recorder->Fail("no credit"));
  EXPECT_THAT(Group("failed"), ElementsAre("a"));
  EXPECT_THAT(Get("/v1/overview").body, HasSubstr(R"("error":"no credit")"));
  Append("a", {Turn("again"), Say("done")});
  EXPECT_THAT(Group("finished"), ElementsAre("a"));
}

TEST_F(OverviewTest, HooksAreSilentWhileTheirAgentWorks) {
  const auto ago = std::chrono::system_clock::now() - std::chrono::hours(1);
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(ago.time_since_epoch());
  const std::string earlier = Timestamp{since.count()}.ToRfc3339();
  Append("hooked", {R"({"type":"config_delta","delta":{"agent":"codex","session":"s"}})", Turn("a", earlier)});
  Append("own", {Turn("a", earlier)});
  EXPECT_THAT(Group("running"), ElementsAre("hooked"));
  EXPECT_THAT(Group("failed"), ElementsAre("own"));
}

TEST_F(OverviewTest, ShowsWhatWasAskedAndSaid) {
  Append("a", {Turn("why?"), Say("because")});
  EXPECT_THAT(Get("/v1/overview").body, HasSubstr(R"("activity":"idle","asked":"why?","said":"because")"));
}

TEST_F(OverviewTest, ShowsWhichAgentWorksWhere) {
  Append("a", {R"({"type":"config_delta","delta":{"agent":"codex","folder":"/home/ann","session":"s"}})", Turn("x")});
  for (int i = 0; i < 10; ++i) Append("a", {Turn("x"), Say("y")});
  EXPECT_THAT(Get("/v1/overview").body, HasSubstr(R"("agent":"codex","folder":"/home/ann","asked":"x")"));
  for (const char* const odd : {R"({"type":"config_delta","delta":7})", R"({"type":"config_delta"})",
                                R"({"type":"config_delta","delta":{"agent":7,"folder":"/tmp"}})"}) {
    Append("a", {odd});
  }
  EXPECT_THAT(Get("/v1/overview").body, HasSubstr(R"("agent":"codex","folder":"/tmp")"));
}

TEST_F(OverviewTest, OnlyTheLibrarysOwnApprovalIsOne) {
  AskLeave();
  // The same words from a tool, about arguments of another call.
  auto recorder = Must(TurnRecorder::Begin(service_->log(), Id("b"), {.content = "go", .author = {}, .schema = {}}));
  Must(recorder->RequestTool({.id = "call", .name = "Bash", .arguments = Must(ParseJson(kBash))}));
  Question question{.text = "Run Bash?", .answer_type = {.kind = AnswerKind::kBoolean}};
  question.context = R"({"command":"rm -rf /"})";
  question.exclusive = true;
  Must(recorder->Ask({"call", "approve", {SourceKind::kTool, "Bash", {}}, question, {}}));
  recorder->Suspend();
  const Json json = Must(ParseJson(Get("/v1/overview").body));
  const JsonNode root = ParseTree(json);
  std::map<std::string, bool> approvals;
  for (const JsonNode& entry : root.Find("blocked")->elements) {
    approvals[entry.Find("conversation")->string] = entry.Find("inquiries")->elements[0].Find("approval")->is_true();
  }
  EXPECT_THAT(approvals, ElementsAre(testing::Pair("a", true), testing::Pair("b", false)));
}

TEST_F(OverviewTest, WhatWasSeenIsNotShownUntilItGoesOn) {
  Append("a", {Turn("x"), Say("y")});
  EXPECT_EQ(Attend("a", R"({"seen":3})").status, 204);
  EXPECT_THAT(Group("finished"), IsEmpty());
  Append("a", {Turn("x"), Say("z")});
  EXPECT_THAT(Group("finished"), ElementsAre("a"));
  EXPECT_EQ(Attend("a", R"({"seen":99})").status, 204);
  EXPECT_THAT(Group("finished"), IsEmpty());
  for (const char* const wrong : {R"({"sen":1})", "[]", R"({"snoozed_until":"soon"})", R"({"snoozed_until":1})"}) {
    EXPECT_EQ(Attend("a", wrong).status, 400) << wrong;
  }
  EXPECT_EQ(Attend("b", R"({"seen":1})").status, 404);
}

TEST_F(OverviewTest, ARepairIsNothingNew) {
  Append("a", {Turn("x"), R"({"type":"tool_call_response","id":"c","content":"orphan","is_error":false})", Say("y")});
  EXPECT_EQ(Attend("a", R"({"seen":4})").status, 204);
  Must(service_->log().Append(Id("a"), Repaired(3, 3)));
  EXPECT_THAT(Group("finished"), IsEmpty());
}

TEST_F(OverviewTest, WhatIsSnoozedSaysSoUntilSomethingNewHappens) {
  AskLeave();
  EXPECT_EQ(Attend("a", R"({"snoozed_until":"2200-01-01T00:00:00Z"})").status, 204);
  EXPECT_THAT(Get("/v1/overview").body, HasSubstr(R"("snoozed_until":"2200-01-01T00:00:00Z")"));
  Append("a", {Say("one more thing")});
  EXPECT_THAT(Get("/v1/overview").body, Not(HasSubstr("snoozed_until")));
  EXPECT_EQ(Attend("a", R"({"snoozed_until":"2001-01-01T00:00:00Z"})").status, 204);
  EXPECT_THAT(Get("/v1/overview").body, Not(HasSubstr("snoozed_until")));
}

TEST_F(OverviewTest, MarksAllAsSeenButWhatIsRunning) {
  Append("done", {Turn("a"), Say("b")});
  Append("running", {Turn("a")});
  Append("stopped", {Turn("a", kLongAgo)});
  AskLeave();
  EXPECT_EQ(Post("/v1/seen", {}).status, 204);
  EXPECT_THAT(Group("finished"), IsEmpty());
  EXPECT_THAT(Group("failed"), IsEmpty());
  EXPECT_THAT(Group("running"), ElementsAre("running"));
  EXPECT_THAT(Group("blocked"), ElementsAre("a"));
}

TEST_F(OverviewTest, AttentionSurvivesARestart) {
  Append("a", {Turn("x"), Say("y")});
  EXPECT_EQ(Attend("a", R"({"seen":3})").status, 204);
  Restart();
  EXPECT_THAT(Group("finished"), IsEmpty());
}

TEST_F(OverviewTest, WhatIsErasedIsForgotten) {
  Append("a", {Turn("hush-hush"), Say("y")});
  EXPECT_THAT(Get("/v1/overview").body, HasSubstr("hush-hush"));
  EXPECT_EQ(Post("/v1/conversations/a/erase", R"({"seqs":[2]})").status, 200);
  EXPECT_THAT(Get("/v1/overview").body, Not(HasSubstr("hush-hush")));
}

TEST_F(OverviewTest, IsPushedWhenItChanges) {
  const auto connection = Must(HttpConnection::Open(Address(), std::chrono::seconds(30)));
  EXPECT_EQ(Must(connection->Send({"GET", "/v1/overview/stream", {}, {}}, std::chrono::seconds(30))).status, 200);
  std::string received;
  const auto await = [&](const std::string& text) {
    std::array<char, 4096> piece{};
    while (received.find(text) == std::string::npos) {
      const std::size_t got = Must(connection->Read(piece));
      ASSERT_NE(got, 0U);
      received.append(piece.data(), got);
    }
  };
  await("event: overview\ndata: {\"blocked\":[],");
  Append("a", {Turn("x"), Say("fresh")});
  await("\"said\":\"fresh\"");
  received.clear();
  EXPECT_EQ(Attend("a", R"({"seen":3})").status, 204);
  await("\"finished\":[],");
}

TEST_F(OverviewTest, IsComputedOnceForAllWhoWantTheSameMoment) {
  Overview overview(service_->log());
  SharedOverview shared(overview);
  const auto moment = SharedOverview::Clock::now();
  const auto first = Must(shared.NotBefore(moment));
  EXPECT_EQ(Must(shared.NotBefore(moment)), first);
  Append("new", {Turn("a")});
  EXPECT_EQ(Must(shared.NotBefore(moment)), first);
  EXPECT_THAT(*Must(shared.NotBefore(SharedOverview::Clock::now())), HasSubstr(R"("conversation":"new")"));
}

TEST_F(OverviewTest, ADecisionForTheTurnHoldsForTheAgentThatWaits) {
  const std::string inquiry = AskLeave();
  std::thread agent([&] { (void)Get("/v1/conversations/a/wait?wait=60000&inquiry=" + inquiry); });
  while (Get("/metrics").body.find("turnlog_waiting_clients 1\n") == std::string::npos) std::this_thread::yield();
  EXPECT_EQ(Post("/v1/conversations/a/respond", R"({"answer":true,"remember":true,"who":"ann"})").status, 200);
  agent.join();
  const auto recorder = Must(TurnRecorder::Resume(service_->log(), Id("a")));
  Must(recorder->RequestTool({.id = "again", .name = "Bash", .arguments = Must(ParseJson(kBash))}));
  EXPECT_EQ(Must(Approve(*recorder, "call", {})).kind, Approval::Kind::kApproved);
  const Approval again = Must(Approve(*recorder, "again", {}));
  EXPECT_EQ(again.kind, Approval::Kind::kApproved);
  EXPECT_EQ(again.responder->kind, "remembered");
  EXPECT_EQ(again.responder->who, "ann");
}

TEST_F(OverviewTest, FindsText) {
  Append("a", {Turn("one needle in a haystack"), Say("No NEEDLE here")});
  EXPECT_THAT(Get("/v1/search?text=needle").body, HasSubstr(R"("seq":2,"turn":1,)"));
  EXPECT_THAT(Get("/v1/search?text=needle").body,
              HasSubstr(R"("lines":[{"field":"content","parts":["one ","needle"," in a haystack"]}])"));
  EXPECT_THAT(Get("/v1/search?text=needle&ignore_case=true").body, HasSubstr(R"("parts":["No ","NEEDLE"," here"])"));
  EXPECT_THAT(Get("/v1/search?text=n..dle&regex=true&conversation=b*").body, HasSubstr(R"("events":[])"));
  EXPECT_EQ(Get("/v1/search?text=(&regex=true").status, 400);
  EXPECT_EQ(Get("/v1/search").status, 400);
}

TEST_F(OverviewTest, CutsLongLinesAroundTheMatch) {
  Append("a", {Turn(std::string(100'000, 'x') + "needle" + std::string(100'000, 'y'))});
  const std::string body = Get("/v1/search?text=needle").body;
  EXPECT_LT(body.size(), 1000U);
  EXPECT_THAT(body, HasSubstr(R"(xx","needle","yy)"));
}

TEST_F(OverviewTest, EventsComeWithMarks) {
  Append("a", {Turn("x"), R"({"type":"tool_call_request","id":"c","name":"t","arguments":{}})", Turn("y")});
  Must(Sanitize(service_->log(), Id("a")));
  const std::string body = Get("/v1/conversations/a/events?marks=true").body;
  EXPECT_THAT(body, HasSubstr(R"({"turn":1,"event":{"conversation":"a","seq":3,)"));
  EXPECT_THAT(
      body,
      HasSubstr(R"({"turn":1,"rule":"interrupted-tool-call","inserted":true,"event":{"conversation":"a","type")"));
}

TEST_F(OverviewTest, LargeEventsAreCutForWhoLooksThroughAConversation) {
  const std::string large(100'000, 'x');
  Append(
      "a",
      {fmt::format(R"({{"type":"tool_call_request","id":"c","name":"write","arguments":{{"text":"{0}","way":"new"}}}})",
                   large),
       Say("small"), fmt::format(R"({{"type":"custom","list":[{}1]}})", fmt::join(std::vector<int>(40'000, 1), ","))});
  const std::string body = Get("/v1/conversations/a/events?cut=true").body;
  EXPECT_LT(body.size(), 10'000U);
  EXPECT_THAT(body, HasSubstr("xxx\u2026\",\"way\":\"new\"}}"));
  EXPECT_THAT(body, testing::ContainsRegex(R"("cut":100[0-9]{3},"event")"));
  EXPECT_THAT(body, HasSubstr(R"({"turn":0,"event":{"conversation":"a","seq":2,)"));
  EXPECT_THAT(body, HasSubstr(R"("seq":3,"type":"custom"})"));
  EXPECT_THAT(Get("/v1/conversations/a/events?marks=true").body, HasSubstr(large));
}

TEST(CutEventTest, CutsTextsBetweenLetters) {
  for (const std::string letter : {"\xc3\xa4", "\xf0\x9f\x98\x80", R"(\n)", R"(\u00e4)", R"(\ud83d\ude00)"}) {
    for (const std::string before : {"", "x", "xx", "xxx"}) {
      std::string text = before, out;
      while (text.size() < 10'000) text += letter;
      AppendCutEvent(R"({"a":")" + text + R"("})", out);
      EXPECT_LT(out.size(), 4'200U);
      EXPECT_TRUE(ParseJson(out)) << letter << before.size();
    }
  }
}

TEST(SearchLimitTest, SearchesDoNotTakeTheThreadsOfOthers) {
  const TempDir folder;
  const auto log = Must(OpenSegmentLog(folder / "store"));
  ObservedLog observed(*log, [](const LogChange&) {});
  ServiceState state(observed, "test", folder / "sessions", {});
  const HttpRequest request{.method = "GET", .path = {}, .query = {}, .headers = {}, .body = {}};
  const auto search = [&] {
    Call call{request, {}, Must(Query::Parse("text=needle"))};
    return Must(SearchEvents(state, call)).status;
  };
  EXPECT_EQ(search(), 200);
  while (state.searches.try_acquire()) continue;  // as many as may run
  EXPECT_EQ(search(), 503);
  state.searches.release();
  EXPECT_EQ(search(), 200);
  EXPECT_EQ(search(), 200) << "the one before has ended";
}

}  // namespace
}  // namespace turnlog::overview_test
