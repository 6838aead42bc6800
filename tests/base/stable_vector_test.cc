#include "base/stable_vector.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace turnlog::stable_vector_test {
namespace {

TEST(StableVectorTest, ElementsStayWhereTheyAre) {
  StableVector<std::string> texts;
  std::vector<std::string*> places;
  constexpr std::size_t kMany = 10'000;  // several times the longest chunk
  for (std::size_t i = 0; i < kMany; ++i) places.push_back(&texts.Add(std::to_string(i)));
  ASSERT_EQ(texts.size(), kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(&texts[i], places[i]);
    ASSERT_EQ(texts[i], std::to_string(i));
  }
  std::size_t next = 0;
  texts.ForEach([&](const std::string& text) { EXPECT_EQ(&text, places[next++]); });
  EXPECT_EQ(next, kMany);
}

TEST(StableVectorTest, MovesWithoutItsElements) {
  StableVector<std::string> texts;
  const std::string* const place = &texts.Add("here");
  StableVector<std::string> moved = std::move(texts);
  EXPECT_EQ(&moved[0], place);
  EXPECT_TRUE(texts.empty());
  texts.Add("new");
  texts = std::move(moved);
  EXPECT_EQ(&texts[0], place);
  EXPECT_EQ(texts.size(), 1U);
}

TEST(StableVectorTest, DestroysEachElementOnce) {
  const auto counted = std::make_shared<int>();
  {
    StableVector<std::shared_ptr<int>> copies;
    for (int i = 0; i < 100; ++i) copies.Add(counted);
    EXPECT_EQ(counted.use_count(), 101);
    const StableVector<std::shared_ptr<int>> moved = std::move(copies);
    EXPECT_EQ(counted.use_count(), 101);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(StableVectorTest, HasLargeElementsOneByOne) {
  using Large = std::array<char, 100'000>;
  StableVector<Large> larges;
  for (char letter = 'a'; letter <= 'e'; ++letter) larges.Add().fill(letter);
  for (std::size_t i = 0; i < larges.size(); ++i) EXPECT_EQ(larges[i].back(), static_cast<char>('a' + i));
}

}  // namespace
}  // namespace turnlog::stable_vector_test
