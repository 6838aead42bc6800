// Secrets on the way in: counted, or never stored.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"

namespace turnlog::import_secrets_test {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

const std::string kSession(kClaudeSession);
const std::string kFile = kSession + ".jsonl";
const std::string kPassword = "hq7mZ2pXw94LtVkd";

std::string Line(const std::string& record) { return record + "\n"; }
std::string Says(const std::string& id, const std::string& text) { return Line(ClaudeUser(id, "\"" + text + "\"")); }

class ImportSecretsTest : public ImportTest {
 protected:
  ImportReport Import(const fs::path& path, SecretDetection detect, std::string_view format = "auto") {
    return Must(turnlog::Import(*log_, format, {&path, 1}, {.detect = detect}));
  }
  std::string Export() { return ExportRawText("claude-code", kSession); }
};

TEST_F(ImportSecretsTest, AreCountedOnceAndComeIn) {
  const fs::path path = Write(kFile, Says("u1", "use " + kFakeToken) + Says("u2", "and nothing else"));
  EXPECT_THAT(Import(path, SecretDetection::kReport).secrets, ElementsAre(Pair("github-token", 1)));
  EXPECT_TRUE(IsStored(kFakeToken));
  EXPECT_THAT(Import(path, SecretDetection::kReport).secrets, IsEmpty()) << "nothing was appended";
  std::ofstream(path, std::ios::app) << Says("u3", "again " + kFakeToken);
  EXPECT_THAT(Import(path, SecretDetection::kReport).secrets, ElementsAre(Pair("github-token", 1)));
}

TEST_F(ImportSecretsTest, AreNotLookedForUnlessThatIsAskedFor) {
  EXPECT_THAT(Import(Write(kFile, Says("u1", kFakeToken)), SecretDetection::kNone).secrets, IsEmpty());
  EXPECT_TRUE(IsStored(kFakeToken));
}

// A value that a rule finds by its name in one place is removed from all of the source.
TEST_F(ImportSecretsTest, AreRedactedWithTheirEchoes) {
  const std::string text = Says("u1", "it is " + kPassword) + Says("u2", "password = " + kPassword) +
                           Line(ClaudeAssistant("a", R"({"type":"text","text":"I use )" + kPassword + R"( now"})"));
  const fs::path path = Write(kFile, text);
  const ImportReport report = Import(path, SecretDetection::kRedact);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.secrets, ElementsAre(Pair("password-assignment", 3)));
  EXPECT_FALSE(IsStored(kPassword));
  EXPECT_THAT(ToJson(View(Events(kSession).at(2))), HasSubstr("it is [redacted]"));
  std::string expected = text;
  for (std::size_t at; (at = expected.find(kPassword)) != std::string::npos;) {
    expected.replace(at, kPassword.size(), "[redacted]");
  }
  EXPECT_EQ(Export(), expected);
}

TEST_F(ImportSecretsTest, StayOutWhenTheSourceGrows) {
  const fs::path path = Write(kFile, Says("u1", "use " + kFakeToken));
  Import(path, SecretDetection::kRedact);
  const ImportReport again = Import(path, SecretDetection::kRedact);
  EXPECT_EQ(again.unchanged, 1U);
  EXPECT_THAT(again.problems, IsEmpty());
  std::ofstream(path, std::ios::app) << Says("u2", "more " + kFakeToken);
  const ImportReport grown = Import(path, SecretDetection::kRedact);
  EXPECT_EQ(grown.extended, 1U);
  EXPECT_THAT(grown.problems, IsEmpty());
  EXPECT_THAT(grown.secrets, ElementsAre(Pair("github-token", 1))) << "only what is new counts";
  EXPECT_FALSE(IsStored(kFakeToken));
}

TEST_F(ImportSecretsTest, AreRedactedAgainBySayingSo) {
  const fs::path path = Write(kFile, Says("u1", "use " + kFakeToken));
  Import(path, SecretDetection::kRedact);
  std::ofstream(path, std::ios::app) << Says("u2", "on");
  const ImportReport report = Import(path, SecretDetection::kReport);
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_THAT(report.problems[0].reason, HasSubstr("if that was with `--detect redact`, import it so again"));
  EXPECT_EQ(Import(path, SecretDetection::kRedact).extended, 1U);
}

// What came in before stays; `redact` removes it.
TEST_F(ImportSecretsTest, ThatCameInBeforeAreNoConflict) {
  const fs::path path = Write(kFile, Says("u1", "it is " + kPassword));
  Import(path, SecretDetection::kRedact);
  EXPECT_TRUE(IsStored(kPassword)) << "no rule knows it";
  std::ofstream(path, std::ios::app) << Says("u2", "password = " + kPassword);
  EXPECT_EQ(Import(path, SecretDetection::kRedact).extended, 1U);
  std::ofstream(path, std::ios::app) << Says("u3", "on");
  const ImportReport report = Import(path, SecretDetection::kRedact);
  EXPECT_EQ(report.extended, 1U);
  EXPECT_THAT(report.problems, IsEmpty());
}

TEST_F(ImportSecretsTest, ThatWereRedactedDoNotComeInLater) {
  const fs::path path = Write(kFile, Says("u1", "use " + kFakeToken));
  Import(path, SecretDetection::kRedact);
  std::ofstream(path, std::ios::app) << Says("u2", "on");
  const ImportReport report = Import(path, SecretDetection::kNone);
  EXPECT_EQ(report.failed, 1U);
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kChanged);
  EXPECT_FALSE(IsStored(kFakeToken));
  Settle();
  Import(path, SecretDetection::kNone);
  const ImportReport mended = Import(path, SecretDetection::kRedact);
  EXPECT_EQ(mended.extended, 1U) << "that it was refused without is no reason to refuse it";
  EXPECT_THAT(mended.problems, IsEmpty());
}

TEST_F(ImportSecretsTest, AreRedactedInTheImportRecord) {
  const std::string config = R"({"inline":{"note":")" + kFakeToken + R"("}})";
  const fs::path folder = WriteJp("17738348630-a-title", "[]");
  Write("jp/conversations/17738348630-a-title/base_config.json", config);
  const ImportReport report = Import(folder, SecretDetection::kRedact);
  EXPECT_EQ(report.added, 1U);
  EXPECT_FALSE(IsStored(kFakeToken));
  EXPECT_THAT(ToJson(View(Events("17738348630").at(0))), HasSubstr("[redacted]"));
}

// A rule finds nothing in the first half of a secret, and what is in the log stays.
TEST_F(ImportSecretsTest, StayOutWhileTheirRecordIsWritten) {
  const std::string half = kFakeToken.substr(0, 20);
  const std::string record = Says("u2", "use " + kFakeToken);
  const fs::path path = Write(kFile, Says("u1", "Hi") + record.substr(0, record.find(half) + half.size()));
  const ImportReport torn = Import(path, SecretDetection::kRedact);
  EXPECT_EQ(torn.added, 1U);
  EXPECT_THAT(torn.problems, IsEmpty());
  EXPECT_FALSE(IsStored(half));
  std::ofstream(path, std::ios::app) << record.substr(record.find(half) + half.size());
  const ImportReport complete = Import(path, SecretDetection::kRedact);
  EXPECT_EQ(complete.extended, 1U);
  EXPECT_THAT(complete.problems, IsEmpty());
  EXPECT_THAT(complete.secrets, ElementsAre(Pair("github-token", 1)));
  EXPECT_FALSE(IsStored(half));
  EXPECT_THAT(Export(), HasSubstr("use [redacted]"));
}

// What a format keeps beside the events.
TEST_F(ImportSecretsTest, InPartsAreReportedToo) {
  const fs::path path =
      Write("chat.json", R"({"system":"use )" + kFakeToken + R"(","messages":[{"role":"user","content":"hi"}]})");
  const ImportReport report =
      Must(turnlog::Import(*log_, "anthropic", {&path, 1}, {.detect = SecretDetection::kRedact}));
  EXPECT_THAT(report.secrets, ElementsAre(Pair("github-token", 1)));
  EXPECT_FALSE(IsStored(kFakeToken));
}

TEST_F(ImportSecretsTest, StayOutWhileAnArrayIsWritten) {
  const std::string half = kFakeToken.substr(0, 20);
  const std::string begin = R"([{"timestamp":"2026-01-01 10:00:00.0","type":"turn_start"})";
  const fs::path folder = WriteJp("17738348630-a-title", begin + R"(,{"type":"chat_request","content":"use )" + half);
  EXPECT_EQ(Import(folder, SecretDetection::kRedact).added, 1U);
  EXPECT_FALSE(IsStored(half));
  WriteJp("17738348630-a-title", begin + "]");
  EXPECT_EQ(Import(folder, SecretDetection::kRedact).failed, 0U);
}

// What has no secret is not lost: without `redact` the record comes in as it is.
TEST_F(ImportSecretsTest, AreNoReasonToForgetARecordThatIsNotComplete) {
  const std::string text = Says("u1", "Hi") + R"({"type":"user","uuid":"u2","mess)";
  const fs::path path = Write(kFile, text);
  Import(path, SecretDetection::kRedact);
  EXPECT_EQ(Export() + "\n", Says("u1", "Hi"));
  const fs::path copy = Write("copy/" + kFile, text);
  EXPECT_EQ(Import(copy, SecretDetection::kNone).extended, 1U);
  EXPECT_EQ(Export(), text);
}

TEST_F(ImportSecretsTest, StayOutWhenMoreBecomeKnown) {
  const fs::path path = Write(kFile, Says("u1", "use " + kFakeToken + " it is " + kPassword));
  Import(path, SecretDetection::kRedact);
  EXPECT_FALSE(IsStored(kFakeToken));
  std::ofstream(path, std::ios::app) << Says("u2", "password = " + kPassword);
  for (const std::uint64_t extended : {1U, 0U}) {
    const ImportReport report = Import(path, SecretDetection::kRedact);
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(report.extended, extended);
  }
  EXPECT_THAT(ToJson(View(Events(kSession).back())), HasSubstr("password = [redacted]"));
}

TEST_F(ImportSecretsTest, StayOutWhenMoreBecomeKnownInAFileThatWasBegunAgain) {
  const std::string first = Says("u1", "use " + kFakeToken + " it is " + kPassword), second = Says("u2", "and");
  const fs::path path = Write(kFile, first + second);
  Import(path, SecretDetection::kRedact);
  fs::rename(Write("new", second + first + Says("u3", "password = " + kPassword)), path);
  const ImportReport report = Import(path, SecretDetection::kRedact);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.extended, 1U);
  EXPECT_EQ(report.events, 3U) << "an import record, and a turn with u3";
}

// Other records refer to ids.
TEST_F(ImportSecretsTest, StayInIdsWhichIsReported) {
  const std::string call = R"({"type":"tool_use","id":")" + kFakeToken + R"(","name":"ls","input":{}})";
  const fs::path path = Write(kFile, Says("u1", "Hi") + Line(ClaudeAssistant("a1", call)) + Says(kFakeToken, "on"));
  const ImportReport report = Import(path, SecretDetection::kRedact);
  EXPECT_EQ(report.added, 1U);
  EXPECT_THAT(report.secrets, IsEmpty());
  ASSERT_THAT(report.problems, SizeIs(3)) << "the last record is two events";
  EXPECT_EQ(report.problems[0].line, 2U);
  EXPECT_EQ(report.problems[1].line, 3U);
  for (const ImportProblem& problem : report.problems) {
    EXPECT_EQ(problem.code, ImportProblemCode::kSecretKept);
    EXPECT_THAT(ToString(problem), Not(HasSubstr(kFakeToken)));
  }
  EXPECT_TRUE(IsStored(kFakeToken));
}

TEST_F(ImportSecretsTest, StayInTheIdsOfConversations) {
  const fs::path path = Write("own.jsonl", R"({"conversation":")" + kFakeToken +
                                               R"(","type":"turn_start"})"
                                               "\n");
  const ImportReport report = Import(path, SecretDetection::kRedact);
  EXPECT_EQ(report.added, 1U);
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kSecretKept);
  EXPECT_THAT(ToString(report.problems[0]), Not(HasSubstr(kFakeToken)));
  const ImportTest::TempStore other;
  EXPECT_THAT(Must(turnlog::Import(*other.log, "auto", {&path, 1}, {.detect = SecretDetection::kReport})).secrets,
              ElementsAre(Pair("github-token", 1)));
}

TEST_F(ImportSecretsTest, AreRedactedInJsonLines) {
  const fs::path path = Write("own.jsonl", R"({"type":"turn_start"})"
                                           "\n"
                                           R"({"type":"chat_request","content":"use )" +
                                               kFakeToken + "\"}\n");
  EXPECT_THAT(Import(path, SecretDetection::kRedact).secrets, Contains(Key("github-token")));
  EXPECT_FALSE(IsStored(kFakeToken));
  EXPECT_EQ(Import(path, SecretDetection::kRedact).unchanged, 1U);
}

}  // namespace
}  // namespace turnlog::import_secrets_test
