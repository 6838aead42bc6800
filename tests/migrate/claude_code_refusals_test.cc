// Who decided about a call or a question of Claude Code, and who wrote a message, as its newer versions say it.
#include <gmock/gmock.h>

#include "migrate/claude_code/format.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/read_source.h"

namespace turnlog::claude_code_refusals_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ReadSource Read(const std::string& text) {
  return ReadFiles(kClaudeCodeFormat, {{std::string(kClaudeSession) + ".jsonl", text}});
}

template <class Body>
std::vector<Body> Bodies(const std::string& text) {
  ReadSource read = Read(text);
  EXPECT_EQ(read.only().written, text);
  std::vector<Body> bodies;
  for (const Event& event : read.only().events) {
    if (const auto* body = std::get_if<Body>(&event.body)) bodies.push_back(*body);
  }
  return bodies;
}

std::string Refused(const std::string& text, const std::string& fields) {
  std::string record = ClaudeDenied("r", "t", text);
  record.insert(1, fields + ",");
  return record + "\n";
}

// An attachment with what the user typed while the agent worked.
std::string QueuedPrompt(std::string_view uuid, std::string_view fields) {
  return ClaudeRecord(
             uuid, std::string(R"("type":"attachment","attachment":{"type":"queued_command",)").append(fields) + "}") +
         "\n";
}

TEST(ClaudeCodeRefusalsTest, TellsWhatTheAutoModeRefused) {
  const auto refused = Bodies<ToolCallResponse>(Refused(
      "Permission for this action was denied by the Claude Code auto mode classifier. Reason: [Mass Delete]. If "
      "you have other tasks that don't depend on this action, continue working on those.",
      R"("toolDenialKind":"automode-blocked")"));
  ASSERT_THAT(refused, SizeIs(1));
  ASSERT_TRUE(refused[0].denied);
  EXPECT_EQ(refused[0].denied->responder->kind, "policy");
  EXPECT_EQ(refused[0].denied->reason, "[Mass Delete].");
  for (const std::string kind : {"automode-unavailable", "automode-parsing-error"}) {
    const auto other = Bodies<ToolCallResponse>(Refused("No.", R"("toolDenialKind":")" + kind + "\""));
    ASSERT_TRUE(other.at(0).denied) << kind;
    EXPECT_EQ(other[0].denied->responder->kind, "policy") << kind;
  }
}

// Nobody decided anything: another call was refused, or Claude Code was ended.
TEST(ClaudeCodeRefusalsTest, TakesNoStoppedCallForARefusedOne) {
  const std::string stopped = "The user doesn't want to take this action right now. STOP what you are doing";
  const std::string rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected";
  for (const std::string& record :
       {Refused(stopped, R"("toolDenialKind":"cancelled")"), Refused(rejected, R"("toolDenialKind":"interrupted")"),
        Refused(rejected, R"("toolDenialKind":"user-rejected","interruptedByShutdown":true)")}) {
    const auto results = Bodies<ToolCallResponse>(record);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_FALSE(results[0].denied) << record;
    EXPECT_TRUE(results[0].is_error);
  }
  EXPECT_TRUE(Bodies<ToolCallResponse>(Refused(rejected, R"("toolDenialKind":"user-rejected")")).at(0).denied);
}

TEST(ClaudeCodeRefusalsTest, ClosesQuestionsThatWereStopped) {
  const std::string asked = ClaudeAssistant("a", ClaudeAsk("t")) + "\n";
  for (const std::string& record :
       {Refused("[Request interrupted by user for tool use]", R"("toolDenialKind":"interrupted")"),
        Refused("[Request interrupted by user for tool use]", R"("x":1)"),
        Refused("The user doesn't want to proceed with this tool use.",
                R"("toolDenialKind":"user-rejected","interruptedByShutdown":true)")}) {
    const auto outcomes = Bodies<InquiryResponse>(asked + record);
    ASSERT_THAT(outcomes, SizeIs(2));
    EXPECT_EQ(outcomes[0].reason, "interrupted") << record;
    EXPECT_FALSE(outcomes[0].responder);
  }
}

std::string One(std::string_view multi = "false") {
  return ClaudeAssistant("a", ClaudeCall("t", "AskUserQuestion",
                                         std::string(R"({"questions":[{"question":"Which?","multiSelect":)")
                                             .append(multi)
                                             .append(R"(,"options":[{"label":"a"},{"label":"b"}]}]})"))) +
         "\n";
}

InquiryResponse Outcome(const std::string& asked, const std::string& result) {
  const auto outcomes = Bodies<InquiryResponse>(asked + ClaudeResult("r", "t", R"("Go on.")", result) + "\n");
  EXPECT_THAT(outcomes, Not(IsEmpty()));
  return outcomes.at(0);
}

TEST(ClaudeCodeRefusalsTest, SaysThatAQuestionWaitedForTooLong) {
  EXPECT_EQ(Outcome(One(), R"(,"toolUseResult":{"answers":{},"afkTimeoutMs":60000})").reason, "expired");
  EXPECT_EQ(Outcome(One(), R"(,"toolUseResult":{"answers":{}})").reason, "unspecified");
}

TEST(ClaudeCodeRefusalsTest, TakesWhatTheUserWroteInsteadOfChoosing) {
  EXPECT_EQ(Outcome(One(), R"(,"toolUseResult":{"answers":{},"response":"neither"})").answer.text(), R"("neither")");
  const InquiryResponse several =
      Outcome(ClaudeAssistant("a", ClaudeAsk("t")) + "\n", R"(,"toolUseResult":{"response":"neither"})");
  EXPECT_EQ(several.reason, "reply");
  EXPECT_EQ(several.responder->kind, "user");
}

TEST(ClaudeCodeRefusalsTest, ReadsListsOfChoices) {
  EXPECT_EQ(Outcome(One("true"), R"(,"toolUseResult":{"answers":{"Which?":["a","b"]}})").answer.text(), R"(["a","b"])");
  EXPECT_EQ(Outcome(One("true"), R"(,"toolUseResult":{"answers":{"Which?":["a"]}})").answer.text(), R"(["a"])");
  EXPECT_EQ(Outcome(One(), R"(,"toolUseResult":{"answers":{"Which?":["a"]}})").answer.text(), R"("a")");
}

std::string AuthorOf(const std::string& text, const std::string& more) {
  const auto requests = Bodies<ChatRequest>(ClaudeUser("u", "\"" + text + "\"", more) + "\n");
  return requests.at(0).author.value_or("user");
}

TEST(ClaudeCodeRefusalsTest, AsksTheRecordWhoWroteAMessage) {
  EXPECT_EQ(AuthorOf("Hi", R"(,"origin":{"kind":"human"},"promptSource":"typed")"), "user");
  EXPECT_EQ(AuthorOf("Hi", R"(,"origin":{"kind":"unclassified"},"promptSource":"sdk")"), "user");
  EXPECT_EQ(AuthorOf("Hi", R"(,"origin":{"kind":"channel","server":"chat"})"), "user");
  EXPECT_EQ(AuthorOf("Hi", R"(,"origin":{"kind":"novelty"})"), "user");
  for (const std::string kind : {"peer", "coordinator", "task-notification", "auto-continuation", "observer"}) {
    EXPECT_EQ(AuthorOf("Hi", R"(,"origin":{"kind":")" + kind + "\"}"), "harness") << kind;
  }
  EXPECT_EQ(AuthorOf("Goal set: fix it", R"(,"promptSource":"system")"), "harness");
  EXPECT_EQ(AuthorOf("A skill", R"(,"turnCompanion":true)"), "harness");
  EXPECT_EQ(AuthorOf("Shown only", R"(,"isVisibleInTranscriptOnly":true)"), "harness");
  EXPECT_EQ(AuthorOf(R"(<teammate-message teammate_id=\"lead\">\nGo on)", ""), "harness");
  EXPECT_EQ(AuthorOf(R"(<cross-session-message from=\"a\">Go on)", ""), "harness");
}

TEST(ClaudeCodeRefusalsTest, AsksTheAttachmentWhoWroteIt) {
  const auto author = [](const std::string& fields) {
    return Bodies<ChatRequest>(QueuedPrompt("q", R"("prompt":"and this")" + fields)).at(0).author.value_or("user");
  };
  EXPECT_EQ(author(R"(,"origin":{"kind":"human"})"), "user");
  EXPECT_EQ(author(R"(,"origin":{"kind":"peer"})"), "harness");
  EXPECT_EQ(author(R"(,"origin":{"kind":"coordinator"},"isMeta":true)"), "harness");
}

// The prompt of such a command follows, as a message that is hidden from the user.
TEST(ClaudeCodeRefusalsTest, BeginsATurnWithACommandWhosePromptIsForTheModel) {
  const std::string first = ClaudeUser("1", R"("Hi")") + "\n";
  const auto turns = [&](const std::string& text, const std::string& more = {}) {
    return Bodies<TurnStart>(first + ClaudeUser("2", "\"" + text + "\"", more) + "\n").size();
  };
  const std::string command =
      R"(<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>12</command-args>)";
  EXPECT_EQ(turns(command), 2);
  EXPECT_EQ(AuthorOf(command, ""), "user");
  EXPECT_EQ(turns(command, R"(,"isMeta":true)"), 1);
  EXPECT_EQ(turns(command, R"(,"sourceToolUseID":"t")"), 1) << "the model's own use of a skill";
  EXPECT_EQ(turns(R"(<command-name>/clear</command-name>\n<command-message>clear</command-message>)"), 1)
      << "a command that Claude Code runs itself";
  EXPECT_EQ(
      turns(R"(<command-message>The \"pdf\" skill is loading</command-message>\n<command-name>pdf</command-name>)"), 1);
}

// A prompt of a program that was typed while the agent worked may be recorded in both ways, in any order.
TEST(ClaudeCodeRefusalsTest, TakesAPromptOnceThatIsRecordedTwice) {
  const std::string uuid = "9a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f", source = R"(,"source_uuid":")" + uuid + "\"";
  const std::string message = ClaudeUser(uuid, R"("and this")") + "\n";
  const std::string attachment = QueuedPrompt("q1", R"("prompt":"and this")" + source);
  const std::string again = QueuedPrompt("q2", R"("prompt":[{"type":"text","text":"and this"}])" + source);
  for (const std::string& text : {message + attachment + again, attachment + message + again}) {
    EXPECT_THAT(Bodies<ChatRequest>(text), SizeIs(1)) << text;
  }
  EXPECT_THAT(Bodies<ChatRequest>(message + QueuedPrompt("q3", R"("prompt":"and this")")), SizeIs(2)) << "said again";
  EXPECT_THAT(Bodies<ChatRequest>(message + QueuedPrompt("q4", R"("prompt":"and that")" + source)), SizeIs(2));
}

}  // namespace
}  // namespace turnlog::claude_code_refusals_test
