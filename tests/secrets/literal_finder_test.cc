#include "sanitize/secrets/literal_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/secrets/fake_secrets.h"

namespace turnlog::literal_finder_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;
using Found = std::tuple<std::size_t, std::size_t, std::size_t>;  // index, begin, end

std::vector<Found> Find(const std::vector<std::string_view>& literals, std::string_view text) {
  std::vector<Found> all;
  LiteralFinder(literals).ForEach(text, [&](std::size_t index, std::size_t begin, std::size_t end) {
    all.emplace_back(index, begin, end);
    return true;
  });
  return all;
}

TEST(LiteralFinder, FindsLiteralsInTheOrderOfTheirEnds) {
  EXPECT_THAT(Find({"token", "key"}, "a key, a token, a key"),
              ElementsAre(Found(1, 2, 5), Found(0, 9, 14), Found(1, 18, 21)));
  EXPECT_THAT(Find({"token"}, "tokentoken"), ElementsAre(Found(0, 0, 5), Found(0, 5, 10)));
  EXPECT_THAT(Find({"token"}, "toke"), IsEmpty());
  EXPECT_THAT(Find({"token"}, ""), IsEmpty());
  EXPECT_THAT(Find({}, "token"), IsEmpty());
}

TEST(LiteralFinder, FindsThoseWithinOthersLongestFirst) {
  EXPECT_THAT(Find({"key", "secret_key", "et_k"}, "secret_key"),
              ElementsAre(Found(2, 4, 8), Found(1, 0, 10), Found(0, 7, 10)));
  EXPECT_THAT(Find({"aaaa", "aa"}, "aaaaa"), ElementsAre(Found(1, 0, 2), Found(1, 1, 3), Found(0, 0, 4), Found(1, 2, 4),
                                                         Found(0, 1, 5), Found(1, 3, 5)));
}

TEST(LiteralFinder, LeavesOutShorterOnesIfAsked) {
  std::size_t count = 0;
  const std::vector<std::string_view> literals = {"key", "secret_key"};
  LiteralFinder(literals).ForEach("secret_key", [&](std::size_t index, std::size_t, std::size_t) {
    EXPECT_EQ(index, 1U);
    ++count;
    return false;
  });
  EXPECT_EQ(count, 1U);
}

TEST(LiteralFinder, CaseMatters) { EXPECT_THAT(Find({"Key"}, "key Key KEY"), ElementsAre(Found(0, 4, 7))); }

TEST(LiteralFinder, EqualLiteralsAreFoundAsTheFirstAndEmptyOnesNever) {
  EXPECT_THAT(Find({"", "key", "key"}, "key"), ElementsAre(Found(1, 0, 3)));
}

TEST(LiteralFinder, FindsTheSameAsLookingForEach) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    FakeSecrets fake(seed);
    const std::string_view letters = fake.OneIn(2) ? "ab" : "abcdefgh";
    const std::uint32_t shortest = 1 + fake.Below(14);
    std::vector<std::string> literals;
    for (std::uint32_t i = fake.Below(20); i > 0; --i) literals.push_back(fake.Of(letters, shortest + fake.Below(9)));
    std::ranges::sort(literals);
    literals.erase(std::ranges::unique(literals).begin(), literals.end());
    std::string text = fake.Of(letters, 1 + fake.Below(200));
    for (const std::string& literal : literals) {
      if (fake.OneIn(2)) text += literal + fake.Of(letters, 1 + fake.Below(5));
    }
    std::vector<Found> expected;
    for (std::size_t i = 0; i < literals.size(); ++i) {
      for (std::size_t at = text.find(literals[i]); at != std::string::npos; at = text.find(literals[i], at + 1))
        expected.emplace_back(i, at, at + literals[i].size());
    }
    EXPECT_THAT(Find({literals.begin(), literals.end()}, text), UnorderedElementsAreArray(expected)) << "seed " << seed;
  }
}

TEST(LiteralFinder, FindsEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_THAT(Find({std::string_view(all).substr(250)}, all + all),
              ElementsAre(Found(0, 250, 256), Found(0, 506, 512)));
  EXPECT_THAT(Find({std::string_view(all).substr(0, 6)}, all), ElementsAre(Found(0, 0, 6)));
}

}  // namespace
}  // namespace turnlog::literal_finder_test
