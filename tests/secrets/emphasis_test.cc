#include "sanitize/secrets/emphasis.h"

#include <gtest/gtest.h>

#include <string>

namespace turnlog::emphasis_test {
namespace {

std::string Without(std::string_view text) {
  const auto without = WithoutEmphasis(text);
  return without ? std::string(without->view()) : "(none)";
}

TEST(Emphasis, IsBlanksForTheUnderscoresAroundATokenOfSomeLength) {
  const std::string token = "0123456789abcdef";
  EXPECT_EQ(Without("is _" + token + "_, and"), "is  " + token + " , and");
  EXPECT_EQ(Without("__" + token + "__."), "  " + token + "  .");
  EXPECT_EQ(Without("_" + token + "_.Next"), " " + token + " .Next");
  EXPECT_EQ(Without("(_a_" + token + "_)"), "( a_" + token + " )");
  EXPECT_EQ(Without("**_" + token + "_** _" + token + "_"), "** " + token + " **  " + token + " ");
}

TEST(Emphasis, IsNoUnderscoreOfAWord) {
  const std::string token = "0123456789abcdef";
  for (const std::string& text :
       {"_" + token, token + "_", "x_" + token + "_", "_" + token + "_x", "__" + token + "_", "____" + token + "____",
        std::string("__init__"), std::string("_ _"), std::string("_"), std::string("____"), std::string()}) {
    EXPECT_EQ(Without(text), "(none)") << text;
  }
}

}  // namespace
}  // namespace turnlog::emphasis_test
