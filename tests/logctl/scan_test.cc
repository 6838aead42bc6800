// Looking for secrets in files that are not a store.
#include <fmt/format.h>

#include "tests/logctl/logctl_test.h"

namespace turnlog::scan_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ScanTest : public LogctlTest {
 protected:
  // Put together here, so that no scanner takes this file for a leak.
  const std::string token_ = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi";
  const std::string password_ = std::string("hq7mZ2p") + "Xw94LtVkd";
};

TEST_F(ScanTest, NamesFileLineRuleAndLocationAndNeverTheValue) {
  const std::string file = WriteFile("notes.jsonl", "{\"a\":1}\n{\"content\":\"use " + token_ + "\"}\n");
  EXPECT_EQ(Output({"scan", file}), file + ":2: github-token at /content\n1 file, " +
                                        std::to_string(std::string("{\"a\":1}\n{\"content\":\"use \"}\n").size() + 40) +
                                        " B read: 1 secret in 1 file\n");
  EXPECT_EQ(Output({"scan", "-q", file}), file + ":2: github-token at /content\n");
}

TEST_F(ScanTest, ExplainsEachFinding) {
  const std::string file = WriteFile("notes", "use " + token_);
  const std::string text = Output({"scan", "-q", "--explain", file});
  EXPECT_THAT(text, AllOf(HasSubstr(file + ":1: github-token\n    "), HasSubstr("`ghp_`"), HasSubstr("40 bytes")));
  EXPECT_THAT(text, Not(HasSubstr(token_)));
  const JsonValue report = JsonValue::Parse(Output({"scan", "--json", "--explain", file}));
  EXPECT_THAT(report["secrets"][0]["why"].Text(), HasSubstr("40 bytes"));
}

TEST_F(ScanTest, CheckEndsWithThreeIfAnythingIsFound) {
  const std::string bad = WriteFile("bad", token_), good = WriteFile("good", "nothing here");
  EXPECT_EQ(RunProgram({"scan", bad}).exit_code, 0);
  EXPECT_EQ(RunProgram({"scan", "--check", bad, good}).exit_code, 3);
  EXPECT_EQ(RunProgram({"scan", "--check", good}).exit_code, 0);
  EXPECT_EQ(Output({"scan", good}), "1 file, 12 B read: nothing found\n");
}

TEST_F(ScanTest, LeavesOutWhatTheBaselineAccepts) {
  const std::string old = WriteFile("old file", "\n" + token_), baseline = WriteFile("baseline", "");
  EXPECT_EQ(RunProgram({"scan", "--write-baseline", baseline, old}).exit_code, 0);
  EXPECT_EQ(RunProgram({"scan", "--check", "--baseline", baseline, old}).exit_code, 0);
  EXPECT_EQ(RunProgram({"scan", "--check", "--baseline", baseline, folder_.path().string() + "/./old file"}).exit_code,
            0);
  const std::string same = WriteFile("same", token_);
  const Ran ran = RunProgram({"scan", "-q", "--check", "--baseline", baseline, old, same});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.out, same + ":1: github-token\n");
  WriteFile("old file", "\n\n" + token_);  // in another line it is another finding
  EXPECT_EQ(RunProgram({"scan", "--check", "--baseline", baseline, old}).exit_code, 3);
}

TEST_F(ScanTest, RefusesABaselineThatIsNone) {
  const std::string file = WriteFile("a", "x");
  for (const char* line : {"github-token", "github-token x a", "github-token 1 ", "github-token 1x a"})
    EXPECT_EQ(RunProgram({"scan", "--baseline", WriteFile("baseline", line), file}).exit_code, 1) << line;
  EXPECT_EQ(RunProgram({"scan", "--baseline", "/nowhere", file}).exit_code, 1);
}

TEST_F(ScanTest, WhatCannotBeReadIsNamedAndTheRestGoesOn) {
  const std::string file = WriteFile("bad", token_);
  const Ran ran = RunProgram({"scan", "--check", "/nowhere", file});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("/nowhere"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr(file + ":1: github-token\n"), Not(HasSubstr(token_))));
}

TEST_F(ScanTest, ReportsAsJson) {
  const std::string file = WriteFile("a.json", "{\"x\":[\"" + token_ + "\"]}");
  const Ran ran = RunProgram({"scan", "--json", file, "/nowhere"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, Not(HasSubstr(token_)));
  const JsonValue report = JsonValue::Parse(ran.out);
  EXPECT_EQ(report["files"].Number(), 1U);
  EXPECT_EQ(report["bytes"].Number(), 50U);
  ASSERT_EQ(report["secrets"].Size(), 1U);
  EXPECT_EQ(report["secrets"][0]["file"].Text(), file);
  EXPECT_EQ(report["secrets"][0]["line"].Number(), 1U);
  EXPECT_EQ(report["secrets"][0]["offset"].Number(), 7U);
  EXPECT_EQ(report["secrets"][0]["length"].Number(), 40U);
  EXPECT_EQ(report["secrets"][0]["rule"].Text(), "github-token");
  EXPECT_EQ(report["secrets"][0]["pointer"].Text(), "/x/0");
  EXPECT_EQ(report["rules"]["github-token"].Number(), 1U);
  EXPECT_EQ(report["problems"][0]["file"].Text(), "/nowhere");
}

// A pointer shows keys, and a key may be what the rule has found beside it.
TEST_F(ScanTest, ShowsNoPointerThatHasAValue) {
  const std::string file = WriteFile("keys.json", fmt::format(R"({{"{0}/x":{{"password":"{0}"}}}})", password_));
  const Ran ran = RunProgram({"scan", file});
  EXPECT_THAT(ran.out, HasSubstr("password-assignment"));
  EXPECT_THAT(ran.out, Not(HasSubstr(password_)));
}

TEST_F(ScanTest, SearchesForGivenValuesInsteadOfByRules) {
  const std::string file = WriteFile("notes", token_ + "\nand %6by-secret\n");
  const std::string values = WriteFile("values", "my-secret\nky-secret\n");
  EXPECT_EQ(Output({"scan", "-q", "--values-file", values, file}), file + ":2: known-value\n");
  EXPECT_THAT(RunProgram({"scan", "--values-file", WriteFile("none", ""), file}), Fails(1));
  EXPECT_THAT(RunProgram({"scan", "--values-file", values, "--rules", values, file}), Fails(2));
}

TEST_F(ScanTest, NamesTheValuesThatWereNotSearchedFor) {
  const std::string values = WriteFile("values", "my-secret\n\nhush\nPassword\n");
  const std::string file = WriteFile("notes", "hush, my-secret\n");
  const Ran ran = RunProgram({"scan", "-q", "--values-file", values, file});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.out, file + ":1: known-value\n");
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("line 3 of " + values), HasSubstr("line 4 of " + values), Not(HasSubstr("hush"))));
  const Ran report = RunProgram({"scan", "--json", "--check", "--values-file", WriteFile("short", " hush \n"), file});
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_THAT(report.out, Not(HasSubstr("hush")));
  EXPECT_EQ(JsonValue::Parse(report.out)["unsearched"].Size(), 1U);
}

TEST_F(ScanTest, SearchesForTheCredentialsOfAHome) {
  const std::string file = WriteFile("notes", token_ + "\none Zq81nBv0Xy5Lw2\ntwo Rw27kPd9Hs4Gt6\n"), home = "home";
  const Strings environment{"HOME=" + (folder_ / home).string()};
  EXPECT_EQ(RunProgram({"scan", "--known", file}, {}, environment).exit_code, 1) << "there is nothing to look for";
  std::filesystem::create_directories(folder_ / "home/.aws");
  WriteFile("home/.env", "API_TOKEN=Zq81nBv0Xy5Lw2\n");
  WriteFile("home/.aws/credentials", "[default]\naws_secret_access_key = Rw27kPd9Hs4Gt6\n");
  EXPECT_EQ(RunProgram({"scan", "-q", "--known", file}, {}, environment).out,
            file + ":2: known-value\n" + file + ":3: known-value\n");
  EXPECT_EQ(RunProgram({"scan", "--check", "--known", file}, {}, environment).exit_code, 3);
  EXPECT_EQ(RunProgram({"scan", "--known", file}).exit_code, 1) << "HOME is not set";
}

TEST_F(ScanTest, RulesOfAFileCount) {
  const std::string rules = WriteFile(
      "rules.json",
      R"({"version":1,"rules":[{"id":"badge","description":"d","regex":"badge:[0-9]{6}","keywords":["badge"]}]})");
  const std::string file = WriteFile("text", "badge:271828");
  EXPECT_THAT(Output({"scan", file, "--rules", rules, "--jobs", "1"}), HasSubstr(file + ":1: badge\n"));
  const std::string broken = WriteFile("broken.json", "{\"version\":1,\n\"rules\":[{\"id\":\"a\",\"regex\":\"(\"}]}");
  EXPECT_THAT(RunProgram({"scan", file, "--rules", broken}), FailsWith(1, broken + ", line 2"));
  EXPECT_THAT(RunProgram({"scan", file, "--rules", "/nowhere"}), FailsWith(1, "/nowhere"));
}

TEST_F(ScanTest, NamesOfFilesCannotSteerTheTerminal) {
  const std::string file = WriteFile("a\x1b[31m", token_);
  EXPECT_THAT(Output({"scan", file}), AllOf(HasSubstr("a\\x1b[31m:1: github-token"), Not(HasSubstr("\x1b"))));
}

TEST_F(ScanTest, NeedsAPathAndAJob) {
  EXPECT_THAT(RunProgram({"scan"}), Fails(2));
  for (const char* jobs : {"0", "99999"}) EXPECT_THAT(RunProgram({"scan", "x", "--jobs", jobs}), Fails(2));
}

}  // namespace
}  // namespace turnlog::scan_test
