#include "migrate/sources/conversation_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace turnlog::conversation_table_test {
namespace {

// One after another, several times in a row, and again later.
TEST(ConversationTableTest, KnowsEachConversationByItsName) {
  ConversationTable<int> table;
  EXPECT_EQ(table.Find(ConversationTable<int>::KeyOf("a")), nullptr);
  const std::vector<std::string> names{"a", "a", "b", "b", "b", "", "", "a", "c", "b"};
  std::vector<std::string> added;
  for (const std::string& name : names) {
    const auto entry = table.TryEmplace(name);
    EXPECT_EQ(entry.key, ConversationTable<int>::KeyOf(name));
    ++entry.value;
    if (entry.added) added.push_back(name);
  }
  EXPECT_EQ(added, (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(*table.Find(ConversationTable<int>::KeyOf("a")), 3);
  EXPECT_EQ(*table.Find(ConversationTable<int>::KeyOf("b")), 4);
  EXPECT_EQ(*table.Find(ConversationTable<int>::KeyOf("")), 2);
  EXPECT_EQ(*table.Find(ConversationTable<int>::KeyOf("c")), 1);
  EXPECT_EQ(table.Find(ConversationTable<int>::KeyOf("d")), nullptr);
}

TEST(ConversationTableTest, ValuesStayWhereTheyAre) {
  ConversationTable<std::uint64_t> table;
  std::uint64_t& first = table.TryEmplace("first", 7).value;
  for (int i = 0; i < 10'000; ++i) table.TryEmplace(std::to_string(i));
  EXPECT_EQ(&table.TryEmplace("first").value, &first);
  EXPECT_EQ(first, 7U);
}

}  // namespace
}  // namespace turnlog::conversation_table_test
