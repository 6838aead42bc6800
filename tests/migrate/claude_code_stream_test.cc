// What Claude Code prints with `--output-format stream-json`, and the desktop application keeps as `audit.jsonl`.
#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "migrate/claude_code/format.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"

namespace turnlog::claude_code_stream_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const std::string kOther = "1b2c3d4e-5f60-4172-8183-3a4b5c6d7e8f";

// `call`: that runs the subagent which the message is of.
std::string Message(std::string_view uuid, std::string_view role, std::string_view content, std::string_view call = {},
                    std::string_view more = {}) {
  return std::string(R"({"type":")")
      .append(role)
      .append(R"(","message":{"role":")")
      .append(role)
      .append(R"(","content":)")
      .append(content)
      .append(R"(},"parent_tool_use_id":)")
      .append(call.empty() ? "null" : "\"" + std::string(call) + "\"")
      .append(R"(,"session_id":")")
      .append(kClaudeSession)
      .append(R"(","uuid":")")
      .append(uuid)
      .append("\"")
      .append(more)
      .append("}\n");
}

std::string Result(std::string_view uuid, std::string_view call, std::string_view of = {}, std::string_view more = {}) {
  return Message(uuid, "user",
                 R"([{"type":"tool_result","tool_use_id":")" + std::string(call) + R"(","content":"done"}])", of, more);
}

const std::string kBegin = R"({"type":"system","subtype":"init","cwd":"/w","session_id":")" +
                           std::string(kClaudeSession) + R"(","tools":["Bash"],"uuid":"i"})" + "\n" +
                           Message("u", "user", R"("Do it")");

TEST(ClaudeCodeStreamTest, TellsSubagentsFromTheSession) {
  const std::string text = kBegin +
                           Message("a", "assistant", "[" + ClaudeCall("t1", "Agent", R"({"prompt":"Explore"})") + "]") +
                           Message("b", "user", R"([{"type":"text","text":"Explore"}])", "t1") +
                           Message("c", "assistant", "[" + ClaudeCall("t2") + "]", "t1") + Result("d", "t2", "t1") +
                           Result("e", "t1", {}, R"(,"tool_use_result":{"agentId":"x"})") +
                           Message("f", "assistant", R"([{"type":"text","text":"Done."}])");
  ReadSource read = ReadFiles(kClaudeCodeFormat, {{"out.jsonl", text}});
  const std::string session(kClaudeSession), side = session + "/sidechain-b";
  ASSERT_TRUE(read.conversations.contains(session));
  ASSERT_TRUE(read.conversations.contains(side));
  const auto& events = read.conversations.at(session).events;
  EXPECT_EQ(read.conversations.at(session).written, text);
  EXPECT_THAT(Shapes(events),
              ElementsAre("foreign", R"({"type":"turn_start"})", R"({"type":"chat_request","content":"Do it"})",
                          testing::HasSubstr(R"("id":"t1")"), "foreign", "foreign", "foreign",
                          testing::HasSubstr(R"("id":"t1")"), testing::HasSubstr("Done.")));
  EXPECT_EQ(events[7].metadata.text(), R"({"agent":")" + side + R"("})");
  EXPECT_THAT(
      Shapes(read.conversations.at(side).events),
      ElementsAre(R"({"type":"turn_start"})", R"({"type":"chat_request","content":"Explore","author":"assistant"})",
                  testing::HasSubstr(R"("id":"t2")"), testing::HasSubstr(R"("id":"t2")")));
}

TEST(ClaudeCodeStreamTest, TakesWhatIsSyntheticForNoWordsOfTheUser) {
  const std::string summary =
      Message("s", "user", R"("This session is being continued from a previous conversation that ran out.")", {},
              R"(,"isReplay":false,"isSynthetic":true)");
  const std::string error = Message("e", "assistant", R"([{"type":"text","text":"API Error"}])", {},
                                    R"(,"error":"overloaded","is_api_error_message":true)");
  const std::string hook = Message("h", "user", R"([{"type":"text","text":"Blocked."}])", {}, R"(,"isSynthetic":true)");
  ReadSource read = ReadFiles(kClaudeCodeFormat, {{"out.jsonl", kBegin + error + summary + hook}});
  const auto shapes = Shapes(read.only().events);
  ASSERT_THAT(shapes, SizeIs(7));
  EXPECT_EQ(shapes[3], "foreign");
  EXPECT_THAT(shapes[4], testing::HasSubstr(R"("type":"compaction")"));
  EXPECT_EQ(shapes[6], R"({"type":"chat_request","content":"Blocked.","author":"harness"})");
}

TEST(ClaudeCodeStreamTest, FindsTheAnswersToQuestions) {
  const std::string text =
      kBegin + Message("a", "assistant", "[" + ClaudeAsk("t") + "]") +
      Result("r", "t", {}, R"(,"tool_use_result":{"answers":{"Which \"one\"?":"a","Why?":"because"}})");
  ReadSource read = ReadFiles(kClaudeCodeFormat, {{"out.jsonl", text}});
  std::vector<std::string> answers;
  for (const Event& event : read.only().events) {
    const auto* response = std::get_if<InquiryResponse>(&event.body);
    if (response != nullptr) answers.push_back(response->answer.text());
  }
  EXPECT_THAT(answers, ElementsAre(R"("a")", R"("because")"));
}

class ClaudeCodeStreamImportTest : public ImportTest {};

TEST_F(ClaudeCodeStreamImportTest, IsTheSessionThatItNames) {
  std::string other = kBegin;
  for (std::size_t at = 0; (at = other.find(kClaudeSession, at)) != std::string::npos;) {
    other.replace(at, kClaudeSession.size(), kOther);
  }
  other.replace(other.find("\"u\""), 3, "\"v\"");
  Write("logs/1/audit.jsonl", kBegin);
  Write("logs/2/audit.jsonl", other);
  EXPECT_THAT(Auto({dir_ / "logs"}).problems, IsEmpty());
  EXPECT_THAT(All(), UnorderedElementsAre(Id(kClaudeSession), Id(kOther)));
}

}  // namespace
}  // namespace turnlog::claude_code_stream_test
