#include "base/unicode.h"

#include <gtest/gtest.h>

#include <string>

namespace turnlog::unicode_test {
namespace {

std::string Encode(std::uint32_t code) {
  std::string text;
  EncodeUtf8(code, [&](char byte) { text.push_back(byte); });
  return text;
}

// The characters that are safe, and a dot for each of the others.
std::string Safe(std::string_view text) {
  std::string safe;
  for (CharacterReader characters(text); const auto character = characters.Next();) {
    character->safe ? safe.append(character->bytes) : safe.append(".");
  }
  return safe;
}

// What people see as one character, between bars.
std::string Clusters(std::string_view text) {
  std::string out;
  for (CharacterReader characters(text); const auto character = characters.Next();) {
    if (!character->joined && !out.empty()) out.push_back('|');
    out.append(character->bytes);
  }
  return out;
}

TEST(CharacterReader, GivesEveryCodePointAndEveryByteThatIsNotUtf8) {
  CharacterReader characters("a\xc3\xa9\xff\xe2\x82");
  EXPECT_EQ(characters.Next()->code, U'a');
  EXPECT_EQ(characters.Next()->code, U'\u00e9');
  for (const char* byte : {"\xff", "\xe2", "\x82"}) {
    const auto character = characters.Next();
    EXPECT_EQ(character->bytes, byte);
    EXPECT_FALSE(character->code || character->safe);
  }
  EXPECT_FALSE(characters.Next());
}

TEST(CharacterReader, ControlsMarksOfDirectionAndInvisibleCharactersAreNotSafe) {
  EXPECT_EQ(Safe("a\x1b[31m\x07\x7f\u009b\n\tb"), "a.[31m.....b");
  EXPECT_EQ(Safe("a\u202e\u2066\u200f\u061c\u2028\u2029z"), "a......z");
  EXPECT_EQ(Safe("a\u200b\u2060\ufeff\u00ad\u034f\u3164\u115f\u180e\U000e0041z"), "a.........z");
}

TEST(CharacterReader, TheLettersOfAllLanguagesAreSafe) {
  for (const std::string text : {"na\u00efve e\u0301", "\u05e9\u05dc\u05d5\u05dd", "\u6f22\u5b57", "\ud55c\uae00",
                                 "\u0600\u0661", "\u0915\u094d\u0937", "\ue000", "\u0378"}) {
    EXPECT_EQ(Safe(text), text);
  }
}

TEST(CharacterReader, JoinersAreSafeWhereTheirNeighboursNeedThem) {
  for (const std::string text : {"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  // Persian
                                 "\u0915\u094d\u200d\u0937",                          // Devanagari
                                 "\U0001f469\u200d\U0001f680", "\u2764\ufe0f\u200d\U0001f525"}) {
    EXPECT_EQ(Safe(text), text);
  }
  EXPECT_EQ(Safe("pass\u200dword\u200c"), "pass.word.");
  EXPECT_EQ(Safe("\u0645\u200c\u200c\u062e"), "\u0645..\u062e");
  EXPECT_EQ(Safe("\u0645\u200ca"), "\u0645.a");
  EXPECT_EQ(Safe("\u200d"), ".");
}

TEST(CharacterReader, AVariationSelectorIsSafeAfterWhatItSelectsAFormOf) {
  for (const std::string text : {"\u2764\ufe0f", "1\ufe0f\u20e3", "\u00a9\ufe0e", "\u845b\U000e0100"}) {
    EXPECT_EQ(Safe(text), text);
  }
  EXPECT_EQ(Safe("a\ufe0fb1\ufe0f2"), "a.b1.2");
  EXPECT_EQ(Safe("\u2764\ufe0f\ufe01\U000e0101"), "\u2764\ufe0f..");
}

// A safe character of no width is a mark, a part of a syllable, or shapes what it stands between.
TEST(CharacterReader, OnlyMarksAndPartsOfSyllablesAreSafeWithoutAColumn) {
  for (std::uint32_t code = 0; code <= 0x10ffff; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const std::string text = "a" + Encode(code) + "b";
    CharacterReader characters(text);
    characters.Next();
    const auto character = characters.Next();
    ASSERT_EQ(character->code, code);
    ASSERT_LE(character->columns, 2U);
    if (!character->safe || character->columns > 0) continue;
    const bool syllable = (code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7fb);
    ASSERT_TRUE(character->joined || syllable) << std::hex << code;
  }
}

TEST(CharacterReader, SpaceIsOfAnyKind) {
  for (CharacterReader characters(" \t\r\n\v\f\u0085\u00a0\u2003\u2028\u2029\u3000");
       const auto one = characters.Next();) {
    EXPECT_TRUE(one->space);
  }
  EXPECT_FALSE(CharacterReader("\u200b").Next()->space);
}

TEST(CharacterReader, JoinsWhatPeopleSeeAsOneCharacter) {
  EXPECT_EQ(Clusters("abe\u0301x"), "a|b|e\u0301|x");
  EXPECT_EQ(Clusters("a\U0001f469\u200d\U0001f680x"), "a|\U0001f469\u200d\U0001f680|x");
  EXPECT_EQ(Clusters("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"), "\U0001f1e9\U0001f1ea|\U0001f1eb\U0001f1f7");
  EXPECT_EQ(Clusters("\u0e01\u0e33\xff\u0301"), "\u0e01\u0e33|\xff|\u0301");
}

TEST(CharacterReader, TakesAsciiAtOnce) {
  CharacterReader characters("ab 1\ufe0f\u20e3c\n");
  EXPECT_EQ(characters.TakeAscii(), "ab 1");
  const auto selector = characters.Next();
  EXPECT_TRUE(selector->safe && selector->joined);  // the reader knows what it stands after
  EXPECT_EQ(characters.TakeAscii(), "");
  EXPECT_EQ(characters.Next()->code, U'\u20e3');
  EXPECT_EQ(characters.TakeAscii(), "c");
  EXPECT_FALSE(characters.Next()->safe);
  EXPECT_EQ(characters.TakeAscii(), "");
}

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(DisplayWidth(""), 0U);
  EXPECT_EQ(DisplayWidth("abc"), 3U);
  EXPECT_EQ(DisplayWidth("\u00e9e\u0301"), 2U);
  EXPECT_EQ(DisplayWidth("\u4e2d\U0001f680"), 4U);
  EXPECT_EQ(DisplayWidth("\u0915\u093e"), 2U);
  EXPECT_EQ(DisplayWidth("\u1112\u1161\u11ab"), 2U);
}

}  // namespace
}  // namespace turnlog::unicode_test
