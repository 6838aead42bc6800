#include <gmock/gmock.h>

#include <algorithm>

#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::claude_code_import_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kSessionFile = std::string(kClaudeSession) + ".jsonl";
const std::string kSession(kClaudeSession);

class ClaudeCodeImportTest : public ImportTest {
 protected:
  ImportReport Import(const std::filesystem::path& path, std::string_view format = "claude-code") {
    const std::vector<std::filesystem::path> paths{path};
    return Must(turnlog::Import(*log_, format, paths));
  }
  std::string Export(std::string_view conversation) { return ExportRawText("claude-code", conversation); }
};

TEST_F(ClaudeCodeImportTest, ImportsAProjectWithItsSubagents) {
  Write("project/" + kSessionFile, ClaudeSampleWithSidechain());
  Write("project/" + kSession + "/subagents/agent-abc.jsonl", ClaudeUser("x", R"("go")") + "\n");
  Write("project/" + kSession + "/subagents/agent-abc.meta.json", "{}");
  Write("project/" + kSession + "/tool-results/o1.txt", "whole\n");
  Write("project/" + kSession + "/other/1.txt", "not imported");
  const ImportReport report = Import(dir_ / "project", "auto");
  EXPECT_EQ(report.added, 4) << "and the sidechain";
  ASSERT_THAT(report.bytes, SizeIs(1));
  EXPECT_EQ(report.bytes[0].imported + report.bytes[0].kept_raw, report.bytes[0].size);
  EXPECT_THAT(report.notes, ElementsAre(testing::Field(&ImportProblem::code, ImportProblemCode::kSkipped)));
  EXPECT_EQ(Export(kSession), ClaudeSampleWithSidechain());
  EXPECT_EQ(Export(kSession + "/tool-results/o1.txt"), "whole\n");
  EXPECT_EQ(Import(dir_ / "project").unchanged, 4);
  Settle();  // now the file system can tell that nothing has changed
  Import(dir_ / "project");
  EXPECT_EQ(Import(dir_ / "project").unchanged, 4);
}

TEST_F(ClaudeCodeImportTest, ExportsASessionAsItsFiles) {
  Write("project/" + kSessionFile, ClaudeSampleWithSidechain());
  Write("project/" + kSession + "/subagents/agent-abc.jsonl", ClaudeUser("x", R"("go")") + "\n");
  Write("project/" + kSession + "/subagents/agent-abc.meta.json", "{}");
  Write("project/" + kSession + "/tool-results/o1.txt", "whole\n");
  Import(dir_ / "project");
  const ExportOptions raw{.raw = true};
  const auto to_folder = [&](const std::vector<ConversationId>& ids) {
    return Must(ExportToFolder(*log_, "claude-code", ids, dir_ / "out", raw));
  };
  EXPECT_THAT(to_folder({Id(kSession)}).failures, IsEmpty());
  EXPECT_EQ(ReadTree(dir_ / "out"), ReadTree(dir_ / "project"));
  EXPECT_THAT(to_folder(All()).failures, IsEmpty()) << "the sidechain is in the file of its session";
  Write("out/" + kSessionFile, "mine");
  std::filesystem::remove(dir_ / "out" / kSession / "tool-results/o1.txt");
  const ExportReport again = to_folder(All());
  EXPECT_THAT(again.failures, SizeIs(2)) << "the changed file, which has the sidechain, too";
  EXPECT_EQ(ReadTree(dir_ / "out").at(kSessionFile), "mine");
  EXPECT_EQ(ReadTree(dir_ / "out").at(kSession + "/tool-results/o1.txt"), "whole\n");
}

// It has no file of its own, and no bytes.
TEST_F(ClaudeCodeImportTest, WritesASidechainFromItsEvents) {
  Import(Write(kSessionFile, ClaudeSampleWithSidechain()));
  const std::vector<ConversationId> all = All();
  const auto sidechain =
      std::ranges::find_if(all, [](const ConversationId& id) { return id.text().contains("/sidechain-"); });
  ASSERT_NE(sidechain, all.end());
  const auto write = [&](bool raw) {
    std::string text;
    const auto sink = [&](std::string_view piece) { return text += piece, Status(); };
    const ExportReport report = Must(ExportToStream(*log_, "claude-code", {&*sidechain, 1}, sink, {.raw = raw}));
    return report.failures.empty() ? text : "refused";
  };
  EXPECT_THAT(write(false), HasSubstr(R"("type":"user")"));
  EXPECT_EQ(write(true), "refused");
}

// JSON lines may have any import record.
TEST_F(ClaudeCodeImportTest, ASidechainOfItselfIsRefused) {
  const auto line = [](const std::string& id, const std::string& parent) {
    return R"({"conversation":")" + id +
           R"(","type":"import","format":"claude-code","source":"","events":1,"parts":{"parent":")" + parent +
           R"("}})" + "\n" + R"({"conversation":")" + id + R"(","type":"turn_start"})" + "\n";
  };
  Import(Write("x.jsonl", line("x", "x") + line("y", "z") + line("z", "y")), "jsonl");
  EXPECT_THAT(Must(ExportToFolder(*log_, "claude-code", All(), dir_ / "out", {})).failures, SizeIs(3));
}

// All files of a session are one source, and the next one is read while the problems of the last are not reported yet.
TEST_F(ClaudeCodeImportTest, EachProblemNamesItsFile) {
  const std::string damaged = ClaudeUser("x", R"("go")") + "\nno JSON\n";
  Write(kSessionFile, damaged);
  Write(kSession + "/subagents/agent-abc.jsonl", damaged);
  Write(kSession + "/subagents/agent-with-a-longer-name.jsonl", damaged);
  std::vector<std::string> files;
  for (const ImportProblem& problem : Import(dir_ / kSessionFile).problems) {
    files.push_back(std::filesystem::path(problem.file).filename());
  }
  EXPECT_THAT(files, ElementsAre(kSessionFile, "agent-abc.jsonl", "agent-with-a-longer-name.jsonl"));
}

// Importing again adds an output that has appeared since.
TEST_F(ClaudeCodeImportTest, SaysOfATextThatIsNotValidWhatItSaysOfOthers) {
  const std::string text = ClaudeUser("x", R"("one")") + "\n" + ClaudeUser("x", R"("two \ud800")") + "\n";
  const auto is = [](ImportProblemCode code) { return testing::Field(&ImportProblem::code, code); };
  EXPECT_THAT(Import(Write(kSessionFile, text)).notes,
              ElementsAre(is(ImportProblemCode::kTextRepaired), is(ImportProblemCode::kRepeatedId)));
  EXPECT_EQ(Export(kSession), text);
}

TEST_F(ClaudeCodeImportTest, TakesOutputsThatComeLater) {
  Write(kSessionFile, ClaudeSampleWithSidechain());
  Write(kSession + "/tool-results/o2.txt", "two");
  EXPECT_EQ(Import(dir_ / "").added, 3);
  Write(kSession + "/tool-results/o1.txt", "one");
  const ImportReport report = Import(dir_ / "");
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.failed, 0);
  EXPECT_EQ(Export(kSession + "/tool-results/o1.txt"), "one");
}

TEST_F(ClaudeCodeImportTest, AddsWhatTheAgentHasWrittenSince) {
  const std::string sample = ClaudeSample();
  const std::size_t half = sample.size() / 2;
  const auto path = Write(kSessionFile, sample.substr(0, half));
  Import(path);
  EXPECT_EQ(Export(kSession), sample.substr(0, half)) << "the torn line, too";
  Write(kSessionFile, sample);
  EXPECT_EQ(Import(path).extended, 1);
  EXPECT_EQ(Export(kSession), sample);
  Write(kSessionFile, sample.substr(0, half));
  const ImportReport shrunk = Import(path);
  EXPECT_EQ(shrunk.unchanged, 1);
  EXPECT_THAT(shrunk.notes, Contains(testing::Field(&ImportProblem::code, ImportProblemCode::kShrunk)));
  EXPECT_EQ(Export(kSession), sample);
}

TEST_F(ClaudeCodeImportTest, RefusesASourceWithAnotherPast) {
  const auto path = Write(kSessionFile, ClaudeUser("1", R"("one")") + "\n");
  Import(path);
  Write(kSessionFile, ClaudeUser("1", R"("other")") + "\n");
  const ImportReport report = Import(path);
  EXPECT_EQ(report.failed, 1);
  EXPECT_EQ(report.bytes.at(0).unreadable, report.bytes.at(0).size) << "nothing of it was imported";
}

TEST_F(ClaudeCodeImportTest, WhatWaitsInTheSourceWaitsInTheLog) {
  Import(Write(kSessionFile, ClaudeUser("u", R"("Hi")") + "\n" + ClaudeAssistant("a", ClaudeAsk("t")) + "\n"));
  EXPECT_THAT(Must(log_->Pending(Id(kSession))), SizeIs(2));
}

// Whether the questions were read in this import or in an earlier one.
TEST_F(ClaudeCodeImportTest, WhatWasInterruptedWaitsNoLonger) {
  const std::string asked = ClaudeUser("u", R"("Hi")") + "\n" + ClaudeAssistant("a", ClaudeAsk("t")) + "\n";
  const std::string interrupted =
      ClaudeUser("i", R"([{"type":"text","text":"[Request interrupted by user for tool use]"}])") + "\n";
  for (const bool at_once : {true, false}) {
    const std::string session = at_once ? kSession : "0b1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
    const std::string file = "q/" + session + ".jsonl";
    if (!at_once) Import(Write(file, asked));
    EXPECT_THAT(Import(Write(file, asked + interrupted)).problems, IsEmpty());
    EXPECT_THAT(Must(log_->Pending(Id(session))), IsEmpty());
    EXPECT_EQ(Import(Write(file, asked + interrupted + ClaudeUser("v", R"("go on")") + "\n")).events, 3U)
        << "an import record, and a turn";
  }
}

// A question of an earlier turn, too: otherwise the log has another record than the whole file.
TEST_F(ClaudeCodeImportTest, WhatWasInterruptedIsOfAnyTurn) {
  const std::string asked = ClaudeUser("u", R"("Hi")") + "\n" + ClaudeAssistant("a", ClaudeAsk("t")) + "\n" +
                            ClaudeUser("v", R"("go on")") + "\n";
  const std::string interrupted = ClaudeUser("i", R"("[Request interrupted by user]")") + "\n";
  const auto outcomes = [&](const std::string& session) {
    return std::ranges::count(Events(session), EventKind::kInquiryResponse, &Event::kind);
  };
  const std::string grown = "0b1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
  Import(Write("q/" + kSessionFile, asked + interrupted));
  Import(Write("q/" + grown + ".jsonl", asked));
  Import(Write("q/" + grown + ".jsonl", asked + interrupted));
  EXPECT_EQ(outcomes(kSession), 2);
  EXPECT_EQ(outcomes(grown), 2);
}

// A torn first line may have been going to name the session.
TEST_F(ClaudeCodeImportTest, AFileWithoutARecordIsNoConversation) {
  const std::string record = ClaudeUser("u", R"("Hi")") + "\n";
  for (const std::size_t size : {std::size_t{0}, std::size_t{40}, record.size() - 2}) {
    const ImportReport report = Import(Write("p/agent-ab12.jsonl", record.substr(0, size)));
    EXPECT_THAT(report.notes, ElementsAre(testing::Field(&ImportProblem::code, ImportProblemCode::kIncomplete)));
    EXPECT_THAT(All(), IsEmpty()) << size;
  }
  EXPECT_EQ(Import(Write("p/agent-ab12.jsonl", record)).added, 1U);
  EXPECT_THAT(All(), ElementsAre(Id(kSession + "/agent-ab12")));
}

// One that has records is a conversation, also if none of them names the session.
TEST_F(ClaudeCodeImportTest, KeepsWhatFollowsTheLastRecord) {
  const std::string record = R"({"type":"user","message":{"role":"user","content":"Hi"},"cwd":"/x"})";
  const std::filesystem::path path = Write("p/notes.jsonl", record);
  EXPECT_EQ(Import(path).added, 1U);
  std::string text = record;
  for (const std::string_view more : {"\n", "\n\n", R"({"type":"user","mess)"}) {
    text += more;
    EXPECT_EQ(Import(Write("p/notes.jsonl", text)).extended, 1U) << text;
    EXPECT_EQ(ExportRawText("claude-code", "notes"), text);
    EXPECT_EQ(Import(path).bytes_parsed, 0U) << text;
  }
  EXPECT_THAT(All(), ElementsAre(Id("notes")));
}

TEST_F(ClaudeCodeImportTest, ExportsWhatWasImportedAndOfOtherFormatsOnlyViews) {
  Import(Write(kSessionFile, ClaudeSample()));
  Jsonl({Write("talk.jsonl", "{\"type\":\"turn_start\"}\n{\"type\":\"chat_request\",\"content\":\"Hi\"}\n")});
  std::string out;
  const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
  const std::vector<ConversationId> ids{Id(kSession), Id("talk")};
  const auto report = Must(ExportToStream(*log_, "claude-code", ids, sink, {.raw = true}));
  EXPECT_THAT(report.failures, ElementsAre(testing::Field(&ExportFailure::conversation, "talk")));
  EXPECT_EQ(out, ClaudeSample());
  out.clear();
  EXPECT_THAT(Must(ExportToStream(*log_, "claude-code", ids, sink)).failures, SizeIs(0));
  EXPECT_THAT(out, testing::StartsWith(ClaudeSample()));
  EXPECT_GT(out.size(), ClaudeSample().size());
}

}  // namespace
}  // namespace turnlog::claude_code_import_test
