#include "store/index/projection_table.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace turnlog::projection_table_test {
namespace {

ConversationProjection Named(std::string name) { return ConversationProjection({{.name = std::move(name)}, {}, {}}); }

TEST(ProjectionTableTest, FindsWhatWasAddedAndNothingElse) {
  constexpr int kMany = 5'000;
  ProjectionTable table;
  EXPECT_EQ(table.Find("0"), nullptr);
  const ConversationProjection* const first = &table.Add(Named("0"));
  for (int i = 1; i < kMany; ++i) table.Add(Named(std::to_string(i)));
  EXPECT_EQ(table.Find("0"), first);
  for (int i = 0; i < kMany; ++i) {
    const ConversationProjection* found = table.Find(std::to_string(i));
    ASSERT_NE(found, nullptr);
    ASSERT_EQ(found->state().name, std::to_string(i));
  }
  EXPECT_EQ(table.Find(std::to_string(kMany)), nullptr);
}

TEST(ProjectionTableTest, NamesItsProjectionsOnce) {
  ProjectionTable table;
  for (const char* name : {"b", "a", "c"}) table.Add(Named(name));
  std::multiset<std::string> names;
  table.ForEach([&](const ConversationProjection& projection) { names.insert(projection.state().name); });
  EXPECT_THAT(names, testing::ElementsAre("a", "b", "c"));
}

TEST(ProjectionTableTest, ReferencesOutliveAMove) {
  ProjectionTable table;
  const ConversationProjection* const there = &table.Add(Named("a"));
  const ProjectionTable moved = std::move(table);
  EXPECT_EQ(moved.Find("a"), there);
}

}  // namespace
}  // namespace turnlog::projection_table_test
