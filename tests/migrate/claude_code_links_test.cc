// What Claude Code keeps outside of a session, or repeats: subagents, sidechains, forks, long outputs.
#include <gmock/gmock.h>

#include "migrate/claude_code/format.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/read_source.h"

namespace turnlog::claude_code_links_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kSessionFile = std::string(kClaudeSession) + ".jsonl";
const std::string kSession(kClaudeSession);

ReadSource Read(const std::string& text) { return ReadFiles(kClaudeCodeFormat, {{kSessionFile, text}}); }

TEST(ClaudeCodeLinksTest, LinksSubagentsAndTakesTheirCopiesOnce) {
  const std::string agent_file = "subagents/agent-abc.jsonl";
  const std::string own = ClaudeUser("x1", R"("go")");
  const std::string main = ClaudeUser("u", R"("Hi")") + "\n" +
                           ClaudeResult("r", "t", R"("done")", R"(,"toolUseResult":{"agentId":"abc"})") + "\n";
  const std::string agent = ClaudeUser("u", R"("Hi")", R"(,"agentId":"abc")") + "\n" + own + "\n";
  ReadSource read =
      ReadFiles(kClaudeCodeFormat,
                {{kSessionFile, main}, {agent_file, agent}, {"subagents/agent-abc.meta.json", R"({"agentType":"x"})"}});
  ASSERT_THAT(read.conversations, SizeIs(2));
  ReadConversation& child = read.conversations.at(kSession + "/agent-abc");
  EXPECT_THAT(Shapes(child.events),
              ElementsAre("foreign", R"({"type":"turn_start"})", R"({"type":"chat_request","content":"go"})"));
  EXPECT_EQ(child.parts.at("parent"), kSession);
  EXPECT_EQ(child.parts.at("meta"), R"({"agentType":"x"})");
  EXPECT_EQ(child.written, agent);
  EXPECT_EQ(read.conversations.at(kSession).events.back().metadata.text(),
            R"({"agent":")" + kSession + R"(/agent-abc"})");
}

// Two subagents at once, with the same prompt, whose records alternate.
TEST(ClaudeCodeLinksTest, MakesConversationsOfSidechains) {
  constexpr const char* kPrompt = R"("type":"user","message":{"role":"user","content":"sub"})";
  const auto say = [](const std::string& text) {
    return R"("type":"assistant","message":{"content":[{"type":"text","text":")" + text + R"("}]})";
  };
  const std::string input = R"({"prompt":"sub"})";
  const std::string text =
      ClaudeUser("u", R"("Hi")") + "\n" +
      ClaudeAssistant("a", ClaudeCall("t1", "Task", input) + "," + ClaudeCall("t2", "Agent", input)) + "\n" +
      ClaudeSide("s1", "", kPrompt) + "\n" + ClaudeSide("s2", "", kPrompt) + "\n" + ClaudeSide("s3", "s2", say("two")) +
      "\n" + ClaudeSide("s4", "s1", say("one")) + "\n" + ClaudeResult("r1", "t1", R"("one")") + "\n" +
      ClaudeResult("r2", "t2", R"("two")") + "\n" +
      R"({"isSidechain":true,"type":"user","message":{"role":"user","content":"no id"}})" + "\n";
  ReadSource read = Read(text);
  ASSERT_THAT(read.conversations, SizeIs(3));
  EXPECT_EQ(read.only().written, text);
  EXPECT_EQ(read.taken, text.size());
  const ReadConversation& first = read.conversations.at(kSession + "/sidechain-s1");
  EXPECT_THAT(Shapes(first.events),
              ElementsAre(R"({"type":"turn_start"})", R"({"type":"chat_request","content":"sub","author":"assistant"})",
                          R"({"type":"chat_response","message":"one"})"));
  EXPECT_EQ(first.parts.at("parent"), kSession);
  EXPECT_EQ(first.events[0].event_id, "s1");
  EXPECT_THAT(Shapes(read.conversations.at(kSession + "/sidechain-s2").events),
              Contains(R"({"type":"chat_response","message":"two"})"));
  std::vector<std::string> links;
  for (const Event& event : read.only().events) {
    if (std::holds_alternative<ToolCallResponse>(event.body)) links.push_back(event.metadata.text());
  }
  EXPECT_THAT(links, ElementsAre(R"({"agent":")" + kSession + R"(/sidechain-s1"})",
                                 R"({"agent":")" + kSession + R"(/sidechain-s2"})"));
  EXPECT_THAT(Shapes(read.only().events), Contains("foreign").Times(5));
}

TEST(ClaudeCodeLinksTest, TakesWhatAForkRepeatsOnceAndLinksIt) {
  const std::string fork = R"(,"forkedFrom":{"sessionId":"other","messageUuid":"u0"})";
  const std::string text = ClaudeUser("u0", R"("old")", fork) + "\n" + ClaudeUser("u1", R"("new")") + "\n";
  ReadSource read = Read(text);
  EXPECT_THAT(Shapes(read.only().events),
              ElementsAre("foreign", R"({"type":"turn_start"})", R"({"type":"chat_request","content":"new"})"));
  EXPECT_EQ(read.only().parts.at("forked_from"), "other");
  EXPECT_EQ(read.only().written, text);
}

TEST(ClaudeCodeLinksTest, MakesConversationsOfLongOutputs) {
  const std::string main =
      ClaudeResult("r1", "t1", kClaudePersisted) + "\n" +
      ClaudeResult("r2", "t2", R"("a")", R"(,"toolUseResult":{"persistedOutputPath":"/p/s/tool-results/o2.bin"})") +
      "\n";
  const std::string output = "line \"1\"\r\nline \t2\xc3\xa9 \x01", bytes("\xff\x00\n", 3);
  ReadSource read = ReadFiles(kClaudeCodeFormat, {{kSessionFile, main},
                                                  {"tool-results/empty.txt", ""},
                                                  {"tool-results/o1.txt", output},
                                                  {"tool-results/o2.bin", bytes}});
  ASSERT_THAT(read.conversations, SizeIs(4));
  EXPECT_EQ(read.conversations.at(kSession + "/tool-results/o1.txt").written, output);
  EXPECT_EQ(read.conversations.at(kSession + "/tool-results/o2.bin").written, bytes);
  EXPECT_EQ(read.conversations.at(kSession + "/tool-results/empty.txt").written, "");
  EXPECT_EQ(read.taken, read.size);
  EXPECT_THAT(read.problems, IsEmpty());
  const auto& events = read.conversations.at(kSession).events;
  EXPECT_EQ(events[1].metadata.text(), R"({"output":")" + kSession + R"(/tool-results/o1.txt"})");
  EXPECT_EQ(events[2].metadata.text(), R"({"output":")" + kSession + R"(/tool-results/o2.bin"})");
}

}  // namespace
}  // namespace turnlog::claude_code_links_test
