// The table of rules, and docs/provider_rules.md, which is written from it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "providers/rule_id.h"
#include "tests/providers/request_lint.h"
#include "tests/support/source_dir.h"

namespace turnlog::rules_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Table() {
  std::string text = "| id | APIs | requirement | verdict | error | cure |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const ProviderRule& rule : ProviderRules()) {
    std::vector<std::string_view> names;
    for (const Provider provider : rule.providers) names.push_back(ToString(provider));
    const bool all = names.size() == AllProviders().size();
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", rule.id,
                        all ? "all" : fmt::format("{}", fmt::join(names, ", ")), rule.requirement,
                        ToString(rule.verdict), rule.error, rule.cure);
  }
  return text;
}

TEST(ProviderRules, AreThoseOfTheDocument) {
  const std::filesystem::path file = SourceDir() / "docs/provider_rules.md";
  std::ostringstream document;
  document << std::ifstream(file).rdbuf();
  const std::string text = document.str();
  const std::string now = text.substr(0, text.find("| id |")) + Table();
  if (std::getenv("TURNLOG_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << now;
  EXPECT_EQ(text, now);
}

TEST(ProviderRules, EachNumberHasOneRowWithAnIdOfItsOwn) {
  EXPECT_EQ(ProviderRules().size(), static_cast<std::size_t>(RuleId::kCount));
  std::set<std::string_view> ids;
  for (const ProviderRule& rule : ProviderRules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_EQ(FindProviderRule(rule.id), &rule);
    EXPECT_FALSE(rule.providers.empty() || rule.requirement.empty() || rule.cure.empty()) << rule.id;
  }
  EXPECT_EQ(RuleOf(RuleId::kShape).id, "shape");
  EXPECT_EQ(RuleOf(RuleId::kAnthropicCacheMarks).id, "anthropic-cache-marks");
  EXPECT_EQ(RuleOf(RuleId::kGeminiLastContent).id, "gemini-last-content");
  EXPECT_EQ(FindProviderRule("none"), nullptr);
}

TEST(ProviderRules, ProvidersAreFoundByTheirNames) {
  for (const Provider provider : AllProviders()) EXPECT_EQ(FindProvider(ToString(provider)), provider);
  EXPECT_EQ(FindProvider("openai"), std::nullopt);
}

TEST(LintRequest, NamesLineByteAndPointer) {
  const std::string request = "{\"messages\":[\n  {\"role\":\"user\",\"content\":\"a\"},\n  {\"role\":\"bad/~\"}\n]}";
  const auto findings = Must(LintRequest(Provider::kAnthropic, request));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule->id, "shape");
  EXPECT_EQ(findings[0].pointer, "/messages/1");
  EXPECT_EQ(findings[0].line, 3U);
  EXPECT_EQ(findings[0].byte, request.find("{\"role\":\"bad"));
}

TEST(LintRequest, TakesAListAlone) {
  EXPECT_THAT(Lint(Provider::kAnthropic, R"([{"role":"user","content":"a"}])"), IsEmpty());
  EXPECT_THAT(Lint(Provider::kGemini, R"([{"role":"user","parts":[]}])"), ElementsAre("empty-message at /0"));
  EXPECT_THAT(Lint(Provider::kOpenAiResponses, R"({"input":"a"})"), IsEmpty());
}

TEST(LintRequest, RefusesWhatIsNoRequest) {
  for (const char* text : {"", "{", "3", "{}", R"({"messages":{}})", R"({"messages":"a"})", "[]x"}) {
    EXPECT_EQ(LintRequest(Provider::kAnthropic, text).error().code, ErrorCode::kInvalidArgument) << text;
  }
}

// Values of any kind anywhere are no reason to fail.
TEST(LintRequest, SurvivesAnyShape) {
  const std::vector<std::string> values{"null", "1", "\"\"", "[]", "{}", "[[]]", "[{}]", R"({"type":"tool_use"})"};
  const std::vector<std::string> frames{
      R"([@])",
      R"([{"role":@,"content":"a"}])",
      R"([{"role":"user","content":@}])",
      R"([{"role":"assistant","content":[@],"tool_calls":[@]}])",
      R"([{"role":"user","content":[{"type":"image","source":@}]}])",
      R"([{"role":"model","parts":[{"functionCall":@},{"functionResponse":@},{"inlineData":@},{"text":@}]}])",
      R"([{"type":"reasoning","summary":@,"content":@,"encrypted_content":@},{"type":"function_call","call_id":@}])",
      R"([{"role":"tool","tool_call_id":@}])",
      R"([{"type":"thinking"},{"role":"assistant","content":[{"type":"thinking","thinking":@,"signature":@}]}])"};
  for (const std::string& frame : frames) {
    for (const std::string& value : values) {
      std::string text = frame;
      for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, value);
      for (const Provider provider : AllProviders()) EXPECT_TRUE(LintRequest(provider, text)) << text;
    }
  }
}

TEST(LintRequest, KnowsTheSizeOfARequest) {
  const std::string text =
      R"([{"role":"user","parts":[{"text":")" + std::string(std::size_t{20} << 20, 'x') + R"("}]}])";
  EXPECT_THAT(Lint(Provider::kGemini, text), ElementsAre("request-size at "));
}

}  // namespace
}  // namespace turnlog::rules_test
