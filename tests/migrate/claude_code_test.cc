#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "migrate/claude_code/format.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/read_source.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"

namespace turnlog::claude_code_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kSessionFile = std::string(kClaudeSession) + ".jsonl";
const std::string kSession(kClaudeSession);

ReadSource Read(const std::string& text) { return ReadFiles(kClaudeCodeFormat, {{kSessionFile, text}}); }

std::vector<std::string> ShapesOf(const std::string& text) { return Shapes(Read(text).only().events); }

template <class Body>
std::vector<Body> AllOfKind(const std::vector<Event>& events) {
  std::vector<Body> bodies;
  for (const Event& event : events) {
    if (const auto* body = std::get_if<Body>(&event.body)) bodies.push_back(*body);
  }
  return bodies;
}

TEST(ClaudeCodeTest, TurnsMessagesIntoEvents) {
  EXPECT_THAT(ShapesOf(ClaudeUser("u", R"("Hi")") + "\n" +
                       ClaudeAssistant("a", R"({"type":"text","text":"Hello."},)" + ClaudeCall("t")) + "\n" +
                       ClaudeResult("r", "t", R"("out")") + "\n"),
              ElementsAre(R"({"type":"turn_start"})", R"({"type":"chat_request","content":"Hi"})",
                          R"({"type":"chat_response","message":"Hello."})",
                          R"({"type":"tool_call_request","id":"t","name":"Bash","arguments":{"command":"ls"}})",
                          R"({"type":"tool_call_response","id":"t","content":"out","is_error":false})"));
}

TEST(ClaudeCodeTest, GivesEventsTheTimesAndIdsOfTheirRecords) {
  const auto events = Read(ClaudeUser("u", R"("Hi")") + "\n").only().events;
  EXPECT_EQ(events[0].event_id, "u");
  EXPECT_EQ(events[1].event_id, "u#1");
  EXPECT_EQ(events[0].timestamp->ToRfc3339(), "2026-08-01T10:00:00.123Z");
}

TEST(ClaudeCodeTest, GivesNoTwoEventsTheSameId) {
  const auto events = Read(ClaudeUser("u", R"("Hi")") + "\n" + ClaudeUser("u#1", R"("Ho")") + "\n").only().events;
  ASSERT_THAT(events, SizeIs(4));
  EXPECT_EQ(events[1].event_id, "u#1");
  EXPECT_EQ(events[2].event_id, std::nullopt);
  EXPECT_EQ(events[3].event_id, std::nullopt);
}

TEST(ClaudeCodeTest, KeepsSignaturesAsOpaqueMetadata) {
  const std::string block = R"({"type":"thinking","thinking":"Hm.","signature":"Eq\/Q=="})";
  ReadSource read = Read(ClaudeAssistant("a", block) + "\n");
  EXPECT_EQ(read.only().events[1].metadata.text(), R"({"message_id":"msg_1","model":"opus","opaque":"Eq\/Q=="})");
  EXPECT_THAT(*read.only().events[0].source_text, Not(HasSubstr("Eq"))) << "kept once";
}

TEST(ClaudeCodeTest, KeepsEachTextOnce) {
  ReadSource read = Read(ClaudeAssistant("a", R"({"type":"text","text":"said"},)" + ClaudeCall("t")) + "\n");
  EXPECT_THAT(*read.only().events[0].source_text, AllOf(Not(HasSubstr("said")), Not(HasSubstr("\"ls\""))));
}

TEST(ClaudeCodeTest, WritesEveryRecordBackByteForByte) {
  ReadSource read = Read(ClaudeSample());
  EXPECT_EQ(read.only().written, ClaudeSample());
  EXPECT_EQ(read.taken, ClaudeSample().size());
  EXPECT_THAT(read.problems, IsEmpty());
}

TEST(ClaudeCodeTest, KeepsUnknownRecordsAndBlocksAsForeignEvents) {
  ReadSource read = Read(R"({"type":"mode","mode":"x","sessionId":"s"})"
                         "\n" +
                         ClaudeAssistant("a", R"({"type":"novelty","x":[1, 2]})") + "\n");
  EXPECT_EQ(ToJson(View(read.only().events[2])).find("\"novelty\"") != std::string::npos, true);
  EXPECT_THAT(Shapes(read.only().events), ElementsAre("foreign", R"({"type":"turn_start"})", "foreign"));
}

TEST(ClaudeCodeTest, KeepsARecordWhoseEventsWouldBeInvalid) {
  ReadSource read = Read(ClaudeAssistant("a", ClaudeCall("")) + "\n" + ClaudeUser("u", "17") + "\n");
  EXPECT_THAT(Shapes(read.only().events), ElementsAre("foreign", "foreign"));
  EXPECT_THAT(read.problems, IsEmpty());
}

TEST(ClaudeCodeTest, MarksMessagesOfTheHarness) {
  const auto requests = AllOfKind<ChatRequest>(Read(ClaudeUser("1", R"("<local-command-stdout>x")") + "\n" +
                                                    ClaudeUser("2", R"("hello")", R"(,"isMeta":true)") + "\n" +
                                                    ClaudeUser("3", R"("<div> is a tag")") + "\n")
                                                   .only()
                                                   .events);
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_EQ(requests[0].author, "harness");
  EXPECT_EQ(requests[1].author, "harness");
  EXPECT_EQ(requests[2].author, std::nullopt);
}

TEST(ClaudeCodeTest, EndsTheTurnsThatACompactionReplaces) {
  const std::string text = ClaudeUser("1", R"("one")") + "\n" + ClaudeUser("2", R"("two")") + "\n" +
                           ClaudeUser("3", R"("So far.")", R"(,"isCompactSummary":true)") + "\n" +
                           ClaudeAssistant("4", R"({"type":"text","text":"On."})") + "\n";
  EXPECT_THAT(ShapesOf(text),
              ElementsAre(R"({"type":"turn_start"})", R"({"type":"chat_request","content":"one"})",
                          R"({"type":"turn_start"})", R"({"type":"chat_request","content":"two"})",
                          R"({"type":"compaction","timestamp":"2026-08-01T10:00:00.123Z","from_turn":0,"to_turn":1,)"
                          R"("summary":{"summary":"So far."}})",
                          R"({"type":"turn_start"})", R"({"type":"chat_response","message":"On."})"));
}

TEST(ClaudeCodeTest, TurnsQuestionsIntoInquiries) {
  const std::string asked = ClaudeAssistant("a", ClaudeAsk("t")) + "\n";
  const auto waiting = AllOfKind<InquiryRequest>(Read(asked).only().events);
  ASSERT_THAT(waiting, SizeIs(2));
  EXPECT_EQ(waiting[0].id.text, "t.q1.1");
  EXPECT_EQ(waiting[0].question.text, "Which \"one\"?");
  EXPECT_EQ(waiting[0].question.extra.text(), R"({"header":"Pick"})");
  EXPECT_THAT(waiting[0].question.answer_type.options, SizeIs(2));

  const auto answers = AllOfKind<InquiryResponse>(
      Read(asked + ClaudeResult("r", "t", R"("ok")",
                                R"(,"toolUseResult":{"answers":{"Which \"one\"?":"a","Why?":"as I like"},)"
                                R"("annotations":{"Why?":{"notes":"a note"}}})"))
          .only()
          .events);
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_EQ(answers[0].answer.text(), R"("a")");
  EXPECT_EQ(answers[0].responder->kind, "user");
  EXPECT_EQ(answers[1].answer.text(), R"("as I like")");
  EXPECT_EQ(answers[1].reason, "a note");
}

// Records of a message that are written late: the answers are still theirs.
TEST(ClaudeCodeTest, AnswersQuestionsThatComeAfterTheirResult) {
  const std::string result = ClaudeResult("r", "t", R"("Your questions have been answered: ...")",
                                          R"(,"toolUseResult":{"answers":{"Which \"one\"?":"a","Why?":"mine"}})") +
                             "\n";
  const std::string asked = ClaudeAssistant("a", ClaudeAsk("t")) + "\n";
  const auto answers = AllOfKind<InquiryResponse>(Read(result + asked).only().events);
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_EQ(answers[0].answer.text(), R"("a")");
  EXPECT_EQ(answers[1].answer.text(), R"("mine")");
}

TEST(ClaudeCodeTest, ReadsAnswersFromTheTextIfThereIsNoStructure) {
  const auto answers = AllOfKind<InquiryResponse>(
      Read(ClaudeAssistant("a", ClaudeAsk("t")) + "\n" +
           ClaudeResult("r", "t",
                        R"("User has answered your questions: \"Which \"one\"?\"=\"x, \"y\"\", \"Why?\"=\"d\". You )"
                        R"(can now continue with the user's answers in mind.")"))
          .only()
          .events);
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_EQ(answers[0].answer.text(), R"("x, \"y\"")");
  EXPECT_EQ(answers[1].answer.text(), R"("d")");
}

TEST(ClaudeCodeTest, SplitsTheAnswersToAMultipleChoice) {
  const auto answer = [](const std::string& given) {
    return AllOfKind<InquiryResponse>(
               Read(ClaudeAssistant("a", ClaudeAsk("t", true)) + "\n" +
                    ClaudeResult("r", "t", R"("ok")",
                                 R"(,"toolUseResult":{"answers":{"Which \"one\"?":")" + given + "\"}}"))
                   .only()
                   .events)
        .front()
        .answer.text();
  };
  EXPECT_EQ(answer("a, b"), R"(["a","b"])");
  EXPECT_EQ(answer("b"), R"(["b"])");
  EXPECT_EQ(answer("a, or c"), R"(["a, or c"])");
}

struct DenialCase {
  std::string_view text;
  std::string_view by;
  std::optional<std::string> reason;
};

TEST(ClaudeCodeTest, RecognisesDenials) {
  const DenialCase cases[] = {
      {"The user doesn't want to proceed with this tool use. The tool use was rejected.", "user", std::nullopt},
      {"The user doesn't want to proceed with this tool use. X. To tell you how to proceed, the user said:\\nno\\nand "
       "no",
       "user", "no\nand no"},
      {"The user doesn't want to proceed with this tool use. The user provided the following reason for the rejection: "
       " "
       "later",
       "user", "later"},
      {"The user doesn't want to take this action right now. STOP what you are doing", "user", std::nullopt},
      {"Permission to use Bash with command rm has been denied.", "policy", std::nullopt},
      {"Permission to use Bash with command cat <<X\\nhi\\nX has been denied.", "policy", std::nullopt},
      {"Permission for this tool use was denied.", "policy", std::nullopt},
      {"Hook PreToolUse:Bash denied this tool", "policy", std::nullopt},
      {"Claude requested permissions to write, but you haven't granted it yet.", "policy", std::nullopt}};
  for (const DenialCase& each : cases) {
    const auto results = AllOfKind<ToolCallResponse>(Read(ClaudeDenied("r", "t", each.text) + "\n").only().events);
    ASSERT_THAT(results, SizeIs(1));
    ASSERT_TRUE(results[0].denied) << each.text;
    EXPECT_EQ(results[0].denied->responder->kind, each.by) << each.text;
    EXPECT_EQ(results[0].denied->reason, each.reason) << each.text;
  }
}

// Whatever the text says, in words that may change.
TEST(ClaudeCodeTest, RecognisesDenialsByTheKindThatTheRecordNames) {
  const auto by = [](const std::string& kind) {
    std::string record = ClaudeDenied("r", "t", "No.");
    record.insert(1, R"("toolDenialKind":")" + kind + "\",");
    const auto denied = AllOfKind<ToolCallResponse>(Read(record + "\n").only().events).at(0).denied;
    return denied ? denied->responder->kind : "none";
  };
  EXPECT_EQ(by("permission-rule"), "policy");
  EXPECT_EQ(by("user-rejected"), "user");
  EXPECT_EQ(by("novelty"), "none");
}

TEST(ClaudeCodeTest, TakesReportsOfTasksForNoWordsOfTheUser) {
  const auto author = [](const std::string& attachment) {
    const std::string record =
        ClaudeRecord("q", R"("type":"attachment","attachment":{"type":"queued_command",)" + attachment + "}");
    return AllOfKind<ChatRequest>(Read(record + "\n").only().events).at(0).author.value_or("user");
  };
  EXPECT_EQ(author(R"("prompt":"and this","commandMode":"prompt")"), "user");
  EXPECT_EQ(author(R"("prompt":"and this")"), "user");
  EXPECT_EQ(author(R"("prompt":"Done.","commandMode":"task-notification")"), "harness");
  EXPECT_EQ(author(R"("prompt":"<task-notification>\n<task-id>b1</task-id>")"), "harness");
}

TEST(ClaudeCodeTest, TakesNoQuotedDenialForOne) {
  const std::string quoted = R"("It said: The user doesn't want to proceed with this tool use.")";
  const auto of = [](const std::string& record) {
    return AllOfKind<ToolCallResponse>(Read(record + "\n").only().events).at(0).denied;
  };
  EXPECT_FALSE(of(ClaudeResult("r", "t", R"("The user doesn't want to proceed with this tool use.")")))
      << "not an error";
  EXPECT_FALSE(of(ClaudeDenied("r", "t", "It said: Permission to use Bash has been denied.")));
}

TEST(ClaudeCodeTest, ClosesDeclinedQuestions) {
  const auto reason = [](std::string_view text) {
    return AllOfKind<InquiryResponse>(
               Read(ClaudeAssistant("a", ClaudeAsk("t")) + "\n" + ClaudeDenied("r", "t", text) + "\n").only().events)
        .at(0)
        .reason;
  };
  EXPECT_EQ(reason("The user doesn't want to proceed with this tool use."), "user");
  EXPECT_EQ(
      reason("The user doesn't want to proceed with this tool use. The user provided the following reason for the "
             "rejection:  The user wants to clarify these questions. x"),
      "reply");
  EXPECT_EQ(reason("InputValidationError"), "backend_error");
}

// Any order of any records, with damage between them.
TEST(ClaudeCodeTest, GivesBackGeneratedSessions) {
  const std::string sample = ClaudeSampleWithSidechain();
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < sample.size(); at = sample.find('\n', at) + 1) {
    lines.push_back(sample.substr(at, sample.find('\n', at) - at));
  }
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (auto records = random() % 40; records > 0; --records) {
      const std::string& line = lines[random() % lines.size()];
      text += random() % 10 == 0 ? line.substr(0, random() % line.size()) : line;
      text += random() % 20 == 0 ? std::string(random() % 9, '\0') : random() % 9 == 0 ? "\r\n" : "\n";
    }
    ReadSource read = Read(text);
    ASSERT_EQ(read.conversations.empty() ? "" : read.only().written, text) << "seed 11, round " << round;
    ASSERT_LE(read.taken, text.size());
  }
}

TEST(ClaudeCodeTest, KeepsRecordsThatRepeatAnId) {
  const std::string one = ClaudeUser("u", R"("one")");
  const std::string two = ClaudeUser("u", R"("two")");
  ReadSource read = Read(one + "\n" + one + "\n" + two + "\n");
  const auto& events = read.only().events;
  EXPECT_THAT(Shapes(events),
              ElementsAre(R"({"type":"turn_start"})", R"({"type":"chat_request","content":"one"})", "foreign",
                          R"({"type":"turn_start"})", R"({"type":"chat_request","content":"two"})"));
  EXPECT_EQ(events[2].event_id, std::nullopt);
  EXPECT_EQ(events[3].event_id, std::nullopt);
  EXPECT_THAT(read.notes, ElementsAre(", line 3: repeated-id"));
}

TEST(ClaudeCodeTest, ImportsEachOfTheRecordsWithOneIdOnce) {
  const std::string one = ClaudeUser("u1", R"("one")") + "\n", other = ClaudeUser("u1", R"("other")") + "\n";
  for (const std::string& text : {one + one + other + other, one + other + one + other, one + other + other + one}) {
    ReadSource read = Read(text);
    EXPECT_THAT(AllOfKind<ChatRequest>(read.only().events), SizeIs(2));
    EXPECT_THAT(read.notes, SizeIs(1));
    EXPECT_EQ(read.only().written, text);
  }
}

// Resuming and compacting a session append its records once more, with the branch, the version, ... of that time.
TEST(ClaudeCodeTest, TakesARecordThatIsWrittenAgainForACopy) {
  const std::string prompt = R"("type":"user","message":{"role":"user","content":"Fix it"})";
  const std::string call = ClaudeAssistant("a", ClaudeCall("t1"));
  const std::string result = ClaudeResult("r", "t1", R"("done")");
  const std::string text = ClaudeRecord("u", R"("gitBranch":"main","version":"2.1.201",)" + prompt) + "\n" + call +
                           "\n" + result + "\n" +
                           ClaudeRecord("u", R"("gitBranch":"fix","version":"2.1.202","slug":"a-b",)" + prompt) + "\n" +
                           ClaudeAssistant("a", ClaudeCall("t1") + R"(],"stop_reason":"tool_use","x":[)") + "\n" +
                           ClaudeResult("r", "t1", R"("done")", R"(,"promptId":"p2")") + "\n";
  ReadSource read = Read(text);
  const auto& events = read.only().events;
  EXPECT_THAT(AllOfKind<ChatRequest>(events), SizeIs(1));
  EXPECT_THAT(AllOfKind<ToolCallRequest>(events), SizeIs(1));
  EXPECT_THAT(AllOfKind<ToolCallResponse>(events), SizeIs(1));
  EXPECT_THAT(read.notes, IsEmpty());
  EXPECT_EQ(read.only().written, text);
}

// Another version may write the fields in another order.
TEST(ClaudeCodeTest, TakesACopyWithItsFieldsInAnotherOrderForOne) {
  const std::string once = ClaudeUser("u", R"("Fix it")", R"(,"subtype":"x")");
  const std::string again = R"({"message":{"content":"Fix it","role":"user"},"subtype":"x","type":"user",)"
                            R"("timestamp":"2026-08-01T10:00:00.123Z","uuid":"u"})";
  ReadSource read = Read(once + "\n" + again + "\n");
  EXPECT_THAT(AllOfKind<ChatRequest>(read.only().events), SizeIs(1));
  EXPECT_THAT(read.notes, IsEmpty());
}

// A branch may have each record of its session twice, and only the first names the session.
TEST(ClaudeCodeTest, TakesTheSecondCopyInABranchForACopy) {
  const std::string origin = R"(,"forkedFrom":{"sessionId":"1b2c3d4e-5f60-4172-8183-3a4b5c6d7e8f","messageUuid":"u"})";
  const std::string text = ClaudeUser("u", R"("one")", origin) + "\n" + ClaudeUser("u", R"("one")") + "\n" +
                           ClaudeUser("v", R"("two")") + "\n";
  ReadSource read = Read(text);
  const auto requests = AllOfKind<ChatRequest>(read.only().events);
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].content, "two");
  EXPECT_THAT(read.notes, IsEmpty());
}

TEST(ClaudeCodeTest, TakesWhatIsReadableOfADamagedFile) {
  const std::string good = ClaudeUser("1", R"("one")");
  const std::string text = good + ClaudeUser("2", R"("two")") + "\n" + std::string(300, '\0') + "\n" +
                           ClaudeUser("3", R"("thr)").substr(0, 150) + ClaudeUser("4", R"("four")") + "\n" +
                           ClaudeUser("5", "\"fi\xffve\"") + "\n" + ClaudeUser("6", R"("s\ud83dx")") + "\r\n" +
                           ClaudeUser("7", R"("seven")").substr(0, 100);
  ReadSource read = Read(text);
  std::vector<std::string> prompts;
  for (const ChatRequest& request : AllOfKind<ChatRequest>(read.only().events)) prompts.push_back(request.content);
  EXPECT_THAT(prompts, ElementsAre("one", "two", "four", "fi\xef\xbf\xbdve", "s\xef\xbf\xbdx"));
  EXPECT_THAT(read.problems, ElementsAre(", line 2: quarantined", ", line 3: quarantined"));
  EXPECT_THAT(read.notes, ElementsAre(", line 4: text-repaired", ", line 5: text-repaired",
                                      kSessionFile + fmt::format(", line 6, byte {}: incomplete", text.size() - 100)));
  EXPECT_EQ(read.only().written, text);
  EXPECT_EQ(read.size - read.taken, 301 + 151 + 102) << "damage with its line breaks, and the torn line";
}

TEST(ClaudeCodeTest, KeepsKindsThatItDoesNotKnow) {
  ExpectThatUnknownKindsAreKept(kClaudeCodeFormat, kSessionFile, ClaudeSampleWithSidechain());
}

TEST(ClaudeCodeTest, LosesNothingWhereverTheFileEnds) {
  const std::string sample = ClaudeSampleWithSidechain();
  for (std::size_t size = 0; size <= sample.size(); size += kByteStep) {
    const std::string text = sample.substr(0, size);
    ReadSource read = Read(text);
    ASSERT_EQ(read.conversations.empty() ? "" : read.only().written, text) << size;
    ASSERT_THAT(read.problems, IsEmpty()) << size;
  }
}

TEST(ClaudeCodeTest, LosesNothingWhateverByteIsDamaged) {
  const std::string sample = ClaudeSampleWithSidechain();
  const std::size_t all = Read(sample).only().events.size();
  for (std::size_t at = 0; at < sample.size(); at += kByteStep) {
    for (const int flip : {0x01, 0x80}) {
      std::string text = sample;
      text[at] = static_cast<char>(text[at] ^ flip);
      ReadSource read = Read(text);
      ASSERT_EQ(read.only().written, text) << at;
      ASSERT_LE(read.problems.size(), 2) << at << ": one line is damaged, or two that were joined";
      ASSERT_GE(read.only().events.size() + 16, all) << at;
    }
  }
}

}  // namespace
}  // namespace turnlog::claude_code_test
