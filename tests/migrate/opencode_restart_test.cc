// Sessions of opencode that have lost messages, or got some before others, and go on.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/logged/source_state.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/opencode_samples.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"
#include "turnlog/migrate/usage.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::opencode_restart_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string Prompt(int number, const std::string& text) {
  const std::string id = fmt::format("m{:02}", number);
  return OpencodeMessageRow(id, R"("role":"user")", std::to_string(number)) +
         OpencodePartRow(id + "p", id, OpencodeTextPart(text));
}

std::string Answer(int number, const std::string& more) {
  return OpencodeMessageRow(fmt::format("m{:02}", number), R"("role":"assistant")" + more, std::to_string(number)) +
         fmt::format("UPDATE message SET time_updated={} WHERE id='m{:02}';", more.size(), number);
}

std::string Call(int number, const std::string& state) {
  const std::string id = fmt::format("m{:02}", number);
  return OpencodePartRow(id + "c", id, OpencodeToolPart("c" + id, "ls", state)) +
         fmt::format("UPDATE part SET time_updated={} WHERE id='{}c';", state.size(), id);
}

std::string Remove(int number) {
  return fmt::format("DELETE FROM message WHERE id='m{0:02}'; DELETE FROM part WHERE message_id='m{0:02}';", number);
}

const std::string kRunning = R"("status":"running","input":{})";
const std::string kDone = R"("status":"completed","input":{},"output":"done")";
const std::string kCompleted = R"(,"time":{"completed":9},"tokens":{"input":7,"output":5})";

class OpencodeRestartTest : public ImportTest {
 protected:
  OpencodeRestartTest() : database_(dir_ / "live" / "opencode.db") { database_.Run(kOpencodeTables); }

  ImportReport Add(const std::string& rows) {
    database_.Run(rows);
    Settle();
    ImportReport report = Must(Import(*log_, "auto", paths_));
    EXPECT_THAT(report.problems, IsEmpty());
    return report;
  }
  std::string Written() { return ExportRaw("opencode", "s").at("s/s.json"); }

  TestDatabase database_;
  const std::vector<std::filesystem::path> paths_{dir_ / "live"};
};

// The tokens of an answer are in its message only.
TEST_F(OpencodeRestartTest, AMessageIsRevised) {
  Add(Prompt(1, "one") + Prompt(2, "two") + Answer(3, ""));
  Add(Remove(1));
  EXPECT_EQ(Add(Answer(3, kCompleted)).extended, 1);
  EXPECT_THAT(Written(), HasSubstr(R"("tokens":{"input":7,"output":5})"));
  const std::vector<ConversationId> ids{Id("s")};
  EXPECT_EQ(Must(CountUsage(*log_, UsageBy::kModel, ids)).sum.tokens.input, 7U);
  EXPECT_EQ(Add(Prompt(4, "three")).extended, 1);
  EXPECT_EQ(Add("").events, 0U);
}

// As after an undo: the last messages are removed, and others come.
TEST_F(OpencodeRestartTest, ACallGetsItsResult) {
  Add(Prompt(1, "one") + Prompt(2, "two"));
  Add(Remove(2) + Prompt(3, "two again") + Answer(4, "") + Call(4, kRunning));
  Add(Call(4, kDone) + Answer(4, kCompleted) + Prompt(5, "three"));
  EXPECT_EQ(Add("").events, 0U);
  EXPECT_EQ(Add(Prompt(6, "four")).extended, 1);
  EXPECT_THAT(Said("s"), ElementsAre("one", "two", "two again", "three", "four"));
  std::vector<std::string> results;
  for (const Event& event : Events("s")) {
    if (const auto* result = std::get_if<ToolCallResponse>(&event.body)) results.push_back(result->content);
  }
  EXPECT_THAT(results, ElementsAre("done"));
  EXPECT_THAT(Written(), Not(HasSubstr("running")));
}

// Also where the log has others after the call.
TEST_F(OpencodeRestartTest, ACallGetsItsResultBehindOthers) {
  Add(Prompt(10, "one") + Answer(20, "") + Call(20, kRunning));
  Add(Prompt(5, "before"));
  Add(Call(20, kDone) + Answer(20, kCompleted));
  Add(Prompt(30, "after"));
  EXPECT_EQ(Add("").events, 0U);
  EXPECT_THAT(Said("s"), ElementsAre("one", "before", "after"));
  std::size_t results = 0;
  for (const Event& event : Events("s")) results += event.kind() == EventKind::kToolCallResponse ? 1 : 0;
  EXPECT_EQ(results, 1U);
  EXPECT_THAT(Written(), HasSubstr(R"("output":"done")"));
}

// Nothing was lost: it was not begun again.
TEST_F(OpencodeRestartTest, AMessageMayComeBeforeOthers) {
  Add(Prompt(10, "one") + Prompt(30, "three"));
  const ImportReport report = Add(Prompt(20, "two"));
  EXPECT_EQ(report.extended, 1);
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(Add(Prompt(40, "four")).extended, 1);
  EXPECT_THAT(Said("s"), ElementsAre("one", "three", "two", "four"));
  EXPECT_THAT(Add(Remove(10)).notes, ElementsAre(Field(&ImportProblem::code, ImportProblemCode::kBegunAgain)));
}

// What was redacted is not taken for what comes before it, and does not come back behind it.
TEST_F(OpencodeRestartTest, WhatWasRedactedStaysSo) {
  Add(Prompt(10, "hunter2-and-more") + Prompt(20, "two"));
  RedactionTargets targets;
  targets.values.emplace_back("hunter2-and-more");
  Must(Must(Redaction::Plan(*log_, targets))->Apply("test"));
  Add(Prompt(5, "before"));
  for (const Event& event : Events("s")) EXPECT_THAT(ToJson(View(event)), Not(HasSubstr("hunter2")));
  EXPECT_THAT(Said("s"), SizeIs(3));
}

// An earlier revision of the reader may have taken less of the rows.
TEST_F(OpencodeRestartTest, AnotherRevisionOfTheReaderReadsTheRowsAgain) {
  Add(Prompt(1, "one"));
  KnownSource known = *Must(FindSourceState(*log_, Id("s")));
  const auto import_as = [&](std::uint32_t revision) {
    known.state.revision = revision;
    Must(SaveSourceState(*log_, Id("s"), known.head, known.state));
    // Another session makes the database another one.
    static int other = 0;
    return Add(fmt::format("INSERT INTO session VALUES ('o{}','p','','t',1);", ++other)).events;
  };
  const auto revision = known.state.revision;
  import_as(revision);
  EXPECT_EQ(Must(FindSourceState(*log_, Id("s")))->state.revision, revision);
  import_as(revision - 1);
  EXPECT_EQ(Must(FindSourceState(*log_, Id("s")))->state.revision, revision);
}

}  // namespace
}  // namespace turnlog::opencode_restart_test
