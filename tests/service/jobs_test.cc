// Maintenance as jobs: over HTTP, and the queue by itself.
#include "service/jobs.h"

#include <fmt/format.h>

#include <future>
#include <thread>

#include "log/forwarding_log.h"
#include "remote/object_reader.h"
#include "tests/service/service_fixture.h"
#include "turnlog/maintenance.h"
#include "turnlog/service/remote_maintenance.h"

namespace turnlog::jobs_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Timestamp kNow{1'700'000'000'000'000'000};

Result<std::string> Nothing(JobControl&) { return "{}"; }

// When it has ended.
JobReport Ended(const Jobs& jobs, const std::string& id) {
  for (;;) {
    const JobReport report = jobs.Find(id).value();
    if (report.ended) return report;
    std::this_thread::yield();
  }
}

TEST(JobsTest, RunOneAfterAnotherAndKeepTheirResults) {
  Jobs jobs;
  std::atomic<int> running = 0;
  std::vector<std::string> ids;
  for (int i = 0; i < 10; ++i) {
    const auto job = Must(jobs.Add(
        "kind",
        [&running, i](JobControl& control) -> Result<std::string> {
          EXPECT_EQ(running.fetch_add(1), 0);
          control.Advance(3, 7);
          running.fetch_sub(1);
          if (i == 5) return std::unexpected(Error{ErrorCode::kIo, "why"});
          return fmt::format("{{\"i\":{}}}", i);
        },
        kNow));
    ids.push_back(job.id);
  }
  for (int i = 0; i < 10; ++i) {
    const JobReport report = Ended(jobs, ids[static_cast<std::size_t>(i)]);
    EXPECT_EQ(report.done, 3U);
    EXPECT_EQ(report.total, 7U);
    EXPECT_EQ(report.state, i == 5 ? JobState::kFailed : JobState::kDone);
    EXPECT_EQ(report.result, i == 5 ? "" : fmt::format("{{\"i\":{}}}", i));
  }
  EXPECT_EQ(jobs.List().size(), 10U);
}

TEST(JobsTest, AJobIsCancelledBeforeAndWhileItRuns) {
  Jobs jobs;
  std::promise<void> begun;
  const auto until_cancelled = [&begun](JobControl& control) -> Result<std::string> {
    begun.set_value();
    while (!control.cancelled()) std::this_thread::yield();
    return "{\"part\":true}";
  };
  const std::string first = Must(jobs.Add("a", until_cancelled, kNow)).id,
                    second = Must(jobs.Add("b", Nothing, kNow)).id;
  begun.get_future().wait();
  EXPECT_EQ(jobs.Find(second)->state, JobState::kWaiting);
  Must(jobs.Cancel(second, kNow));
  Must(jobs.Cancel(first, kNow));
  EXPECT_EQ(Ended(jobs, first).state, JobState::kCancelled);
  EXPECT_EQ(jobs.Find(first)->result, "{\"part\":true}");
  EXPECT_EQ(Ended(jobs, second).state, JobState::kCancelled);
  EXPECT_EQ(CodeOf(jobs.Cancel(first, kNow)), "conflict");
  EXPECT_EQ(CodeOf(jobs.Cancel("none", kNow)), "not found");
}

TEST(JobsTest, AJobThatDoesEverythingAlthoughItIsCancelledIsDone) {
  Jobs jobs;
  std::promise<void> begun, go;
  const auto without_looking = [&](JobControl&) -> Result<std::string> {
    begun.set_value();
    go.get_future().wait();
    return "{}";
  };
  const std::string id = Must(jobs.Add("a", without_looking, kNow)).id;
  begun.get_future().wait();
  Must(jobs.Cancel(id, kNow));
  go.set_value();
  EXPECT_EQ(Ended(jobs, id).state, JobState::kDone);
}

TEST(JobsTest, TooManyAreRefusedAndOldOnesForgotten) {
  Jobs jobs;
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  const auto wait = [gone](JobControl&) -> Result<std::string> { return gone.wait(), "{}"; };
  for (int i = 0; i < 16; ++i) Must(jobs.Add("wait", wait, kNow));
  EXPECT_EQ(CodeOf(jobs.Add("wait", wait, kNow)), "busy");
  go.set_value();
  for (const JobReport& job : jobs.List()) Ended(jobs, job.id);
  for (int i = 0; i < 100; ++i) Ended(jobs, Must(jobs.Add("more", Nothing, kNow)).id);
  EXPECT_LE(jobs.List().size(), 65U);
  jobs.Stop();
  EXPECT_EQ(CodeOf(jobs.Add("late", Nothing, kNow)), "busy");
}

TEST(JobsTest, LargeResultsAreForgottenButForTheLastOne) {
  Jobs jobs;
  const auto large = [](JobControl&) -> Result<std::string> { return std::string(std::size_t{40} << 20, ' '); };
  const std::string first = Must(jobs.Add("large", large, kNow)).id;
  EXPECT_EQ(Ended(jobs, first).state, JobState::kDone);
  const std::string second = Must(jobs.Add("large", large, kNow)).id;
  EXPECT_EQ(Ended(jobs, second).state, JobState::kDone);
  EXPECT_EQ(jobs.Find(first), std::nullopt);
}

class JobsOverHttpTest : public ServiceTest {
 protected:
  JobsOverHttpTest() {
    Stop();
    options_.verify = [this](const Progress& progress) { return VerifyStore(folder_ / "store", progress); };
    options_.reindex = [this](const ReindexOptions& options) { return reindex_(options); };
    Start();
  }
  // The job's report when it has ended.
  std::string Run(std::string_view body) {
    const Reply begun = Post("/v1/jobs", body);
    EXPECT_EQ(begun.status, 202) << begun.body;
    const std::string id = Must(ObjectReader::Parse(begun.body)).Text("id");
    for (;;) {
      std::string report = Get("/v1/jobs/" + id).body;
      if (Must(ObjectReader::Parse(report)).FindText("ended")) return report;
      std::this_thread::yield();
    }
  }
  void Append(const std::vector<std::string>& lines) {
    std::string body;
    for (const std::string& line : lines) body += line + "\n";
    EXPECT_EQ(Post("/v1/conversations/a/events", body).status, 200);
  }
  std::function<Result<bool>(const ReindexOptions&)> reindex_ = [this](const ReindexOptions& options) {
    return ReindexLog(*log_, options);
  };
  std::string Events() { return Get("/v1/conversations/a/events?view=raw").body; }
};

TEST_F(JobsOverHttpTest, SanitizeRepairsAndSaysWhat) {
  Append({R"({"type":"turn_start"})", R"({"type":"chat_request","content":"x"})",
          R"({"type":"tool_call_request","id":"c","name":"t","arguments":{}})", R"({"type":"turn_start"})",
          R"({"type":"chat_request","content":"y"})"});
  EXPECT_THAT(
      Run(R"({"kind":"sanitize","dry_run":true})"),
      AllOf(HasSubstr(R"("state":"done")"), HasSubstr(R"("dry_run":true,"checked":1)"), HasSubstr(R"("inserts":1)"),
            HasSubstr(R"("conversations":[{"id":"a","repair_count":0,"repairs":[]}])")));
  EXPECT_THAT(Events(), Not(HasSubstr(R"("type":"repair")")));
  EXPECT_THAT(Run(R"({"kind":"sanitize","conversations":["a"]})"),
              AllOf(HasSubstr(R"("done":1,"total":1)"), HasSubstr(R"({"id":"a","repair_count":1,"repairs":[6]})")));
  EXPECT_THAT(Events(), HasSubstr(R"("type":"repair")"));
  EXPECT_THAT(Run(R"({"kind":"sanitize","all":true})"), HasSubstr(R"("changed":0)"));
}

TEST_F(JobsOverHttpTest, StatsCountsWhatTheStoreHolds) {
  Append({R"({"type":"turn_start"})", R"({"type":"chat_request","content":"x"})"});
  EXPECT_THAT(Run(R"({"kind":"stats"})"),
              AllOf(HasSubstr(R"("state":"done","done":1,"total":1)"),
                    HasSubstr(R"("conversations":1,"events":2,"payload_bytes":)"), HasSubstr(R"("segment_bytes":)")));
  EXPECT_EQ(Post("/v1/jobs", R"({"kind":"stats","all":true})").status, 400);
}

TEST_F(JobsOverHttpTest, ScavengeErasesWhatRepairsHaveDropped) {
  Append({R"({"type":"turn_start"})", R"({"type":"chat_request","content":"x"})",
          R"({"type":"tool_call_response","id":"lost","content":"gone","is_error":false})", R"({"type":"turn_start"})",
          R"({"type":"chat_request","content":"y"})"});
  Run(R"({"kind":"sanitize"})");
  EXPECT_THAT(Run(R"({"kind":"scavenge","dry_run":true})"), HasSubstr(R"("events":1)"));
  EXPECT_THAT(Events(), HasSubstr("gone"));
  EXPECT_THAT(Run(R"({"kind":"scavenge"})"),
              AllOf(HasSubstr(R"("events":1)"),
                    HasSubstr(R"("conversations":[{"id":"a","bytes":72,"event_count":1,"events":[3]}])")));
  EXPECT_THAT(Events(), Not(HasSubstr("gone")));
}

TEST_F(JobsOverHttpTest, RedactRemovesValuesThatNoAnswerShows) {
  Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Say("the key is correct-horse-battery")}));
  const std::string body = R"({"kind":"redact","values":["correct-horse-\u0062attery"],"by":"ann")";
  EXPECT_THAT(Run(body + R"(,"dry_run":true})"), AllOf(HasSubstr(R"("events":1)"), Not(HasSubstr("horse"))));
  EXPECT_THAT(Events(), HasSubstr("horse"));
  EXPECT_THAT(Run(body + "}"),
              AllOf(HasSubstr(R"("clean":true)"), Not(HasSubstr("horse")),
                    HasSubstr(R"("event_count":1,"events":[2],"redaction_count":1,"redactions":[3])")));
  EXPECT_THAT(Events(), AllOf(Not(HasSubstr("horse")), HasSubstr(R"("by":"ann")")));
}

TEST_F(JobsOverHttpTest, VerifyReadsTheStoreBesideItsWriter) {
  Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Say("x")}));
  EXPECT_THAT(Run(R"({"kind":"verify"})"), AllOf(HasSubstr(R"("clean":true)"), HasSubstr(R"("events":2)")));
  Stop();
  options_.verify = {};
  Start();
  EXPECT_EQ(Post("/v1/jobs", R"({"kind":"verify"})").status, 501);
}

TEST_F(JobsOverHttpTest, ReindexRebuildsTheIndexOfTheOpenStore) {
  Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Say("x")}));
  Must(service_->log().SetWatermark("test", Id("a"), {{2}, "state"}));
  Must(service_->log().Checkpoint());
  const auto tail = Must(service_->log().Follow({}));
  EXPECT_THAT(Run(R"({"kind":"reindex"})"), AllOf(HasSubstr(R"("state":"done")"), HasSubstr(R"({"reindexed":true})")));
  EXPECT_EQ(TailLines(*tail).size(), 2U);
  EXPECT_THAT(Must(service_->log().ListChanged("test", "", 10)), testing::IsEmpty());
  EXPECT_THAT(Events(), HasSubstr("turn_start"));
  Append({R"({"type":"chat_request","content":"y"})"});
  EXPECT_THAT(Run(R"({"kind":"verify"})"), AllOf(HasSubstr(R"("clean":true)"), HasSubstr(R"("events":3)")));
  Stop();
  options_.reindex = {};
  Start();
  EXPECT_EQ(Post("/v1/jobs", R"({"kind":"reindex"})").status, 501);
}

TEST_F(JobsOverHttpTest, AReindexThatIsCancelledKeepsTheOldIndex) {
  Must(service_->log().Append(Id("a"), std::vector<Event>(5'000, Say("x"))));
  std::promise<void> begun;
  reindex_ = [&](const ReindexOptions& options) {
    begun.set_value();
    while (!options.stop()) std::this_thread::yield();
    return ReindexLog(*log_, options);
  };
  const std::string id = Must(ObjectReader::Parse(Post("/v1/jobs", R"({"kind":"reindex"})").body)).Text("id");
  begun.get_future().wait();
  EXPECT_EQ(Send("DELETE", "/v1/jobs/" + id).status, 204);
  std::string report;
  do report = Get("/v1/jobs/" + id).body;
  while (!Must(ObjectReader::Parse(report)).FindText("ended"));
  EXPECT_THAT(report, AllOf(HasSubstr(R"("state":"cancelled")"), HasSubstr(R"({"reindexed":false})")));
  EXPECT_THAT(Run(R"({"kind":"verify"})"), HasSubstr(R"("clean":true)"));
}

TEST_F(JobsOverHttpTest, AClientHasTheIndexRebuiltAndIsToldWhy) {
  Must(service_->log().Append(Id("a"), std::vector<Event>(5'000, Say("x"))));
  const auto remote = OpenRemote();
  std::uint64_t whole = 0;
  Must(ReindexThroughService(*remote, [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    whole = total;
  }));
  EXPECT_GT(whole, 0U);
  reindex_ = [](const ReindexOptions&) -> Result<bool> {
    return std::unexpected(Error{ErrorCode::kCorruption, "the reason"});
  };
  const Status failed = ReindexThroughService(*remote);
  EXPECT_EQ(CodeOf(failed), "corruption");
  EXPECT_EQ(failed.error().message, "the reason");
  reindex_ = [this](const ReindexOptions& options) -> Result<bool> {
    const auto jobs = Must(ObjectReader::Parse(Get("/v1/jobs").body)).Objects("jobs");
    EXPECT_EQ(Send("DELETE", "/v1/jobs/" + jobs.back().Text("id")).status, 204);
    return !options.stop();
  };
  EXPECT_EQ(CodeOf(ReindexThroughService(*remote)), "conflict");
  EXPECT_EQ(CodeOf(ReindexThroughService(*log_)), "unsupported");
}

TEST_F(JobsOverHttpTest, AClientHasValuesRedactedAndIsToldAll) {
  Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Say("the key is correct-horse-battery")}));
  Must(service_->log().Append(Id("b"), std::vector{NewTurn(), Say("the badge is 0123-abcd-4567")}));
  const auto remote = OpenRemote();
  RedactionTargets targets;
  targets.values = {"correct-horse-battery", "x", "not \xff text"};
  targets.detect = true;
  targets.rules = "my-rules.json";
  targets.rules_text = R"({"version":1,"rules":[{"id":"badge","description":"A badge","regex":"[0-9a-f-]{14}",)"
                       R"("keywords":["badge is "],"after":40}]})";
  targets.accepted = {{"other", "b", Seq{2}}};
  const RemoteRedaction done = Must(RedactThroughService(*remote, targets, "ann"));
  EXPECT_EQ(done.plan.values, 3U);
  ASSERT_EQ(done.plan.unsearched.size(), 1U);
  EXPECT_EQ(done.plan.unsearched[0].index, 1U);
  ASSERT_EQ(done.proof.conversations.size(), 2U);
  EXPECT_THAT(done.proof.conversations[0].redactions, testing::ElementsAre(Seq{3}));
  EXPECT_THAT(done.proof.conversations[1].events[0].rules, testing::ElementsAre("badge"));
  EXPECT_TRUE(done.proof.clean());
  EXPECT_THAT(Events(), AllOf(Not(HasSubstr("horse")), HasSubstr(R"("by":"ann")")));
  const std::string jobs = Get("/v1/jobs").body;
  const std::string job = Get("/v1/jobs/" + Must(ObjectReader::Parse(jobs)).Objects("jobs")[0].Text("id")).body;
  const std::string shown = jobs + job + Get("/metrics").body;
  EXPECT_THAT(shown, AllOf(HasSubstr(R"("kind":"redact")"), Not(HasSubstr("horse")), Not(HasSubstr("4567"))));

  targets.accepted = {{"badge", "b", Seq{2}}};
  Must(service_->log().Append(Id("b"), std::vector{NewTurn(), Say("the badge is 0123-abcd-4567")}));
  EXPECT_EQ(Must(RedactThroughService(*remote, targets, "ann")).plan.conversations[0].events[0].seq, Seq{5});
  targets.rules_text = "{}";
  EXPECT_EQ(CodeOf(RedactThroughService(*remote, targets, "ann")), "invalid argument");
  EXPECT_EQ(CodeOf(RedactThroughService(*log_, targets, "ann")), "unsupported");
}

// Its log takes everything but redactions.
class LogThatKeepsAll : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  Result<RedactReport> Redact(const ConversationId&, std::span<const Replacement>, const EventView&,
                              const RedactOptions&) override {
    return std::unexpected(Error{ErrorCode::kIo, "the disk is gone"});
  }
};

TEST_F(JobsOverHttpTest, AClientIsToldThePlanOfARedactionThatFails) {
  Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Say("the key is correct-horse-battery")}));
  LogThatKeepsAll log(*log_);
  const std::string socket = (folder_ / "other").string();
  const auto service = Must(Service::Start(log, {.socket = socket}));
  const auto remote = Must(OpenRemoteLog("unix:" + socket, {.token = {}}));
  RedactionTargets targets;
  targets.values = {"correct-horse-battery", "x"};
  std::vector<RedactionPlan> plans;
  const auto failed =
      RedactThroughService(*remote, targets, "ann", {}, [&](const RedactionPlan& plan) { plans.push_back(plan); });
  EXPECT_EQ(CodeOf(failed), "i/o error");
  EXPECT_THAT(failed.error().message, HasSubstr("the disk is gone"));
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0].events(), 1U);
  ASSERT_EQ(plans[0].unsearched.size(), 1U) << "what it warns of is lost";
  EXPECT_EQ(plans[0].unsearched[0].index, 1U);
}

TEST_F(JobsOverHttpTest, AClientHasTheAnswersOfAnInquiryRedactedInOneTurnOnly) {
  for (const char* const answer : {"first", "second"}) {
    Event response = Answer(Keyed("call", "q", 1));
    std::get<InquiryResponse>(response.body).answer = JsonString(answer);
    Must(service_->log().Append(Id("a"), std::vector{NewTurn(), Ask(Keyed("call", "q", 1)), response}));
  }
  const auto remote = OpenRemote();
  RedactionTargets targets;
  targets.inquiries = {{"call.q.1", Turn{2}, Id("a")}};
  const RemoteRedaction done = Must(RedactThroughService(*remote, targets, "ann"));
  EXPECT_EQ(done.plan.events(), 1U);
  EXPECT_THAT(Events(), AllOf(HasSubstr("first"), Not(HasSubstr("second"))));
  targets.inquiries = {{"none", {}, {}}};
  const auto none = RedactThroughService(*remote, targets, "ann");
  EXPECT_EQ(CodeOf(none), "not found");
  EXPECT_EQ(none.error().message, Redaction::Plan(*log_, targets).error().message);
}

TEST_F(JobsOverHttpTest, AJobIsBegunOnceAlsoIfItIsSentAgain) {
  const auto begin = [&] {
    return Send("POST", "/v1/jobs", R"({"kind":"scavenge"})", {{"Idempotency-Key", "lane/1"}});
  };
  const Reply first = begin();
  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(begin().body, first.body);
  EXPECT_EQ(Must(ObjectReader::Parse(Get("/v1/jobs").body)).Objects("jobs").size(), 1U);
}

TEST_F(JobsOverHttpTest, WrongBodiesAreRefusedWithoutTheirValues) {
  for (const char* const body : {"",
                                 "[]",
                                 "{}",
                                 R"({"kind":"rebuild"})",
                                 R"({"kind":"verify","dry_run":true})",
                                 R"({"kind":"reindex","all":true})",
                                 R"({"kind":"redact"})",
                                 R"({"kind":"redact","values":"horse"})",
                                 R"({"kind":"redact","values":[1]})",
                                 R"({"kind":"redact","horse":1})",
                                 R"({"kind":"sanitize","profile":"horse"})",
                                 R"({"kind":"sanitize","all":true,"conversations":["a"]})",
                                 R"({"kind":"sanitize","profile":"jp082","close_open":true})",
                                 R"({"kind":"scavenge","values":["horse"]})",
                                 R"({"kind":"redact","values_base64":["horse?"]})",
                                 R"({"kind":"redact","inquiries":[{"turn":1}]})",
                                 R"({"kind":"redact","detect":true,"rules":{"file":"/etc/horse"}})",
                                 R"({"kind":"redact","detect":true,"accepted":[{"rule":"horse"}]})",
                                 R"({"kind":"sanitize","report":true})",
                                 R"({"kind":"redact","values":["horse")"}) {
    const Reply reply = Post("/v1/jobs", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_THAT(reply.body, Not(HasSubstr("horse")));
  }
  EXPECT_EQ(Get("/v1/jobs").body, R"({"jobs":[]})");
  EXPECT_EQ(Get("/v1/jobs/none").status, 404);
  EXPECT_EQ(Send("DELETE", "/v1/jobs/none").status, 404);
}

TEST_F(JobsOverHttpTest, AServiceThatStopsEndsAJob) {
  std::promise<void> begun;
  Stop();
  options_.verify = [&](const Progress&) -> Result<VerifyReport> {
    begun.set_value();
    return VerifyReport{};
  };
  Start();
  EXPECT_EQ(Post("/v1/jobs", R"({"kind":"verify"})").status, 202);
  begun.get_future().wait();
  Stop();
  EXPECT_EQ(log_, nullptr);
}

}  // namespace
}  // namespace turnlog::jobs_test
