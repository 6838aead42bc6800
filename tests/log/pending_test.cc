// What is pending is what the sanitized view shows without a response.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "log/forwarding_log.h"
#include "tests/store/log_fixture.h"
#include "turnlog/repair.h"

namespace turnlog::pending_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Notes which conversations are looked at, and returns damage instead of what `damaged` holds.
class WatchedLog : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::vector<std::string> asked_for_repairs, read;
  bool damaged = false;

  Result<std::vector<RepairRange>> Repairs(const ConversationId& conversation) override {
    asked_for_repairs.push_back(conversation.text());
    return ForwardingLog::Repairs(conversation);
  }
  Result<std::unique_ptr<Cursor>> ReadRaw(const ConversationId& conversation, const ReadOptions& options) override {
    if (read.empty() || read.back() != conversation.text()) read.push_back(conversation.text());
    if (damaged) return std::make_unique<DamagedCursor>();
    return ForwardingLog::ReadRaw(conversation, options);
  }

 private:
  struct DamagedCursor : Cursor {
    Result<Item> Next() override { return Damage{.reason = "a bad sector"}; }
  };
};

class PendingTest : public LogTest {
 protected:
  void AppendQuestion(std::string_view conversation) {
    Must(Append(conversation, std::vector{NewTurn(), Say("go"), Ask(Opaque("q"))}));
  }
  // The question gets an answer after event 3, or is dropped.
  void Repair(std::string_view conversation, RepairAction action) {
    RepairItem item{{action, {3}, {3}, "test"}, std::nullopt};
    if (action == RepairAction::kInsert) item.event = Cancel(Opaque("q"));
    turnlog::Repair repair{.profile = "test", .head = {3}, .from = {3}, .to = {3}, .items = {item}};
    Must(Append(conversation, ToEvent(std::move(repair), std::nullopt)));
  }
};

TEST_F(PendingTest, ARepairThatClosesOrDropsAQuestionEndsItsWait) {
  for (const std::string_view name : {"closed", "dropped", "open"}) AppendQuestion(name);
  Repair("closed", RepairAction::kInsert);
  Repair("dropped", RepairAction::kDrop);
  EXPECT_THAT(PendingLines(*log_), ElementsAre("open t1 3"));
  EXPECT_THAT(PendingLines(*log_, "closed"), IsEmpty());
  EXPECT_THAT(AttemptLines(*log_, "closed", Opaque("q")), ElementsAre("t1 3..-"));
  EXPECT_THAT(AttemptLines(*log_, "open", Opaque("q")), ElementsAre("t1 3..- pending"));
  EXPECT_EQ(Must(log_->PendingRaw({})).size(), 3U);
  EXPECT_TRUE(Must(log_->FindInquiryRaw(Id("closed"), {.text = "q", .key = {}})).front().pending);
}

TEST_F(PendingTest, OnlyConversationsWithSomethingOpenAreLookedAt) {
  for (int i = 0; i < 50; ++i) Must(Append(fmt::format("idle {}", i), Say("done")));
  AppendQuestion("open");
  AppendQuestion("repaired");
  Repair("repaired", RepairAction::kInsert);
  WatchedLog watched(*log_);
  EXPECT_EQ(Must(watched.Pending({})).size(), 1U);
  EXPECT_THAT(watched.read, ElementsAre("repaired"));
  EXPECT_THAT(std::set<std::string>(watched.asked_for_repairs.begin(), watched.asked_for_repairs.end()),
              ElementsAre("open", "repaired"));
}

TEST_F(PendingTest, WhereTheTurnIsDamagedWhatWasAppendedCounts) {
  AppendQuestion("open");
  AppendQuestion("repaired");
  Repair("repaired", RepairAction::kInsert);
  WatchedLog watched(*log_);
  watched.damaged = true;
  EXPECT_EQ(Must(watched.Pending({})).size(), 2U);
}

}  // namespace
}  // namespace turnlog::pending_test
