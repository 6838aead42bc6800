// Values that lines split, behind escapes of these lines: found where the escapes are not decoded but for them.
#include "sanitize/secrets/escaped_joins.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "sanitize/secrets/secret_matcher.h"
#include "tests/redact/more_encodings.h"
#include "tests/secrets/encodings.h"

namespace turnlog::escaped_joins_test {
namespace {

constexpr std::uint32_t kNever = 1'000'000;  // escape nothing that needs no escape

std::vector<TextSpan> Joins(std::string_view text, std::string_view value, Blanks blanks = Blanks::kKept) {
  LetterGrams grams;
  grams.Add(value);
  return EscapedJoins(grams).Find(text, blanks, grams);
}

TEST(EscapedJoins, AreWhereTheLettersAroundAnEscapeFollowEachOther) {
  EXPECT_EQ(Joins(R"(x hunt\ner2! y)", "hunter2!"), (std::vector<TextSpan>{{6, 8}}));
  EXPECT_EQ(Joins(R"(x hunt\\\\r\\\\n  er2! y)", "hunter2!"), (std::vector<TextSpan>{{6, 11}}));
  for (const char* text :
       {R"(hunt\n\ter2!)", R"(hunt  \n12\ter2!)", R"(hunt\n> er2!)", R"(hunt\n> | 7→er2!)", R"(hunt=\ner2!)",
        R"(hunt\\\ner2!)", "hunt\u200b\\n\u2502 er2!", "hunt\\t\ner2!", "hunt\n12\\ter2!", "hunt\n> \\ter2!",
        "\x1b[1mhunt\x1b[0m\\ner2!", R"(hunt\\n\ner2!)", R"(h\nunter2!)"}) {
    EXPECT_FALSE(Joins(text, "hunter2!").empty()) << text;
  }
  for (const char* text : {R"(hunt\nher2!)", R"(hunt\n3er2!)", R"(hunt\"er2!)", R"(hunt\ter2!)", R"(unt\nhunter2!)",
                           "hunt\ner2!", R"(hunt\)", R"(hunt\\)", R"(\n)", R"(hunt\n)", ""}) {
    EXPECT_TRUE(Joins(text, "hunter2!").empty()) << text;
  }
  EXPECT_FALSE(Joins(R"(hunt\ter2!)", "hunter2!", Blanks::kLeftOut).empty());
  EXPECT_FALSE(Joins(R"(x\\n\nhunter2!)", "nhunter2!").empty());  // its first letter is the first escape's name
}

// Escapes are looked for in many positions at once, and no letter but the two next to one tells that it makes no join.
TEST(EscapedJoins, AreFoundAtEveryPosition) {
  for (std::size_t at = 0; at < 1200; ++at) {
    const std::string before(at, 'x');
    EXPECT_EQ(Joins(before + R"(hunt\ner2! x\nx t\nx x\ne)", "hunter2!"), (std::vector<TextSpan>{{at + 4, at + 6}}));
    EXPECT_EQ(Joins(before + R"(h\nunter2!)", "hunter2!"), (std::vector<TextSpan>{{at + 1, at + 3}}));
    EXPECT_EQ(Joins(before + R"(hunter2\n!x)", "hunter2!"), (std::vector<TextSpan>{{at + 7, at + 9}}));
    EXPECT_EQ(Joins(before + R"(hunter2\n!)", "hunter2!"), (std::vector<TextSpan>{{at + 7, at + 9}}));
  }
}

// Much that may be left out asks for decoding, instead of a longer look.
TEST(EscapedJoins, MayBeFarApart) {
  const std::string far(1000, ' ');
  EXPECT_FALSE(Joins("hunt" + far + R"(\ner2!)", "hunter2!").empty());
  EXPECT_FALSE(Joins(R"(hunt\n)" + far + "er2!", "hunter2!").empty());
  std::string quoted = R"(hunt\n)";
  for (int i = 0; i < 1000; ++i) quoted += "> ";
  EXPECT_FALSE(Joins(quoted + "er2!", "hunter2!").empty());
}

// Texts with values in them: whole, in lines of all kinds, encoded, and all of that escaped.
class SplitValues {
 public:
  SplitValues(std::uint32_t seed, std::vector<std::string> values) : fake_(seed), values_(std::move(values)) {}

  std::string Next() {
    std::string text;
    for (std::uint32_t part = 0, parts = 1 + fake_.Below(4); part < parts; ++part)
      text += Words(fake_.Below(fake_.OneIn(5) ? 2000 : 40)) + Escaped(Part()) + OneOf(kBetween);
    return Escaped(text);
  }

 private:
  template <std::size_t N>
  std::string OneOf(const std::array<const char*, N>& choices) {
    return choices[fake_.Below(N)];
  }

  static constexpr std::array kBetween{"", " ", "\n", "\\", "\"", "\t", ", ", "\\n"};
  static constexpr std::array kWords{"the ", "build\n", "to\t",    "\"x\" ",        "  \n",
                                     "12\t", "> ",      "\u00e9 ", "\u201cy\u201d", "="};
  static constexpr std::array kLineEnds{"",   "",   " ", "\\", "=", "\t", "  ", " \u2502", "\u200b", "\x1b[0m\x1b[K",
                                        "\r", "\\n"};
  static constexpr std::array kBreaks{"\n", "\n", "\n", "\r\n", "\n\n", "\r", "\n \n"};
  static constexpr std::array kPrefixes{"",        "",        "  ",     "\t",      "> ", "| ",         "> > ",  "12\t",
                                        "7\u2192", "\u2502 ", "\u00ad", "\x1b[1m", "3 ", "  44\u2502", "\u2503"};

  std::string Words(std::size_t size) {
    std::string text;
    while (text.size() < size) text += OneOf(kWords);
    return text;
  }
  std::string InLines(std::string_view text) {
    std::string lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + fake_.Below(static_cast<std::uint32_t>(text.size()));
      lines += text.substr(at, size);
      at += size;
      if (at < text.size()) lines += OneOf(kLineEnds) + OneOf(kBreaks) + OneOf(kPrefixes);
    }
    return lines;
  }
  std::string Wrapped(const std::string& encoded) {
    std::string lines;
    const std::size_t letters = fake_.OneIn(2) ? 76 : 40;
    for (std::size_t at = 0; at < encoded.size(); at += letters) lines += encoded.substr(at, letters) + "\n";
    return lines;
  }
  std::string Part() {
    const std::string value = values_[fake_.Below(static_cast<std::uint32_t>(values_.size()))];
    switch (fake_.Below(8)) {
      case 0:
        return value;
      case 1:
        return Wrapped(EncodeSomewhereInBase64(value + " and " + value + Words(80), fake_));
      case 2:
        return OneOf(kBetween) + CompressedBase64("value: " + value, fake_.OneIn(2));
      case 3:
        return EncodeSomehow(value, fake_);
      default:
        return InLines(value);
    }
  }
  std::string Escaped(std::string text) {
    for (std::uint32_t level = 0, levels = fake_.Below(4); level < levels; ++level)
      text = EscapeJson(text, fake_, fake_.OneIn(6) ? 50 : kNever);
    return text;
  }

  FakeSecrets fake_;
  std::vector<std::string> values_;
};

SecretMatcher MatcherOf(const std::vector<std::string>& values) {
  std::vector<SecretString> secrets;
  for (const std::string& value : values) secrets.emplace_back(value);
  return SecretMatcher(secrets);
}

// The escape's name looks like the first letter of the base64.
TEST(EscapedJoins, AreDecodedBeforeCompressedText) {
  for (const bool gzip : {false, true}) {
    const std::string compressed = CompressedBase64("it is hunter2!", gzip);
    for (const char* escape : {R"(\n)", R"(\\t)", R"(\u000a)", "%0A", "&#10;", R"(\")", ""}) {
      const std::string text = R"({"text":"as follows: )" + (escape + compressed) + "\"}";
      EXPECT_EQ(MatcherOf({"hunter2!"}).Find(text).size(), 1U) << text;
    }
  }
}

// A value with quotes, which no text has, makes the matcher decode all escapes. It is as long as the longest other one:
// how much is decoded around an escape depends on that.
TEST(EscapedJoins, AreAllThatIsDecodedAndTheSameValuesAreFound) {
  std::size_t found = 0, in_lines = 0;
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    FakeSecrets fake(seed);
    std::vector<std::string> values{fake.Of(kBase64, 40),    fake.Of(kAlnum, 24), "hunter2!",
                                    "correct horse battery", "12345678",          "p\u00e4ssw\u00f6rd\u201c"};
    values.resize(1 + seed % values.size());
    SplitValues texts(seed, values);
    const SecretMatcher some = MatcherOf(values);
    values.emplace_back("never\"found\"in\"any\"of\"all\"of\"these\"texts");
    const SecretMatcher all = MatcherOf(values);
    for (int i = 0; i < 400; ++i) {
      const std::string text = texts.Next();
      const auto spans = all.Find(text);
      ASSERT_EQ(some.Find(text), spans) << text;
      ASSERT_EQ(some.FindValues(text), all.FindValues(text)) << text;
      found += spans.size();
      for (const TextSpan& span : spans) in_lines += text.substr(span.begin, span.size()).contains("\\n") ? 1 : 0;
    }
  }
  EXPECT_GT(found, 3000U);
  EXPECT_GT(in_lines, 500U);
}

}  // namespace
}  // namespace turnlog::escaped_joins_test
