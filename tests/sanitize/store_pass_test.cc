// Many conversations sanitized in one pass: what a pass costs, and what it has promised when it reports.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "store/engine/event_log.h"
#include "tests/sanitize/sanitize_fixture.h"
#include "tests/support/gated_file_system.h"
#include "turnlog/sanitize/sanitize_store.h"

namespace turnlog::store_pass_test {
namespace {

constexpr int kConversations = 100;
const StorePass kApply{.options = {}, .apply = true};

class StorePassTest : public testing::Test {
 protected:
  // Each has an orphan: its turn is over without an answer.
  StorePassTest() {
    for (int i = 0; i < kConversations; ++i) {
      const std::vector<Event> events{NewTurn(), Say("hi"), Ask(Keyed("call", "q", 1)), NewTurn(), Say("again")};
      Must(log_->Append(Id(fmt::format("{:03}", i)), events, {.durability = Durability::kBuffered}));
    }
    Must(log_->Checkpoint());
  }

  TempDir folder_;
  GatedFileSystem files_;
  std::unique_ptr<EventLog> log_ = Must(EventLog::Open(folder_ / "store", {}, {.files = &files_}));
};

TEST_F(StorePassTest, SyncsAPageOfConversationsAtOnceBeforeItReportsThem) {
  const std::size_t before = files_.syncs.passed();
  int repaired = 0;
  Must(SanitizeStore(*log_, kApply, [&](const ConversationId&, const Result<SanitizeOutcome>& outcome) {
    EXPECT_TRUE(outcome);
    repaired += !outcome->repairs.empty();
    EXPECT_EQ(files_.syncs.passed(), before + 1) << "what is reported is durable, and one sync has made it so";
    return true;
  }));
  EXPECT_EQ(repaired, kConversations);
}

TEST_F(StorePassTest, WritesTheRepairsOfAPageAtOnce) {
  const std::size_t before = files_.writes.passed();
  StorePass buffered = kApply;
  buffered.options.durability = Durability::kBuffered;
  Must(SanitizeStore(*log_, buffered, [&](const ConversationId&, const Result<SanitizeOutcome>& outcome) {
    EXPECT_TRUE(outcome);
    EXPECT_EQ(files_.writes.passed(), before + 1) << "what is reported is written, and one write has done it";
    return true;
  }));
}

TEST_F(StorePassTest, TakesUpAtTheWatermarksOfAPage) {
  Must(SanitizeStore(*log_, kApply, [](const auto&, const auto&) { return true; }));
  int again = 0;
  Must(SanitizeStore(*log_, kApply, [&](const auto&, const auto&) { return ++again > 0; }));
  EXPECT_EQ(again, 0) << "every conversation has its watermark when a page has ended";
}

TEST_F(StorePassTest, ReportsNothingAsRepairedWhoseSyncFailed) {
  files_.syncs.FailFromNowOn();
  int failed = 0;
  (void)SanitizeStore(*log_, kApply, [&](const ConversationId&, const Result<SanitizeOutcome>& outcome) {
    failed += !outcome.has_value();
    return true;
  });
  EXPECT_EQ(failed, kConversations);
}

TEST_F(StorePassTest, StopsWithinAPageAndReportsEverythingThatItHasRepaired) {
  for (const unsigned jobs : {1U, 4U}) {
    const std::size_t before = files_.syncs.passed();
    std::atomic<int> begun = 0;
    std::vector<ConversationId> reported;
    StorePass pass = kApply;
    pass.jobs = jobs;
    pass.stop = [&] { return ++begun > 10; };
    Must(SanitizeStore(*log_, pass, [&](const ConversationId& id, const Result<SanitizeOutcome>& outcome) {
      EXPECT_EQ(Must(outcome).repairs.size(), 1U);
      EXPECT_EQ(files_.syncs.passed(), before + 1);
      reported.push_back(id);
      return false;  // which hides none of the others
    }));
    EXPECT_EQ(reported.size(), 10U);
    for (const ConversationId& id : reported) EXPECT_EQ(RepairLines(*log_, id.text()).size(), 1U);
  }
  EXPECT_EQ(Must(log_->ListChanged(kScavengeConsumer, "", 1'000, Changes::kRepaired)).size(), 20U)
      << "nothing was repaired without being reported";
}

TEST_F(StorePassTest, ScavengingLooksAgainOnlyAtRepairedConversationsThatHaveGrown) {
  Must(SanitizeStore(*log_, kApply, [](const auto&, const auto&) { return true; }));
  const auto changed = [&] { return Must(log_->ListChanged(kScavengeConsumer, "", 1'000, Changes::kRepaired)).size(); };
  EXPECT_EQ(changed(), static_cast<std::size_t>(kConversations));
  Must(Scavenge(*log_, Id("000"), true));
  EXPECT_EQ(changed(), static_cast<std::size_t>(kConversations)) << "a dry run leaves no mark";
  for (int i = 0; i < kConversations; ++i) Must(Scavenge(*log_, Id(fmt::format("{:03}", i))));
  EXPECT_EQ(changed(), 0U);
  Must(log_->Append(Id("042"), Say("more")));
  EXPECT_EQ(changed(), 1U);
}

}  // namespace
}  // namespace turnlog::store_pass_test
