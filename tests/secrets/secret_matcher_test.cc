#include "sanitize/secrets/secret_matcher.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sanitize/redaction/redacted_text.h"
#include "schema/json/json_scan.h"
#include "tests/secrets/encodings.h"
#include "tests/secrets/fake_secrets.h"

namespace turnlog::secret_matcher_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SecretMatcher Finder(std::initializer_list<std::string_view> values) {
  std::vector<SecretString> secrets;
  for (const std::string_view value : values) secrets.emplace_back(value);
  return SecretMatcher(secrets);
}

std::string Redacted(std::string_view value, std::string_view text) {
  return RedactText(Finder({value}), text).value_or("(nothing found)");
}

TEST(SecretMatcher, FindsPlainValues) {
  EXPECT_EQ(Redacted("hunter2!", "it is hunter2!, and hunter2!"), "it is [redacted], and [redacted]");
  EXPECT_EQ(Redacted("hunter2!", "hunter2!"), "[redacted]");
  EXPECT_EQ(Redacted("hunter2!", "hunter2"), "(nothing found)");
  EXPECT_EQ(Redacted("hunter2!", "Hunter2!"), "(nothing found)");
  EXPECT_EQ(Redacted("hunter2!", ""), "(nothing found)");
}

TEST(SecretMatcher, FindsEscapedValues) {
  EXPECT_EQ(Redacted("a\"b\\c/d", R"({"x":"a\"b\\c\/d"})"), R"({"x":"[redacted]"})");
  EXPECT_EQ(Redacted("hunter2!", R"({"x":"h\u0075nter2\u0021"})"), R"({"x":"[redacted]"})");
  EXPECT_EQ(Redacted("hunter2!", R"(\u0068\u0075\u006E\u0074\u0065\u0072\u0032\u0021)"), "[redacted]");
  EXPECT_EQ(Redacted("two\nlines", R"(two\nlines two\u000alines)"), "[redacted] [redacted]");
  EXPECT_EQ(Redacted("p\xc3\xa4ssw\xc3\xb6rd", R"(p\u00e4ssw\u00F6rd)"), "[redacted]");
  EXPECT_EQ(Redacted("key\xf0\x9f\x94\x91key", R"(key\ud83d\udd11key)"), "[redacted]");
}

TEST(SecretMatcher, FindsValuesEscapedSeveralTimes) {
  EXPECT_EQ(Redacted("a\"b\\c/d", R"("{\"x\":\"a\\\"b\\\\c/d\"}")"), R"("{\"x\":\"[redacted]\"}")");
  EXPECT_EQ(Redacted("a\"bcdef", R"(\\\\\\\"a\\\\\\\"bcdef)"), R"(\\\\\\\"[redacted])");
}

TEST(SecretMatcher, FindsPercentEncodedValues) {
  EXPECT_EQ(Redacted("a b&c=d/e", "?q=a%20b%26c%3Dd%2Fe&r"), "?q=[redacted]&r");
  EXPECT_EQ(Redacted("a b&c=d/e", "?q=a%20b%26c%3dd%2fe"), "?q=[redacted]");
  EXPECT_EQ(Redacted("a b&c=d/e", "?q=a+b&c=d/e"), "?q=[redacted]");
  EXPECT_EQ(Redacted("hunter2!", "%68unter2!"), "[redacted]");
}

TEST(SecretMatcher, FindsValuesThatLookEncodedThemselves) {
  EXPECT_EQ(Redacted("100%41bcdef", "it is 100%41bcdef"), "it is [redacted]");
  EXPECT_EQ(Redacted("100%41bcdef", "it is 100%2541bcdef"), "it is [redacted]");
  EXPECT_EQ(Redacted("100%41bcdef", R"(it is \u003100%41bcdef)"), "it is [redacted]");
  EXPECT_EQ(Redacted(R"(C:\new\temp)", R"(it is C:\new\temp)"), "it is [redacted]");
  EXPECT_EQ(Redacted(R"(C:\new\temp)", R"(it is C:\\new\\temp)"), "it is [redacted]");
  EXPECT_EQ(Redacted("YWJjZGVmZ2g=", "it is YWJjZGVmZ2g="), "it is [redacted]");
}

TEST(SecretMatcher, RedactsTheWholeBase64Text) {
  for (const char* before : {"", "a", "ab", "user:"}) {
    for (const char* after : {"", "a", "ab", "abc"}) {
      const std::string encoded = EncodeBase64(before + std::string("hunter2!") + after);
      EXPECT_EQ(Redacted("hunter2!", "Basic " + encoded + ", ok"), "Basic [redacted], ok");
      const std::string unpadded = encoded.substr(0, encoded.find('='));
      EXPECT_EQ(Redacted("hunter2!", "x=" + unpadded + "&y"), "x=[redacted]&y");
    }
  }
}

TEST(SecretMatcher, FindsBothAlphabetsOfBase64) {
  const std::string value = "\xfb\xff\xbe?>~?>~";
  EXPECT_EQ(Redacted(value, EncodeBase64(value)), "[redacted]");
  EXPECT_EQ(Redacted(value, EncodeBase64(value, kWeb64)), "[redacted]");
  EXPECT_THAT(EncodeBase64(value), HasSubstr("/"));
  EXPECT_THAT(EncodeBase64(value, kWeb64), HasSubstr("_"));
}

TEST(SecretMatcher, FindsBase64InLinesAndInJson) {
  const std::string value = FakeSecrets(1).Of(kAlnum, 200);
  std::string lines = EncodeBase64("some text in front: " + value + " and behind");
  for (std::size_t at = 76; at < lines.size(); at += 77) lines.insert(at, "\n");
  EXPECT_EQ(Redacted(value, "data:\n" + lines + "\n\nend"), "data:\n[redacted]\n\nend");
  FakeSecrets fake(2);
  EXPECT_EQ(Redacted(value, "{\"x\":\"" + EscapeJson(lines, fake, 1000) + "\"}"), "{\"x\":\"[redacted]\"}");
  for (std::size_t at = 77; at < lines.size(); at += 77 + 4) lines.insert(at, "    ");
  EXPECT_EQ(Redacted(value, "data: |\n    " + lines + "\nend: 1"), "data: |\n    [redacted]\nend: 1");
}

TEST(SecretMatcher, FindsBase64WhoseLettersAreEscaped) {
  const std::string value = "\xff\xff\xfe>>>abcdef";
  std::string encoded = EncodeBase64(value);
  ASSERT_THAT(encoded, HasSubstr("/"));
  for (std::size_t at = encoded.find('/'); at != std::string::npos; at = encoded.find('/', at + 2))
    encoded.insert(at, "\\");
  EXPECT_EQ(Redacted(value, encoded), "[redacted]");
}

TEST(SecretMatcher, FindsTheLinesOfAKeyBlockHoweverTheyAreSet) {
  FakeSecrets fake(3);
  const std::string first = fake.Of(kBase64, 64), second = fake.Of(kBase64, 64);
  const std::string key = "-----BEGIN X-----\n" + first + "\n" + second + "\n-----END X-----\n";
  EXPECT_EQ(Redacted(key, "a: |\n" + key + "b"), "a: |\n[redacted]\nb");
  EXPECT_EQ(Redacted(key, "  " + first + "\r\n  " + second), "  [redacted]\r\n  [redacted]");
  EXPECT_EQ(Redacted(key, "-----BEGIN X-----"), "(nothing found)");
}

// Its first and its last line are in other texts, too: they go with the key, and only with it.
TEST(SecretMatcher, FindsAKeyWholeHoweverItIsShown) {
  FakeSecrets fake(4);
  const std::string begin = std::string("-----BEGIN PRIVATE") + " KEY-----", end = "-----END PRIVATE KEY-----";
  const std::string common = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW";
  const std::string own = fake.Of(kBase64, 70), last = fake.Of(kBase64, 20);
  const auto key = [&](const std::string& line, std::string_view before) {
    return fmt::format("{0}{2}\n{0}{3}\n{0}{4}\n{0}{5}\n{0}{1}", before, end, begin, common, line, last);
  };
  const std::string value = key(own, "");
  for (const std::string_view before : {"+", "-", "  12:", "a.pem-7-", "# ", "[12:00:01] "}) {
    EXPECT_EQ(Redacted(value, key(own, before)), fmt::format("{}[redacted]", before));
    EXPECT_EQ(Redacted(value, EscapeJson(key(own, before), fake, 1000)), fmt::format("{}[redacted]", before));
  }
  EXPECT_EQ(Redacted(value, key(fake.Of(kBase64, 70), "")), "(nothing found)")
      << "another key with the same first line";
}

TEST(SecretMatcher, ValuesAreTrimmed) { EXPECT_EQ(Redacted("  hunter2!\n", "it is hunter2!."), "it is [redacted]."); }

TEST(SecretMatcher, FindsManyValuesAtOnceAndMergesWhatOverlaps) {
  const SecretMatcher finder = Finder({"abcdefg1", "defg1hij", "other-one", "abcdefg1hijk", "never-there"});
  EXPECT_EQ(RedactText(finder, "xabcdefg1hijkx other-one."), "x[redacted]x [redacted].");
  EXPECT_EQ(RedactText(finder, "other-oneother-one"), "[redacted]");
  EXPECT_THAT(finder.FindValues("xabcdefg1hijkx b3RoZXItb25l"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(finder.FindValues("xabcdefg1hij"), ElementsAre(0, 1));
  EXPECT_THAT(finder.FindValues("nothing of it"), IsEmpty());
}

TEST(SecretMatcher, ShortAndCommonValuesAreNotLookedFor) {
  for (const char* value :
       {"", "a", "12345", "abcde", "aaaaaaaaaa", "123456", "1234567", "password", "PassWord", "Secret", "default",
        "arguments", "tool_call_response", "[redacted]", "redacted", "x[redacted]y"}) {
    EXPECT_TRUE(WhyNotSearchable(value)) << value;
    EXPECT_TRUE(Finder({value}).empty()) << value;
    EXPECT_FALSE(RedactText(Finder({value}), std::string("it is ") + value)) << value;
  }
  for (const char* value : {"abc12d", "91827364", "correct horse", "password of mine"}) {
    EXPECT_FALSE(WhyNotSearchable(value)) << value;
    EXPECT_FALSE(Finder({value}).empty()) << value;
  }
}

TEST(SecretMatcher, WithoutValuesNothingIsFound) {
  EXPECT_TRUE(Finder({}).empty());
  EXPECT_THAT(Finder({}).Find("a text"), IsEmpty());
  EXPECT_THAT(Finder({}).FindValues("a text"), IsEmpty());
}

TEST(SecretMatcher, WhatIsPutInDoesNotCompleteAnotherValue) {
  const SecretMatcher finder = Finder({"one-secret", "key=[red"});
  EXPECT_EQ(RedactText(finder, "my key=one-secret"), "my [redacted]acted]");
}

TEST(RedactedJson, StaysJson) {
  const auto redacted = [](std::string_view value, std::string_view json) {
    const auto result = RedactJson(Finder({value}), json);
    EXPECT_FALSE(result && FindJsonFault(*result)) << *result;
    return result.value_or("(nothing found)");
  };
  EXPECT_EQ(redacted("hunter2!", R"({"a": "x hunter2! y", "b": 1})"), R"({"a": "x [redacted] y", "b": 1})");
  EXPECT_EQ(redacted("hunter2!", R"({"hunter2!": true})"), R"({"[redacted]": true})");
  EXPECT_EQ(redacted("hunter2!", R"("hunter2!hunter2!")"), R"("[redacted]")");
  EXPECT_EQ(redacted("91827364", R"([91827364, -91827364, 1.91827364e2, "91827364"])"), R"([0, 0, 0, "[redacted]"])");
  EXPECT_EQ(redacted(R"({"on":true,"of":null,"by":[7,"x"]})", R"({"a":[{"on":true,"of":null,"by":[7,"x"]}]})"),
            R"({"a":[{"[redacted]":false,"[redacted]#2":null,"[redacted]#3":[0,"[redacted]"]}]})");
  EXPECT_EQ(redacted("nhunter2!", R"("a\nhunter2!")"), R"("a[redacted]")");
  EXPECT_EQ(redacted("0041bcdef", R"("\u0041bcdef")"), R"("[redacted]")");
  EXPECT_EQ(redacted("hunter2\\", R"("hunter2\n")"), R"("[redacted]")");
  EXPECT_EQ(redacted("udd11key", R"("x\ud83d\udd11key")"), R"("x[redacted]")");
  EXPECT_EQ(redacted("one\",\"two", R"(["one","two"])"), R"(["[redacted]","[redacted]"])");
  EXPECT_EQ(redacted("hunter2!", R"({"a": [1, 2, {"b": null}]})"), "(nothing found)");
}

// A value of letters, signs, escapes and characters of several bytes.
std::string RandomValue(FakeSecrets& fake) {
  const std::string_view pieces[] = {"a",
                                     "K",
                                     "7",
                                     "q",
                                     "Z",
                                     "0",
                                     "\"",
                                     "\\",
                                     "/",
                                     "%",
                                     "+",
                                     "=",
                                     " ",
                                     "-",
                                     "_",
                                     "\n",
                                     "\xc3\xa4",
                                     "\xe2\x82\xac",
                                     "\xf0\x9f\x94\x91",
                                     "%41",
                                     "\\u0041",
                                     "n"};
  std::string value;
  const std::size_t count = 6 + fake.Below(30);
  while (value.size() < count) value += pieces[fake.Below(std::size(pieces))];
  return "k" + value + "k";  // white space at the ends is not searched
}

std::string RandomProse(FakeSecrets& fake) {
  const std::string_view words[] = {"the ",
                                    "key ",
                                    "is\n",
                                    "100% ",
                                    "C:\\dir\\x ",
                                    "\"quoted\" ",
                                    "aGVsbG8gd29ybGQ ",
                                    "%20",
                                    "/usr/share/doc/thing ",
                                    "\xc3\xa9t\xc3\xa9 ",
                                    "\\u00zz ",
                                    "= "};
  std::string text;
  for (std::uint32_t i = fake.Below(6); i > 0; --i) text += words[fake.Below(std::size(words))];
  return text;
}

// Adjacent letters could change the decoding of a value, so there are none.
std::string Delimited(std::string_view encoded) { return " " + std::string(encoded) + " "; }

TEST(SecretMatcherProperty, FindsValuesHoweverTheyAreWrittenAndLeavesNothingOfThem) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    FakeSecrets fake(seed);
    const std::string value = RandomValue(fake);
    if (WhyNotSearchable(value)) continue;
    std::string encoded = value;
    for (std::uint32_t steps = fake.Below(3); steps > 0; --steps) encoded = EncodeSomehow(encoded, fake);
    const std::string text = RandomProse(fake) + Delimited(encoded) + RandomProse(fake);
    const auto redacted = RedactText(Finder({value}), text);
    ASSERT_TRUE(redacted) << "seed " << seed << ": " << text;
    ASSERT_FALSE(Says(*redacted, value, 3)) << "seed " << seed << ": " << text << " became " << *redacted;
    ASSERT_THAT(*redacted, HasSubstr(kRedactionMark));
  }
}

TEST(SecretMatcherProperty, JsonStaysJsonAndSaysTheRest) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    FakeSecrets fake(seed);
    const std::string value = RandomValue(fake);
    if (WhyNotSearchable(value)) continue;
    std::string inside = "before " + Delimited(fake.OneIn(2) ? value : EncodeBase64("x" + value)) + "behind";
    for (std::uint32_t levels = fake.Below(3); levels > 0; --levels)
      inside = "{\"in\":\"" + EscapeJson(inside, fake, 5) + "\"}";
    const std::string json = "{\"keep\":[1,true],\"text\":\"" + EscapeJson(inside, fake, 5) + "\"}";
    ASSERT_FALSE(FindJsonFault(json));
    const auto redacted = RedactJson(Finder({value}), json);
    ASSERT_TRUE(redacted) << "seed " << seed << ": " << json;
    ASSERT_FALSE(FindJsonFault(*redacted)) << "seed " << seed << ": " << json << " became " << *redacted;
    ASSERT_FALSE(Says(*redacted, value, 4)) << "seed " << seed << ": " << json << " became " << *redacted;
    ASSERT_TRUE(Says(*redacted, "before ", 4) && Says(*redacted, "behind", 4)) << "seed " << seed << ": " << *redacted;
    ASSERT_THAT(*redacted, testing::StartsWith("{\"keep\":[1,true],"));
  }
}

TEST(SecretMatcherProperty, FindsNothingInTextsThatDoNotSayTheValue) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    FakeSecrets fake(seed);
    const std::string value = fake.Of(kAlnum, 10);
    std::string text;
    for (int i = 0; i < 20; ++i) text += RandomProse(fake) + Delimited(EncodeSomehow(fake.Of(kAlnum, 12), fake));
    EXPECT_FALSE(RedactText(Finder({value}), text)) << "seed " << seed;
  }
}

TEST(SecretMatcher, ManyThreadsUseOne) {
  const SecretMatcher finder = Finder({"hunter2!", "other-one"});
  std::vector<std::jthread> threads;
  threads.reserve(8);
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 500; ++k) {
        if (RedactText(finder, R"(h\u0075nter2! b3RoZXItb25l)") == "[redacted] [redacted]") ++right;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 8 * 500);
}

// Each would take hours with a quadratic algorithm and exceed the time limit of the tests.
TEST(SecretMatcher, HostileTextsAndValuesTakeNoLonger) {
  std::vector<SecretString> values;
  for (std::size_t i = 6; i < 600; ++i) {
    std::string value;
    while (value.size() < i) value += "ab";
    values.emplace_back(value);
  }
  const SecretMatcher finder(values);
  for (const char* piece :
       {"ab", "a", "aaab", "\\", "\\\\u0061", "%61", "%25", "\\u005c", "YWJhYmFi", "AAAA\n", "\n"}) {
    std::string text;
    while (text.size() < 1'000'000) text += piece;
    finder.Find(text);
  }
}

// Also next to its ends, at two positions that may be neighbours, and between all letters.
TEST(SecretMatcher, FindsValuesThatAreSplitAnywhere) {
  const std::string_view value = "Kx7q!Zr8Lw3Vn";
  const SecretMatcher matcher = Finder({value});
  for (const std::string_view split : {"\n", "\r\n   ", "\n> ", "\u200b", "\x1b[31m"}) {
    std::string everywhere(value.substr(0, 1));
    for (std::size_t i = 1; i < value.size(); ++i) {
      everywhere.append(split).append(value.substr(i, 1));
      for (std::size_t j = i; j < value.size(); ++j) {
        std::string text = fmt::format("is{}{}{}", split, value.substr(0, i), split);
        text.append(value.substr(i, j - i)).append(j > i ? split : "").append(value.substr(j)).append(split) += "it";
        EXPECT_EQ(matcher.Find(text).size(), 1U) << text;
      }
    }
    EXPECT_EQ(matcher.Find(everywhere).size(), 1U) << everywhere;
  }
}

}  // namespace
}  // namespace turnlog::secret_matcher_test
