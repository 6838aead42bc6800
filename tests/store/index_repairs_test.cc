// What the index knows of the repairs of a conversation.
#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "tests/store/index_fixture.h"

namespace turnlog::index_repairs_test {
namespace {

using IndexRepairsTest = IndexTest;

// Whether they are in memory, being written, or on disk in whole blocks and in the conversation's entry.
TEST_F(IndexRepairsTest, KnowsTheRepairsUpToEachState) {
  constexpr std::uint64_t kRepairs = 70;
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  std::vector<RepairRange> all;
  for (std::uint64_t seq = 1; seq <= 2 * kRepairs; ++seq) {
    const bool repairs = seq % 2 == 0;
    IndexedFields fields{.kind = repairs ? EventKind::kRepair : EventKind::kChatRequest};
    if (repairs) all.push_back({{seq}, {seq - 1}, {seq}});
    if (repairs) fields.repair = {{seq - 1}, {seq}};
    ASSERT_TRUE(Replay(1, seq, fields));
    if (seq % 46 == 0) Checkpoint();
    if (seq % 46 == 20) index_.BeginCheckpoint([&] { return LogOffset{position_ + 64, {}}; });
    if (seq % 46 == 24) {
      ASSERT_TRUE(index_.WriteCheckpoint());
    }
    EXPECT_EQ(*index_.Repairs(**index_.Find("a")), all) << seq;
  }
  ConversationState state = **index_.Find("a");
  for (state.repairs = 0; state.repairs <= all.size(); ++state.repairs) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(state.repairs);
    EXPECT_EQ(*index_.Repairs(state), std::vector(all.begin(), end));
  }
  EXPECT_EQ(index_.totals().repairs, kRepairs);
  state.repairs = UINT64_MAX;
  EXPECT_FALSE(index_.Repairs(state));
}

TEST_F(IndexRepairsTest, ARepairThatIsGoneFromTheDiskIsMissed) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  ASSERT_TRUE(Replay(1, 1));
  for (const std::uint64_t seq : {2U, 3U}) {
    ASSERT_TRUE(Replay(1, seq, {.kind = EventKind::kRepair, .repair = SeqRange{{1}, {1}}}));
  }
  Checkpoint();
  ConversationState state = **index_.Find("a");
  EXPECT_THAT(*index_.Repairs(state), testing::SizeIs(2));
  ++state.repairs;
  EXPECT_FALSE(index_.Repairs(state));
}

TEST_F(IndexRepairsTest, ABlockOfRepairsThatIsGoneFromTheDiskIsMissed) {
  ASSERT_TRUE(index_.ReplayConversation(1, "a"));
  ASSERT_TRUE(Replay(1, 1));
  for (std::uint64_t seq = 2; seq < 40; ++seq) {
    ASSERT_TRUE(Replay(1, seq, {.kind = EventKind::kRepair, .repair = SeqRange{{1}, {1}}}));
  }
  Checkpoint();
  const ConversationState state = **index_.Find("a");
  EXPECT_THAT(*index_.Repairs(state), testing::SizeIs(38));
  IndexBatch batch;
  batch.Remove(RepairsKey(1, 1));
  ASSERT_TRUE(index_.base().Apply(batch));
  EXPECT_FALSE(index_.Repairs(state));
}

}  // namespace
}  // namespace turnlog::index_repairs_test
