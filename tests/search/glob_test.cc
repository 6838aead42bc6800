#include "search/glob.h"

#include <gtest/gtest.h>

namespace turnlog::glob_test {
namespace {

TEST(GlobTest, StarsTakeInAnyCharactersAndQuestionMarksOne) {
  EXPECT_TRUE(MatchesGlob("prod-*", "prod-"));
  EXPECT_TRUE(MatchesGlob("prod-*", "prod-17"));
  EXPECT_TRUE(MatchesGlob("*a*b", "xaxbxab"));
  EXPECT_TRUE(MatchesGlob("a**", "a"));
  EXPECT_TRUE(MatchesGlob("?-?", "\xc3\xa4-b"));
  EXPECT_TRUE(MatchesGlob("", ""));
  EXPECT_FALSE(MatchesGlob("prod-*", "xprod-1"));
  EXPECT_FALSE(MatchesGlob("*a", "ab"));
  EXPECT_FALSE(MatchesGlob("?", ""));
  EXPECT_FALSE(MatchesGlob("a?", "a"));
  EXPECT_FALSE(MatchesGlob("", "a"));
}

TEST(GlobTest, OtherCharactersMatchThemselves) {
  EXPECT_FALSE(IsGlob("a[b].c\\d"));
  EXPECT_TRUE(MatchesGlob("a[b].c\\d", "a[b].c\\d"));
  EXPECT_FALSE(MatchesGlob("a[b]", "ab"));
}

TEST(GlobTest, ManyStarsCostNoMoreThanTheTextAndTheGlobTogether) {
  const std::string text(100'000, 'a');
  std::string glob;
  for (int i = 0; i < 50; ++i) glob += "*a";
  EXPECT_FALSE(MatchesGlob(glob + "*b", text));
}

}  // namespace
}  // namespace turnlog::glob_test
