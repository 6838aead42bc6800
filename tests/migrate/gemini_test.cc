#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "base/compact_json.h"
#include "migrate/gemini/format.h"
#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"

namespace turnlog::gemini_test {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

ReadSource Read(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append(line).append("\n");
  return ReadFiles(kGeminiFormat, {{"session-2026-04-29T21-39-5d3e8e0c.jsonl", text}});
}

std::vector<std::string> ShapesOf(const std::vector<std::string>& lines) { return Shapes(Read(lines).only().events); }

template <class Kind>
std::vector<Kind> AllOfKind(const std::vector<std::string>& lines) {
  std::vector<Kind> found;
  ReadSource read = Read(lines);
  for (const Event& event : read.only().events) {
    if (const auto* body = std::get_if<Kind>(&event.body)) found.push_back(*body);
  }
  return found;
}

TEST(GeminiTest, TurnsMessagesIntoEvents) {
  EXPECT_THAT(
      ShapesOf(
          {GeminiHeader(), GeminiUser("u", "Hi"),
           GeminiMessage("g", "gemini",
                         R"("content":"Looking.","thoughts":[{"subject":"Plan","description":"Read."}],"toolCalls":[)" +
                             GeminiToolCall("c1", "ls", "success", R"({"output":"a"})") + "," +
                             GeminiToolCall("c2", "rm", "error", R"({"error":"no"})") + "]"),
           GeminiMessage("i", "info", R"("content":"x")")}),
      ElementsAre("foreign", kTurn, R"({"type":"chat_request","content":"Hi"})",
                  R"({"type":"chat_response","reasoning":"Plan\nRead."})",
                  R"({"type":"chat_response","message":"Looking."})",
                  R"({"type":"tool_call_request","id":"c1","name":"ls","arguments":{"a": 1}})",
                  R"({"type":"tool_call_request","id":"c2","name":"rm","arguments":{"a": 1}})",
                  R"({"type":"tool_call_response","id":"c1","content":"a","is_error":false})",
                  R"({"type":"tool_call_response","id":"c2","content":"no","is_error":true})", "foreign"));
}

TEST(GeminiTest, TakesOnlyWhatIsNewInALineThatReplacesAnEarlierOne) {
  const std::string called = GeminiToolCall("c1", "ls", "executing", "");
  EXPECT_THAT(
      ShapesOf({GeminiText("g", "Looking."),
                GeminiMessage("g", "gemini", R"("content":"Looking.","toolCalls":[)" + called + "]"),
                GeminiMessage("g", "gemini", R"("content":"Looking.","tokens":{},"toolCalls":[)" + called + "]"),
                GeminiMessage("g", "gemini",
                              R"("content":"Looking.","toolCalls":[)" +
                                  GeminiToolCall("c1", "ls", "success", R"({"output":"a"})") + "]")}),
      ElementsAre(kTurn, R"({"type":"chat_response","message":"Looking."})", HasSubstr("tool_call_request"), "foreign",
                  HasSubstr(R"("content":"a")")));
  EXPECT_THAT(ShapesOf({GeminiUser("u", "Hi"), GeminiUser("u", "Hi"), GeminiUser("u", "Hi there")}),
              ElementsAre(kTurn, HasSubstr("Hi"), "foreign", HasSubstr("Hi there")))
      << "one turn";
}

TEST(GeminiTest, GivesCallsWithoutIdsIdsOfTheirPositions) {
  const std::string call = R"({"name":"ls","status":"success","result":"done"})";
  const auto calls = AllOfKind<ToolCallRequest>({GeminiCalls("g", call + "," + call)});
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].id, "g.0");
  EXPECT_EQ(calls[1].id, "g.1");
  EXPECT_EQ(AllOfKind<ToolCallResponse>({GeminiCalls("g", call)}).at(0).content, "done");
}

// No two calls of a session have the same id, also if its messages have none.
TEST(GeminiTest, KeepsCallsOfMessagesWithoutIdsApart) {
  const auto message = [](std::string_view result) {
    return fmt::format(R"({{"type":"gemini","content":"","toolCalls":[{{"name":"ls","result":"{}"}}]}})", result);
  };
  std::vector<std::string> ids;
  for (const auto& result : AllOfKind<ToolCallResponse>({message("a"), message("b")})) {
    ids.push_back(result.id + " " + result.content);
  }
  EXPECT_THAT(ids, ElementsAre("call.0 a", "call.1 b"));
}

TEST(GeminiTest, TurnsQuestionsIntoInquiries) {
  const auto pending = AllOfKind<InquiryRequest>({GeminiCalls("g", GeminiAsk("executing", ""))});
  ASSERT_THAT(pending, SizeIs(3));
  EXPECT_EQ(pending[0].id.text, "ask.q1.1");
  EXPECT_EQ(pending[2].question.answer_type.kind, AnswerKind::kText);
  EXPECT_THAT(AllOfKind<InquiryResponse>({GeminiCalls("g", GeminiAsk("executing", ""))}), IsEmpty());

  const auto answers = AllOfKind<InquiryResponse>({GeminiCalls(
      "g", GeminiAsk("success", R"({"output":"{\"answers\":{\"0\":\"b\",\"1\":\"c, d\",\"2\":\"mine\"}}"})"))});
  ASSERT_THAT(answers, SizeIs(3));
  EXPECT_EQ(answers[0].answer.text(), R"("b")");
  EXPECT_EQ(answers[1].answer.text(), R"(["c","d"])");
  EXPECT_EQ(answers[2].answer.text(), R"("mine")");

  const auto outcome = [](std::string_view status, std::string_view response) {
    return AllOfKind<InquiryResponse>({GeminiCalls("g", GeminiAsk(status, response))}).at(0);
  };
  EXPECT_EQ(outcome("success", R"({"output":"User dismissed ask_user dialog without answering."})").reason, "user");
  EXPECT_EQ(outcome("cancelled", R"({"error":"[Operation Cancelled] Reason: x"})").reason, "user");
  EXPECT_EQ(outcome("error", R"({"error":"broken"})").reason, "backend_error");
  EXPECT_EQ(outcome("cancelled", R"({"error":"[Operation Cancelled] Reason: Operation cancelled"})").reason,
            "interrupted");
}

TEST(GeminiTest, AsksAQuestionWithoutATextByItsHeader) {
  const auto asked = AllOfKind<InquiryRequest>(
      {GeminiCalls("g", GeminiToolCall("ask", "ask_user", "executing", "",
                                       R"({"questions":[{"question":"","header":"Pick"},{"question":"Why?"}]})"))});
  ASSERT_THAT(asked, SizeIs(2));
  EXPECT_EQ(asked[0].question.text, "Pick");
}

TEST(GeminiTest, TurnsApprovalsIntoInquiries) {
  const std::string asked = GeminiCalls("g", GeminiToolCall("w", "write", "awaiting_approval", ""));
  EXPECT_THAT(ShapesOf({asked, asked}),
              ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow write?"), "foreign"));
  EXPECT_THAT(ShapesOf({asked, GeminiCalls("g", GeminiToolCall("w", "write", "success", R"({"output":"ok"})"))}),
              ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow write?"),
                          HasSubstr(R"("answer":true)"), HasSubstr(R"("content":"ok")")));
  EXPECT_THAT(ShapesOf({asked, GeminiCalls("g", GeminiToolCall("w", "write", "cancelled",
                                                               R"({"error":"[Operation Cancelled] Reason: mine"})"))}),
              ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow write?"),
                          AllOf(HasSubstr(R"("answer":false)"), HasSubstr(R"("reason":"mine")")), HasSubstr("denied")));
}

// The user may yet cancel what runs; that is no refusal.
TEST(GeminiTest, ACallThatRunsWasApproved) {
  const auto with = [](std::string_view status, std::string_view response) {
    return GeminiCalls("g", GeminiToolCall("w", "write", status, response));
  };
  const std::string asked = with("awaiting_approval", "");
  EXPECT_THAT(ShapesOf({asked, with("executing", ""), with("executing", ""),
                        with("cancelled", R"({"error":"[Operation Cancelled] Reason: enough"})")}),
              ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow write?"),
                          HasSubstr(R"("answer":true)"), "foreign", HasSubstr("enough")));
  EXPECT_THAT(ShapesOf({with("scheduled", "")}), ElementsAre(kTurn, HasSubstr("tool_call_request")));
}

TEST(GeminiTest, RecognisesDenials) {
  const auto result = [](std::string_view status, const std::string& text) {
    return AllOfKind<ToolCallResponse>(
               {GeminiCalls("g", GeminiToolCall("c", "rm", status, R"({"error":")" + text + "\"}"))})
        .at(0);
  };
  EXPECT_EQ(result("cancelled", "[Operation Cancelled] Reason: not now").denied->reason, "not now");
  EXPECT_EQ(result("cancelled", "[Operation Cancelled] Reason: User did not allow tool call").denied->reason,
            std::nullopt);
  EXPECT_EQ(result("cancelled", "stopped").denied->responder->kind, "user");
  EXPECT_EQ(result("error", "Tool execution denied by policy. Not here.").denied->responder->kind, "policy");
  EXPECT_EQ(result("error", "Tool execution denied by policy. Not here.").denied->reason, "Not here.");
  EXPECT_FALSE(result("error", "it said: Tool execution denied by policy.").denied);
}

TEST(GeminiTest, TakesNoStoppedCallForARefusedOne) {
  const auto with = [](const std::string& text) {
    return GeminiCalls("g", GeminiToolCall("w", "write", "cancelled", R"({"error":")" + text + "\"}"));
  };
  const std::string asked = GeminiCalls("g", GeminiToolCall("w", "write", "awaiting_approval", ""));
  const auto outcome = [&](const std::string& text) { return ShapesOf({asked, with(text)}).at(3); };
  const auto denied = [&](const std::string& text) { return AllOfKind<ToolCallResponse>({with(text)}).at(0).denied; };
  for (const std::string text :
       {"[Operation Cancelled] Reason: Operation cancelled", "[Operation Cancelled] User cancelled operation",
        "[Operation Cancelled] Reason: User cancelled the operation.",
        "[Operation Cancelled] Tool call cancelled by user."}) {
    EXPECT_FALSE(denied(text)) << text;
    EXPECT_THAT(outcome(text), AllOf(HasSubstr("cancelled"), HasSubstr("interrupted"))) << text;
  }
  for (const std::string text : {"[Operation Cancelled] User cancelled tool execution.",
                                 "Command was cancelled by user before it could complete."}) {
    EXPECT_FALSE(denied(text)) << text;
    EXPECT_THAT(outcome(text), HasSubstr(R"("answer":true)")) << text;
  }
  const std::string refused = "[Operation Cancelled] Reason: User denied execution.";
  ASSERT_TRUE(denied(refused));
  EXPECT_EQ(denied(refused)->reason, std::nullopt) << "nobody gave it";
  EXPECT_THAT(outcome(refused), HasSubstr(R"("answer":false)"));
}

TEST(GeminiTest, HidesWhatTheUserRewound) {
  const std::vector<std::string> lines{GeminiUser("u1", "one"), GeminiText("g1", "One."), GeminiUser("u2", "two"),
                                       GeminiText("g2", "Two.")};
  const auto after = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = lines;
    all.insert(all.end(), more);
    std::vector<std::string> shapes = ShapesOf(all);
    return std::vector<std::string>(shapes.begin() + 6, shapes.end());
  };
  EXPECT_THAT(after({R"({"$rewindTo":"u2"})"}), ElementsAre(HasSubstr(R"("from_turn":1,"to_turn":1)")));
  EXPECT_THAT(after({R"({"$rewindTo":"g1"})"}), ElementsAre(HasSubstr(R"("from_turn":1,"to_turn":1)")))
      << "a turn is hidden as a whole or not at all";
  EXPECT_THAT(after({R"({"$rewindTo":"unknown"})"}), ElementsAre(HasSubstr(R"("from_turn":0,"to_turn":1)")));
  EXPECT_THAT(after({R"({"$rewindTo":"g2"})"}), ElementsAre("foreign"));
  EXPECT_THAT(after({R"({"$rewindTo":"u2"})", GeminiUser("u2", "two")}),
              ElementsAre(HasSubstr("compaction"), kTurn, HasSubstr("two")));
  EXPECT_THAT(after({R"({"$set":{"messages":[]}})"}), ElementsAre(HasSubstr(R"("from_turn":0,"to_turn":1)")));
}

// Messages that are missing in a list are taken back; as few turns are hidden as is possible.
TEST(GeminiTest, HidesWhatAListOfMessagesLeavesOut) {
  const std::string u1 = GeminiUser("u1", "one"), g1 = GeminiText("g1", "One."), u2 = GeminiUser("u2", "two"),
                    g2 = GeminiText("g2", "Two."), u3 = GeminiUser("u3", "new");
  const auto after = [&](std::initializer_list<std::string> messages) {
    std::vector<std::string> shapes =
        ShapesOf({u1, g1, u2, g2, fmt::format(R"({{"$set":{{"messages":[{}]}}}})", fmt::join(messages, ","))});
    return std::vector<std::string>(shapes.begin() + 6, shapes.end());
  };
  const auto hides = [](int from, int to) {
    return HasSubstr(fmt::format(R"("from_turn":{},"to_turn":{})", from, to));
  };
  EXPECT_THAT(after({u1, g1, u2, g2, u3}), ElementsAre(kTurn, HasSubstr("new")));
  EXPECT_THAT(after({u1, g1, u3}), ElementsAre(hides(1, 1), kTurn, HasSubstr("new")));
  EXPECT_THAT(after({u2, g2}), ElementsAre(hides(0, 0)));
  EXPECT_THAT(after({u1, u3}), ElementsAre(hides(0, 1), kTurn, HasSubstr("one"), kTurn, HasSubstr("new")))
      << "u1 shares its turn with g1";
  EXPECT_THAT(after({u3, u2, g2}), ElementsAre(hides(0, 1), kTurn, HasSubstr("new"), kTurn, HasSubstr("two"), _))
      << "what is new comes first";
  EXPECT_THAT(after({u2, g2, u1, g1}),
              ElementsAre(hides(0, 1), kTurn, HasSubstr("two"), _, kTurn, HasSubstr("one"), _));
}

// What masks old outputs sends the list as the model gets it.
TEST(GeminiTest, TakesNoCallsOrResultsInAListOfMessagesForTexts) {
  const std::string u1 = GeminiUser("u1", "do it"), g2 = GeminiText("g2", "Done.");
  const std::string calls = R"(,"toolCalls":[)" + GeminiToolCall("c1", "ls", "success", R"({"output":"x"})") + "]";
  const std::string g1 = GeminiMessage("g1", "gemini", R"("content":"ok")" + calls);
  const std::string sent = GeminiMessage(
      "g1", "gemini",
      R"("content":[{"text":"ok"},{"thought":true,"text":"Hm"},{"functionCall":{"id":"c1","name":"ls"}}])" + calls);
  const std::string result =
      GeminiMessage("x1", "user", R"("content":[{"functionResponse":{"id":"c1","response":{"output":"[masked]"}}}])");
  const std::vector<std::string> before = ShapesOf({u1, g1, g2});
  const auto set = [&](const std::string& messages) {
    return ShapesOf({u1, g1, g2, R"({"$set":{"messages":[)" + messages + "]}}"});
  };
  std::vector<std::string> after = set(u1 + "," + sent + "," + result + "," + g2);
  ASSERT_THAT(after, SizeIs(before.size() + 1));
  EXPECT_EQ(after.back(), "foreign");
  EXPECT_EQ(ShapesOf({u1, g1, g2, R"({"$set":{"messages":null}})"}), after) << "no list";
  EXPECT_THAT(ShapesOf({u1, g1, R"({"$set":{"messages":[)" + u1 + "," + g1 + "," + result + "]}}",
                        GeminiUser("u3", "three"), R"({"$rewindTo":"x1"})"})
                  .back(),
              HasSubstr(R"("from_turn":1,"to_turn":1)"));
}

TEST(GeminiTest, RewindsToWhatIsNoMessage) {
  const auto hidden = [](const std::string& id) {
    return ShapesOf({GeminiMessage("i0", "info", R"("content":"Hello.")"), GeminiUser("u1", "one"),
                     GeminiText("g1", "One."), GeminiUser("u2", "two"), GeminiText("g2", "Two."),
                     GeminiMessage("i1", "info", R"("content":"x")"), GeminiUser("u3", "three"),
                     R"({"$rewindTo":")" + id + "\"}"})
        .back();
  };
  EXPECT_THAT(hidden("i1"), HasSubstr(R"("from_turn":2,"to_turn":2)"));
  EXPECT_THAT(hidden("i0"), HasSubstr(R"("from_turn":0,"to_turn":2)"));
}

// What is taken back is not known any more.
TEST(GeminiTest, ARewindToWhatWasTakenBackTakesEverythingBack) {
  const std::vector<std::string> shapes =
      ShapesOf({GeminiUser("u1", "one"), GeminiUser("u2", "two"), R"({"$rewindTo":"u2"})", R"({"$rewindTo":"u2"})"});
  EXPECT_THAT(shapes[shapes.size() - 2], HasSubstr(R"("from_turn":1,"to_turn":1)"));
  EXPECT_THAT(shapes.back(), HasSubstr(R"("from_turn":0,"to_turn":1)"));
}

TEST(GeminiTest, KeepsSignaturesAsOpaque) {
  const auto events =
      Read({GeminiCalls("g", R"({"id":"c","name":"ls","args":{},"thoughtSignature":"Cs4B=="})")}).only().events;
  EXPECT_EQ(events[1].metadata.text(), R"({"opaque":"Cs4B=="})");
}

TEST(GeminiTest, NamesConversationsByTheirSessions) {
  const auto name = [](const std::string& file, const std::string& text) {
    return ReadFiles(kGeminiFormat, {{file, text}}).conversations.begin()->first;
  };
  EXPECT_EQ(name("session-x.jsonl", GeminiLines()), kGeminiSession);
  EXPECT_EQ(name("session-x.json", GeminiDocument()), kGeminiSession);
  EXPECT_EQ(name("session-x.jsonl", GeminiUser("u", "Hi")), "session-x");
}

struct GeminiSample {
  std::string file, text;
};

class GeminiForms : public ::testing::TestWithParam<bool> {
 protected:
  const GeminiSample sample_{GetParam() ? GeminiSample{"session-x.json", GeminiDocument()}
                                        : GeminiSample{"session-x.jsonl", GeminiLines()}};
  ReadSource Read(const std::string& text) const { return ReadFiles(kGeminiFormat, {{sample_.file, text}}); }
};

TEST_P(GeminiForms, AreWrittenBackByteForByte) {
  ReadSource read = Read(sample_.text);
  EXPECT_EQ(read.only().written, sample_.text);
  EXPECT_EQ(read.taken, sample_.text.size());
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(read.notes, IsEmpty());
}

TEST_P(GeminiForms, MayHaveUnknownKinds) { ExpectThatUnknownKindsAreKept(kGeminiFormat, sample_.file, sample_.text); }

TEST_P(GeminiForms, LoseNothingWhereverTheFileEnds) {
  for (std::size_t size = 0; size <= sample_.text.size(); size += kByteStep) {
    const std::string text = sample_.text.substr(0, size);
    ReadSource read = Read(text);
    if (read.conversations.empty()) {
      ASSERT_TRUE(!GetParam() && !text.contains('}')) << "what names the session is not complete";
      ASSERT_THAT(read.notes, SizeIs(1));
      continue;
    }
    ASSERT_EQ(read.only().written, text) << size;
  }
}

TEST_P(GeminiForms, LoseNothingWhateverByteIsDamaged) {
  for (std::size_t at = 0; at < sample_.text.size(); at += kByteStep) {
    for (const int flip : {0x01, 0x80}) {
      std::string text = sample_.text;
      text[at] = static_cast<char>(text[at] ^ flip);
      ASSERT_EQ(Read(text).only().written, text) << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GeminiForms, ::testing::Bool());

using GeminiImportTest = ImportTest;

TEST_F(GeminiImportTest, ImportsAFolderOnceAndWhatIsNewInIt) {
  const std::string lines = GeminiLines();
  const std::string file = ".gemini/tmp/ab12/chats/session-2026-04-29T21-39-5d3e8e0c.jsonl";
  Write(file, lines.substr(0, lines.find("\"g2\"")));
  const std::vector<std::filesystem::path> paths{dir_ / ".gemini/tmp"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  Write(file, lines);
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).extended, 1);
  EXPECT_EQ(Must(Import(*log_, "gemini", paths)).unchanged, 1);
  EXPECT_EQ(ExportRawText("gemini", kGeminiSession), lines);
}

// Gemini CLI writes a session of the older form as JSON lines when it is resumed, in another layout.
TEST_F(GeminiImportTest, GoesOnInTheJsonLinesThatADocumentBecomes) {
  const std::string call = GeminiToolCall("c1", "ls", "success", R"({"files":["a", {"b": 1}]})", R"({"a": [1, 2]})");
  std::vector<std::string> messages{GeminiUser("u1", "one"), GeminiCalls("g1", call),
                                    GeminiMessage("i1", "info", R"("content": "x")")};
  std::string header = GeminiHeader();
  header.back() = ',';
  const std::vector<std::filesystem::path> old{
      Write("old/session-x.json", fmt::format("{}\n \"messages\": [{}]}}\n", header, fmt::join(messages, ",\n  ")))};
  EXPECT_EQ(Must(Import(*log_, "auto", old)).added, 1);
  std::string lines = GeminiHeader() + "\n";
  messages.push_back(GeminiUser("u2", "two"));
  for (const std::string& message : messages) lines += CompactJson(message) + "\n";
  const std::vector<std::filesystem::path> now{Write("new/session-x.jsonl", lines)};
  const ImportReport report = Must(Import(*log_, "auto", now));
  EXPECT_EQ(report.extended, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(Said(kGeminiSession), ElementsAre("one", "two"));
  EXPECT_EQ(std::ranges::count(Events(kGeminiSession), EventKind::kToolCallRequest, &Event::kind), 1);
  EXPECT_EQ(Must(Import(*log_, "auto", now)).unchanged, 1);
}

TEST_F(GeminiImportTest, LinksSubagentsToTheirSession) {
  const std::vector<std::filesystem::path> paths{
      Write("chats/" + std::string(kGeminiSession) + "/x.jsonl", GeminiUser("u", "Do it") + "\n")};
  EXPECT_EQ(Must(Import(*log_, "gemini", paths)).added, 1);
  EXPECT_THAT(ToJson(View(Events("x").at(0))), HasSubstr(R"("parent":"5d3e8e0c)"));
}

// Documents of 2026 have the id of the session that started the subagent, and say only at their end what they are.
TEST_F(GeminiImportTest, KeepsASubagentWithTheIdOfItsSessionApart) {
  std::string header = GeminiHeader();
  header.resize(header.find(R"(,"kind")"));
  const auto write = [&](const std::string& time, std::string_view text, std::string_view kind) {
    return Write("chats/session-2026-02-01T" + time + "-5d3e8e0c.json",
                 fmt::format("{},\n  \"messages\": [{}],\n  \"kind\": \"{}\",\n  \"summary\": \"s\"\n}}", header,
                             GeminiUser(time, text), kind));
  };
  write("10-00", "Ask it", "main");
  write("10-05", std::string(200'000, 'x'), "subagent");
  write("10-07", R"(Say \"kind\": \"subagent\")", "main");
  const std::vector<std::filesystem::path> paths{dir_ / "chats"};
  const ImportReport report = Must(Import(*log_, "gemini", paths));
  EXPECT_EQ(report.added, 2);
  EXPECT_THAT(Said(kGeminiSession), SizeIs(2));
  const std::string subagent = "session-2026-02-01T10-05-5d3e8e0c";
  EXPECT_THAT(Said(subagent), SizeIs(1));
  EXPECT_THAT(ToJson(View(Events(subagent).at(0))), HasSubstr(R"("parent":"5d3e8e0c)"));
  EXPECT_EQ(Must(Import(*log_, "gemini", paths)).unchanged, 3);
}

// As one that an earlier version took for a part of it.
TEST_F(GeminiImportTest, LeavesASubagentInTheConversationThatHasIt) {
  std::string header = GeminiHeader();
  header.resize(header.find(R"(,"kind")"));
  const auto import = [&](const std::string& messages, std::string_view end) {
    const std::string text = fmt::format(R"({},"messages":[{}]{})", header, messages, end);
    const std::vector<std::filesystem::path> paths{Write("chats/session-x.json", text)};
    return Must(Import(*log_, "gemini", paths));
  };
  EXPECT_EQ(import(GeminiUser("u", "Do it"), "}").added, 1);
  const std::string more = GeminiUser("u", "Do it") + "," + GeminiUser("v", "More");
  EXPECT_EQ(import(more, ",\n  \"kind\": \"subagent\"\n}").extended, 1);
  EXPECT_THAT(Said(kGeminiSession), ElementsAre("Do it", "More"));
}

// Each project has prompts and saved chats beside its sessions, in files of the same names.
TEST_F(GeminiImportTest, TakesOnlySessionsFromAFolder) {
  for (const std::string project : {"a", "b"}) {
    Write("tmp/" + project + "/logs.json", R"([{"sessionId":"s","messageId":0,"type":"user","message":")" + project +
                                               R"(","timestamp":"2026-04-29T21:39:22.319Z"}])");
    Write("tmp/" + project + "/checkpoint-x.json", R"([{"role":"user","parts":[{"text":")" + project + R"("}]}])");
    Write("tmp/" + project + "/chats/session-" + project + ".json",
          R"({"sessionId":")" + project + R"(","startTime":"t")");
  }
  const std::vector<std::filesystem::path> paths{dir_ / "tmp"};
  EXPECT_EQ(Must(Import(*log_, "gemini", paths)).added, 2);
  EXPECT_THAT(Events("a"), SizeIs(1)) << "also if they are damaged";
}

TEST_F(GeminiImportTest, ReadsADocumentBeforeItHasMessages) {
  const std::string header = R"({"sessionId":"s","projectHash":"ab12")";
  std::vector<std::filesystem::path> paths;
  for (const std::string& text :
       {header + "}", header + R"(,"messages":[]})", header + R"(,"messages":[)" + GeminiUser("u", "Hi") + "]}"}) {
    paths = {Write("session-x.json", text)};
    EXPECT_THAT(Must(Import(*log_, "auto", paths)).problems, IsEmpty()) << text;
  }
  EXPECT_THAT(Said("s"), ElementsAre("Hi"));
}

TEST_F(GeminiImportTest, IsDetectedByTheRecords) {
  const auto detect = [&](const std::string& name, const std::string& text) {
    const ImportTest::TempStore store;
    const std::vector<std::filesystem::path> paths{Write(name, text)};
    return Must(Import(*store.log, "auto", paths)).added == 1;
  };
  EXPECT_TRUE(detect("a.json", GeminiDocument()));
  EXPECT_TRUE(detect("a.jsonl", GeminiLines()));
  EXPECT_TRUE(detect("a.jsonl", GeminiText("g", "without a header") + "\n"));
  EXPECT_FALSE(detect("a.json", R"({"messages":[{"type":"user","content":"x"}]})"));
  const std::string of_another = R"({"sessionId":"s","startTime":"t","timeline":[{"type":"user","text":"x"}]})";
  EXPECT_FALSE(detect("a.json", of_another)) << "no messages, no project";
  EXPECT_FALSE(detect("a.jsonl", R"({"type":"user","content":"x"})"));
}

}  // namespace
}  // namespace turnlog::gemini_test
