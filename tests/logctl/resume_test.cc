#include <filesystem>

#include "tests/logctl/logctl_test.h"

namespace turnlog::resume_test {
namespace {

using ::testing::HasSubstr;

class ResumeTest : public LogctlTest {
 protected:
  Ran Resume(const Strings& more, const Strings& environment = {}) {
    Strings words{"resume", "sample", "--cwd", folder_.path().string()};
    words.insert(words.end(), more.begin(), more.end());
    return Logctl(words, {}, environment);
  }
  std::string home() const { return (folder_ / "home").string(); }
};

TEST_F(ResumeTest, PrintsTheCommandAndNamesTheFile) {
  AppendSample();
  const Ran ran = Resume({"--in", "claude-code", "--home", home()});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::MatchesRegex("cd [^\n]* && claude --resume [-0-9a-f]+\n"));
  EXPECT_THAT(ran.err, HasSubstr(home() + "/.claude/projects/"));
}

TEST_F(ResumeTest, LooksWhereTheVariablesOfTheToolsSay) {
  AppendSample();
  const std::string elsewhere = (folder_ / "elsewhere").string();
  for (const auto& [tool, variable, file] :
       {std::tuple{"codex", "CODEX_HOME", "/sessions/"}, {"opencode", "XDG_DATA_HOME", "/opencode/turnlog/"}}) {
    const Ran ran = Resume({"--in", tool, "--json"}, {std::string(variable) + "=" + elsewhere});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(elsewhere + file));
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "elsewhere/opencode/turnlog"));
}

TEST_F(ResumeTest, WritesNothingOnADryRunOrWrongUsage) {
  AppendSample();
  EXPECT_THAT(Resume({"--in", "codex", "--home", home(), "--dry-run"}).err, HasSubstr("would write"));
  EXPECT_THAT(Resume({"--in", "vim", "--home", home()}), FailsWith(2, "vim"));
  EXPECT_THAT(Resume({"--in", "codex", "--home", home(), "--same-account"}), Fails(2));
  EXPECT_THAT(Logctl({"resume", "sample", "--in", "codex", "--home", home(), "--cwd", home() + "/none"}), Fails(2));
  EXPECT_THAT(Logctl({"resume", "nosuch", "--in", "codex", "--home", home()}), Fails(1));
  EXPECT_FALSE(std::filesystem::exists(home()));
}

}  // namespace
}  // namespace turnlog::resume_test
