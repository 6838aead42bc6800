#include "sanitize/secrets/secret_rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "sanitize/secrets/secret_checks.h"
#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_rules_json.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/support/source_dir.h"

namespace turnlog::secret_rules_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(SecretRules, BuiltInOnesAreSoundAndTheirIdsUnique) {
  const SecretRules& built_in = BuiltInSecretRules();
  EXPECT_GT(built_in.rules.size(), 50U);
  EXPECT_FALSE(built_in.allow.empty());
  std::set<std::string> ids;
  for (const SecretRule& rule : built_in.rules) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_FALSE(rule.description.empty()) << rule.id;
  }
  EXPECT_TRUE(SecretDetector::Make(built_in));
  // They are not checked where they are used.
  const auto checked = ParseSecretRules(kSecretRulesJson, "secret_rules.json", {});
  EXPECT_TRUE(checked) << checked.error().message;
}

TEST(SecretRules, AFileAddsRules) {
  const auto rules = ParseSecretRules(R"({
    "version": 1,
    "allow": ["^none$"],
    "rules": [
      {"id": "badge", "description": "Badge of the works", "regex": "badge:([0-9]{6})\\b", "keywords": ["badge:"],
       "before": 1, "after": 20, "entropy": 1.5, "allow": ["^000000$"], "check": "random", "group": 0},
      {"id": "other", "description": "d", "regex": "(a)(b)?", "keywords": ["\u0061bc"]}
    ]
})",
                                      "mine.json", {});
  ASSERT_TRUE(rules) << rules.error().message;
  EXPECT_THAT(rules->allow, ElementsAre("^none$"));
  ASSERT_EQ(rules->rules.size(), 2U);
  const SecretRule& badge = rules->rules[0];
  EXPECT_EQ(badge.id, "badge");
  EXPECT_EQ(badge.description, "Badge of the works");
  EXPECT_EQ(badge.regex, "badge:([0-9]{6})\\b");
  EXPECT_THAT(badge.keywords, ElementsAre("badge:"));
  EXPECT_EQ(badge.before, 1U);
  EXPECT_EQ(badge.after, 20U);
  EXPECT_EQ(badge.entropy, 1.5);
  EXPECT_THAT(badge.allow, ElementsAre("^000000$"));
  EXPECT_EQ(badge.check, SecretCheck::kRandom);
  EXPECT_EQ(badge.group, 0U);
  EXPECT_EQ(rules->rules[1].group, std::nullopt) << "the first one";
  EXPECT_THAT(rules->rules[1].keywords, ElementsAre("abc"));
}

TEST(SecretRules, AFileAddsRulesForNames) {
  const auto rules = ParseSecretRules(R"({"version": 1, "placeholders": ["test"], "rules": [
    {"id": "desk", "description": "d", "source": "s", "names": ["desk"], "regex": "[0-9]{4}", "called": "_pin$",
     "not_called": "^old", "near": "office", "forms": ["flag", "prose"], "check": "issued"}]})",
                                      "mine.json", {});
  ASSERT_TRUE(rules) << rules.error().message;
  EXPECT_THAT(rules->placeholders, ElementsAre("test"));
  const SecretRule& desk = rules->rules[0];
  EXPECT_TRUE(desk.named);
  EXPECT_THAT(desk.keywords, ElementsAre("desk"));
  EXPECT_EQ(desk.source, "s");
  EXPECT_EQ(desk.called, "_pin$");
  EXPECT_EQ(desk.not_called, "^old");
  EXPECT_EQ(desk.near, "office");
  EXPECT_THAT(desk.forms, ElementsAre(ValueForm::kFlag, ValueForm::kProse));
  EXPECT_EQ(desk.check, SecretCheck::kIssued);
}

TEST(SecretRules, ARuleForNamesMatchesWholeValues) {
  const auto rules = ParseSecretRules(R"({"version": 1, "allow": ["^0000$"], "rules": [
    {"id": "desk", "description": "d", "names": ["pin"], "regex": "[0-9]{4}", "called": "_pin$", "not_called": "^old",
     "near": "office"}]})",
                                      "mine.json", {});
  ASSERT_TRUE(rules) << rules.error().message;
  const auto detector = SecretDetector::Make(*rules);
  ASSERT_TRUE(detector);
  const auto found = [&](std::string_view text) { return (*detector)->Find(text).size(); };
  EXPECT_EQ(found("office: desk_pin=1234"), 1U);
  EXPECT_EQ(found("office: desk_pin=12345"), 0U);
  EXPECT_EQ(found("office: desk_pins=1234"), 0U);
  EXPECT_EQ(found("office: old_pin=1234"), 0U);
  EXPECT_EQ(found("home: desk_pin=1234"), 0U);
  EXPECT_EQ(found("office: desk_pin 1234"), 0U) << "prose only counts if the rule says so";
  EXPECT_EQ(found("office: desk_pin=0000"), 0U);
}

TEST(SecretRules, TheExampleOfTheDocumentIsAFile) {
  std::ifstream in(SourceDir() / "docs/formats/secret_rules.md");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t begin = text.find("```json\n") + 8;
  const auto rules =
      ParseSecretRules(text.substr(begin, text.find("```", begin) - begin), "example", BuiltInSecretRules());
  ASSERT_TRUE(rules) << rules.error().message;
  EXPECT_EQ(rules->rules.size(), BuiltInSecretRules().rules.size() + 1);
  EXPECT_EQ(rules->rules[0].id, "works-badge");
}

TEST(SecretRules, AFileReplacesAndDisablesWhatIsThere) {
  SecretRules base;
  base.rules = {{.id = "a", .description = "", .regex = "old"}, {.id = "b", .description = "", .regex = "b"}};
  const auto rules = ParseSecretRules(
      R"({"version": 1, "disable": ["b"], "rules": [
        {"id": "new", "description": "d", "regex": "n", "keywords": ["nnn"]},
        {"id": "a", "description": "d", "regex": "mine", "keywords": ["mine"]}]})",
      "mine.json", base);
  ASSERT_TRUE(rules) << rules.error().message;
  ASSERT_EQ(rules->rules.size(), 2U);
  EXPECT_EQ(rules->rules[0].id, "new");
  EXPECT_EQ(rules->rules[1].id, "a");
  EXPECT_EQ(rules->rules[1].regex, "mine");
}

TEST(SecretRules, WhatIsWrongIsNamedByFileAndLine) {
  const auto rule = [](const std::string& fields) { return "{\"version\":1,\n\"rules\":[{\n" + fields + "}]}"; };
  const std::string good = R"("id":"a","description":"d","regex":"a","keywords":["aaa"])";
  const std::vector<std::pair<std::string, int>> cases = {
      {"", 1},
      {"{\n\"version\":1,\n}", 3},
      {"[]", 1},
      {"{}", 1},
      {"{\n\"version\":2}", 2},
      {"{\"version\":1,\n\"rulez\":[]}", 2},
      {"{\"version\":1,\n\"rules\":{}}", 2},
      {"{\"version\":1,\"rules\":[\n7]}", 2},
      {"{\"version\":1,\"allow\":[\n7]}", 2},
      {"{\"version\":1,\"allow\":[\n\"(\"]}", 2},
      {"{\"version\":1,\"disable\":[\n\"x\"]}", 2},
      {rule("\"id\":\"a\""), 2},
      {rule(good + ",\n\"color\":1"), 4},
      {rule(good + ",\n\"id\":\"A b\""), 4},
      {rule(good + ",\n\"id\":\"given-value\""), 4},
      {rule(good + ",\n\"regex\":\"a(\""), 4},
      {rule(good + ",\n\"keywords\":[\"ab\"]"), 4},
      {rule(good + ",\n\"keywords\":\"abc\""), 4},
      {rule(good + ",\n\"check\":\"magic\""), 4},
      {rule(good + ",\n\"forms\":[\"poem\"]"), 4},
      {rule(good + ",\n\"anchored\":1"), 4},
      {rule(good + ",\n\"called\":\"(\""), 4},
      {rule(good + ",\n\"anchored\":true,\n\"before\":1"), 2},
      {rule(good + ",\n\"needs\":\"@\""), 2},
      {rule(good + ",\n\"before\":-1"), 4},
      {rule(good + ",\n\"after\":65537"), 4},
      {rule(good + ",\n\"entropy\":\"high\""), 4},
      {rule(good + ",\n\"entropy\":9"), 4},
      {rule(good + ",\n\"group\":1"), 3},
      {rule(good + "},{\n" + good), 3},
  };
  for (const auto& [json, line] : cases) {
    const auto rules = ParseSecretRules(json, "mine.json", {});
    ASSERT_FALSE(rules) << json;
    EXPECT_EQ(rules.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(rules.error().message, StartsWith(fmt::format("mine.json, line {}: ", line))) << json;
  }
}

TEST(SecretRules, ADisabledRuleFindsNothingAndANewOneDoes) {
  const auto rules = ParseSecretRules(
      R"({"version": 1, "disable": ["github-token"], "rules": [
        {"id": "badge", "description": "d", "regex": "badge:([0-9]{6})\\b", "keywords": ["badge:"]}]
})",
      "mine.json", BuiltInSecretRules());
  ASSERT_TRUE(rules) << rules.error().message;
  const auto detector = SecretDetector::Make(*rules);
  ASSERT_TRUE(detector);
  EXPECT_THAT((*detector)->Find("ghp_" + FakeSecrets(1).Of(kAlnum, 36)), IsEmpty());
  const auto found = (*detector)->Find("my Badge:271828 badge:271828");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].span, (TextSpan{22, 28}));
  EXPECT_EQ((*detector)->rule(found[0].rule).id, "badge");
}

TEST(SecretChecks, EntropyCountsBits) {
  EXPECT_EQ(Entropy(""), 0);
  EXPECT_EQ(Entropy("aaaa"), 0);
  EXPECT_EQ(Entropy("abab"), 1);
  EXPECT_EQ(Entropy("abcdefgh"), 3);
}

TEST(SecretChecks, DistinguishRandomTextFromNames) {
  FakeSecrets fake(1);
  int random = 0;
  for (int i = 0; i < 1000; ++i) random += LooksRandom(fake.Of(kAlnum, 32)) && LooksRandom(fake.Of(kHex, 32)) ? 1 : 0;
  EXPECT_GT(random, 980);
  for (const char* name : {"getAccessTokenFromStore", "my-service-account-2", "docs/secret_rules_v12.md", "1234567890",
                           "PRIVATE_KEY_OF_THE_SERVER", "ConversationStorage2", "", "0000-0000"}) {
    EXPECT_FALSE(LooksRandom(name)) << name;
  }
}

TEST(SecretChecks, NamesWithNumbersAreNotRandom) {
  for (const char* name : {"Ed25519PublicKey", "UseFAT32Workaround", "XXH3_initCustomSecret_avx512"}) {
    EXPECT_FALSE(LooksRandom(name)) << name;
  }
  FakeSecrets fake(1);
  int random = 0;
  for (int i = 0; i < 2000; ++i) random += LooksRandom(fake.Of(kAlnum, 20)) ? 1 : 0;
  EXPECT_GT(random, 1980);
}

TEST(SecretChecks, SomeTextsAreTypedAndSomeAreSentences) {
  for (const char* typed : {"sdf0o9823sjdfsdf", "askfjh234as9sd8", "lsdkfol23w54jlksdef"}) {
    EXPECT_TRUE(IsTyped(typed)) << typed;
  }
  EXPECT_TRUE(IsSentence(EncodeBase64("not my real password")));
  EXPECT_FALSE(IsSentence(EncodeBase64("aB3 dE6 gH9 jK2!")));
  EXPECT_FALSE(IsSentence(EncodeBase64("my Tr0ub4dor is so good")));
  FakeSecrets fake(2);
  for (int i = 0; i < 2000; ++i) {
    const std::string secret = fake.Of(i % 2 == 0 ? kHex : kBase32, 24);
    EXPECT_FALSE(IsTyped(secret) || IsSentence(secret)) << secret;
  }
}

TEST(SecretChecks, OpaqueTextIsNoUuidAndNoDigest) {
  FakeSecrets fake(2);
  EXPECT_TRUE(LooksOpaque(fake.Of(kAlnum, 32)));
  EXPECT_FALSE(LooksOpaque("550e8400-e29b-41d4-a716-446655440000"));
  for (const std::size_t size : {32U, 40U, 64U}) EXPECT_FALSE(LooksOpaque(fake.Of(kHex, size)));
  EXPECT_TRUE(LooksIssued("550e8400-e29b-41d4-a716-446655440000"));
  EXPECT_TRUE(LooksIssued("123456789012345"));
  EXPECT_FALSE(LooksIssued("20260101"));
  EXPECT_FALSE(LooksIssued("settings"));
}

TEST(SecretChecks, WordsAreWordsWhateverIsBetweenThem) {
  for (const char* words : {"task-management-of-disks", "getAccessTokenFromStore", "npm_config_registry", ""})
    EXPECT_TRUE(IsWords(words)) << words;
  for (const char* others : {"sha256", "aBcDeFgH", "x-y-z", "TOKEN", "hello world"})
    EXPECT_FALSE(IsWords(others)) << others;
}

TEST(SecretChecks, ASeedPhraseIsNoSentence) {
  EXPECT_TRUE(IsSeedPhrase("abandon ability able about above absent absorb abstract absurd abuse access acid"));
  EXPECT_FALSE(IsSeedPhrase("abandon ability able about above absent absorb abstract absurd abuse access"));
  EXPECT_FALSE(IsSeedPhrase("device that helps people remember things such with short words which they know already"));
}

TEST(SecretChecks, DistinguishPasswordsFromCode) {
  for (const char* password : {"hunter2024", "Tr0ub4dor&3", "correct-horse!", "p4ssw0rd", "gr\u00fcn3rTee"})
    EXPECT_TRUE(LooksLikePassword(password)) << password;
  for (const char* code :
       {"getPassword()", "config.password", "/etc/passwd2", "$PASSWORD_2", "https://e.org/1", "mustmatch", "options[2]",
        "", "Contrase\u00f1a", "proxy-\u043f\u0430\u0440\u043e\u043b\u044c"}) {
    EXPECT_FALSE(LooksLikePassword(code)) << code;
  }
}

TEST(SecretChecks, BasicAuthHasANameAndAPassword) {
  EXPECT_TRUE(IsBasicAuth(EncodeBase64("name:horse battery")));
  EXPECT_TRUE(IsBasicAuth(EncodeBase64("name:horse battery", kBase64, false)));
  EXPECT_FALSE(IsBasicAuth(EncodeBase64("user:pass")));
  EXPECT_FALSE(IsBasicAuth(EncodeBase64("namepassword")));
  EXPECT_FALSE(IsBasicAuth(EncodeBase64(":password")));
  EXPECT_FALSE(IsBasicAuth(EncodeBase64("name:")));
  EXPECT_FALSE(IsBasicAuth(EncodeBase64("na\x01me:password")));
  EXPECT_FALSE(IsBasicAuth(""));
  EXPECT_TRUE(IsBasicAuth(EncodeBase64("name:summer2019")));
  for (const char* pair : {"name:password", "xuser:xpassword", "user:Pass1", "foo:bar", "joejoe:hello",
                           "index:docker.io", "local:host-5000"})
    EXPECT_FALSE(IsBasicAuth(EncodeBase64(pair))) << pair;
}

TEST(SecretRules, MaskedWordsAreExamplesAndOthersAreNot) {
  for (const char* example : {"s3kr3t", "S3Cr3T0k3n!", "n0ts3kret", "p@$$w0rd"})
    EXPECT_TRUE(IsMaskedExample(example)) << example;
  for (const char* secret : {"s3cret-sauce", "hunter2024", "Gre3nTea-9", "Tr0ub4dor&3"})
    EXPECT_FALSE(IsMaskedExample(secret)) << secret;
}

}  // namespace
}  // namespace turnlog::secret_rules_test
