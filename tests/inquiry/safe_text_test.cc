#include "inquiry/safe_text.h"

#include <gtest/gtest.h>

namespace turnlog::safe_text_test {
namespace {

TEST(SafeLine, IsOneLineWithSingleBlanks) {
  EXPECT_EQ(SafeLine(" a \n\t b\r\n\r\nc\xc2\xa0\xe2\x80\xa8"
                     "d "),
            "a b c d");
  EXPECT_EQ(SafeLine(""), "");
  EXPECT_EQ(SafeLine(" \n "), "");
}

TEST(SafeLine, HasNoControlAndNoBidirectionalAndNoInvisibleCharacters) {
  EXPECT_EQ(SafeLine("a\x1b[31mb\x07\x7f"
                     "c\xc2\x9b"
                     "d"),
            "a[31mbcd");
  EXPECT_EQ(SafeLine("a\xe2\x80\xae"
                     "b\xe2\x81\xa6"
                     "c\xe2\x80\x8f"
                     "d\xd8\x9c"
                     "e"),
            "abcde");
  EXPECT_EQ(SafeLine("a\xe2\x80\x8b"
                     "b\xef\xbb\xbf"
                     "c\xf3\xa0\x81\x81"
                     "d\xc2\xad"
                     "e"),
            "abcde");
  EXPECT_EQ(SafeLine(std::string_view("a\0b", 3)), "ab");
}

TEST(SafeLine, KeepsTheLettersOfAllLanguages) {
  const std::string_view text =
      "na\xc3\xafve \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe6\xbc\xa2 \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80";
  EXPECT_EQ(SafeLine(text), text);
}

TEST(SafeLine, DropsBytesThatAreNoText) {
  EXPECT_EQ(SafeLine("a\xff"
                     "b\xc3"),
            "ab");
  EXPECT_EQ(SafeLine("a\xed\xa0\x80"
                     "b"),
            "ab");
  EXPECT_EQ(SafeLine("a\xe2\x80"), "a");
}

TEST(SafeLine, IsCutAtTheLimitBetweenCharacters) {
  EXPECT_EQ(SafeLine("abcdef", 6), "abcdef");
  EXPECT_EQ(SafeLine("abcdefg", 6), "abc...");
  EXPECT_EQ(SafeLine("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 6), "\xc3\xa4\xc3\xa4\xc3\xa4...");
  EXPECT_EQ(SafeLine("abcde\n\n\n", 5), "abcde");
}

TEST(SafeLine, IsNotCutWithinWhatPeopleSeeAsOneCharacter) {
  EXPECT_EQ(SafeLine("abe\xcc\x81xyz", 6), "ab...");                                   // e with an accent of its own
  EXPECT_EQ(SafeLine("a\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80xyz", 6), "a...");  // joined, three code points
}

}  // namespace
}  // namespace turnlog::safe_text_test
