#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/codex/format.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/read_source.h"
#include "tests/support/sanitized.h"

namespace turnlog::codex_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::SizeIs;

const std::string kThread(kCodexThread);

std::string Lines(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& record : records) text.append(record).append("\n");
  return text;
}

ReadSource Read(const std::vector<std::string>& records) {
  return ReadFiles(kCodexFormat, {{kCodexFile, Lines(records)}});
}

std::vector<std::string> ShapesOf(const std::vector<std::string>& records) {
  return Shapes(Read(records).only().events);
}

template <class Body>
std::vector<Body> AllOfKind(const std::vector<std::string>& records) {
  std::vector<Body> bodies;
  ReadSource read = Read(records);
  for (const Event& event : read.only().events) {
    if (const auto* body = std::get_if<Body>(&event.body)) bodies.push_back(*body);
  }
  return bodies;
}

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

TEST(CodexTest, TurnsItemsIntoEvents) {
  EXPECT_THAT(ShapesOf({CodexMeta(kThread), CodexUser("Hi"), CodexCall("c", "exec", R"("{\"cmd\":\"ls\"}")"),
                        CodexOutput("c", R"("out")"), CodexAssistant("Hello.")}),
              ElementsAre("foreign", kTurn, R"({"type":"chat_request","content":"Hi"})",
                          R"({"type":"tool_call_request","id":"c","name":"exec","arguments":{"cmd":"ls"}})",
                          R"({"type":"tool_call_response","id":"c","content":"out","is_error":false})",
                          R"({"type":"chat_response","message":"Hello."})"));
}

TEST(CodexTest, TakesAPromptOnceWhicheverRecordComesFirst) {
  const std::string request = R"({"type":"chat_request","content":"Hi"})";
  EXPECT_THAT(ShapesOf({CodexUser("Hi"), CodexTyped("Hi")}), ElementsAre(kTurn, request, "foreign"));
  EXPECT_THAT(ShapesOf({CodexTyped("Hi"), CodexUser("Hi")}), ElementsAre(kTurn, request, "foreign"));
  EXPECT_THAT(ShapesOf({CodexTyped("Hi")}), ElementsAre(kTurn, request));
  EXPECT_THAT(ShapesOf({CodexUser("Hi"), CodexTyped("Hi"), CodexUser("Hi"), CodexTyped("Hi")}),
              ElementsAre(kTurn, request, "foreign", kTurn, request, "foreign"));
}

TEST(CodexTest, KnowsThePromptInTheContextOfAnEditor) {
  const std::string item = "# Context from my IDE setup:\\n\\n## My request for Codex:\\nFix it\\n";
  EXPECT_THAT(ShapesOf({CodexUser(item), CodexTyped("Fix it")}),
              ElementsAre(kTurn, HasSubstr("My request for Codex"), "foreign"));
}

std::optional<std::string> AuthorOf(const std::string& record) { return AllOfKind<ChatRequest>({record}).at(0).author; }

TEST(CodexTest, MarksMessagesOfTheHarness) {
  for (const std::string_view text :
       {"<environment_context>x</environment_context>",
        "# AGENTS.md instructions for /x\\n\\n<INSTRUCTIONS>a</INSTRUCTIONS>",
        "# AGENTS.md instructions\\n\\n<INSTRUCTIONS>a</INSTRUCTIONS>", "<skill>\\n<name>deploy</name></skill>",
        "<user_shell_command>ls</user_shell_command>", "<turn_aborted>x</turn_aborted>",
        "\\n<SUBAGENT_NOTIFICATION>{}</subagent_notification>\\n ", "<user_instructions>x</user_instructions>",
        "<recommended_plugins>x</recommended_plugins>",
        "<agent_message_board_notification>x</agent_message_board_notification>", "<external_ide>x</external_ide>",
        "<codex_internal_context source=\\\"goal\\\">x</codex_internal_context>",
        "<hook_prompt hook_run_id=\\\"1\\\">x</hook_prompt>"}) {
    EXPECT_EQ(AuthorOf(CodexUser(text)), "harness") << text;
  }
  EXPECT_EQ(AuthorOf(CodexItem(R"({"type":"message","role":"user","content":[{"type":"input_text","text":"a"},)"
                               R"({"type":"input_text","text":"<skill>b</skill>"}]})")),
            "harness")
      << "in one of several parts";
  EXPECT_THAT(AllOfKind<TurnStart>({CodexUser("<skill>x</skill>"), CodexUser("Hi")}), SizeIs(1))
      << "what comes before the first prompt is in its turn";
}

// Newer versions say of each part what it is.
TEST(CodexTest, TakesPartsForWhatTheyAreSaidToBe) {
  const auto author = [](std::string_view text, std::string_view kinds) {
    const std::string part = R"({"type":"input_text","text":")" + std::string(text) + R"("})";
    return AuthorOf(CodexItem(R"({"type":"message","role":"user","content":[)" + part +
                              R"(],"internal_chat_message_metadata_passthrough":{"content_item_kinds":)" +
                              std::string(kinds) + "}}"))
        .value_or("user");
  };
  const std::string context = "<environment_context>x</environment_context>";
  EXPECT_EQ(author("a hook says", R"(["hooks.additional_context"])"), "harness");
  EXPECT_EQ(author("hello", R"(["user.text"])"), "user");
  EXPECT_EQ(author(context, R"(["user.text"])"), "user");
  EXPECT_EQ(author(context, R"(["environments.environment_context"])"), "harness");
  for (const std::string_view none : {"[]", R"(["unknown"])", "[null]", "7"}) {
    EXPECT_EQ(author("hello", none), "user") << none;
    EXPECT_EQ(author(context, none), "harness") << none;
  }
}

TEST(CodexTest, LeavesTheUserWhatOnlyLooksInjected) {
  for (const std::string_view text :
       {"# AGENTS.md is outdated, fix it", "# AGENTS.md instructions for whom?", "<environment_context>x", "<skill>",
        "Why <skill>x</skill>", "<skill>x</skill> fails", "<external_ide>x</external_app>", "<external_", "</>",
        "# A heading"}) {
    EXPECT_EQ(AuthorOf(CodexUser(text)), std::nullopt) << text;
  }
}

TEST(CodexTest, KeepsEncryptedReasoningAsOpaqueMetadata) {
  const auto events =
      Read({CodexItem(R"({"type":"reasoning","summary":[],"encrypted_content":"gA\/=="})")}).only().events;
  EXPECT_EQ(events[1].metadata.text(), R"({"opaque":"gA\/=="})");
  EXPECT_THAT(*events[0].source_text, Not(HasSubstr("gA"))) << "kept once";
}

TEST(CodexTest, ReadsArgumentsOfEveryForm) {
  const auto arguments = [](std::string_view text) {
    return AllOfKind<ToolCallRequest>({CodexCall("c", "x", text)}).at(0).arguments.text();
  };
  EXPECT_EQ(arguments(R"("{\"a\": 1}")"), R"({"a": 1})");
  EXPECT_EQ(arguments(R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(arguments(R"("not \"json\"")"), R"({"input":"not \"json\""})");
  EXPECT_EQ(arguments("null"), "");
}

TEST(CodexTest, TurnsQuestionsIntoInquiries) {
  const auto waiting = AllOfKind<InquiryRequest>({CodexAsk("c")});
  ASSERT_THAT(waiting, SizeIs(1));
  EXPECT_EQ(waiting[0].id.text, "c.q1.1");
  EXPECT_EQ(waiting[0].question.text, "Which?");

  const auto response = [](std::string_view answers) {
    return AllOfKind<InquiryResponse>(
               {CodexAsk("c"),
                CodexOutput(
                    "c", std::string(R"("{\"answers\":{\"which\":{\"answers\":)").append(answers).append(R"(}}}")"))})
        .at(0);
  };
  EXPECT_EQ(response(R"([\"a\"])").answer.text(), R"("a")");
  EXPECT_EQ(response(R"([\"a\",\"user_note: soon\"])").reason, "soon");
  EXPECT_EQ(response(R"([\"None of the above\",\"user_note: mine\"])").answer.text(), R"("mine")");
  EXPECT_EQ(response(R"([\"a\",\"b\"])").answer.text(), R"(["a","b"])");
  EXPECT_EQ(response("[]").outcome, Outcome::kCancelled);
  EXPECT_EQ(AllOfKind<InquiryResponse>({CodexAsk("c"), CodexOutput("c", R"("aborted by user after 3s")")}).at(0).reason,
            "interrupted");
  EXPECT_EQ(AllOfKind<InquiryResponse>(
                {CodexAsk("c"), CodexOutput("c", R"("request_user_input was cancelled before receiving a response")")})
                .at(0)
                .reason,
            "interrupted");
}

// Codex forgets the question: its call gets no output.
TEST(CodexTest, CancelsWhatAnAbortedTurnHasAsked) {
  const auto responses = AllOfKind<InquiryResponse>({CodexUser("Hi"), CodexAsk("c"), CodexAborted(), CodexAborted()});
  ASSERT_THAT(responses, SizeIs(1));
  EXPECT_EQ(responses[0].id.text, "c.q1.1");
  EXPECT_EQ(responses[0].outcome, Outcome::kCancelled);
  EXPECT_EQ(responses[0].reason, "interrupted");
  EXPECT_THAT(ShapesOf({CodexUser("Hi"), CodexAborted()}), ElementsAre(kTurn, HasSubstr("Hi"), "foreign"));
  EXPECT_THAT(AllOfKind<InquiryResponse>({CodexAsk("c"), CodexAborted(), CodexOutput("c", R"("aborted")")}), SizeIs(1))
      << "an output that comes later";
  EXPECT_THAT(AllOfKind<InquiryResponse>({CodexAsk("c"), CodexUser("Hi"), CodexAborted()}), IsEmpty())
      << "of an earlier turn, in which nothing is pending";
}

TEST(CodexTest, RecognisesRejections) {
  const auto result = [](std::string_view output) {
    return AllOfKind<ToolCallResponse>({CodexOutput("c", output)}).at(0);
  };
  EXPECT_EQ(result(R"("exec command rejected by user")").denied->responder->kind, "user");
  EXPECT_TRUE(result(R"("patch rejected by user")").denied);
  EXPECT_TRUE(result(R"("aborted by user after 2.1s")").is_error);
  EXPECT_FALSE(result(R"("it said: exec command rejected by user")").denied);
  EXPECT_FALSE(result(R"("failed in sandbox: sandbox denied exec error")").denied);
  EXPECT_EQ(result(R"("user rejected MCP tool call")").denied->responder->kind, "user");
}

// The tool exec_command names the command, and its failure as a program writes it.
TEST(CodexTest, RecognisesCommandsThatWereNotBegun) {
  const auto result = [](const std::string& why) {
    const std::string lead = R"(exec_command failed for `/bin/sh -c \"x\"`: CreateProcess { message: \")";
    return AllOfKind<ToolCallResponse>({CodexOutput("c", "\"" + lead + why + R"(\" }")")}).at(0);
  };
  const ToolCallResponse rejected = result(R"(Rejected(\\\"rejected by user\\\"))");
  ASSERT_TRUE(rejected.denied);
  EXPECT_TRUE(rejected.is_error);
  EXPECT_EQ(rejected.denied->responder->kind, "user");
  const ToolCallResponse reviewed = result(
      R"(Rejected(\\\"This action was rejected due to unacceptable risk.\\\\nReason: it sends \\\\\\\"keys\\\\\\\".\\\\nStop.\\\"))");
  ASSERT_TRUE(reviewed.denied);
  EXPECT_EQ(reviewed.denied->responder->kind, "policy");
  EXPECT_EQ(reviewed.denied->responder->via, "auto_review");
  EXPECT_EQ(reviewed.denied->reason, "it sends \"keys\".");
  EXPECT_EQ(result(R"(Rejected(\\\"approval required by policy, but AskForApproval is set to Never\\\"))")
                .denied->responder->kind,
            "policy");
  EXPECT_FALSE(result(R"(Rejected(\\\"Failed to create unified exec process: 5\\\"))").denied);
  EXPECT_FALSE(result("No such file").denied);
  EXPECT_FALSE(AllOfKind<ToolCallResponse>({CodexOutput("c", R"("exec_command failed")")}).at(0).denied);
}

TEST(CodexTest, RecognisesWhatPoliciesRefuse) {
  const auto by = [](const std::string& output) {
    const auto denied = AllOfKind<ToolCallResponse>({CodexOutput("c", "\"" + output + "\"")}).at(0).denied;
    return denied ? denied->responder->kind : "none";
  };
  EXPECT_EQ(by("`rm -rf x` rejected: blocked by policy"), "policy");
  EXPECT_EQ(by("patch rejected: writing outside of the project; rejected by user approval settings"), "policy");
  EXPECT_EQ(by(R"(This action was rejected due to unacceptable risk.\nReason: x)"), "policy");
  EXPECT_EQ(by("The automatic permission approval review did not finish before its deadline. Retry."), "policy");
  EXPECT_EQ(by("It says: `rm -rf x` rejected: blocked by policy"), "none");
}

TEST(CodexTest, ShowsWhatOtherAgentsSend) {
  const std::string task =
      CodexItem(R"({"type":"agent_message","author":"/root","recipient":"/root/child","content":)"
                R"([{"type":"input_text","text":"Find it."},{"type":"encrypted_content","encrypted_content":"x"}]})");
  const auto requests = AllOfKind<ChatRequest>(
      {task, CodexRecord("inter_agent_communication", R"({"author":"/root","content":"And fix it."})")});
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[0].content, "Find it.\n[encrypted_content]");
  EXPECT_EQ(requests[0].author, "assistant");
  EXPECT_EQ(requests[1].content, "And fix it.");
  EXPECT_THAT(ShapesOf({task, CodexAssistant("Done.")}), ElementsAre(kTurn, HasSubstr("Find it."), HasSubstr("Done.")));
  EXPECT_EQ(Read({task}).only().written, Lines({task}));
  EXPECT_THAT(ShapesOf({CodexItem(R"({"type":"agent_message","content":[{"type":"encrypted_content"}]})")}),
              ElementsAre("foreign"));
}

TEST(CodexTest, EndsTheTurnsThatACompactionReplaces) {
  EXPECT_THAT(
      ShapesOf({CodexUser("one"), CodexRecord("compacted", R"({"message":"So far."})"), CodexAssistant("On.")}),
      ElementsAre(kTurn, HasSubstr("one"), HasSubstr(R"("from_turn":0,"to_turn":0,"summary":{"summary":"So far."})"),
                  kTurn, HasSubstr("On.")));
}

TEST(CodexTest, HidesTurnsThatWereRolledBack) {
  const std::string undo = CodexRecord("event_msg", R"({"type":"thread_rolled_back","num_turns":1})");
  EXPECT_THAT(ShapesOf({CodexUser("one"), CodexUser("two"), undo, CodexUser("three"), undo, undo}),
              ElementsAre(kTurn, HasSubstr("one"), kTurn, HasSubstr("two"), HasSubstr(R"("from_turn":1,"to_turn":1)"),
                          kTurn, HasSubstr("three"), HasSubstr(R"("from_turn":2,"to_turn":2)"),
                          HasSubstr(R"("from_turn":0,"to_turn":2)")));
}

// What Codex adds to a prompt is no turn that the user can take back.
TEST(CodexTest, RollsAPromptBackWithWhatCodexAddedToIt) {
  EXPECT_THAT(
      ShapesOf({CodexUser("first"), CodexAssistant("one"), CodexUser("$deploy now"),
                CodexUser("<skill>\\n<name>deploy</name>...</skill>"), CodexAssistant("two"), CodexAborted(),
                CodexRecord("event_msg", R"({"type":"thread_rolled_back","num_turns":1})"), CodexUser("third")}),
      ElementsAre(kTurn, HasSubstr("first"), HasSubstr("one"), kTurn, HasSubstr("$deploy now"),
                  HasSubstr(R"("author":"harness")"), HasSubstr("two"), "foreign",
                  HasSubstr(R"("from_turn":1,"to_turn":1)"), kTurn, HasSubstr("third")));
}

TEST(CodexTest, KeepsTheCopyOfAnotherSessionOutOfTheTurns) {
  EXPECT_THAT(ShapesOf({CodexMeta(kThread, "10"), CodexMeta("other", "10"), CodexUser("copied", "10"),
                        CodexUser("mine", "20")}),
              ElementsAre("foreign", "foreign", "foreign", kTurn, HasSubstr("mine")));
  EXPECT_THAT(ShapesOf({CodexMeta(kThread), CodexUser("one"), CodexMeta(kThread), CodexUser("two")}),
              ElementsAre("foreign", kTurn, HasSubstr("one"), "foreign", kTurn, HasSubstr("two")))
      << "a session that was resumed";
}

// A subagent begins with the turn of its parent, which is still open.
TEST(CodexTest, EndsACopyOnlyWithATurnOfTheSessionItself) {
  const auto started = [](std::string_view fields, std::string_view milliseconds) {
    return fmt::format(
        R"({{"timestamp":"2026-08-01T10:00:05.{}Z","type":"event_msg","payload":{{"type":"task_started"{}}}}})",
        milliseconds, fields);
  };
  const auto shapes = [](const std::string& parents, const std::string& own) {
    return ShapesOf({CodexMeta(kThread, "05"), CodexMeta("other", "05"), parents, CodexUser("copied", "05"), own,
                     CodexUser("mine", "05")});
  };
  const auto mine_alone =
      ElementsAre("foreign", "foreign", "foreign", "foreign", "foreign", kTurn, HasSubstr(R"(:"mine")"));
  EXPECT_THAT(shapes(started("", "000"), started("", "300")), mine_alone);
  EXPECT_THAT(shapes(started(R"(,"started_at":1785578399)", "001"), started(R"(,"started_at":1785578405)", "300")),
              mine_alone);
  EXPECT_THAT(shapes(started(R"(,"turn_id":"019fc8be-3657-7ca3-9e29-0123456789ab")", "001"),
                     started(R"(,"turn_id":"019fc8be-3658-7ca3-9e29-0123456789aa")", "001")),
              mine_alone)
      << "ids tell when turns began";
}

TEST(CodexTest, TakesTheSessionsWordForWhatIsCopied) {
  const auto numbered = [](int ordinal, std::string record) {
    return record.insert(1, fmt::format(R"("ordinal":{},)", ordinal));
  };
  const std::string meta =
      CodexRecord("session_meta", fmt::format(R"({{"id":"{}","subagent_history_start_ordinal":53}})", kThread));
  EXPECT_THAT(ShapesOf({numbered(50, meta), numbered(51, CodexRecord("event_msg", R"({"type":"task_started"})")),
                        numbered(52, CodexUser("copied", "10")), numbered(53, CodexUser("mine"))}),
              ElementsAre("foreign", "foreign", "foreign", kTurn, HasSubstr("mine")));
  EXPECT_THAT(ShapesOf({meta, CodexUser("mine")}), ElementsAre("foreign", kTurn, HasSubstr("mine")))
      << "records without numbers";
}

const std::string kPaginated = CodexRecord("session_meta", R"({"id":"t","history_mode":"paginated"})");
const std::string kPrompted =
    CodexCompleted(R"({"type":"UserMessage","id":"1","content":[{"type":"text","text":"Hi"}]})");
const std::string kAnswered =
    CodexCompleted(R"({"type":"AgentMessage","id":"2","content":[{"type":"Text","text":"Yo"}]})");

TEST(CodexTest, ReadsTextsThatOnlyCompletedItemsHave) {
  const std::string yo = R"({"type":"chat_response","message":"Yo"})";
  EXPECT_THAT(
      ShapesOf({kPaginated, kPrompted, kAnswered, CodexCompleted(R"({"type":"Plan","id":"3","text":"1. Go"})")}),
      ElementsAre("foreign", kTurn, HasSubstr("Hi"), yo, HasSubstr("1. Go")));
  EXPECT_THAT(ShapesOf({kPaginated, CodexRecord("event_msg", R"({"type":"agent_message","message":"Yo"})")}),
              ElementsAre("foreign", kTurn, yo));
  EXPECT_THAT(ShapesOf({CodexUser("Hi"), CodexTyped("Hi"), kPrompted, CodexAssistant("Yo"), kAnswered}),
              ElementsAre(kTurn, HasSubstr("Hi"), "foreign", "foreign", yo, "foreign"));
  EXPECT_THAT(ShapesOf({kPrompted, CodexUser("Hi"), kAnswered, CodexAssistant("Yo"), CodexAssistant("Yo")}),
              ElementsAre(kTurn, HasSubstr("Hi"), "foreign", yo, "foreign", yo));
}

TEST(CodexTest, KeepsAnswersThatAreAlike) {
  const std::string yo = R"({"type":"chat_response","message":"Yo"})";
  const std::string event = CodexRecord("event_msg", R"({"type":"agent_message","message":"Yo"})");
  EXPECT_THAT(ShapesOf({kPaginated, kAnswered, event}), ElementsAre("foreign", kTurn, yo, yo));
  EXPECT_THAT(ShapesOf({kPaginated, event, kAnswered}), ElementsAre("foreign", kTurn, yo, yo));
  EXPECT_THAT(ShapesOf({kPaginated, kAnswered, event, CodexAssistant("Yo"), CodexAssistant("Yo")}),
              ElementsAre("foreign", kTurn, yo, yo, "foreign", "foreign"));
  EXPECT_THAT(ShapesOf({kPaginated, kAnswered, CodexAssistant("Yo"), event}),
              ElementsAre("foreign", kTurn, yo, "foreign", "foreign"))
      << "three records of one";
}

TEST(CodexTest, TakesAPlanOnceFromWithinItsMessage) {
  const std::string plan = CodexCompleted(R"({"type":"Plan","id":"3","text":"1. Go\n"})");
  const std::string alone = CodexAssistant("<proposed_plan>\\n1. Go\\n</proposed_plan>");
  const std::string within = CodexAssistant("See:\\n<proposed_plan>\\n1. Go\\n</proposed_plan>");
  EXPECT_THAT(ShapesOf({plan, alone}), ElementsAre(kTurn, HasSubstr("1. Go"), "foreign"));
  EXPECT_THAT(ShapesOf({alone, plan}), ElementsAre(kTurn, HasSubstr("1. Go"), "foreign"));
  EXPECT_THAT(ShapesOf({within, plan}), ElementsAre(kTurn, HasSubstr("1. Go"), "foreign"));
  EXPECT_THAT(ShapesOf({plan, within}),
              ElementsAre(kTurn, HasSubstr("1. Go"), R"({"type":"chat_response","message":"See:"})"));
}

TEST(CodexTest, KnowsThePromptBesideAnImage) {
  const std::string item = CodexItem(R"({"type":"message","role":"user","content":[)"
                                     R"({"type":"input_text","text":"<image name=[Image #1]>"},)"
                                     R"({"type":"input_image","image_url":"data:,"},)"
                                     R"({"type":"input_text","text":"</image>"},{"type":"input_text","text":"Hi"}]})");
  EXPECT_THAT(ShapesOf({item, CodexTyped("Hi")}), ElementsAre(kTurn, HasSubstr("Hi"), "foreign"));
}

TEST(CodexTest, NamesConversationsByTheirThreads) {
  const auto name = [](const std::string& file, const std::string& first) {
    return ReadFiles(kCodexFormat, {{file, first + "\n"}}).conversations.begin()->first;
  };
  EXPECT_EQ(name(kCodexFile, CodexMeta("other")), kThread);
  EXPECT_EQ(name("x.jsonl", CodexMeta("thread")), "thread");
  EXPECT_EQ(name("x.jsonl", R"({"id":"old","timestamp":"t","instructions":null})"), "old");
  EXPECT_EQ(name("x.jsonl", CodexUser("Hi")), "x");
  ReadSource child = Read({CodexRecord("session_meta", R"({"id":"c","source":{"subagent":{"thread_spawn":)"
                                                       R"({"parent_thread_id":"p"}}}})")});
  EXPECT_EQ(child.only().parts.at("parent"), "p");
  ReadSource reverted = Read({CodexRecord("session_meta", R"({"id":"c","history_base":{"thread_id":"before"}})")});
  EXPECT_EQ(reverted.only().parts.at("parent"), "before");
}

TEST(CodexTest, WritesEveryRecordBackByteForByte) {
  ReadSource read = ReadFiles(kCodexFormat, {{kCodexFile, CodexSample()}});
  EXPECT_EQ(read.only().written, CodexSample());
  EXPECT_EQ(read.taken, CodexSample().size());
  EXPECT_THAT(read.problems, IsEmpty());
}

TEST(CodexTest, KeepsKindsThatItDoesNotKnow) { ExpectThatUnknownKindsAreKept(kCodexFormat, kCodexFile, CodexSample()); }

TEST(CodexTest, ADocumentWithoutAnIdHasTheNameOfItsFile) {
  const ReadSource read = ReadFiles(
      kCodexFormat, {{"rollout-2025-05-01-x.json",
                      R"({"session":{"id":"","timestamp":"2025-05-01T10:00:00Z","instructions":""},"items":[]})"}});
  EXPECT_THAT(read.conversations, ElementsAre(Key("rollout-2025-05-01-x")));
}

TEST(CodexTest, LosesNothingWhereverTheFileEnds) {
  const std::string sample = CodexSample();
  for (std::size_t size = 0; size <= sample.size(); size += kByteStep) {
    const std::string text = sample.substr(0, size);
    ReadSource read = ReadFiles(kCodexFormat, {{kCodexFile, text}});
    ASSERT_EQ(read.only().written, text) << size;
    ASSERT_THAT(read.problems, IsEmpty()) << size;
  }
}

TEST(CodexTest, LosesNothingWhateverByteIsDamaged) {
  const std::string sample = CodexSample();
  for (std::size_t at = 0; at < sample.size(); at += kByteStep) {
    for (const int flip : {0x01, 0x80}) {
      std::string text = sample;
      text[at] = static_cast<char>(text[at] ^ flip);
      ReadSource read = ReadFiles(kCodexFormat, {{kCodexFile, text}});
      ASSERT_EQ(read.only().written, text) << at;
      ASSERT_LE(read.problems.size(), 2) << at << ": one line is damaged, or two that were joined";
    }
  }
}

}  // namespace
}  // namespace turnlog::codex_test
