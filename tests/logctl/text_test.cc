#include "logctl/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnlog::text_test {
namespace {

using testing::ElementsAre;

std::vector<std::string> Wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  WrapText(text, width, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  return lines;
}

TEST(PrintableTest, KeepsOrdinaryTextOfAllLanguages) {
  const std::string text = "a\\b \xc3\xa9 \xe4\xb8\xad \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb";
  EXPECT_EQ(Printable(text), text);
}

TEST(PrintableTest, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(Printable("\xff"), "\\xff");
  EXPECT_EQ(Printable("a\xc3"), "a\\xc3");
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(Printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
}

TEST(PrintableTest, EscapesInvisibleTagsAndMarks) {
  EXPECT_EQ(Printable("\xf3\xa0\x80\xa1\xef\xbb\xbf"), "\\ue0021\\ufeff");
}

// Nothing that has no width reaches the terminal unless the writing of its neighbours needs it.
TEST(PrintableTest, EscapesZeroWidthCharacters) {
  EXPECT_EQ(Printable("pass\u200bword\u200d \u2060\u00ad"), "pass\\u200bword\\u200d \\u2060\\xad");
  EXPECT_EQ(Printable("a\ufe0f\u115f"), "a\\ufe0f\\u115f");
  EXPECT_EQ(PrintableJson("\"a\u200bb\U000e0100\""), "\"a\\u200bb\\udb40\\udd00\"");
}

TEST(PrintableJsonTest, EscapesWithinStringsSoThatTheMeaningStays) {
  EXPECT_EQ(PrintableJson("{\"a\":\"\xc2\x9b\x7f\xe2\x80\xae\xf3\xa0\x80\xa1 \xc3\xa9\"}\n"),
            "{\"a\":\"\\u009b\\u007f\\u202e\\udb40\\udc21 \xc3\xa9\"}\n");
}

TEST(PadTest, CountsColumns) {
  EXPECT_EQ(PadRight("\xe4\xb8\xad", 4), "\xe4\xb8\xad  ");
  EXPECT_EQ(PadLeft("\xe4\xb8\xad", 1), "\xe4\xb8\xad");
}

TEST(CutToWidthTest, CutsBetweenWhatPeopleSeeAsOneCharacter) {
  EXPECT_EQ(CutToWidth("abcd", 4), "abcd");
  EXPECT_EQ(CutToWidth("abcde", 4), "abc\u2026");
  EXPECT_EQ(CutToWidth("\u4e2d\u6587\u4e2d", 4), "\u4e2d\u2026");
  EXPECT_EQ(CutToWidth("a\U0001f469\u200d\U0001f680bc", 5), "a\u2026");
  EXPECT_EQ(CutToWidth("abe\u0301xy", 4), "abe\u0301\u2026");
  EXPECT_EQ(CutToWidth("abc", 0), "");
}

TEST(PrefixTest, CutsBetweenCharacters) {
  EXPECT_EQ(Prefix("a\xc3\xa9z", 2), "a");
  EXPECT_EQ(Prefix("a\xc3\xa9z", 3), "a\xc3\xa9");
  EXPECT_EQ(Prefix("abc", 9), "abc");
}

TEST(WrapTextTest, BreaksAtSpacesAndKeepsIndentation) {
  EXPECT_THAT(Wrapped("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrapped("  one two three", 10), ElementsAre("  one two", "  three"));
  EXPECT_THAT(Wrapped("one\n\ntwo\r\n", 8), ElementsAre("one", "", "two", ""));
  EXPECT_THAT(Wrapped("", 8), ElementsAre(""));
}

TEST(WrapTextTest, BreaksWordsThatAreTooLong) {
  EXPECT_THAT(Wrapped("abcdefghij", 4), ElementsAre("abcd", "efgh", "ij"));
  EXPECT_THAT(Wrapped("\tabcdefgh", 8), ElementsAre("    abcd", "efgh"));
}

TEST(WrapTextTest, NeverBreaksWithinACharacterEvenWhenItIsTooWide) {
  EXPECT_THAT(Wrapped("\xe4\xb8\xad\xe6\x96\x87", 1), ElementsAre("\xe4\xb8\xad", "\xe6\x96\x87"));
}

TEST(WrapTextTest, StopsWhenToldTo) {
  int lines = 0;
  WrapText("a\nb\nc", 10, [&](std::string_view) { return ++lines < 2; });
  EXPECT_EQ(lines, 2);
}

TEST(NumbersTest, ReadWell) {
  EXPECT_EQ(Thousands(0), "0");
  EXPECT_EQ(Thousands(999), "999");
  EXPECT_EQ(Thousands(12345), "12,345");
  EXPECT_EQ(Thousands(18446744073709551615U), "18,446,744,073,709,551,615");
  EXPECT_EQ(HumanSize(1023), "1023 B");
  EXPECT_EQ(HumanSize(1024), "1.0 KiB");
  EXPECT_EQ(HumanSize(1048575), "1.0 MiB");
  EXPECT_EQ(HumanSize(18446744073709551615U), "16.0 EiB");
  EXPECT_EQ(Counted(1, "event"), "1 event");
  EXPECT_EQ(Counted(2000, "event"), "2,000 events");
}

TEST(EditDistanceTest, CountsSingleEdits) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("show", "show"), 0u);
  EXPECT_EQ(EditDistance("sho", "show"), 1u);
  EXPECT_EQ(EditDistance("shwo", "show"), 2u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
}

}  // namespace
}  // namespace turnlog::text_test
