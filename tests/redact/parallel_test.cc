// A redaction searches several conversations at once.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>
#include <thread>

#include "tests/redact/redact_fixture.h"

namespace turnlog::parallel_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

constexpr int kConversations = 2'100;  // more than a page of the search

// What a plan says, without what is random in each run.
std::vector<std::string> Told(const RedactionPlan& plan) {
  std::vector<std::string> told{fmt::format("{} values, {} events and {} conversations read", plan.values,
                                            plan.events_read, plan.conversations_read)};
  for (const RedactedConversation& conversation : plan.conversations) {
    for (const RedactedEvent& event : conversation.events) {
      told.push_back(fmt::format("{} {} {}", conversation.id, event.seq.value, fmt::join(event.rules, " ")));
    }
  }
  for (const RedactedSecret& secret : plan.secrets) {
    told.push_back(fmt::format("{} in {} conversations", secret.rule, secret.conversations));
    for (const ValueLocation& event : secret.events) {
      told.push_back(fmt::format("- {} {}", event.conversation, event.seq.value));
    }
  }
  for (const ValueLocation& kept : plan.kept) told.push_back(fmt::format("kept {} {}", kept.conversation, kept.field));
  for (const UnsearchedValue& value : plan.unsearched) {
    told.push_back(fmt::format("unsearched {} {}", value.conversation, value.seq.value));
  }
  return told;
}

class ParallelRedactTest : public RedactTest {
 protected:
  // Secrets of some conversations occur in others, before and after these.
  void Fill() {
    for (int i = 0; i < kConversations; ++i) {
      const std::string name = fmt::format("c{:04}", i);
      if (i % 300 == 7) {
        Must(Append(name, LeakedAnswer("q", fmt::format("Rq5b-{}-gHt2!k{}", i, i))));
      } else if (i % 300 == 8) {
        Must(Append(name, LeakedAnswer("q", "yes")));  // too short to search for
      } else {
        Must(Append(name, Say(fmt::format("I have used Rq5b-{0}-gHt2!k{0}", i % 500))));
      }
    }
    Must(Append("with " + value_, Say("hello, " + value_)));
  }
  RedactionTargets Targets(unsigned jobs) const {
    RedactionTargets targets = Given({value_});
    targets.secrets = true;
    targets.jobs = jobs;
    return targets;
  }
};

TEST_F(ParallelRedactTest, EachNumberOfThreadsFindsTheSame) {
  Fill();
  const std::vector<std::string> alone = Told(Plan(Targets(1)));
  EXPECT_EQ(alone.front(),
            fmt::format("8 values, {} events and {} conversations read", kConversations + 29, kConversations + 1));
  EXPECT_THAT(alone, Contains("c0007 2 secret-answer"));
  EXPECT_THAT(alone, Contains("c1507 1 secret-answer").Times(0));
  EXPECT_THAT(alone, Contains("kept with [redacted] conversation"));
  for (const unsigned jobs : {2U, 5U, 0U}) EXPECT_EQ(Told(Plan(Targets(jobs))), alone) << jobs;
}

TEST_F(ParallelRedactTest, ProgressIsReportedOnTheCallingThread) {
  Fill();
  std::set<std::thread::id> threads;
  std::uint64_t last = 0, total = 0;
  const Progress progress = [&](std::uint64_t done, std::uint64_t of) {
    threads.insert(std::this_thread::get_id());
    EXPECT_GE(done, last);
    last = done, total = of;
  };
  Must(Redaction::Plan(*log_, Targets(4), progress));
  EXPECT_THAT(threads, ElementsAre(std::this_thread::get_id()));
  EXPECT_EQ(last, total);
}

TEST_F(ParallelRedactTest, TheFirstErrorEndsTheSearch) {
  Fill();
  class Failing : public ForwardingLog {
   public:
    using ForwardingLog::ForwardingLog;
    Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& id, const ReadOptions& options) override {
      if (id.text() > "c0500") return std::unexpected(Error{ErrorCode::kIo, "cannot read " + id.text()});
      return ForwardingLog::ReadRaw(id, options);
    }
  } failing(*log_);
  const auto plan = Redaction::Plan(failing, Targets(3));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message, "cannot read c0501");
}

}  // namespace
}  // namespace turnlog::parallel_test
