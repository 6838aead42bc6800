// A conversation of a million events with an inconsistency in every hundred.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "history/turn.h"
#include "tests/sanitize/sanitize_fixture.h"
#include "tests/support/memory.h"
#include "tests/support/sanitized.h"
#include "tests/support/story.h"
#include "turnlog/open_log.h"

namespace turnlog::size_test {
namespace {

// Ten turns of ten events; one has an unmatched answer, or a call without a result.
std::string Hundred(bool answer) {
  std::string story = answer ? "T CR Q:a R:a R:z Q:b R:b M M M " : "T CR Q:a R:a Q:x Q:b R:b M M M ";
  for (int i = 0; i < 9; ++i) story += "T CR Q:a R:a M Q:b R:b M M M ";
  return story;
}

class SizeOfConversationTest : public LogTest {
 protected:
  static constexpr std::uint64_t kEvents = kSanitized ? 200'000 : 1'000'000;

  void SetUp() override {
    Close();  // the fixture's log has tiny segments
    log_ = Must(OpenLog(folder_ / "large"));
  }

  void AppendMillion() {
    std::string story;
    for (int i = 0; i < 50; ++i) story += Hundred(true) + Hundred(false);
    const std::vector<Event> events = Story(story);
    for (std::uint64_t i = 0; i < kEvents; i += events.size()) Must(Append("c", events));
  }
};

TEST_F(SizeOfConversationTest, IsRepairedInOneGoWithoutHoldingIt) {
  AppendMillion();
  Must(log_->Checkpoint());
  const std::uint64_t before = ResidentKib();
  const SanitizeOutcome outcome = Must(Sanitize(*log_, Id("c"), kStrictly));
  EXPECT_EQ(outcome.plan.add.drops.size(), kEvents / 200);
  EXPECT_EQ(outcome.plan.add.inserts.size(), kEvents / 200);
  EXPECT_EQ(outcome.repairs.size(), kEvents / 100'000);
  ExpectMemoryBelow(before + (48 << 10));
  EXPECT_LT(outcome.plan.events_read, kEvents + 10);

  const SanitizeOutcome second = Must(Sanitize(*log_, Id("c"), kStrictly));
  EXPECT_TRUE(second.repairs.empty());
  EXPECT_LT(second.plan.events_read, 50U);

  std::uint64_t shown = 0, damaged = 0;
  TurnFold turn;
  const auto count_damage = [&] {
    for (const TurnItem& item : turn.items()) {
      const bool pairs = item.kind == EventKind::kToolCallRequest || item.kind == EventKind::kToolCallResponse;
      if (pairs && !item.paired()) ++damaged;
    }
  };
  const auto cursor = Must(log_->Read(Id("c")));
  for (Item item = Must(cursor->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(cursor->Next())) {
    const auto& record = std::get<Record>(item);
    ++shown;
    if (record.kind == EventKind::kTurnStart) {
      count_damage();
      turn = TurnFold();
    }
    turn.Add(record.seq, Must(record.Decode()));
  }
  count_damage();
  EXPECT_EQ(shown, kEvents);
  EXPECT_EQ(damaged, 0U);
}

}  // namespace
}  // namespace turnlog::size_test
