// Sources that were begun again, became shorter or disappeared: the log has the union of what they had.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "schema/event/import_event.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/small_import.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::rewritten_sources_test {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kSession(kClaudeSession);
const std::string kSessionFile = kSession + ".jsonl";

std::string Line(std::string_view id) { return ClaudeUser(id, fmt::format("\"{}\"", id)) + "\n"; }

class RewrittenSourcesTest : public ImportTest {
 protected:
  ImportReport Import(const fs::path& path) { return Must(turnlog::Import(*log_, "auto", {&path, 1})); }

  // The file as another one with this text.
  fs::path Replace(const std::string& name, std::string_view text) {
    fs::rename(Write("new", text), dir_ / name);
    return dir_ / name;
  }
};

TEST_F(RewrittenSourcesTest, AreTheUnionOfWhatWasSeen) {
  const fs::path path = Write(kSessionFile, Line("a") + Line("b") + Line("c"));
  Import(path);
  Replace(kSessionFile, Line("a") + Line("x") + Line("c"));
  const ImportReport report = Import(path);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.extended, 1U);
  EXPECT_THAT(report.notes, Contains(AllOf(Field(&ImportProblem::code, ImportProblemCode::kBegunAgain),
                                           Field(&ImportProblem::line, 2U))));
  EXPECT_THAT(Said(kSession), ElementsAre("a", "b", "c", "x"));
  // It goes on from there.
  std::ofstream(path, std::ios::app) << Line("y");
  EXPECT_LE(Import(path).bytes_parsed, Line("y").size() + 1);
  EXPECT_THAT(Said(kSession), ElementsAre("a", "b", "c", "x", "y"));
  Must(log_->SetWatermark(kImportConsumer, Id(kSession), {}));
  Replace(kSessionFile, Line("z") + Line("y"));
  EXPECT_EQ(Import(path).extended, 1U);
  EXPECT_THAT(Said(kSession), ElementsAre("a", "b", "c", "x", "y", "z"));
  EXPECT_EQ(Import(path).events, 0U);
}

TEST_F(RewrittenSourcesTest, SaySoOnce) {
  const auto notes = [this](const std::string& text) { return Import(Replace(kSessionFile, text)).notes.size(); };
  EXPECT_EQ(notes(Line("a") + Line("b") + Line("c")), 0U);
  EXPECT_EQ(notes(Line("b") + Line("c")), 1U);
  Must(log_->SetWatermark(kImportConsumer, Id("other"), {}));
  EXPECT_EQ(notes(Line("b") + Line("c")), 0U);
  EXPECT_EQ(notes(Line("b") + Line("c") + Line("d")), 0U) << "it goes on";
  EXPECT_EQ(notes(Line("d")), 0U) << "nothing of it is new";
  EXPECT_EQ(notes(Line("d") + Line("e")), 0U);
  EXPECT_EQ(notes(Line("x") + Line("e")), 1U);
  EXPECT_EQ(Said(kSession).size(), 6U);
}

TEST_F(RewrittenSourcesTest, MayBeginWithARecordThatIsKeptRaw) {
  const auto summary = [](int number) { return fmt::format(R"({{"type":"summary","summary":"{}"}})", number) + "\n"; };
  Import(Write(kSessionFile, summary(1) + Line("a") + Line("b")));
  EXPECT_THAT(Import(Replace(kSessionFile, summary(2) + Line("a") + Line("b") + Line("c"))).problems, IsEmpty());
  EXPECT_THAT(Said(kSession), ElementsAre("a", "b", "c"));
}

// Which one of the records with one id has it depends on their order.
TEST_F(RewrittenSourcesTest, MayRepeatIdsInAnotherOrder) {
  const std::string a = Line("a"), b = Line("b"), other = ClaudeUser("a", R"("other")") + "\n";
  const fs::path path = Write(kSessionFile, a + b + other);
  Import(path);
  const auto next = [&](const std::string& text) {
    ImportReport report = Import(Replace(kSessionFile, text));
    for (const ImportProblem& problem : report.problems) ADD_FAILURE() << ToString(problem);
    return report.events;
  };
  EXPECT_EQ(next(other + b + a), 0U);
  EXPECT_EQ(next(b + other), 0U);
  EXPECT_EQ(next(other + b + a + Line("c")), 3U) << "with an import record and a turn";
  EXPECT_THAT(Said(kSession), ElementsAre("a", "b", "other", "c"));
  const ImportReport changed = Import(Replace(kSessionFile, ClaudeUser("a", R"("third")") + "\n" + b));
  EXPECT_EQ(changed.failed, 1U) << "it has become another one";
}

TEST_F(RewrittenSourcesTest, WithoutIdsAreRecognisedByTheirContents) {
  const std::string meta = CodexMeta(kCodexThread) + "\n";
  const auto text = [&](const std::string& names) {
    std::string lines = meta;
    for (const char name : names) lines += CodexUser(std::string(1, name)) + "\n";
    return lines;
  };
  const fs::path path = Write(kCodexFile, text("abcd"));
  Import(path);
  Replace(kCodexFile, text("abxy"));
  EXPECT_THAT(Import(path).problems, IsEmpty());
  EXPECT_THAT(Said(kCodexThread), ElementsAre("a", "b", "c", "d", "x", "y"));
  Replace(kCodexFile, text("aqcd"));
  const ImportReport changed = Import(path);
  EXPECT_EQ(changed.failed, 1U) << "b became q";
  EXPECT_EQ(changed.problems.at(0).code, ImportProblemCode::kChanged);
  EXPECT_THAT(changed.problems[0].reason, HasSubstr("as seq 6")) << "the text of b";
  EXPECT_THAT(Said(kCodexThread), SizeIs(6));
}

// As `doctor` and `resume` write it.
TEST_F(RewrittenSourcesTest, MayGetTheResultOfACallThatHadNone) {
  const std::string call = CodexMeta(kCodexThread) + "\n" + CodexCall("c", "shell", R"("{}")") + "\n";
  const std::string result = CodexOutput("c", R"("Interrupted.")") + "\n", prompt = CodexUser("Go on") + "\n";
  const fs::path path = Write(kCodexFile, call + prompt);
  Import(path);
  Replace(kCodexFile, call + result + prompt);
  const ImportReport mended = Import(path);
  EXPECT_THAT(mended.problems, IsEmpty());
  EXPECT_THAT(mended.notes, IsEmpty());
  EXPECT_EQ(mended.events, 2) << "a record, and the result";
  std::ofstream(path, std::ios::app) << CodexAssistant("Done.") << "\n";
  EXPECT_EQ(Import(path).events, 2);
  Replace(kCodexFile, call + result + prompt + CodexAssistant("Done.") + "\n" + CodexUser("More") + "\n");
  EXPECT_EQ(Import(path).extended, 1U);
  EXPECT_THAT(Said(kCodexThread), ElementsAre("Go on", "More"));
  Replace(kCodexFile, call + CodexOutput("c", R"("Another.")") + "\n" + prompt);
  EXPECT_EQ(Import(path).problems.at(0).code, ImportProblemCode::kChanged);
}

TEST_F(RewrittenSourcesTest, WithAnotherPastAreAConflict) {
  const fs::path path = Write(kSessionFile, Line("a") + Line("b") + Line("c"));
  Import(path);
  Replace(kSessionFile, Line("x") + ClaudeUser("b", R"("other")") + "\n");
  const ImportReport report = Import(path);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(report.problems.at(0).line, 2U);
  EXPECT_THAT(report.problems[0].reason, HasSubstr("as seq 4")) << "the events of b in the log";
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_THAT(Said(kSession), ElementsAre("a", "b", "c"));
}

// More than one append, each with its record.
TEST_F(RewrittenSourcesTest, MayBeLong) {
  std::string before, after;
  for (int i = 0; i < 60; ++i) {
    before += ClaudeUser(fmt::format("a{}", i), '"' + std::string(1'000, 'a') + '"') + "\n";
    after += ClaudeUser(fmt::format("b{}", i), '"' + std::string(1'000, 'b') + '"') + "\n";
  }
  const fs::path path = Write(kSessionFile, before);
  ImportSmall(*log_, "claude-code", path);
  Replace(kSessionFile, after + before.substr(0, before.size() / 2));
  EXPECT_THAT(ImportSmall(*log_, "claude-code", path).problems, IsEmpty());
  EXPECT_THAT(Said(kSession), SizeIs(120));
  EXPECT_EQ(ImportSmall(*log_, "claude-code", path).events, 0U);
}

// What was redacted must not come in again.
TEST_F(RewrittenSourcesTest, DoNotBringBackWhatWasRedacted) {
  const std::string value = std::string("Kq7v-rather") + "Secret!9x";
  const std::string meta = CodexMeta(kCodexThread) + "\n";
  const fs::path path = Write(kCodexFile, meta + CodexUser("a") + "\n" + CodexUser(value) + "\n");
  Import(path);
  RedactionTargets targets;
  targets.values = {value};
  Must(Must(Redaction::Plan(*log_, targets))->Apply("tester"));
  Replace(kCodexFile, meta + CodexUser("new") + "\n" + CodexUser(value) + "\n");
  EXPECT_EQ(Import(path).failed, 1U);
  EXPECT_THAT(Said(kCodexThread), ElementsAre("a", "[redacted]"));
}

TEST_F(RewrittenSourcesTest, DoNotBringInWhatWasKeptOut) {
  const std::string meta = CodexMeta(kCodexThread) + "\n", secret = CodexUser(kFakeToken) + "\n";
  const fs::path path = Write(kCodexFile, meta + CodexUser("a") + "\n" + secret);
  Must(turnlog::Import(*log_, "auto", {&path, 1}, {.detect = SecretDetection::kRedact}));
  Replace(kCodexFile, meta + CodexUser("new") + "\n" + secret);
  EXPECT_EQ(Import(path).failed, 1U);
  EXPECT_FALSE(IsStored(kFakeToken));
}

TEST_F(RewrittenSourcesTest, RemoveNothingWhenTheyDisappear) {
  const fs::path path = Write("p/" + kSessionFile, Line("a"));
  WriteJp("17-t", "[\n  {\"type\": \"turn_start\"}\n]\n", "p");
  Import(dir_ / "p");
  fs::remove(path);
  Settle();
  EXPECT_EQ(Import(dir_ / "p").failed, 0U);
  EXPECT_THAT(All(), SizeIs(2));
  EXPECT_THAT(Said(kSession), ElementsAre("a"));
}

}  // namespace
}  // namespace turnlog::rewritten_sources_test
