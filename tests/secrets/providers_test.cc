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

// As grep, git and others color it: before it, around it, and within.
TEST(Providers, KeysAreFoundHoweverTheyAreColored) {
  FakeSecrets fake(8);
  for (const KeyShape& key : KeyShapes()) {
    const std::string value = Sample(key.shape, fake);
    const std::string first = value.substr(0, 6), rest = value.substr(6);
    for (const std::string& text : {"see \x1b[32m" + value + "\x1b[0m there", "a.txt:\x1b[m\x1b[K" + value,
                                    "\x1b]8;;http://e.org\x07" + value + "\x1b]8;;\x07",
                                    "see \x1b[01;31m\x1b[K" + first + "\x1b[m\x1b[K" + rest + " there",
                                    R"({"out":"\u001b[32m)" + value + R"(\u001b[0m"})"}) {
      EXPECT_THAT(RulesIn(text), Contains(key.rule)) << text;
      const std::size_t begin = text.find(first), end = text.rfind(rest) + rest.size();
      EXPECT_TRUE(std::ranges::any_of(Detector().Find(text), [&](const FoundSecret& found) {
        return found.span.begin <= begin && end <= found.span.end;
      })) << key.rule;
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

// What the shape begins with, up to its first random letters.
std::size_t PrefixSize(const KeyShape& key) { return std::string_view(key.shape).find('['); }

TEST(Providers, AKeyWithAnotherPrefixIsNone) {
  FakeSecrets fake(5);
  for (const KeyShape& key : KeyShapes()) {
    if (key.rule == std::string_view("prefixed-key")) continue;  // any prefix
    for (std::size_t at = 0; at < PrefixSize(key); ++at) {
      std::string value = Sample(key.shape, fake);
      value[at] = value[at] == '!' ? '?' : '!';
      EXPECT_THAT(RulesIn("see " + value + " there"), Not(Contains(key.rule))) << value;
    }
  }
}

// The prefix of a key, and what is no key of its kind after it: too short, of other letters, or for everybody to see.
TEST(Providers, WhatIsNearlyAKeyIsNone) {
  const std::vector<KeyShape> near_misses = {
      {"openai-key", "sk-proj-[0-9A-Za-z]{30}"},
      {"openai-key", "sk-[0-9A-Za-z]{10}T3BlbkFJ[0-9A-Za-z]{10}"},
      {"anthropic-key", "sk-ant-api03-[0-9A-Za-z]{40}"},
      {"anthropic-key", "sk-ant-api-[0-9A-Za-z]{93}"},
      {"openrouter-key", "sk-or-v1-[0-9a-f]{60}"},
      {"openrouter-key", "sk-or-v1-[g-z]{64}"},
      {"langfuse-key", "pk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"},
      {"langfuse-key", "sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}"},
      {"sk-key", "sk-[0-9A-Za-z]{18}"},
      {"elevenlabs-key", "sk_[0-9a-f]{32}"},
      {"groq-key", "gsk_[0-9A-Za-z]{40}"},
      {"perplexity-key", "pplx-[0-9A-Za-z]{32}"},
      {"xai-key", "xai-[0-9A-Za-z]{60}"},
      {"hugging-face-token", "hf_[0-9A-Za-z]{30}"},
      {"hugging-face-token", "hf_[0-9A-Za-z]{16}-[0-9A-Za-z]{17}"},
      {"replicate-token", "r8_[0-9A-Za-z]{36}"},
      {"replicate-token", "r8_[0-9A-Za-z]{40}"},
      {"nvidia-key", "nvapi-[0-9A-Za-z]{50}"},
      {"cerebras-key", "csk-[0-9a-z]{40}"},
      {"cerebras-key", "csk-[0-9A-Z]{48}"},
      {"fireworks-key", "fw_[0-9A-Za-z]{20}"},
      {"together-key", "tgp_v2_[0-9A-Za-z]{43}"},
      {"together-key", "tgp_v1_[0-9A-Za-z]{30}"},
      {"langsmith-key", "lsv2_pt_[0-9a-f]{32}"},
      {"langsmith-key", "lsv2_pt_[g-z]{32}_[g-z]{10}"},
      {"pinecone-key", "pcsk_[0-9A-Za-z]{6}_[0-9A-Za-z]{40}"},
      {"tavily-key", "tvly-dev-[0-9A-Za-z]{20}"},
      {"firecrawl-key", "fc-[0-9a-f]{28}"},
      {"firecrawl-key", "fc-[g-z]{32}"},
      {"voyage-key", "pa-[0-9A-Za-z]{36}"},
      {"jina-key", "jina_[0-9A-Za-z]{40}"},
      {"e2b-key", "e2b_[0-9a-f]{32}"},
      {"cursor-key", "key_[0-9a-f]{40}"},
      {"resend-key", "re_[0-9A-Za-z]{8}_[0-9A-Za-z]{12}"},
      {"brave-key", "BSA[0-9A-Za-z]{18}"},
      {"llamacloud-key", "llx-[0-9A-Za-z]{30}"},
      {"wandb-key", "wandb_v2_[0-9A-Za-z]{77}"},
      {"runpod-key", "rpa_[0-9A-Z]{24}"},
      {"anyscale-key", "esecret_[0-9a-z]{12}"},
      {"mem0-key", "m0-[0-9A-Za-z]{30}"},
      {"nomic-key", "nk-[0-9A-Za-z]{30}"},
      {"browserbase-key", "bb_live_[0-9A-Za-z]{12}"},
      {"apify-token", "apify_api_[0-9A-Za-z]{24}"},
      {"google-api-key", "AIza[0-9A-Za-z]{34}"},
      {"google-api-key", "AIza[0-9A-Za-z]{37}"},
      {"bedrock-key", "ABSK[0-9A-Za-z]{50}"},
      {"azure-ai-key", "[0-9A-Za-z]{40}JQQJ99[0-9A-Z]{26}"},
      {"posthog-key", "phc_[0-9A-Za-z]{43}"},
      {"mapbox-token", "sk.eyJ[0-9A-Za-z]{60}.[0-9A-Za-z_-]{12}"},
      {"stripe-key", "pk_live_[0-9A-Za-z]{24}"},
      {"github-token", "ghp_[0-9A-Za-z]{30}"},
      {"gitlab-token", "glpat-[0-9A-Za-z]{16}"},
      {"slack-token", "xoxz-[0-9]{12}-[0-9]{12}-[0-9A-Za-z]{24}"},
      {"neon-key", "napi_[0-9a-z]{40}"},
      {"vercel-token", "vcp_[0-9A-Za-z]{20}"},
      {"render-key", "rnd_[0-9A-Za-z]{20}"},
      {"sonar-token", "squ_[0-9a-f]{36}"},
      {"sourcegraph-token", "sgp_[0-9a-f]{16}_[0-9a-f]{30}"},
      {"dynatrace-token", "dt0c01.[0-9A-Z]{24}.[0-9A-Z]{40}"},
  };
  FakeSecrets fake(6);
  for (const KeyShape& miss : near_misses) {
    for (int i = 0; i < 20; ++i) {
      const std::string value = Sample(miss.shape, fake);
      EXPECT_THAT(RulesIn("see " + value + " there"), Not(Contains(miss.rule))) << value;
    }
  }
}

// A value that another provider would give, under the name of this one.
TEST(Providers, NamedKeysOfAnotherLengthAreNotTheirs) {
  const std::vector<NamedKeyShape> near_misses = {
      {"azure-openai-key", "AZURE_OPENAI_API_KEY", "[0-9a-f]{31}"},
      {"mistral-key", "MISTRAL_API_KEY", "[0-9A-Za-z]{24}"},
      {"cohere-key", "COHERE_API_KEY", "[0-9A-Za-z]{32}"},
      {"together-hex-key", "TOGETHER_API_KEY", "[0-9a-f]{60}"},
      {"model-provider-key", "DEEPGRAM_MODEL", "[0-9a-f]{40}"},
      {"aws-secret-access-key", "AWS_SECRET_ACCESS_KEY", "[0-9A-Za-z+/]{36}"},
      {"aws-secret-access-key", "AWS_SECRET_ACCESS_KEY", "[0-9A-Za-z+/]{44}"},
      {"twilio-auth-token", "TWILIO_AUTH_TOKEN", "[0-9a-f]{30}"},
  };
  FakeSecrets fake(7);
  for (const NamedKeyShape& miss : near_misses) {
    for (const std::string& context : Contexts()) {
      const std::string text = WriteIn(context, miss.name, Sample(miss.shape, fake));
      EXPECT_THAT(RulesIn(text), Not(Contains(miss.rule))) << text;
    }
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
