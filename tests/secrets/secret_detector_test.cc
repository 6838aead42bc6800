#include "sanitize/secrets/secret_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "base/base64.h"
#include "tests/secrets/built_in_detector.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/secrets/planted_secrets.h"
#include "tests/secrets/shapes.h"
#include "tests/support/effort.h"

namespace turnlog::secret_detector_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The text with every detected secret replaced.
std::string Cover(std::string text) {
  const auto found = Detector().Find(text);
  for (auto secret = found.rbegin(); secret != found.rend(); ++secret)
    text.replace(secret->span.begin, secret->span.size(), "#");
  return text;
}

TEST(SecretDetector, FindsEachKindOfSecretAndNothingAroundIt) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    for (const PlantedSecret& planted : PlantedSecrets(seed)) {
      EXPECT_THAT(RulesIn(planted.text()), ElementsAre(planted.rule)) << "seed " << seed;
      EXPECT_EQ(Cover(planted.text()), planted.before + "#" + planted.after) << planted.rule << ", seed " << seed;
    }
  }
}

TEST(SecretDetector, EveryBuiltInRuleIsPlantedInTheseTests) {
  std::set<std::string> planted;
  for (const PlantedSecret& secret : PlantedSecrets(0)) planted.insert(secret.rule);
  for (const SecretRule& rule : BuiltInSecretRules().rules) EXPECT_THAT(planted, Contains(rule.id));
}

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out.push_back('\\');
    letter == '\n' ? out.append("\\n") : out.append(1, letter);
  }
  return out + "\"";
}

TEST(SecretDetector, FindsThemInEscapedTextThroughSeveralLevels) {
  for (const PlantedSecret& planted : PlantedSecrets(1)) {
    std::string text = "\n" + planted.text();
    for (int level = 1; level <= 3; ++level) {
      text = JsonString(text);
      EXPECT_THAT(RulesIn(text), ElementsAre(planted.rule)) << "level " << level;
    }
  }
}

TEST(SecretDetector, FindsThemInBase64) {
  for (const PlantedSecret& planted : PlantedSecrets(2)) {
    const std::string text = "data: " + EncodeBase64("\n" + planted.text()) + " end";
    EXPECT_EQ(Cover(text), "data: # end") << planted.rule;
  }
}

TEST(SecretDetector, GivesTheSecretInPlainHoweverItIsWritten) {
  for (const PlantedSecret& planted : PlantedSecrets(9)) {
    if (planted.rule.ends_with("private-key")) continue;  // see KeyBlock
    const std::string text = "\n" + planted.text();
    for (const std::string& written : {text, JsonString(text), EncodeBase64(JsonString(text))}) {
      const auto found = Detector().Find(written);
      ASSERT_EQ(found.size(), 1U) << planted.rule;
      EXPECT_EQ(found[0].value.view(), planted.secret) << planted.rule;
    }
  }
}

TEST(SecretDetector, TokensThatAreCutAreNotFound) {
  FakeSecrets fake(3);
  EXPECT_THAT(RulesIn("ghp_" + fake.Of(kAlnum, 35)), IsEmpty());
  EXPECT_THAT(RulesIn("AKIA" + fake.Of(kBase32, 15)), IsEmpty());
  EXPECT_THAT(RulesIn("AKIA" + fake.Of(kBase32, 17)), IsEmpty());
  EXPECT_THAT(RulesIn("xAK"
                      "IA" +
                      fake.Of(kBase32, 16)),
              IsEmpty());
  EXPECT_THAT(RulesIn("AIza" + fake.Of(kWeb64, 34)), IsEmpty());
  EXPECT_THAT(RulesIn("SK" + fake.Of(kHex, 31)), IsEmpty());
  EXPECT_THAT(RulesIn("npm_" + fake.Of(kAlnum, 37)), IsEmpty());
}

TEST(SecretDetector, AJwtIsOneOnlyIfItsHeaderDecodes) {
  const std::string rest =
      "." + EncodeBase64("{\"sub\":\"1234\"}", kWeb64, false) + "." + FakeSecrets(4).Of(kWeb64, 43);
  EXPECT_THAT(RulesIn(EncodeBase64("{\"alg\":\"none\"}", kWeb64, false) + rest), ElementsAre("jwt"));
  const std::string example =
      "." + EncodeBase64("{\"some\":\"payload\"}", kWeb64, false) + "." + FakeSecrets(4).Of(kWeb64, 43);
  EXPECT_THAT(RulesIn(EncodeBase64("{\"alg\":\"none\"}", kWeb64, false) + example), IsEmpty());
  EXPECT_THAT(RulesIn(EncodeBase64("{\"alt\":\"none\"}", kWeb64, false) + rest), IsEmpty());
  EXPECT_THAT(RulesIn(EncodeBase64("{\"alg\" is what", kWeb64, false) + rest), IsEmpty());
}

TEST(SecretDetector, OverlappingMatchesAreOneAndTheMoreSpecificRuleNamesIt) {
  const std::string token = "ghp_" + FakeSecrets(5).Of(kAlnum, 36);
  EXPECT_THAT(RulesIn("Authorization: Bearer " + token), ElementsAre("github-token"));
  EXPECT_THAT(RulesIn("github_token = \"" + token + "\""), ElementsAre("github-token"));
}

// A secret by chance or by its prefix holds a word of placeholders.
TEST(SecretDetector, AWordWithinARandomTextDoesNotHideIt) {
  FakeSecrets fake(10);
  const std::string key = "sk-ant-api03-" + fake.Of(kAlnum, 40) + "Example" + fake.Of(kAlnum, 45) + "AA";
  EXPECT_THAT(RulesIn("key " + key), ElementsAre("anthropic-key"));
  EXPECT_THAT(RulesIn("sk-ant-api03-example-example-example-example-example-example-example-example"), IsEmpty());
  EXPECT_THAT(RulesIn("API_TOKEN=sample_" + fake.Of(kAlnum, 32)), ElementsAre("secret-assignment"));
}

TEST(SecretDetector, MatchesLongerThanTheWindowAreWhole) {
  FakeSecrets fake(11);
  const std::string key = "sk-proj-" + fake.Of(kAlnum, 600);
  EXPECT_EQ(Cover("see " + key + " there"), "see # there");
  const std::string jwt = EncodeBase64(R"({"alg":"RS256"})", kWeb64, false) + "." +
                          EncodeBase64("{\"sub\":\"" + fake.Of(kAlnum, 30000) + "\"}", kWeb64, false) + "." +
                          fake.Of(kWeb64, 342);
  EXPECT_EQ(Cover("see " + jwt + " there"), "see # there");
  EXPECT_EQ(Cover("api_key = \"" + fake.Of(kAlnum, 3000) + "\""), "api_key = \"#\"");
  EXPECT_EQ(Cover("password = \"" + fake.Of(kAlnum, 3000) + "\""), "password = \"#\"");
}

TEST(SecretDetector, SaysWhyWithoutQuoting) {
  const std::string token = "ghp_" + FakeSecrets(12).Of(kAlnum, 36);
  const auto found = Detector().Find("token: " + token);
  ASSERT_EQ(found.size(), 1U);
  const std::string why = Detector().Explain(found[0]);
  EXPECT_THAT(why, HasSubstr(Detector().rule(found[0].rule).description));
  EXPECT_THAT(why, HasSubstr("`ghp_`"));
  EXPECT_THAT(why, HasSubstr("40 bytes"));
  EXPECT_THAT(why, Not(HasSubstr(token.substr(4, 6))));
}

TEST(SecretDetector, FindsManyInOneText) {
  FakeSecrets fake(6);
  std::string text, covered;
  for (int i = 0; i < 1000; ++i) {
    text +=
        "and gh"
        "p_" +
        fake.Of(kAlnum, 36) + " ";
    covered += "and # ";
  }
  EXPECT_EQ(Cover(text), covered);
}

TEST(SecretDetector, TextsAreBytesAndMayBeAnything) {
  FakeSecrets fake(7);
  for (int i = 0; i < 200; ++i) {
    const std::string noise = fake.Bytes(2000);
    EXPECT_THAT(RulesIn(noise), IsEmpty()) << i;
    std::string text = noise;
    text.append(" ghp_").append(fake.Of(kAlnum, 36)).append(" ").append(noise);
    EXPECT_THAT(RulesIn(text), Contains("github-token"));
  }
  EXPECT_THAT(RulesIn(""), IsEmpty());
}

TEST(SecretDetector, ManyThreadsUseOne) {
  const auto planted = PlantedSecrets(8);
  std::vector<std::jthread> threads;
  threads.reserve(8);
  std::atomic<std::size_t> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (const PlantedSecret& secret : planted) {
        if (RulesIn(secret.text()) == std::vector{secret.rule}) ++right;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 8 * planted.size());
}

// Each would take hours with a quadratic algorithm and exceed the time limit of the tests.
TEST(SecretDetector, HostileTextsTakeNoLonger) {
  const auto repeat = [](std::string_view piece) {
    std::string text;
    while (text.size() < SampleSize(2'000'000, 2'000'000)) text += piece;
    return text;
  };
  for (const char* piece : {"password=",
                            "secret_key=",
                            "token:\"",
                            "-----BEGIN PRIVATE KEY-----\n",
                            "eyJ",
                            "a",
                            "eyJhbGciOiJIUzI1NiJ9.",
                            "\\",
                            "\\\\\"",
                            "%25",
                            "\\u005c",
                            "://a:",
                            "sk-",
                            "AAAA\n",
                            "basic YTpi",
                            "aws_secret_access_key=",
                            "eyJ-",
                            "token=",
                            "-----BEGIN PRIVATE KEY-----",
                            "curl ",
                            "\"kty\"",
                            "kind: secret\n",
                            "a: b\n",
                            "key key ",
                            "<token>",
                            "password = \"aaaaaaa",
                            "=",
                            "'"}) {
    Detector().Find(repeat(piece));
  }
}

TEST(SecretDetector, RefusesRulesWhoseExpressionIsNone) {
  SecretRule rule{.id = "r", .description = "d", .regex = "(", .keywords = {"key"}};
  EXPECT_FALSE(SecretDetector::Make({.rules = {rule}, .allow = {}}));
  rule.regex = "a";
  rule.group = 1;
  EXPECT_FALSE(SecretDetector::Make({.rules = {rule}, .allow = {}}));
  rule.group = 0;
  EXPECT_TRUE(SecretDetector::Make({.rules = {rule}, .allow = {}}));
  EXPECT_FALSE(SecretDetector::Make({.rules = {rule}, .allow = {"["}}));
}

TEST(SecretDetector, ARuleLooksAsFarAsItSaysAndNoFurther) {
  SecretRule rule{.id = "r", .description = "d", .regex = "[0-9]{6}", .keywords = {"PIN"}, .before = 7, .after = 7};
  const auto detector = SecretDetector::Make({.rules = {rule}, .allow = {}});
  ASSERT_TRUE(detector);
  const auto found = [&](std::string_view text) { return (*detector)->Find(text).size(); };
  EXPECT_EQ(found("pin 918273"), 1U);
  EXPECT_EQ(found("918273 pin"), 1U);
  EXPECT_EQ(found("918273 pin 918273"), 2U);
  EXPECT_EQ(found("pin  918273"), 0U);
  EXPECT_EQ(found("918273  pin"), 0U);
  EXPECT_EQ(found("918273"), 0U);
}

TEST(SecretDetector, ARuleIsTriedOnlyWhereWhatItNeedsIs) {
  SecretRule rule{.id = "r", .description = "d", .regex = "PIN [0-9]{6}@?", .keywords = {"PIN"}, .after = 11};
  rule.anchored = true;
  rule.needs = "@";
  const auto detector = SecretDetector::Make({.rules = {rule}, .allow = {}});
  ASSERT_TRUE(detector);
  const auto found = [&](std::string_view text) { return (*detector)->Find(text).size(); };
  EXPECT_EQ(found("PIN 918273@"), 1U);
  EXPECT_EQ(found("PIN 918273"), 0U);
  EXPECT_EQ(found("PIN 918273.@"), 0U);
}

// Long base64 of text is searched decoded only, apart from its ends.
TEST(SecretDetector, FindsThemInAndBesideLongBase64) {
  FakeSecrets fake(5);
  std::string prose;
  while (prose.size() < 3000) prose += "Nothing of interest is in here. ";
  for (const std::string& context : Contexts()) {
    const std::string token = "ghp_" + fake.Of(kAlnum, 36), plain = WriteIn(context, "token", token);
    std::string run;
    AppendBase64(prose + plain + prose, run);
    const auto within = Detector().Find(run);
    ASSERT_EQ(within.size(), 1U) << plain;
    EXPECT_EQ(within[0].span, (TextSpan{0, run.size()}));
    EXPECT_EQ(within[0].value.view(), token);
    run.clear();
    AppendBase64(prose, run);
    for (const std::string& beside : {plain + "\n" + run, run + "\n" + plain, run + " " + token})
      EXPECT_EQ(RulesIn(beside).size(), 1U) << plain;
  }
}

}  // namespace
}  // namespace turnlog::secret_detector_test
