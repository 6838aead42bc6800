#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/import_fixture.h"
#include "tests/migrate/located_code.h"
#include "tests/support/shared_data.h"
#include "turnlog/event_json.h"
#include "turnlog/migrate/export.h"

namespace turnlog::jsonl_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class JsonlTest : public ImportTest {
 protected:
  ImportReport Import(std::string_view text, const std::string& name = "chat.jsonl") {
    return Jsonl({Write(name, text)});
  }

  std::string Export(const std::vector<ConversationId>& ids) { return ExportToJsonl(ids); }

  static std::vector<std::string> Problems(const ImportReport& report) {
    std::vector<std::string> problems;
    for (const ImportProblem& problem : report.problems) {
      problems.push_back(LocatedCode(problem).substr(problem.file.rfind('/') + 1));
    }
    return problems;
  }
};

constexpr std::string_view kTurn = R"({"type":"turn_start"})"
                                   "\n";
constexpr std::string_view kChat = R"({"type":"chat_request","content":"hi"})"
                                   "\n";

std::string In(std::string_view conversation, std::string_view rest) {
  return std::string(R"({"conversation":")").append(conversation).append(R"(",)").append(rest).append("}\n");
}

TEST_F(JsonlTest, NamesTheConversationAfterTheFile) {
  const ImportReport report = Import(std::string(kTurn).append(" \n").append(kChat));
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.events, 2);
  EXPECT_EQ(Last("chat"), Seq{2});
}

TEST_F(JsonlTest, TakesTheConversationOfTheLine) {
  const ImportReport report = Import(In("a", R"("type":"turn_start")") + In("b", R"("type":"turn_start")") +
                                     In("a", R"("type":"chat_request","content":"x")"));
  EXPECT_EQ(report.added, 2);
  EXPECT_EQ(Last("a"), Seq{2});
  EXPECT_EQ(Last("b"), Seq{1});
}

TEST_F(JsonlTest, NeedsNoLineBreakAtTheEnd) {
  EXPECT_EQ(Import(R"({"type":"turn_start"})").events, 1);
  EXPECT_EQ(Import("").events, 0);
}

TEST_F(JsonlTest, AddsWhatIsNewAndNothingElse) {
  Import(kTurn);
  EXPECT_EQ(Import(kTurn).unchanged, 1);
  const ImportReport report = Import(std::string(kTurn).append(kChat));
  EXPECT_EQ(report.extended, 1);
  EXPECT_EQ(report.events, 1);
  EXPECT_EQ(Import(kTurn).unchanged, 1) << "an older file";
  EXPECT_EQ(Last("chat"), Seq{2});
}

TEST_F(JsonlTest, RefusesAFileThatSaysSomethingElse) {
  Import(std::string(kTurn).append(kChat));
  const ImportReport report = Import(std::string(kTurn).append(kTurn).append(kChat));
  EXPECT_EQ(report.failed, 1);
  EXPECT_THAT(Problems(report), ElementsAre("chat.jsonl, line 2: changed"));
  EXPECT_EQ(Last("chat"), Seq{2});
}

TEST_F(JsonlTest, ContinuesAtTheSeqsOfTheSource) {
  const std::string two = In("a", R"("seq":2,"type":"chat_request","content":"x")");
  const std::string three = In("a", R"("seq":3,"type":"turn_start")");
  EXPECT_THAT(Problems(Import(two)), ElementsAre("chat.jsonl, line 1: gap"));
  Import(In("a", R"("seq":1,"type":"turn_start")"));
  EXPECT_EQ(Import(two + three).events, 2);
  EXPECT_EQ(Import(two).unchanged, 1);
  EXPECT_EQ(Last("a"), Seq{3});
}

TEST_F(JsonlTest, RefusesSeqsThatDoNotFollowEachOther) {
  const ImportReport report =
      Import(In("a", R"("seq":1,"type":"turn_start")") + In("a", R"("seq":3,"type":"turn_start")"));
  EXPECT_THAT(Problems(report), ElementsAre("chat.jsonl, line 2, byte 49: malformed"));
  EXPECT_EQ(Last("a"), Seq{0});
  EXPECT_EQ(Import(In("b", R"("seq":0,"type":"turn_start")")).failed, 1);
}

TEST_F(JsonlTest, ABadLineCostsItsConversationAndNoOther) {
  const ImportReport report = Import(In("a", R"("type":"turn_start")") + In("b", R"("type":"turn_start")") +
                                     In("a", R"("type":"chat_request")"));
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.failed, 1);
  EXPECT_THAT(Problems(report), ElementsAre("chat.jsonl, line 3, byte 82: malformed"));
  EXPECT_EQ(Last("a"), Seq{0});
  EXPECT_EQ(Last("b"), Seq{1});
}

TEST_F(JsonlTest, ALineOfAnUnknownConversationCostsItsFile) {
  const auto good = Write("good.jsonl", kTurn);
  const auto bad = Write("bad.jsonl", In("a", R"("type":"turn_start")") + "{\"type\"\n" + "\xff\n");
  const ImportReport report = Jsonl({bad, good});
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.failed, 1);
  ASSERT_THAT(report.problems, SizeIs(2));
  EXPECT_EQ(report.problems[0].line, 2);
  EXPECT_EQ(report.problems[1].line, 3);
  EXPECT_EQ(Last("a"), Seq{0});
  EXPECT_EQ(Last("good"), Seq{1});
}

// A missing event of a numbered conversation is noticed: the line was of that one, or of none.
TEST_F(JsonlTest, ALineOfAnUnknownConversationCostsNoneThatIsNumbered) {
  const auto turn = [](std::string_view conversation, int seq) {
    return In(conversation, fmt::format(R"("seq":{},"type":"turn_start")", seq));
  };
  const ImportReport report = Import(turn("a", 1) + turn("b", 1) + In("c", R"("type":"turn_start")") + "garbage\n" +
                                     turn("a", 3) + turn("b", 2));
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(Last("a"), Seq{0});
  EXPECT_EQ(Last("b"), Seq{2});
  EXPECT_EQ(Last("c"), Seq{0});
}

TEST_F(JsonlTest, TextThatIsInvalidCostsTheConversationThatItIsIn) {
  for (const std::string_view text : {"\xff", "\\ud800"}) {
    const ImportReport report = Import(In("a", R"("type":"turn_start")") +
                                       In("b", fmt::format(R"("type":"chat_request","content":"{}")", text)));
    EXPECT_EQ(report.failed, 1);
    EXPECT_EQ(Last("b"), Seq{0});
  }
  EXPECT_EQ(Last("a"), Seq{1});
  EXPECT_EQ(Import(In("a", R"("type":"turn_start")") + In("\xff", R"("type":"turn_start")")).added, 0);
}

TEST_F(JsonlTest, ALastLineThatIsTornCostsNothingElse) {
  const ImportReport report = Import(In("a", R"("type":"turn_start")") + R"({"conversation":"a","type")");
  EXPECT_EQ(report.failed, 0);
  EXPECT_EQ(Last("a"), Seq{1});
  ASSERT_THAT(report.notes, SizeIs(1));
  EXPECT_EQ(ToString(report.notes[0]),
            (dir_ / "chat.jsonl").string() + ", line 2, byte 67: the last line is not complete: expected ':'");
}

TEST_F(JsonlTest, NamesAFileThatIsNotThere) {
  const ImportReport report = Jsonl({dir_ / "missing.jsonl", Write("good.jsonl", kTurn)});
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.failed, 1);
  EXPECT_THAT(Problems(report), ElementsAre("missing.jsonl: not-found"));
}

TEST_F(JsonlTest, RefusesAConversationIdThatIsNone) {
  EXPECT_EQ(Import(In(std::string(600, 'x'), R"("type":"turn_start")")).failed, 1);
  EXPECT_EQ(Import(In("a\\u0000", R"("type":"turn_start")")).failed, 1);
}

TEST_F(JsonlTest, RefusesAnEmptyName) {
  const ImportReport report = Import(In("", R"("type":"turn_start")"));
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0].reason, HasSubstr("conversation: an empty name"));
}

TEST_F(JsonlTest, RefusesAnEventIdThatComesTwice) {
  const std::string line = R"({"type":"turn_start","event_id":"e"})"
                           "\n";
  EXPECT_THAT(Problems(Import(line + line)), ElementsAre("chat.jsonl, line 2, byte 37: malformed"));
  EXPECT_EQ(Last("chat"), Seq{0});
}

// The log would pass over it, and give its seq to the next one.
TEST_F(JsonlTest, RefusesAnEventIdOfAnEarlierEventInTheLog) {
  Import(In("a", R"("seq":1,"type":"turn_start","event_id":"e")"));
  const std::string two = In("a", R"("seq":2,"type":"chat_request","content":"x","event_id":"f")");
  const std::string three = In("a", R"("seq":3,"type":"turn_start","event_id":"e")");
  EXPECT_THAT(Problems(Import(two + three, "more.jsonl")), ElementsAre("more.jsonl, line 2: refused"));
  EXPECT_EQ(Last("a"), Seq{1});
  EXPECT_EQ(Import(two, "more.jsonl").events, 1U);
}

TEST_F(JsonlTest, RedactsAnswersToSecretQuestions) {
  const std::string text =
      R"({"type":"inquiry_request","id":"c.q.1","source":{"source":"user"},"question":{"text":"?",)"
      R"("answer_type":{"type":"secret"}}})"
      "\n"
      R"({"type":"inquiry_response","id":"c.q.1","answer":"hunter2"})"
      "\n";
  const ImportReport report = Import(text);
  EXPECT_EQ(report.added, 1);
  ASSERT_THAT(report.notes, SizeIs(1));
  EXPECT_EQ(report.notes[0].line, 2);
  EXPECT_EQ(std::get<InquiryResponse>(Events("chat").at(1).body).outcome, Outcome::kRedacted);
  EXPECT_EQ(Import(text).unchanged, 1);
}

TEST_F(JsonlTest, TakesItsOwnExportBack) {
  Import(In("a", R"("type":"turn_start")") + In("b", R"("type":"later","x": [1,  2.50])") +
         In("a", R"("type":"chat_request","content":"\u00e9\n","event_id":"e")"));
  const std::string text = Export({Id("a"), Id("b")});
  EXPECT_EQ(Import(text).unchanged, 2);
  const ImportTest::TempStore other;
  const auto report = turnlog::Import(*other.log, "jsonl", std::vector{Write("export.jsonl", text)});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->added, 2);
  std::string again;
  ASSERT_TRUE(ExportToStream(*other.log, "jsonl", std::vector{Id("a"), Id("b")},
                             [&](std::string_view piece) { return again += piece, Status(); }));
  EXPECT_EQ(again, text);
}

// It may begin with an event of any kind, which may be long.
TEST_F(JsonlTest, RecognisesItsOwnExport) {
  for (const std::size_t length : {10U, 200'000U}) {
    const std::string name = fmt::format("{}", length);
    WriteJp(name, "[]\n");
    Write("jp/conversations/" + name + "/notes.md", std::string(length, 'x'));
    Jp();
    const std::string text = Export({Id(name)});
    EXPECT_THAT(text, HasSubstr(R"("type":"import")"));
    const ImportTest::TempStore other;
    const auto report = turnlog::Import(*other.log, "auto", std::vector{Write("export.jsonl", text)});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->added, 1U) << length;
  }
}

TEST_F(JsonlTest, ReadsAFileWithAByteOrderMark) {
  const std::string mark = "\xef\xbb\xbf";
  EXPECT_EQ(Import(mark + std::string(kTurn) + std::string(kChat)).events, 2U);
  EXPECT_EQ(Import(mark + "\n" + std::string(kTurn), "blank.jsonl").events, 1U);
  EXPECT_THAT(Problems(Import(mark + "{x}\n", "bad.jsonl")), ElementsAre(HasSubstr("bad.jsonl")));
  const auto found = turnlog::Import(*log_, "auto", std::vector{Write("marked.txt", mark + std::string(kTurn))});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->added, 1U);
}

TEST_F(JsonlTest, SaysThatARepairHasTheSeqOfALine) {
  const std::string line = In("a", R"("seq":1,"type":"turn_start")");
  Import(line);
  Append("a", ParseEvent(R"({"type":"repair","profile":"x","head":1,"from":1,"to":1,"items":[{"drop":1,"rule":"r"}]})")
                  .value());
  EXPECT_THAT(Problems(Import(line)), IsEmpty());
  const ImportReport report = Import(line + In("a", R"("seq":2,"type":"later")"));
  EXPECT_THAT(report.problems, ElementsAre(AllOf(Field(&ImportProblem::code, ImportProblemCode::kContinued),
                                                 Field(&ImportProblem::reason, HasSubstr("seq 2")))));
  EXPECT_EQ(Import(In("a", R"("type":"turn_start")") + In("a", R"("type":"later")")).events, 1U);
}

// The view with dropped, inserted and moved events, exported as a history.
TEST_F(JsonlTest, ExportsTheSanitizedViewWithSeqsOfItsOwn) {
  Import(In("a", R"("seq":1,"type":"turn_start")") + In("a", R"("seq":2,"type":"chat_request","content":"x")") +
         In("a", R"("seq":3,"type":"later")"));
  Append("a", ParseEvent(R"({"type":"repair","profile":"x","head":3,"from":1,"to":3,"items":[)"
                         R"({"drop":1,"rule":"r"},{"move":3,"to_after":1,"rule":"r"},)"
                         R"({"insert_after":2,"cause":2,"rule":"r","event":{"type":"compaction"}}]})")
                  .value());
  const std::string text = Export({Id("a")});
  EXPECT_EQ(text, In("a", R"("seq":1,"type":"later")") + In("a", R"("seq":2,"type":"chat_request","content":"x")") +
                      In("a", R"("seq":3,"type":"compaction")"));
  const ImportTest::TempStore other;
  const auto report = turnlog::Import(*other.log, "jsonl", std::vector{Write("view.jsonl", text)});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->events, 3);
}

TEST_F(JsonlTest, ExportsTheLogOnRequest) {
  Import(In("a", R"("type":"turn_start")"));
  const std::string repair =
      R"("type":"repair","profile":"x","head":1,"from":1,"to":1,"items":[{"drop":1,"rule":"r"}])";
  Append("a", ParseEvent("{" + repair + "}").value());
  EXPECT_EQ(ExportToJsonl({Id("a")}, {.raw = true}),
            In("a", R"("seq":1,"type":"turn_start")") + In("a", R"("seq":2,)" + repair));
}

// Through JSON lines into another store, and out as jp again.
TEST_F(JsonlTest, CarriesRealHistoriesFromStoreToStore) {
  TURNLOG_SHARED_OR_SKIP(corpus, "corpus/jp");
  Jp({corpus});
  const std::vector<ConversationId> ids = All();
  const ImportTest::TempStore other;
  const auto report = turnlog::Import(*other.log, "jsonl", std::vector{Write("all.jsonl", Export(ids))});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->added, 10);
  EXPECT_THAT(report->problems, IsEmpty());
  ASSERT_TRUE(ExportToFolder(*other.log, "jp", ids, dir_ / "out"));
  EXPECT_TRUE(ReadTree(dir_ / "out") == ReadTree(corpus));
}

TEST_F(JsonlTest, ExportStopsWhenTheSinkFails) {
  Import(kTurn);
  const auto full = [](std::string_view) { return Status(std::unexpected(Error{ErrorCode::kIo, "full"})); };
  const auto status = ExportToStream(*log_, "jsonl", std::vector{Id("chat")}, full);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "full");
  const auto report = ExportToStream(*log_, "jsonl", std::vector{Id("nobody")}, full);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->failures, SizeIs(1));
}

// The output of an agent's own exporter has no seqs; the sanitizer may have added events since.
TEST_F(JsonlTest, ContinuesAfterRepairsOfAGrowingSource) {
  Import(kTurn);
  Append("chat",
         ParseEvent(R"({"type":"repair","profile":"x","head":1,"from":1,"to":1,"items":[{"drop":1,"rule":"r"}]})")
             .value());
  const ImportReport report = Import(std::string(kTurn).append(kChat));
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.extended, 1);
  EXPECT_EQ(Last("chat"), Seq{3});
  EXPECT_EQ(Import(std::string(kTurn).append(kChat)).unchanged, 1);
}

}  // namespace
}  // namespace turnlog::jsonl_test
