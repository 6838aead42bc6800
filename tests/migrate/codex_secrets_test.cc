// Codex asks for secrets (`isSecret`) and writes what was answered into the output of the call, in clear.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "tests/migrate/codex_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::codex_secrets_test {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kThread(kCodexThread);
const std::string kValue = "hq7mZ2pXw94LtVkd", kShort = "97z3";

std::string Line(const std::string& record) { return record + "\n"; }

// Two questions, of which the second is for a secret.
const std::string kAsks = Line(CodexMeta(kThread)) + Line(CodexUser("deploy")) +
                          Line(CodexItem(R"({"type":"function_call","name":"request_user_input","call_id":"c1",)"
                                         R"("arguments":"{\"questions\":[{\"id\":\"where\",\"question\":\"Where?\"},)"
                                         R"({\"id\":\"key\",\"question\":\"Key?\",\"isSecret\":true}]}"})"));

std::string Output(const std::string& output) {
  return Line(CodexItem(R"({"type":"function_call_output","call_id":"c1","output":)" + output + "}"));
}

std::string Answers(const std::string& secret) {
  return R"({\"answers\":{\"where\":{\"answers\":[\"here\"]},\"key\":{\"answers\":[\")" + secret + R"(\"]}}})";
}

class CodexSecretsTest : public ImportTest {
 protected:
  fs::path Rollout(const std::string& text) { return Write("rollout-2026-08-01T10-00-00-" + kThread + ".jsonl", text); }
  ImportReport Import(const fs::path& path, SecretDetection detect = SecretDetection::kNone) {
    return Must(turnlog::Import(*log_, "auto", {&path, 1}, {.detect = detect}));
  }
  std::string Export() { return ExportRawText("codex", kThread); }
  std::vector<Outcome> Outcomes() {
    std::vector<Outcome> outcomes;
    for (const Event& event : Events(kThread)) {
      if (const auto* response = std::get_if<InquiryResponse>(&event.body)) outcomes.push_back(response->outcome);
    }
    return outcomes;
  }
};

TEST_F(CodexSecretsTest, AreNotStoredWhereverTheSourceHasThem) {
  const std::string before = kAsks + Line(CodexUser("maybe " + kValue)), after = Line(CodexAssistant("got " + kValue));
  const fs::path path = Rollout(before + Output('"' + Answers(kValue) + '"') + after);
  const ImportReport report = Import(path);
  EXPECT_THAT(report.notes, Contains(Field(&ImportProblem::code, ImportProblemCode::kSecretRedacted)).Times(1));
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_FALSE(IsStored(kValue));
  EXPECT_THAT(Outcomes(), ::testing::ElementsAre(Outcome::kAnswered, Outcome::kRedacted));
  EXPECT_EQ(Export(), kAsks + Line(CodexUser("maybe [redacted]")) + Output('"' + Answers("[redacted]") + '"') +
                          Line(CodexAssistant("got [redacted]")));
  Settle();
  EXPECT_EQ(Import(path).unchanged, 1U);
}

TEST_F(CodexSecretsTest, AreRemovedFromTheOutputEvenIfTheyAreTooShortToSearchFor) {
  Import(Rollout(kAsks + Output('"' + Answers(kShort) + '"')));
  EXPECT_FALSE(IsStored(kShort));
  EXPECT_TRUE(IsStored("here"));
}

TEST_F(CodexSecretsTest, AreRemovedFromAnOutputThatComesAfterTheTurnWasAborted) {
  Import(Rollout(kAsks + Line(CodexAborted()) + Output('"' + Answers(kValue) + '"')));
  EXPECT_FALSE(IsStored(kValue));
  EXPECT_THAT(Outcomes(), ::testing::ElementsAre(Outcome::kCancelled, Outcome::kCancelled));
}

TEST_F(CodexSecretsTest, AreRemovedWhateverTheOutputLooksLike) {
  for (const std::string& output :
       {'"' + Answers("user_note: " + kValue) + '"', '"' + kValue + '"', R"({"content":")" + kValue + R"("})",
        R"([{"type":"input_text","text":")" + kValue + R"("}])",
        R"("{\"answers\":{\"other\":{\"answers\":[\")" + kValue + R"(\"]}}}")",
        R"("{\"answers\":[\")" + kValue + R"(\"]}")", R"({"answers":{"key":{"answers":[")" + kValue + R"("]}}})"}) {
    TempStore store;
    const fs::path path = Rollout(kAsks + Output(output));
    Must(turnlog::Import(*store.log, "auto", {&path, 1}));
    EXPECT_FALSE(IsStored(store, kValue)) << output;
  }
}

TEST_F(CodexSecretsTest, AreRemovedFromWhatIsRepairedAndFromWhatIsTorn) {
  std::string repaired = Output('"' + Answers(kShort) + '"');
  repaired.insert(repaired.find("here"), "\xff");
  Import(Rollout(kAsks + repaired));
  EXPECT_FALSE(IsStored(kShort));
  EXPECT_TRUE(IsStored("here"));

  TempStore store;
  const std::string output = Output('"' + Answers(kShort) + '"');
  const fs::path path = Rollout(kAsks + output.substr(0, output.find(kShort) + kShort.size()));
  Must(turnlog::Import(*store.log, "auto", {&path, 1}));
  EXPECT_FALSE(IsStored(store, kShort));
  Rollout(kAsks + output);
  const ImportReport complete = Must(turnlog::Import(*store.log, "auto", {&path, 1}));
  EXPECT_THAT(complete.problems, IsEmpty());
  EXPECT_EQ(complete.extended, 1U);
}

TEST_F(CodexSecretsTest, ComeAfterTheirQuestionWasImported) {
  const fs::path path = Rollout(kAsks);
  Import(path);
  EXPECT_THAT(Outcomes(), IsEmpty());
  std::ofstream(path, std::ios::app) << Output('"' + Answers(kValue) + '"');
  EXPECT_EQ(Import(path).extended, 1U);
  EXPECT_THAT(Outcomes(), SizeIs(2));
  std::ofstream(path, std::ios::app) << Line(CodexAssistant("got " + kValue));
  const ImportReport grown = Import(path);
  EXPECT_THAT(grown.problems, IsEmpty());
  EXPECT_EQ(grown.extended, 1U);
  EXPECT_FALSE(IsStored(kValue));
}

TEST_F(CodexSecretsTest, AreRemovedTogetherWithWhatTheRulesFind) {
  const std::string token = "ghp_" + std::string(36, 'a').replace(3, 9, "B7c9D2e4F");
  const fs::path path = Rollout(kAsks + Output('"' + Answers(kValue) + '"') + Line(CodexUser(token + " " + kValue)));
  Import(path, SecretDetection::kRedact);
  EXPECT_FALSE(IsStored(kValue));
  EXPECT_THAT(Export(), Not(HasSubstr(kValue)));
}

// No answer, so nothing is redacted.
TEST_F(CodexSecretsTest, AreNotWhatAnAbortedCallSays) {
  const std::string text = kAsks + Output(R"("aborted by user after 3s")");
  EXPECT_THAT(Import(Rollout(text)).problems, IsEmpty());
  EXPECT_EQ(Export(), text);
  EXPECT_THAT(Outcomes(), ::testing::Each(Outcome::kCancelled));
}

}  // namespace
}  // namespace turnlog::codex_secrets_test
