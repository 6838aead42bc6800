// Every provider's keys, in every context, and what is nearly one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/secrets/built_in_detector.h"
#include "tests/secrets/shapes.h"

namespace turnlog::providers_test {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

// Whether a finding covers all of `value`.
bool IsFound(std::string_view text, std::string_view value) {
  const std::size_t begin = text.find(value);
  return std::ranges::any_of(Detector().Find(text), [&](const FoundSecret& found) {
    return found.span.begin <= begin && begin + value.size() <= found.span.end;
  });
}

TEST(Providers, KeysOfAKnownShapeAreFoundInEveryContext) {
  FakeSecrets fake(1);
  for (const KeyShape& key : KeyShapes()) {
    for (const std::string& context : Contexts()) {
      const std::string value = Sample(key.shape, fake), text = WriteIn(context, "field", value);
      EXPECT_THAT(RulesIn(text), Contains(key.rule)) << context;
      EXPECT_TRUE(IsFound(text, value)) << key.rule << " in " << context;
    }
  }
}

TEST(Providers, KeysKnownByTheirNameAreFoundInEveryContext) {
  FakeSecrets fake(2);
  for (const NamedKeyShape& key : NamedKeyShapes()) {
    for (const std::string& context : Contexts()) {
      const std::string value = Sample(key.shape, fake);
      const std::string text = WriteIn(context, key.name, value);
      EXPECT_THAT(RulesIn(text), Contains(key.rule)) << context;
      EXPECT_TRUE(IsFound(text, value)) << key.rule << " in " << context;
    }
  }
}

TEST(Providers, AKeyGluedToOtherLettersIsNone) {
  FakeSecrets fake(3);
  std::set<std::string> anchored;
  for (const SecretRule& rule : BuiltInSecretRules().rules) {
    if (rule.anchored) anchored.insert(rule.id);
  }
  for (const KeyShape& key : KeyShapes()) {
    if (!anchored.contains(key.rule)) continue;  // begins with any letters
    const std::string text = "see x" + Sample(key.shape, fake) + " there";
    EXPECT_THAT(RulesIn(text), Not(Contains(key.rule))) << key.shape;
  }
}

TEST(Providers, AKeyOfWhichMostIsMissingIsNone) {
  constexpr std::size_t kLeft = 14;
  FakeSecrets fake(4);
  for (const KeyShape& key : KeyShapes()) {
    const std::string value = Sample(key.shape, fake);
    EXPECT_THAT(RulesIn("see " + value.substr(0, kLeft) + " there"), Not(Contains(key.rule))) << key.shape;
  }
}

TEST(Providers, WhatOnlyHasThePrefixIsNone) {
  for (const char* text : {"task-management-and-risk-assessment-of-disks", "sk-learn-contrib-and-some-other-packages",
                           "npm_config_registry_of_the_company_here", "re_compile_the_regular_expressions",
                           "pa-rsing-of-the-commands-in-the-background-task", "hf_transformers_of_the_second_kind_here",
                           "key_of_the_dictionary_that_is_used_to_store_it", "glpat-rotation-of-the-company"}) {
    EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
  }
}

TEST(Providers, NamedValuesOfAnotherShapeAreNone) {
  for (const char* text : {"MISTRAL_API_KEY=$KEY", "mistral_model = \"mistral-large-2411-instruct-v03-q8\"",
                           "cohere_endpoint: https://api.cohere.com/v2/embed", "WANDB_PROJECT=turnlog-experiments-2026",
                           "AZURE_OPENAI_DEPLOYMENT=gpt-4o-mini-2024-07-18-global", "heroku_app = my-works-app-42",
                           "asana: see the board of the team", "GITHUB_API_KEY=\nDYNATRACE_API_KEY="}) {
    EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
  }
}

// Every rule says where its shape is documented.
TEST(Providers, EveryRuleHasASource) {
  for (const SecretRule& rule : BuiltInSecretRules().rules) EXPECT_FALSE(rule.source.empty()) << rule.id;
}

}  // namespace
}  // namespace turnlog::providers_test
