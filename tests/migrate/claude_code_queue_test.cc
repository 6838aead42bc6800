// What the user types while Claude Code works, and what else comes through its queue.
#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "migrate/claude_code/format.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "turnlog/event_json.h"

namespace turnlog::claude_code_queue_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Prompt(std::string_view uuid, std::string_view text, std::string_view version) {
  return ClaudeUser(uuid, "\"" + std::string(text) + "\"", R"(,"version":")" + std::string(version) + "\"") + "\n";
}

// A record of the queue: `fields` after those that all have.
std::string Queue(std::string_view fields) {
  return std::string(R"({"type":"queue-operation","timestamp":"2026-01-05T10:00:02Z","sessionId":")")
      .append(kClaudeSession)
      .append("\",")
      .append(fields)
      .append("}\n");
}

std::string Attached(std::string_view uuid, std::string_view text) {
  return ClaudeRecord(uuid, R"("type":"attachment","attachment":{"type":"queued_command","prompt":")" +
                                std::string(text) + R"("})") +
         "\n";
}

// The requests of a session, with their authors.
std::vector<std::string> Requests(const std::string& text) {
  ReadSource read = ReadFiles(kClaudeCodeFormat, {{std::string(kClaudeSession) + ".jsonl", text}});
  EXPECT_EQ(read.only().written, text);
  std::vector<std::string> requests;
  for (const Event& event : read.only().events) {
    const auto* request = std::get_if<ChatRequest>(&event.body);
    if (request != nullptr) requests.push_back(request->author.value_or("user") + ": " + request->content);
  }
  return requests;
}

const std::string kRemoved = Queue(R"("operation":"remove","content":"use tabs")");

TEST(ClaudeCodeQueueTest, TakesAPromptThatOnlyTheQueueHas) {
  const std::string enqueued = Queue(R"("operation":"enqueue","content":[{"type":"text","text":"use tabs"}])");
  const std::string begun = Prompt("1", "go", "2.0.55") + ClaudeAssistant("a", ClaudeCall("t")) + "\n" + enqueued;
  EXPECT_THAT(Requests(begun + kRemoved), ElementsAre("user: go", "user: use tabs"));
  EXPECT_THAT(Requests(begun + Queue(R"("operation":"popAll","content":"use tabs")")), ElementsAre("user: go"));
  EXPECT_THAT(Requests(begun + Queue(R"("operation":"dequeue")") + Prompt("2", "use tabs", "2.0.55")),
              ElementsAre("user: go", "user: use tabs"));
  EXPECT_THAT(Requests(begun + Queue(R"("operation":"remove","content":"<bash-notification>\n<shell-id>b1")")),
              ElementsAre("user: go", "harness: <bash-notification>\n<shell-id>b1"));
}

// Newer versions write an attachment for each; without one, the user has taken it back.
TEST(ClaudeCodeQueueTest, TakesAPromptOnce) {
  const std::string begun = Prompt("1", "go", "2.1.90");
  const std::string attached = Attached("q", "use tabs");
  EXPECT_THAT(Requests(begun + kRemoved + attached), ElementsAre("user: go", "user: use tabs"));
  EXPECT_THAT(Requests(begun + attached + kRemoved), ElementsAre("user: go", "user: use tabs"));
  EXPECT_THAT(Requests(begun + kRemoved + attached + Attached("r", "use tabs")),
              ElementsAre("user: go", "user: use tabs", "user: use tabs"));
  EXPECT_THAT(Requests(Prompt("1", "go", "2.1.101") + kRemoved), ElementsAre("user: go"));
  EXPECT_THAT(Requests(Prompt("1", "go", "2.1.281") + kRemoved + attached), ElementsAre("user: go", "user: use tabs"));
  EXPECT_THAT(Requests(kRemoved + begun), ElementsAre("user: go")) << "of an unknown version";
}

TEST(ClaudeCodeQueueTest, TakesReportsForNoWordsOfTheUser) {
  for (const std::string lead :
       {"<agent-notification>\\n<agent-id>a1", "<bash-notification>\\n<shell-id>b1",
        "<agent-message from=\\\"a1\\\">\\n  Done.", "<user-prompt-submit-hook>x", "<session-start-hook>x",
        "<tick>10:00", "<goal>x", "[SYSTEM NOTIFICATION - NOT USER INPUT]\\nThis is an automated",
        "A session-scoped Stop hook is now active with condition: x",
        "<ide_opened_file>The user opened a.cc.</ide_opened_file>\\n",
        "<ide_selection>The user selected a line.</ide_selection>"}) {
    EXPECT_THAT(Requests(Prompt("1", lead, "2.0.70")).at(0), testing::StartsWith("harness: ")) << lead;
  }
  const std::string opened = "<ide_opened_file>The user opened a.cc.</ide_opened_file>";
  EXPECT_THAT(Requests(Prompt("1", opened + "\\nFix it", "2.0.70")), ElementsAre("user: " + opened + "\nFix it"));
}

class ClaudeCodeQueueImportTest : public ImportTest {};

TEST_F(ClaudeCodeQueueImportTest, AGrownSessionKnowsItsVersion) {
  const std::string name = std::string(kClaudeSession) + ".jsonl";
  std::string text = Prompt("1", "go", "2.0.55");
  Auto({Write(name, text)});
  for (const std::string& more : {kRemoved, Attached("q", "use tabs")}) {
    text += more;
    EXPECT_THAT(Auto({Write(name, text)}).problems, IsEmpty());
  }
  EXPECT_THAT(Said(kClaudeSession), ElementsAre("go", "use tabs"));
}

}  // namespace
}  // namespace turnlog::claude_code_queue_test
