#include "base/hash_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace turnlog::hash_map_test {
namespace {

TEST(HashMapTest, FindsWhatWasAddedAndNothingElse) {
  HashMap<int> map;
  EXPECT_EQ(map.Find({1, 2}), nullptr);
  EXPECT_TRUE(map.TryEmplace({1, 2}, 7).second);
  EXPECT_FALSE(map.TryEmplace({1, 2}, 8).second);
  EXPECT_EQ(*map.Find({1, 2}), 7);
  EXPECT_EQ(map.Find({1, 3}), nullptr) << "the same slot";
  EXPECT_EQ(map.size(), 1U);
}

TEST(HashMapTest, HasAllKeysAlsoZeroAndThoseThatCollide) {
  HashMap<int> map;
  EXPECT_TRUE(map.TryEmplace({0, 0}, 1).second);
  for (std::uint64_t high = 1; high < 100; ++high) map.TryEmplace({5, high}, static_cast<int>(high));
  EXPECT_EQ(*map.Find({0, 0}), 1);
  for (std::uint64_t high = 1; high < 100; ++high) EXPECT_EQ(*map.Find({5, high}), static_cast<int>(high));
  int visited = 0;
  map.ForEach([&](int) { ++visited; });
  EXPECT_EQ(visited, 100);
}

TEST(HashMapTest, AgreesWithAnOrderedMap) {
  std::mt19937_64 random(7);
  HashMap<std::uint64_t> map;
  std::map<Hash128, std::uint64_t> model;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const Hash128 key{2 + random() % 500, random() % 30};
    EXPECT_EQ(map.TryEmplace(key, i).second, model.try_emplace(key, i).second);
  }
  EXPECT_EQ(map.size(), model.size());
  for (const auto& [key, value] : model) EXPECT_EQ(*map.Find(key), value);
}

// In their order, twice each, out of order, and those that are not there.
TEST(HashMapTest, FindsFromWhereTheLastOneWas) {
  HashMap<std::uint64_t> map;
  for (std::uint64_t i = 0; i < 1'000; ++i) map.TryEmplace({i % 50, i}, i);
  std::uint32_t near = 0;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    ASSERT_EQ(*map.Find({i % 50, i}, near), i);
    ASSERT_EQ(*map.Find({i % 50, i}, near), i);
    EXPECT_EQ(near, i);
  }
  EXPECT_EQ(map.Find({7, 1'000}, near), nullptr);
  EXPECT_EQ(*map.Find({3, 3}, near), 3U);
  EXPECT_EQ(*map.Find({4, 4}, near), 4U);
  near = 5'000;
  EXPECT_EQ(*map.Find({0, 0}, near), 0U);
}

// Many keys share what a slot has of them.
TEST(HashMapTest, TellsKeysApartThatDifferInTheirLowHalfOnly) {
  HashMap<std::uint64_t> map;
  for (std::uint64_t i = 0; i < 5'000; ++i) map.TryEmplace({i, 9}, i);
  for (std::uint64_t i = 0; i < 5'000; ++i) EXPECT_EQ(*map.Find({i, 9}), i);
  EXPECT_EQ(map.Find({5'000, 9}), nullptr);
}

}  // namespace
}  // namespace turnlog::hash_map_test
