#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>

#include "migrate/codex/format.h"
#include "migrate/import/source.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"

namespace turnlog::codex_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kThread(kCodexThread);
const std::string kFile = "rollout-2026-08-01T10-00-00-" + kThread + ".jsonl";

std::string Lines(const std::vector<std::string>& records) {
  std::string text;
  for (const std::string& record : records) text.append(record).append("\n");
  return text;
}

ReadSource Read(const std::vector<std::string>& records) { return ReadFiles(kCodexFormat, {{kFile, Lines(records)}}); }

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
        "<recommended_plugins>x</recommended_plugins>", "<external_ide>x</external_ide>",
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
                CodexUser("<skill>\\n<name>deploy</name>...</skill>"), CodexAssistant("two"),
                CodexRecord("event_msg", R"({"type":"turn_aborted","reason":"interrupted"})"),
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

std::string Completed(std::string_view item) {
  return CodexRecord("event_msg", fmt::format(R"({{"type":"item_completed","item":{}}})", item));
}

const std::string kPaginated = CodexRecord("session_meta", R"({"id":"t","history_mode":"paginated"})");
const std::string kPrompted = Completed(R"({"type":"UserMessage","id":"1","content":[{"type":"text","text":"Hi"}]})");
const std::string kAnswered = Completed(R"({"type":"AgentMessage","id":"2","content":[{"type":"Text","text":"Yo"}]})");

TEST(CodexTest, ReadsTextsThatOnlyCompletedItemsHave) {
  const std::string yo = R"({"type":"chat_response","message":"Yo"})";
  EXPECT_THAT(ShapesOf({kPaginated, kPrompted, kAnswered, Completed(R"({"type":"Plan","id":"3","text":"1. Go"})")}),
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
  const std::string plan = Completed(R"({"type":"Plan","id":"3","text":"1. Go\n"})");
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
  EXPECT_EQ(name(kFile, CodexMeta("other")), kThread);
  EXPECT_EQ(name("x.jsonl", CodexMeta("thread")), "thread");
  EXPECT_EQ(name("x.jsonl", R"({"id":"old","timestamp":"t","instructions":null})"), "old");
  EXPECT_EQ(name("x.jsonl", CodexUser("Hi")), "x");
  ReadSource child = Read({CodexRecord("session_meta", R"({"id":"c","source":{"subagent":{"thread_spawn":)"
                                                       R"({"parent_thread_id":"p"}}}})")});
  EXPECT_EQ(child.only().parts.at("parent"), "p");
}

TEST(CodexTest, WritesEveryRecordBackByteForByte) {
  ReadSource read = ReadFiles(kCodexFormat, {{kFile, CodexSample()}});
  EXPECT_EQ(read.only().written, CodexSample());
  EXPECT_EQ(read.taken, CodexSample().size());
  EXPECT_THAT(read.problems, IsEmpty());
}

TEST(CodexTest, KeepsKindsThatItDoesNotKnow) { ExpectThatUnknownKindsAreKept(kCodexFormat, kFile, CodexSample()); }

TEST(CodexTest, LosesNothingWhereverTheFileEnds) {
  const std::string sample = CodexSample();
  for (std::size_t size = 0; size <= sample.size(); size += kByteStep) {
    const std::string text = sample.substr(0, size);
    ReadSource read = ReadFiles(kCodexFormat, {{kFile, text}});
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
      ReadSource read = ReadFiles(kCodexFormat, {{kFile, text}});
      ASSERT_EQ(read.only().written, text) << at;
      ASSERT_LE(read.problems.size(), 2) << at << ": one line is damaged, or two that were joined";
    }
  }
}

using CodexImportTest = ImportTest;

// To find what it was forked from, its first records are looked at, and not all of them.
TEST_F(CodexImportTest, ReadsASessionOnce) {
  std::string text = CodexMeta(kThread) + "\n";
  while (text.size() < (3U << 20)) text += CodexUser(std::string(10'000, 'x')) + "\n";
  Write("all/" + kFile, text);
  Write("all/talk.jsonl", "{\"type\":\"turn_start\"}\n");  // of several sources the copies come last
  const std::filesystem::path path = dir_ / "all";
  const ImportReport report = Must(Import(*log_, "auto", {&path, 1}));
  EXPECT_LE(report.bytes_read, text.size() + (1U << 20));
  EXPECT_GE(report.bytes_read, text.size());
}

TEST_F(CodexImportTest, ImportsAFolderOnce) {
  Write("2026/08/01/" + kFile, CodexSample());
  const std::vector<std::filesystem::path> paths{dir_ / "2026"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_EQ(Must(Import(*log_, "codex", paths)).unchanged, 1);
  EXPECT_EQ(ExportRawText("codex", kThread), CodexSample());
}

TEST_F(CodexImportTest, KnowsCopiesAndRepetitionsInAFileThatGrows) {
  const std::string meta = CodexRecord("session_meta", fmt::format(R"({{"id":"{}"}})", kThread), "05");
  const std::string parents =
      CodexRecord("event_msg", R"({"type":"task_started","turn_id":"019fc8be-3657-7ca3-9e29-0123456789ab"})", "05");
  const std::string own =
      CodexRecord("event_msg", R"({"type":"task_started","turn_id":"019fc8be-3659-7ca3-9e29-0123456789ab"})", "05");
  std::string text;
  for (const std::string& record : {meta, CodexMeta("other", "05"), parents, CodexUser("copied", "05"), own, kPrompted,
                                    CodexUser("Hi"), kAnswered, CodexAssistant("Yo")}) {
    text += record + "\n";
    const std::vector<std::filesystem::path> paths{Write(kFile, text)};
    EXPECT_THAT(Must(Import(*log_, "codex", paths)).problems, IsEmpty());
  }
  std::vector<std::string> said;
  for (const Event& event : Events(kThread)) {
    if (const auto* request = std::get_if<ChatRequest>(&event.body)) said.push_back(request->content);
    if (const auto* response = std::get_if<ChatResponse>(&event.body)) said.push_back(response->content);
  }
  EXPECT_THAT(said, ElementsAre("Hi", "Yo"));
}

// A Zstandard frame with one uncompressed block.
std::string ZstdFrame(std::string_view text) {
  const auto size = static_cast<unsigned>(text.size());
  const unsigned block = 1U | size << 3;
  std::string frame = "\x28\xb5\x2f\xfd\x60";
  for (const unsigned byte :
       {(size - 256) & 0xffU, (size - 256) >> 8, block & 0xffU, block >> 8 & 0xffU, block >> 16}) {
    frame.push_back(static_cast<char>(byte));
  }
  return frame.append(text);
}

std::string Compress(std::string_view text) {
  std::string frames;
  constexpr std::size_t kBlock = 1000;
  for (; text.size() > 2 * kBlock; text.remove_prefix(kBlock)) frames += ZstdFrame(text.substr(0, kBlock));
  return frames + ZstdFrame(text);
}

TEST_F(CodexImportTest, ReadsCompressedFiles) {
  const std::string plain = CodexUser("appended as plain text") + "\n";
  Write("sessions/" + kFile + ".zst", Compress(CodexSample()) + plain);
  const std::vector<std::filesystem::path> paths{dir_ / "sessions"};
  const ImportReport report = Must(Import(*log_, "auto", paths));
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.bytes.at(0).size, CodexSample().size() + plain.size());
  EXPECT_EQ(report.bytes.at(0).unreadable, 0);
  EXPECT_EQ(Must(Import(*log_, "codex", paths)).unchanged, 1);
}

TEST_F(CodexImportTest, PrefersThePlainFile) {
  Write("sessions/" + kFile, CodexSample());
  Write("sessions/" + kFile + ".zst", Compress(CodexUser("older")));
  const std::vector<std::filesystem::path> paths{dir_ / "sessions"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).unchanged, 1);
}

TEST_F(CodexImportTest, ImportsACompressedFileUpToItsDamage) {
  const std::string bytes = Compress(CodexSample());
  const std::vector<std::filesystem::path> cut{Write(kFile + ".zst", bytes.substr(0, bytes.size() - 20))};
  const ImportReport report = Must(Import(*log_, "codex", cut));
  EXPECT_EQ(report.failed, 0);
  EXPECT_EQ(report.added, 1);
  EXPECT_THAT(report.problems, ElementsAre(testing::Field(&ImportProblem::code, ImportProblemCode::kIncomplete)));
  ASSERT_EQ(report.bytes.size(), 1U);
  EXPECT_GT(report.bytes[0].imported, CodexSample().size() / 2);
}

TEST_F(CodexImportTest, ReportsACompressedFileThatIsAllDamaged) {
  Write("sessions/" + kFile + ".zst", Compress(CodexUser("Hi")).substr(0, 20));
  const std::vector<std::filesystem::path> paths{dir_ / "sessions"};
  const ImportReport report = Must(Import(*log_, "auto", paths));
  EXPECT_EQ(report.added, 0);
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0].reason, HasSubstr("cannot be decompressed"));
}

constexpr int kBlocksIn64MiB = 512;

// Zeros in blocks of 128 KiB that are one byte each.
std::string Bomb(int blocks) {
  std::string frame("\x28\xb5\x2f\xfd\x00\x38", 6);
  for (int left = blocks; left > 0; --left) {
    for (const int byte : {left == 1 ? 3 : 2, 0, 0x10, 0}) frame.push_back(static_cast<char>(byte));
  }
  return frame;
}

// A few kilobytes may stand for gigabytes, and only their beginning is needed to see that they are no session.
TEST_F(CodexImportTest, DecompressesOnlyAsMuchAsIsLookedAt) {
  SourceFile file(Write(kFile + ".zst", Bomb(kBlocksIn64MiB)), true);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{.rlim_cur = std::size_t{4} << 20, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const auto head = file.Head(1'000);
  (void)::setrlimit(RLIMIT_FSIZE, &before);
  (void)std::signal(SIGXFSZ, signal_before);
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->size(), 1'000U);
  EXPECT_EQ(Must(file.FindSize()), std::size_t{64} << 20);
}

TEST_F(CodexImportTest, RefusesACompressedFileThatStandsForFarMore) {
  const std::vector<std::filesystem::path> bomb{Write(kFile + ".zst", Bomb(16 * kBlocksIn64MiB))};
  const ImportReport report = Must(Import(*log_, "codex", bomb));
  EXPECT_EQ(report.failed, 1);
  EXPECT_THAT(report.problems, ElementsAre(testing::Field(&ImportProblem::code, ImportProblemCode::kMalformed)));
}

}  // namespace
}  // namespace turnlog::codex_test
