#include "store/index/offset_block_cache.h"

#include <gmock/gmock.h>

#include "store/index/index.h"
#include "tests/support/temp_dir.h"

namespace turnlog::offset_block_cache_test {
namespace {

using testing::Optional;

OffsetBlock BlockAt(std::uint64_t position) {
  OffsetBlock block;
  for (FrameRef& ref : block) ref = {.position = position, .length_in_words = 8, .turn = 1};
  return block;
}

TEST(OffsetBlockCacheTest, FindsWhatWasAdded) {
  OffsetBlockCache cache;
  cache.Add({1, 2}, BlockAt(64), cache.generation());
  EXPECT_THAT(cache.Find({1, 2}), Optional(BlockAt(64)));
  EXPECT_EQ(cache.Find({2, 1}), std::nullopt);
  EXPECT_EQ(cache.Find({1, 3}), std::nullopt);
}

TEST(OffsetBlockCacheTest, HoldsNothingFromBeforeTheBaseWasReplaced) {
  OffsetBlockCache cache;
  const std::uint64_t generation = cache.generation();
  cache.Add({1, 2}, BlockAt(64), generation);
  cache.Clear();
  EXPECT_EQ(cache.Find({1, 2}), std::nullopt);
  cache.Add({1, 2}, BlockAt(64), generation);
  EXPECT_EQ(cache.Find({1, 2}), std::nullopt) << "it was read from the old base";
}

TEST(OffsetBlockCacheTest, IsBounded) {
  constexpr std::uint64_t kBlocks = 3 * OffsetBlockCache::kMostBytes / sizeof(OffsetBlock);
  OffsetBlockCache cache;
  for (std::uint64_t block = 0; block < kBlocks; ++block) cache.Add({1, block}, BlockAt(block), cache.generation());
  std::size_t found = 0;
  for (std::uint64_t block = 0; block < kBlocks; ++block) found += cache.Find({1, block}).has_value() ? 1 : 0;
  EXPECT_LE(found * sizeof(OffsetBlock), OffsetBlockCache::kMostBytes);
  EXPECT_THAT(cache.Find({1, kBlocks - 1}), Optional(BlockAt(kBlocks - 1)));
}

// A second lookup of an event asks the base for nothing: the block's entry is taken away in between.
TEST(OffsetBlockCacheTest, SparesTheIndexTheSecondLookup) {
  TempDir folder;
  Index index(*IndexBase::Open(folder.path(), IndexBase::Access::kCreate, Environment{}), IndexMeta{});
  ASSERT_TRUE(index.ReplayConversation(1, "talk"));
  for (std::uint64_t seq = 1; seq <= 3 * kBlockLength; ++seq) {
    const Frame frame{.header = {.conversation = 1, .seq = seq}, .position = 64 * seq};
    ASSERT_TRUE(index.ReplayEvent(frame, {.kind = EventKind::kChatRequest}, 0));
  }
  index.BeginCheckpoint([] { return LogOffset{1 << 20, {}}; });
  ASSERT_TRUE(index.WriteCheckpoint());
  const StatePtr state = *index.Find("talk");
  const auto position = [&] { return index.Locate(*state, 20, 1).value().front().position; };
  EXPECT_EQ(position(), 64 * 20);
  IndexBatch without;
  without.Remove(OffsetBlockKey(1, 0));
  without.Remove(OffsetBlockKey(1, 1));
  ASSERT_TRUE(index.base().Apply(without));
  EXPECT_EQ(position(), 64 * 20);
  EXPECT_FALSE(index.Locate(*state, 4, 1)) << "its block was never read";
}

}  // namespace
}  // namespace turnlog::offset_block_cache_test
