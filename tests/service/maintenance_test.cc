// What jobs do to a log, and what their results say of it: when they are cancelled in the middle, and in full.
#include "service/maintenance.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "tests/store/log_fixture.h"
#include "tests/support/busy_log.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::maintenance_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr Timestamp kNow{1'700'000'000'000'000'000};

// Something happens before it is read, too.
class ReadLog : public BusyLog {
 public:
  ReadLog(Log& log, std::function<void()> before_read, std::function<void()> before_change)
      : BusyLog(log, std::move(before_change)), before_read_(std::move(before_read)) {}

  Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& conversation, const ReadOptions& options) override {
    before_read_();
    return ForwardingLog::ReadRaw(conversation, options);
  }

 private:
  const std::function<void()> before_read_;
};

class MaintenanceTest : public LogTest {
 protected:
  // Each conversation has a question that was never answered in a turn that is over.
  void AppendOrphans(const std::vector<std::string>& conversations) {
    for (const std::string& id : conversations) {
      Must(Append(id, std::vector{NewTurn(), Say("hi"), Ask(Keyed("call", "q", 1)), NewTurn(), Say("again")}));
    }
  }
  // Each has a result without its call, which a repair has dropped.
  void AppendDropped(const std::vector<std::string>& conversations) {
    Event lost;
    lost.body = ToolCallResponse{"lost", "gone", false, {}};
    for (const std::string& id : conversations) {
      Must(Append(id, std::vector{NewTurn(), Say("hi"), lost, NewTurn(), Say("again")}));
      Must(Sanitize(*log_, Id(id)));
    }
  }
  using OnJob = std::function<void(const std::string& id)>;

  // The job's report when it has ended; these are called with its id before it changes or reads anything.
  JobReport Run(std::string_view body, const OnJob& on_change = {}, const OnJob& on_read = {}) {
    std::promise<std::string> begun;
    const std::shared_future<std::string> job_id = begun.get_future().share();
    const auto call = [&](const OnJob& action) {
      return [&action, job_id] {
        if (action) action(job_id.get());
      };
    };
    ReadLog log(*log_, call(on_read), call(on_change));
    const std::string id = Must(jobs_.Add("", Must(WorkOf(log, {}, Must(ReadJobBody(body)))), kNow)).id;
    begun.set_value(id);
    for (;;) {
      const JobReport report = jobs_.Find(id).value();
      if (report.ended) return report;
      std::this_thread::yield();
    }
  }
  JobReport RunCancelled(std::string_view body) {
    return Run(body, [this](const std::string& id) { Must(jobs_.Cancel(id, kNow)); });
  }

  Jobs jobs_;
};

TEST_F(MaintenanceTest, ACancelledSanitizeStopsAfterTheConversationAtHandAndReportsIt) {
  AppendOrphans({"a", "b", "c"});
  for (const char* const body : {R"({"kind":"sanitize"})", R"({"kind":"sanitize","conversations":["b","c"]})"}) {
    const JobReport report = RunCancelled(body);
    EXPECT_EQ(report.state, JobState::kCancelled);
    EXPECT_EQ(report.done, 1U);
    EXPECT_THAT(report.result, AllOf(HasSubstr(R"("checked":1,)"), HasSubstr(R"("changed":1,)"),
                                     HasSubstr(R"("repair_count":1,"repairs":[6]}])")));
  }
  EXPECT_EQ(RepairLines(*log_, "a").size(), 1U);
  EXPECT_EQ(RepairLines(*log_, "b").size(), 1U);
  EXPECT_EQ(RepairLines(*log_, "c").size(), 0U);
}

TEST_F(MaintenanceTest, ACancelledScavengeStopsAfterTheConversationAtHandAndReportsIt) {
  AppendDropped({"a", "b"});
  const JobReport report = RunCancelled(R"({"kind":"scavenge"})");
  EXPECT_EQ(report.state, JobState::kCancelled);
  EXPECT_THAT(report.result, AllOf(HasSubstr(R"("checked":1,)"), HasSubstr(R"("changed":1,)")));
}

TEST_F(MaintenanceTest, AJobThatIsCancelledInItsLastConversationIsDone) {
  AppendDropped({"a"});
  const JobReport report = RunCancelled(R"({"kind":"scavenge"})");
  EXPECT_EQ(report.state, JobState::kDone);
  EXPECT_THAT(report.result, HasSubstr(R"("events":1,)"));
  AppendDropped({"b"});
  EXPECT_EQ(RunCancelled(R"({"kind":"scavenge","conversations":["b"]})").state, JobState::kDone);
  AppendOrphans({"c"});
  EXPECT_EQ(RunCancelled(R"({"kind":"sanitize","conversations":["c"]})").state, JobState::kDone);
}

TEST_F(MaintenanceTest, SanitizeAdvancesFromConversationToConversation) {
  AppendOrphans({"a", "b", "c"});
  std::vector<std::uint64_t> done;
  const JobReport report =
      Run(R"({"kind":"sanitize"})", [&](const std::string& id) { done.push_back(jobs_.Find(id)->done); });
  EXPECT_THAT(done, ElementsAre(0, 1, 2));
  EXPECT_EQ(report.done, 3U);
  EXPECT_EQ(report.total, 3U);
}

TEST_F(MaintenanceTest, ARedactionCancelledWhileItReadsHasDoneNothing) {
  Must(Append("a", std::vector{NewTurn(), Say("correct-horse-battery")}));
  const JobReport report = Run(R"({"kind":"redact","values":["correct-horse-battery"]})", {},
                               [this](const std::string& id) { Must(jobs_.Cancel(id, kNow)); });
  EXPECT_EQ(report.state, JobState::kCancelled);
  EXPECT_THAT(report.result, AllOf(HasSubstr(R"("events":0,"changed":0,)"), HasSubstr(R"("conversations":[])")));
  EXPECT_THAT(Lines(*log_, "a"), testing::Contains(HasSubstr("correct-horse-battery")));
}

TEST_F(MaintenanceTest, ARedactionIsNotCleanIfAGivenValueWasNotSearched) {
  Must(Append("a", std::vector{NewTurn(), Say("xq and correct-horse-battery")}));
  const JobReport report = Run(R"({"kind":"redact","values":["correct-horse-battery","xq"]})");
  EXPECT_EQ(report.state, JobState::kDone);
  EXPECT_THAT(
      report.result,
      AllOf(HasSubstr(R"("clean":false)"), HasSubstr(R"("left":0,)"), HasSubstr(R"("unsearched":1,)"),
            HasSubstr(R"("unsearched_values":[{"index":1,"rule":"given-value","reason":")"), Not(HasSubstr("xq"))));
  EXPECT_THAT(Run(R"({"kind":"redact","values":["correct-horse-battery"]})").result,
              AllOf(HasSubstr(R"("clean":true)"), HasSubstr(R"("unsearched_values":[])")));
}

TEST_F(MaintenanceTest, ARedactionIsNotCleanIfANameHoldsAValue) {
  Must(Append("a", std::vector{NewTurn(), Named("correct-horse-battery", Say("hi"))}));
  EXPECT_THAT(Run(R"({"kind":"redact","values":["correct-horse-battery"]})").result,
              AllOf(HasSubstr(R"("clean":false)"), Not(HasSubstr(R"("kept":0,)")), Not(HasSubstr("horse"))));
}

TEST_F(MaintenanceTest, ListsWithinEntriesAreCutAndCounted) {
  std::vector<Event> events{NewTurn()};
  events.resize(1 + 1'001, Say("correct-horse-battery"));
  Must(Append("a", events));
  EXPECT_THAT(Run(R"({"kind":"redact","values":["correct-horse-battery"],"dry_run":true})").result,
              AllOf(HasSubstr(R"("event_count":1001,"events":[2,)"), HasSubstr(R"(,1001],"redaction_count":0)")));
  EXPECT_THAT(Run(R"({"kind":"redact","values":["correct-horse-battery"],"dry_run":true,"report":true})").result,
              HasSubstr(R"({"seq":1002,"rules":["given-value"]}],"redactions":[])"));
}

TEST_F(MaintenanceTest, TheReportOfAScavengeHasEverything) {
  Event lost;
  lost.body = ToolCallResponse{"lost", "gone", false, {}};
  std::vector<Event> events{NewTurn(), Say("hi")};
  events.resize(2 + 1'001, lost);
  events.push_back(NewTurn());
  events.push_back(Say("again"));
  Must(Append("a", events));
  Must(Sanitize(*log_, Id("a")));
  EXPECT_THAT(Run(R"({"kind":"scavenge","dry_run":true})").result, HasSubstr(R"("event_count":1001,"events":[3,)"));
  EXPECT_THAT(Run(R"({"kind":"scavenge","dry_run":true})").result, HasSubstr(",1002]}"));
  EXPECT_THAT(Run(R"({"kind":"scavenge","report":true})").result, HasSubstr(",1003]}"));
}

}  // namespace
}  // namespace turnlog::maintenance_test
