// What a compaction of Claude Code replaces if it keeps messages.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/migrate/import_again_fixture.h"

namespace turnlog::claude_code_compaction_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kSession(kClaudeSession);
const std::string kSessionFile = kSession + ".jsonl";

std::string Uuid(int number) { return fmt::format("00000000-0000-4000-8000-{:012}", number); }

// Four turns: message 10 * i of the user and 10 * i + 1 of the model.
std::string Turns() {
  std::string text;
  for (int turn = 0; turn < 4; ++turn) {
    text += ClaudeUser(Uuid(10 * turn), fmt::format("\"prompt {}\"", turn)) + "\n";
    text += ClaudeAssistant(Uuid(10 * turn + 1), fmt::format(R"({{"type":"text","text":"answer {}"}})", turn)) + "\n";
  }
  return text;
}

std::string Boundary(const std::string& kept) {
  return ClaudeRecord(Uuid(90), R"("type":"system","subtype":"compact_boundary","content":"Conversation compacted",)"
                                R"("compactMetadata":{"trigger":"auto","preTokens":9)" +
                                    kept + "}") +
         "\n";
}

std::string Summary() { return ClaudeUser(Uuid(91), R"("So far.")", R"(,"isCompactSummary":true)") + "\n"; }

std::string Messages(std::initializer_list<int> numbers) {
  std::string uuids;
  for (const int number : numbers) uuids += fmt::format("{}\"{}\"", uuids.empty() ? "" : ",", Uuid(number));
  return fmt::format(R"(,"preservedMessages":{{"anchorUuid":"{}","uuids":[{}]}})", Uuid(91), uuids);
}

std::string Segment(int head) {
  return fmt::format(R"(,"preservedSegment":{{"headUuid":"{}","anchorUuid":"{}","tailUuid":"{}"}})", Uuid(head),
                     Uuid(91), Uuid(31));
}

struct Case {
  const char* name;
  std::string kept;
  const char* replaced;  // null: none
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases{
      {"nothing is kept", "", R"("from_turn":0,"to_turn":3)"},
      {"the last two turns", Messages({20, 21, 30, 31}), R"("from_turn":0,"to_turn":1)"},
      {"the same, by their first message", Segment(20), R"("from_turn":0,"to_turn":1)"},
      {"the end of a turn, which is replaced, and the last one", Messages({21, 30, 31}),
       R"("from_turn":0,"to_turn":2)"},
      {"the end of the last turn", Segment(31), R"("from_turn":0,"to_turn":3)"},
      {"the first turns", Messages({0, 1, 10, 11}), R"("from_turn":2,"to_turn":3)"},
      {"all", Messages({0, 1, 10, 11, 20, 21, 30, 31}), nullptr},
      {"what is not there", Messages({77}), R"("from_turn":0,"to_turn":3)"},
  };
  return cases;
}

void ExpectReplaced(const std::vector<std::string>& events, const Case& expected) {
  SCOPED_TRACE(expected.name);
  if (expected.replaced != nullptr) {
    EXPECT_THAT(events, Contains(HasSubstr(std::string(R"("type":"compaction")"))));
    EXPECT_THAT(events, Contains(HasSubstr(expected.replaced)));
  } else {
    EXPECT_THAT(events, Not(Contains(HasSubstr(R"("type":"compaction")"))));
    EXPECT_THAT(events, Contains(HasSubstr(R"("content":"So far.","author":"harness")")));
  }
}

using ClaudeCodeCompactionTest = ImportAgainFixture;

TEST_F(ClaudeCodeCompactionTest, LeavesTheTurnsThatItKeeps) {
  for (const Case& each : Cases()) {
    TempStore other;
    std::swap(other.log, log_);
    const std::string text = Turns() + Boundary(each.kept) + Summary();
    Import(Write("once/" + kSessionFile, text));
    ExpectReplaced(Imported(kSession), each);
    EXPECT_EQ(Export(kSession, "claude-code"), text);
    std::swap(other.log, log_);
  }
}

// Wherever an import ends in between.
TEST_F(ClaudeCodeCompactionTest, IsTheSameIfTheSessionIsImportedWhileItGrows) {
  for (const Case& each : Cases()) {
    TempStore other;
    std::swap(other.log, log_);
    const std::string path = "grows/" + kSessionFile;
    Import(Write(path, Turns()));
    Import(Write(path, Turns() + Boundary(each.kept)));
    const ImportReport report = Import(Write(path, Turns() + Boundary(each.kept) + Summary()));
    EXPECT_THAT(report.problems, IsEmpty());
    ExpectReplaced(Imported(kSession), each);
    std::swap(other.log, log_);
  }
}

// A second one does not keep what the first one kept.
TEST_F(ClaudeCodeCompactionTest, IsKnownByItsOwnBoundary) {
  const std::string again = ClaudeUser(Uuid(92), R"("All.")", R"(,"isCompactSummary":true)") + "\n";
  Import(Write(kSessionFile, Turns() + Boundary(Messages({20, 21, 30, 31})) + Summary() + again));
  EXPECT_THAT(Imported(kSession), Contains(HasSubstr(R"("from_turn":0,"to_turn":3)")));
}

}  // namespace
}  // namespace turnlog::claude_code_compaction_test
