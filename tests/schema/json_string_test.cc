// Strings of JSON are read 64 letters at a time, with the instructions that the processor has; here each is also read
// letter by letter, as RFC 8259 has it.
#include "schema/json/json_string.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "schema/json/json_scan.h"
#include "schema/json/json_string_copy.h"
#include "schema/json/json_writer.h"

namespace turnlog::json_string_test {
namespace {

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Four hexadecimal digits after "\u"; 0 is none of those that matter here.
unsigned UnitAt(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), 6);
  if (escape.size() < 6 || !escape.starts_with("\\u") || !std::ranges::all_of(escape.substr(2), IsHex)) return 0;
  return static_cast<unsigned>(std::stoul(std::string(escape.substr(2)), nullptr, 16));
}

// How long the escape at `at` is; 0: it is malformed.
std::size_t EscapeLength(std::string_view text, std::size_t at) {
  if (at + 1 < text.size() && std::string_view("\"\\/bfnrt").contains(text[at + 1])) return 2;
  const std::string_view escape = text.substr(at, 6);
  if (escape.size() < 6 || escape[1] != 'u' || !std::ranges::all_of(escape.substr(2), IsHex)) return 0;
  const unsigned unit = UnitAt(text, at);
  if (unit >= 0xdc00 && unit < 0xe000) return 0;
  if (unit < 0xd800 || unit >= 0xe000) return 6;
  const unsigned low = UnitAt(text, at + 6);
  return low >= 0xdc00 && low < 0xe000 ? 12 : 0;
}

// The end of the string, or where it is malformed as a negative number.
std::int64_t EndOf(std::string_view text) {
  for (std::size_t at = 1; at < text.size();) {
    if (text[at] == '"') return static_cast<std::int64_t>(at) + 1;
    if (static_cast<unsigned char>(text[at]) < 0x20) return -static_cast<std::int64_t>(at);
    const std::size_t length = text[at] == '\\' ? EscapeLength(text, at) : 1;
    if (length == 0) return -static_cast<std::int64_t>(at);
    at += length;
  }
  return 0;
}

std::int64_t ScannedEndOf(std::string_view text, Vectors vectors) {
  const JsonEnd end = ScanJsonString(text, 0, vectors);
  return end ? static_cast<std::int64_t>(*end) : -static_cast<std::int64_t>(end.error().byte);
}

// Mostly letters, with runs of backslashes, escapes of all kinds, whole and broken ones.
std::string AnyString(std::mt19937& random) {
  constexpr std::array<std::string_view, 18> kPieces{"\\",       "\\\\",           "\\n",     "\\t",  "\\\"",
                                                     "\\u0041",  "\\u001f",        "\\u001F", "\\/",  "\\ud83d\\ude00",
                                                     "\\ud83d",  "\\udc00\\u0041", "\\u12",   "\x01", "\xc3\xa9",
                                                     "\\\\\\\"", "\\b\\f\\r",      "\\x"};
  const std::size_t broken = random() % 4;  // of one in four, anything
  std::string text = "\"";
  for (std::size_t left = random() % 40; left > 0; --left) {
    text.append(random() % 24, 'a');
    const std::string_view piece = kPieces.at(random() % kPieces.size());
    const bool valid = EscapeLength(std::string(piece) + "\"", 0) == piece.size() || piece == "\\\\\\\"" ||
                       piece == "\\b\\f\\r" || static_cast<unsigned char>(piece.front()) >= 0x80;
    if (valid || broken == 0) text.append(piece);
  }
  text.append(random() % 80, 'z').append("\"").append(random() % 80, ' ');
  return text;
}

class JsonVectorsTest : public ::testing::TestWithParam<Vectors> {};

TEST_P(JsonVectorsTest, EndsWhereTheLettersSay) {
  std::mt19937 random(1);
  std::size_t ended = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = AnyString(random);
    ASSERT_EQ(ScannedEndOf(text, GetParam()), EndOf(text)) << text;
    ended += EndOf(text) > 0 ? 1 : 0;
    if (EndOf(text) > 0) {
      ASSERT_EQ(static_cast<std::int64_t>(FindJsonStringEnd(text, 0, GetParam())), EndOf(text)) << text;
    }
    const std::string cut = text.substr(0, 1 + random() % text.size());
    ASSERT_EQ(ScannedEndOf(cut, GetParam()) > 0, EndOf(cut) > 0) << cut;
    if (EndOf(cut) == 0) {
      ASSERT_EQ(FindJsonStringEnd(cut, 0, GetParam()), std::string_view::npos) << cut;
    }
  }
  EXPECT_GT(ended, 10'000U);
}

TEST_P(JsonVectorsTest, KnowsWhetherAWriterWouldHaveWrittenIt) {
  std::mt19937 random(2);
  std::size_t usual = 0, others = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = AnyString(random);
    const JsonEnd end = ScanJsonString(text, 0);
    if (!end) continue;
    const std::string token = text.substr(0, *end);
    const UnescapedJson read = ReadJsonString(token, GetParam());
    std::string written;
    AppendJsonString(read.text, written);
    ASSERT_EQ(read.usual, written == token) << token;
    ASSERT_EQ(IsUsualJsonString(token), written == token) << token;
    ASSERT_FALSE(IsUsualJsonString(token + " "));
    ASSERT_FALSE(IsUsualJsonString(token.substr(0, random() % token.size()))) << token;
    ++(read.usual ? usual : others);
  }
  EXPECT_GT(usual, 1'000U);
  EXPECT_GT(others, 1'000U);
}

// The copies have no more room than is promised.
TEST_P(JsonVectorsTest, IsCopiedUpToItsEndUnlessItIsMalformed) {
  std::mt19937 random(5);
  std::size_t copied = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = AnyString(random);
    text.resize(1 + random() % text.size() * (1 + random() % 2));
    const std::vector<char> exact(text.begin(), text.end());
    std::vector<char> to(exact.size());
    const auto copy = CopyJsonString({exact.data(), exact.size()}, 0, to.data(), GetParam());
    const JsonEnd end = ScanJsonString(text, 0);
    ASSERT_EQ(copy.has_value(), end.has_value()) << text;
    if (!copy) continue;
    ASSERT_EQ(copy->end, *end) << text;
    ASSERT_EQ(copy->text, ReadJsonString(text.substr(0, *end), Vectors::kNone).text) << text;
    ++copied;
  }
  EXPECT_GT(copied, 1'000U);
}

// Strings that nobody has checked, too.
TEST_P(JsonVectorsTest, IsReadTheSameByAllProcessors) {
  std::mt19937 random(6);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = AnyString(random);
    for (std::size_t left = random() % 3; left > 0; --left) {
      char& letter = text[random() % text.size()];
      letter = static_cast<char>(letter ^ (1 << random() % 8));
    }
    const UnescapedJson read = ReadJsonString(text, GetParam()), expected = ReadJsonString(text, Vectors::kNone);
    ASSERT_EQ(read.text, expected.text) << text;
    ASSERT_EQ(read.usual, expected.usual) << text;
  }
}

std::string NameOf(const ::testing::TestParamInfo<Vectors>& vectors) {
  constexpr std::array<const char*, 3> kNames{"None", "Avx2", "Avx512"};
  return kNames.at(static_cast<std::size_t>(vectors.param));
}
INSTANTIATE_TEST_SUITE_P(, JsonVectorsTest, ::testing::Values(Vectors::kNone, Vectors::kAvx2, Vectors::kAvx512),
                         NameOf);

TEST(JsonStringTest, IsUnescapedWhereItIs) {
  std::mt19937 random(4);
  std::size_t shorter = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = AnyString(random);
    const JsonEnd end = ScanJsonString(text, 0);
    if (!end) continue;
    const std::string token = text.substr(0, *end);
    std::string inside = token.substr(1, token.size() - 2);
    const std::size_t size = UnescapeJsonInPlace(inside);
    ASSERT_EQ(inside.substr(0, size), UnescapeJson(token)) << token;
    shorter += size < inside.size() ? 1 : 0;
  }
  EXPECT_GT(shorter, 1'000U);
}

TEST(JsonStringTest, WritesEveryLetterOnceOrEscaped) {
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string text, expected = "[\"";
    for (std::size_t left = random() % 70; left > 0; --left) {
      const char c = random() % 3 > 0 ? 'a' : static_cast<char>(random() % 128);
      text.push_back(c);
      const std::size_t name = std::string_view("\"\\\b\f\n\r\t").find(c);
      if (name != std::string_view::npos) {
        expected.append("\\").push_back("\"\\bfnrt"[name]);
      } else if (static_cast<unsigned char>(c) < 0x20) {
        expected.append(c < 0x10 ? "\\u000" : "\\u001").push_back("0123456789abcdef"[c & 0xf]);
      } else {
        expected.push_back(c);
      }
    }
    std::string out = "[";
    AppendJsonString(text, out);
    ASSERT_EQ(out, expected + "\"");
    std::string token = out.substr(1);
    ASSERT_TRUE(IsJsonStringOf(token, text));
    token[random() % token.size()] ^= 1;
    ASSERT_FALSE(IsJsonStringOf(token, text)) << token;
    ASSERT_EQ(UnescapeJson(out.substr(1)), text);
  }
}

TEST(JsonStringTest, ATokenThatAWriterWouldWriteOtherwiseIsNotTheText) {
  const std::string filler(40, 'a');
  for (const std::string_view token :
       {R"(\u000a)", R"(\u000A)", R"(\/)", R"(\u0061)", R"(\)", "\n", "", R"(\n\n)", R"(\nb)"}) {
    for (const std::string& before : {std::string(), filler}) {
      EXPECT_FALSE(IsJsonStringOf('"' + before + std::string(token) + '"', before + "\n")) << token;
      EXPECT_FALSE(IsJsonStringOf('"' + before + std::string(token) + '"', before + "/a")) << token;
    }
  }
  EXPECT_FALSE(IsJsonStringOf("", ""));
  EXPECT_FALSE(IsJsonStringOf(R"(")", ""));
  EXPECT_FALSE(IsJsonStringOf(R"("a)", "a"));
  EXPECT_TRUE(IsJsonStringOf(R"("")", ""));
}

}  // namespace
}  // namespace turnlog::json_string_test
