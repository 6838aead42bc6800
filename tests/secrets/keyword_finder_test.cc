#include "sanitize/secrets/keyword_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/secrets/fake_secrets.h"

namespace turnlog::keyword_finder_test {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Found = std::tuple<std::size_t, std::size_t, std::size_t>;  // index, begin, end

std::vector<Found> Find(const std::vector<std::string>& keywords, std::string_view text,
                        Vectors vectors = Vectors::kAvx512) {
  std::vector<Found> all;
  KeywordFinder(keywords, vectors).ForEach(text, [&](std::size_t index, TextSpan span) {
    all.emplace_back(index, span.begin, span.end);
  });
  return all;
}

TEST(KeywordFinder, FindsEveryKeywordInAnyCase) {
  EXPECT_THAT(Find({"token", "key"}, "a Key, a toKEN, KEY"),
              UnorderedElementsAre(Found(1, 2, 5), Found(0, 9, 14), Found(1, 16, 19)));
  EXPECT_THAT(Find({"Key"}, "key"), UnorderedElementsAre(Found(0, 0, 3)));
  EXPECT_THAT(Find({"token"}, "tokentoken"), UnorderedElementsAre(Found(0, 0, 5), Found(0, 5, 10)));
  EXPECT_THAT(Find({"secret_key", "key", "et_k"}, "secret_key"),
              UnorderedElementsAre(Found(0, 0, 10), Found(1, 7, 10), Found(2, 4, 8)));
}

TEST(KeywordFinder, FoldsLettersOnly) {
  EXPECT_THAT(Find({"[a]{b}"}, "{a}{b} [A]{B}"), UnorderedElementsAre(Found(0, 7, 13)));
  EXPECT_THAT(Find({"a_b_c"},
                   "a\x7f"
                   "b_c a_B_C"),
              UnorderedElementsAre(Found(0, 6, 11)));
}

TEST(KeywordFinder, FindsNothingWhereNothingIs) {
  EXPECT_THAT(Find({"token"}, "toke"), IsEmpty());
  EXPECT_THAT(Find({"token"}, ""), IsEmpty());
  EXPECT_THAT(Find({}, "token"), IsEmpty());
  EXPECT_THAT(Find({"to"}, "to"), IsEmpty());
}

// Compared with a plain search, also at both ends of the text, on both sides of a stride and of a block, and beyond
// ASCII.
TEST(KeywordFinder, FindsTheSameAsAPlainSearch) {
  FakeSecrets fake(1);
  for (int round = 0; round < 500; ++round) {
    const std::string_view letters = round % 2 == 0 ? "abc" : "a_\xc3\x9c~";
    std::vector<std::string> keywords;
    for (int i = 0; i < 8; ++i) keywords.push_back(fake.Of(letters, 3 + fake.Below(4)));
    const std::string text = fake.Of(letters, round % 10 < 2 ? 900 + fake.Below(1500) : 1 + fake.Below(150));
    std::vector<Found> expected;
    for (std::size_t i = 0; i < keywords.size(); ++i) {
      for (std::size_t at = text.find(keywords[i]); at != std::string::npos; at = text.find(keywords[i], at + 1))
        expected.emplace_back(i, at, at + keywords[i].size());
    }
    std::ranges::sort(expected);
    for (const Vectors vectors : {Vectors::kNone, Vectors::kAvx2, Vectors::kAvx512}) {
      std::vector<Found> found = Find(keywords, text, vectors);
      std::ranges::sort(found);
      EXPECT_EQ(found, expected) << text;
    }
  }
}

}  // namespace
}  // namespace turnlog::keyword_finder_test
