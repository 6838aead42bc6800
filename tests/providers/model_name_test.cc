#include "providers/model_name.h"

#include <gtest/gtest.h>

namespace turnlog::model_name_test {
namespace {

TEST(ModelName, ComparesVersions) {
  EXPECT_TRUE(ModelName("claude-3-5-sonnet-20241022").IsBefore("claude", 4, 6));
  EXPECT_TRUE(ModelName("claude-opus-4-20250514").IsBefore("claude", 4, 6));
  EXPECT_TRUE(ModelName("anthropic.claude-sonnet-4-5-20250929-v1:0").IsBefore("claude", 4, 6));
  EXPECT_FALSE(ModelName("claude-opus-4-6").IsBefore("claude", 4, 6));
  EXPECT_FALSE(ModelName("claude-sonnet-5").IsBefore("claude", 4, 6));
  EXPECT_TRUE(ModelName("gemini-2.5-flash").IsBefore("gemini", 3, 0));
  EXPECT_FALSE(ModelName("gemini-3-pro-preview").IsBefore("gemini", 3, 0));
}

TEST(ModelName, TakesUnknownNamesForNew) {
  EXPECT_FALSE(ModelName("").IsBefore("claude", 4, 6));
  EXPECT_FALSE(ModelName("claude-latest").IsBefore("claude", 4, 6));
  EXPECT_FALSE(ModelName("other-1").IsBefore("claude", 4, 6));
}

TEST(ModelName, KnowsWhichModelsReason) {
  for (const char* name : {"gpt-5", "gpt-5.1-codex-mini", "o1", "o3-mini", "o4-mini", "codex-mini-latest"}) {
    EXPECT_TRUE(ModelName(name).ReasonsAtOpenAi()) << name;
  }
  for (const char* name : {"gpt-4.1", "gpt-4o", "gpt-5-chat-latest", "", "opus"}) {
    EXPECT_FALSE(ModelName(name).ReasonsAtOpenAi()) << name;
  }
}

}  // namespace
}  // namespace turnlog::model_name_test
