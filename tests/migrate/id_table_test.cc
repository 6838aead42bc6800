#include "migrate/records/id_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace turnlog::id_table_test {
namespace {

TEST(IdTable, KeepsTheFirstOfEachId) {
  IdTable ids;
  std::map<std::uint64_t, std::uint32_t> model;
  std::mt19937_64 random(7);
  for (int i = 0; i < 50'000; ++i) {
    if (i == 20'000) {
      ids.MarkEarlier();
      for (auto& [id, contents] : model) contents = IdTable::kEarlier;
    }
    const std::uint64_t id = 1 + random() % 30'000 * 0x9e3779b97f4a7c15;
    const std::uint32_t contents = IdTable::Contents(random());
    const auto [known, first] = model.emplace(id, contents);
    const auto found = ids.Insert(id, contents);
    ASSERT_EQ(found.has_value(), !first) << i;
    ASSERT_EQ(found.value_or(known->second), known->second) << i;
  }
  EXPECT_EQ(ids.size(), model.size());
}

TEST(IdTable, TakesAnyHash) {
  IdTable ids;
  for (const std::uint64_t id : {std::uint64_t{0}, std::uint64_t{1} << 32, UINT64_MAX, std::uint64_t{2}}) {
    EXPECT_FALSE(ids.Insert(id, 9)) << id;
    EXPECT_EQ(ids.Insert(id, 8), 9U) << id;
  }
}

TEST(IdTable, IsCompact) {
  IdTable ids;
  constexpr std::size_t kIds = 1'000'000;
  std::mt19937_64 random(1);
  while (ids.size() < kIds) (void)ids.Insert(random());
  EXPECT_LE(ids.bytes(), 30 * kIds);
}

}  // namespace
}  // namespace turnlog::id_table_test
