// Texts in which escapes only part words are not decoded where nothing else asks for it: what is found is the same.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sanitize/secrets/escapes.h"
#include "tests/secrets/built_in_detector.h"
#include "tests/secrets/encodings.h"
#include "tests/secrets/planted_secrets.h"

namespace turnlog::plain_escapes_test {
namespace {

TEST(PlainEscapes, StandForLineBreaksTabsAndQuotes) {
  for (const char* text : {"", "a", R"(a\nb\tc\"d\")", R"(a\\nb\\\"c\\\\\r)", R"(\b\f\')", "100% & more", "a&b=c"}) {
    EXPECT_TRUE(HasOnlyPlainEscapes(text)) << text;
  }
  for (const char* text : {R"(a\)", R"(\d)", R"(\\d)", R"(\/)", R"(\u0041)", R"(\x41)", R"(\\)", "%41", "&amp;",
                           "&#65;", R"(\n\.)", R"(\%41)"}) {
    EXPECT_FALSE(HasOnlyPlainEscapes(text)) << text;
  }
}

// The text is read in blocks.
TEST(PlainEscapes, AreReadAcrossBlocks) {
  for (std::size_t before = 0; before < 1100; ++before) {
    const std::string text(before, 'x');
    EXPECT_TRUE(HasOnlyPlainEscapes(text + R"(\n)")) << before;
    EXPECT_FALSE(HasOnlyPlainEscapes(text + R"(\d)")) << before;
    EXPECT_FALSE(HasOnlyPlainEscapes(text + R"(\)")) << before;
    EXPECT_FALSE(HasOnlyPlainEscapes(text + "%41")) << before;
  }
}

// A rule with a backslash in its keyword, which no text has, makes the detector decode all escapes.
std::unique_ptr<SecretDetector> DetectorThatDecodesAll() {
  SecretRules rules = BuiltInSecretRules();
  SecretRule& rule = rules.rules.emplace_back();
  rule.id = "none";
  rule.regex = "never\\\\found";
  rule.keywords = {"never\\found"};
  auto detector = SecretDetector::Make(std::move(rules));
  EXPECT_TRUE(detector);
  return *std::move(detector);
}

std::string Wrapped(std::string_view text, std::size_t letters) {
  const std::string encoded = EncodeBase64(text);
  std::string lines;
  for (std::size_t at = 0; at < encoded.size(); at += letters) lines += encoded.substr(at, letters) + "\n";
  return lines;
}

class RandomTexts {
 public:
  explicit RandomTexts(std::uint32_t seed) : fake_(seed), secrets_(PlantedSecrets(seed)) {}

  std::string Next() {
    std::string text;
    for (std::uint32_t part = 0, parts = 1 + fake_.Below(5); part < parts; ++part) {
      text += Words(fake_.Below(fake_.OneIn(3) ? 3000 : 60)) + (fake_.OneIn(3) ? "" : Encoded(Part()));
    }
    return fake_.OneIn(2) ? "{\"text\":\"" + EscapeJson(text, fake_, 50) + "\"}" : text;
  }

 private:
  std::string Words(std::size_t size) {
    constexpr std::array kWords{"the", "build", "token", "\n", "\"x\"",           "'y'",
                                "\t",  "\\d+",  "100%",  "&",  "kind: \"secret\""};
    std::string text;
    while (text.size() < size)
      text.append(kWords[fake_.Below(fake_.OneIn(9) ? static_cast<std::uint32_t>(kWords.size()) : 6)]).append(" ");
    return text;
  }

  std::string Part() {
    const std::string secret = secrets_[fake_.Below(static_cast<std::uint32_t>(secrets_.size()))].text();
    return fake_.OneIn(5) ? Wrapped(secret + " and " + secret, fake_.OneIn(2) ? 64 : 40) : secret;
  }

  std::string Encoded(std::string text) {
    for (std::uint32_t level = 0, levels = fake_.Below(4); level < levels; ++level) {
      text = fake_.OneIn(4) ? EncodeSomehow(text, fake_) : EscapeJson(text, fake_, 1'000'000);
    }
    return text;
  }

  FakeSecrets fake_;
  std::vector<PlantedSecret> secrets_;
};

TEST(PlainEscapes, AreNotDecodedAndTheSameSecretsAreFound) {
  const auto decodes_all = DetectorThatDecodesAll();
  std::size_t found = 0;
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    RandomTexts texts(seed);
    for (int i = 0; i < 150; ++i) {
      const std::string text = texts.Next();
      const auto some = Detector().Find(text), all = decodes_all->Find(text);
      ASSERT_EQ(some.size(), all.size()) << text;
      for (std::size_t each = 0; each < all.size(); ++each) {
        EXPECT_EQ(some[each].span, all[each].span) << text;
        EXPECT_EQ(some[each].rule, all[each].rule) << text;
      }
      found += all.size();
    }
  }
  EXPECT_GT(found, 1000U);
}

// Quotes of keywords, and base64 that a line break parts, at each level of escapes.
TEST(PlainEscapes, OfAKeywordAreFoundAtEachLevel) {
  FakeSecrets fake(1);
  const std::string auth = R"({"auths":{"r":{"auth": ")" + EncodeBase64("somebody:" + fake.Of(kAlnum, 12)) + "\"}}}";
  const std::string token = "use ghp_" + fake.Of(kAlnum, 36) + ", keep it";
  const std::string key = R"({"kty":"EC","d":")" + fake.Of(kWeb64, 43) + "\"}";
  for (std::string text : {auth, key, Wrapped(token + " " + token, 64)}) {
    for (int level = 0; level < 4; ++level) {
      EXPECT_EQ(RulesIn(text).size(), 1U) << level << text;
      text = EscapeJson(text, fake, 1'000'000);
    }
  }
}

}  // namespace
}  // namespace turnlog::plain_escapes_test
