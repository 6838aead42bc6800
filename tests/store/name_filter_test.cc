#include "store/index/name_filter.h"

#include <gmock/gmock.h>

#include <string>

#include "store/index/index.h"
#include "tests/support/temp_dir.h"

namespace turnlog::name_filter_test {
namespace {

std::string NameOf(int number) { return "conversation-" + std::to_string(number); }

TEST(NameFilterTest, ExcludesNoNameThatWasAdded) {
  constexpr int kNames = 100'000;
  NameFilter filter(true);
  for (int i = 0; i < kNames; ++i) filter.Add(NameOf(i));
  int excluded = 0;
  for (int i = 0; i < kNames; ++i) {
    ASSERT_FALSE(filter.Excludes(NameOf(i)));
    excluded += filter.Excludes(NameOf(kNames + i)) ? 1 : 0;
  }
  EXPECT_GT(excluded, kNames * 999 / 1'000);
}

TEST(NameFilterTest, AnIncompleteOneExcludesNothing) {
  NameFilter filter(false);
  EXPECT_FALSE(filter.Excludes("a"));
  filter.Add("b");
  EXPECT_FALSE(filter.Excludes("a"));
}

TEST(NameFilterTest, GivesUpAtTwoMillionNames) {
  NameFilter filter(true);
  for (int i = 0; i < 2'200'000; ++i) filter.Add(NameOf(i));
  EXPECT_FALSE(filter.Excludes("a"));
}

// The files are closed: a lookup fails.
TEST(NameFilterTest, SparesTheIndexLookupsOfNewNames) {
  const TempDir folder;
  Index began_empty(*IndexBase::Open(folder / "one", IndexBase::Access::kCreate, Environment{}), IndexMeta{});
  began_empty.CloseBase();
  const auto locked = began_empty.LockConversation("new");
  ASSERT_TRUE(locked);
  EXPECT_EQ(locked->projection(), nullptr);

  Index other(*IndexBase::Open(folder / "two", IndexBase::Access::kCreate, Environment{}),
              IndexMeta{.totals = {.conversations = 1}});
  other.CloseBase();
  EXPECT_FALSE(other.LockConversation("new")) << "it may be one of those that were there";
}

TEST(NameFilterTest, IndexesFindWhatTheyHaveWritten) {
  const TempDir folder;
  Index index(*IndexBase::Open(folder / "index", IndexBase::Access::kCreate, Environment{}), IndexMeta{});
  {
    auto locked = index.LockConversation("a");
    ASSERT_TRUE(locked);
    index.Create(*locked, "a");
    ASSERT_TRUE(
        locked->projection()->Apply(1, {.position = 64, .length_in_words = 8}, {.kind = EventKind::kTurnStart}));
  }
  index.BeginCheckpoint([] { return LogOffset{}; });
  ASSERT_TRUE(index.WriteCheckpoint());
  const auto state = index.Find("a");
  ASSERT_TRUE(state);
  ASSERT_NE(*state, nullptr) << "it is on disk now";
  EXPECT_EQ((*state)->last_seq, 1U);
}

}  // namespace
}  // namespace turnlog::name_filter_test
