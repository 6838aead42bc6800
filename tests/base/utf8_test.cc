#include "base/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

namespace turnlog::utf8_test {
namespace {

std::string Encode(std::uint32_t code, int length) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  const auto tail = [&](int shift) { return byte(0x80 | ((code >> shift) & 0x3F)); };
  switch (length) {
    case 1:
      return {byte(code)};
    case 2:
      return {byte(0xC0 | code >> 6), tail(0)};
    case 3:
      return {byte(0xE0 | code >> 12), tail(6), tail(0)};
    default:
      return {byte(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
  }
}

int LengthOf(std::uint32_t code) { return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; }

TEST(Utf8, TakesEveryCodePointAndNoSurrogate) {
  for (std::uint32_t code = 0; code <= 0x10FFFF; ++code) {
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    const std::string text = Encode(code, LengthOf(code));
    ASSERT_EQ(IsUtf8(text), !surrogate) << code;
    const auto decoded = DecodeUtf8(text + "a");
    ASSERT_EQ(decoded.has_value(), !surrogate) << code;
    ASSERT_EQ(decoded.value_or(CodePoint{code, text.size()}).value, code);
    ASSERT_EQ(decoded.value_or(CodePoint{code, text.size()}).bytes, text.size());
  }
}

TEST(Utf8, RefusesOverlongForms) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    for (int length = LengthOf(code) + 1; length <= 4; ++length) ASSERT_FALSE(IsUtf8(Encode(code, length))) << code;
  }
}

TEST(Utf8, RefusesWhatIsBeyondUnicode) {
  for (std::uint32_t code = 0x110000; code < 0x200000; code += 0x3FF) ASSERT_FALSE(IsUtf8(Encode(code, 4))) << code;
  for (const char* bytes : {"\xF5\x80\x80\x80", "\xF8\x88\x80\x80\x80", "\xFC\x84\x80\x80\x80\x80", "\xFE", "\xFF"}) {
    EXPECT_FALSE(IsUtf8(bytes));
  }
}

TEST(Utf8, RefusesTruncatedAndUnexpectedBytes) {
  for (const std::uint32_t code : {0x80U, 0x7FFU, 0x800U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    const std::string whole = Encode(code, LengthOf(code));
    for (std::size_t length = 1; length < whole.size(); ++length) {
      const std::string cut = whole.substr(0, length);
      EXPECT_FALSE(IsUtf8(cut));
      EXPECT_FALSE(IsUtf8("ab" + cut));
      EXPECT_FALSE(IsUtf8(cut + "a"));
      EXPECT_FALSE(IsUtf8(cut + whole));
    }
    EXPECT_FALSE(IsUtf8(whole + "\x80"));
    EXPECT_TRUE(IsUtf8("a" + whole + "b" + whole));
  }
  for (int byte = 0x80; byte <= 0xFF; ++byte) EXPECT_FALSE(IsUtf8(std::string(1, static_cast<char>(byte))));
}

// The validator and the decoder are of two libraries.
TEST(Utf8, IsWhatCanBeDecodedToItsEnd) {
  std::mt19937 random(1);
  constexpr std::string_view kBytes = "az\x80\x8f\x90\x9f\xa0\xbf\xc0\xc2\xdf\xe0\xe1\xed\xef\xf0\xf4\xf5\xff";
  for (int i = 0; i < 100'000; ++i) {
    std::string text(random() % 7, '\0');
    for (char& byte : text) byte = kBytes[random() % kBytes.size()];
    ASSERT_EQ(Utf8PrefixLength(text) == text.size(), IsUtf8(text)) << testing::PrintToString(text);
  }
}

TEST(Utf8, TakesTheEmptyTextAndNulBytes) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace turnlog::utf8_test
