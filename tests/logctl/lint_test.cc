// Checking requests for model providers.
#include "turnlog/providers/lint.h"

#include "tests/logctl/logctl_test.h"

namespace turnlog::lint_test {
namespace {

using testing::HasSubstr;

class LintTest : public LogctlTest {
 protected:
  const std::string good_ = R"({"messages":[{"role":"user","content":"Hi"}]})";
  const std::string bad_ = "{\"messages\":[\n{\"role\":\"user\",\"content\":\"\"}]}";
};

TEST_F(LintTest, NamesFileLineRuleAndPointer) {
  const std::string file = WriteFile("bad\x1b.json", bad_);
  const Ran ran = RunProgram({"lint", "-q", "anthropic", file});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_THAT(ran.out, HasSubstr("bad\\x1b.json:2: empty-message at /messages/0\n"));
  EXPECT_EQ(ran.err, "");
}

TEST_F(LintTest, EndsWithZeroWithoutAFinding) {
  const Ran ran = RunProgram({"lint", "anthropic", WriteFile("good.json", good_)});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(RunProgram({"lint", "openai-chat", "/dev/stdin"}, good_).exit_code, 0);
}

TEST_F(LintTest, ReportsAsJson) {
  const std::string file = WriteFile("bad.json", bad_);
  const Ran ran = RunProgram({"lint", "--json", "anthropic", file});
  EXPECT_EQ(ran.exit_code, 3);
  const JsonValue report = JsonValue::Parse(ran.out);
  EXPECT_EQ(report["file"].Text(), file);
  EXPECT_EQ(report["provider"].Text(), "anthropic");
  ASSERT_EQ(report["findings"].Size(), 1U);
  const JsonValue finding = report["findings"][0];
  EXPECT_EQ(finding["rule"].Text(), "empty-message");
  EXPECT_EQ(finding["verdict"].Text(), "refused");
  EXPECT_EQ(finding["pointer"].Text(), "/messages/0");
  EXPECT_EQ(finding["line"].Number(), 2U);
  EXPECT_EQ(finding["byte"].Number(), bad_.find("{\"role"));
  EXPECT_EQ(finding["cure"].Text(), FindProviderRule("empty-message")->cure);
}

TEST_F(LintTest, TheModelDecidesWhichRulesApply) {
  const std::string file =
      WriteFile("a.json", R"({"model":"claude-opus-4-5","messages":[{"role":"user","content":"Hi"},)"
                          R"({"role":"assistant","content":"I"}]})");
  EXPECT_EQ(RunProgram({"lint", "anthropic", file}).exit_code, 0);
  EXPECT_EQ(RunProgram({"lint", "anthropic", file, "--model", "claude-opus-4-6"}).exit_code, 3);
}

TEST_F(LintTest, RefusesWhatIsNoRequest) {
  const std::string file = WriteFile("broken.json", "{\n\"messages\":[}");
  EXPECT_THAT(RunProgram({"lint", "anthropic", file}), FailsWith(1, file + ": line 2"));
  EXPECT_THAT(RunProgram({"lint", "anthropic", "/nowhere"}), FailsWith(1, "/nowhere"));
  EXPECT_THAT(RunProgram({"lint", "cohere", file}), Fails(2));
  EXPECT_THAT(RunProgram({"lint", "anthropic"}), Fails(2));
}

TEST_F(LintTest, ExplainsEachRule) {
  for (const ProviderRule& rule : ProviderRules()) {
    const std::string id(rule.id);
    EXPECT_THAT(Output({"explain", id}), HasSubstr(std::string(rule.requirement)));
    const JsonValue json = JsonValue::Parse(Output({"explain", "--json", id}));
    EXPECT_EQ(json["error"].Text(), rule.error);
    EXPECT_EQ(json["cure"].Text(), rule.cure);
  }
  EXPECT_THAT(RunProgram({"explain", "nonsense"}), Fails(2));
}

}  // namespace
}  // namespace turnlog::lint_test
