#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/ui_messages/format.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/migrate/small_import.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::ui_messages_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

// One of everything.
const std::string kSample = R"({"chatId":"c","messages":[
 {"id":"m0","role":"system","parts":[{"type":"text","text":"Be brief."}]},
 {"id":"m1","role":"user","parts":[{"type":"text","text":"Hi\u00e9"}],"metadata":{"x":1}},
 {"id":"m2","role":"assistant","parts":[{"type":"step-start"},
  {"type":"reasoning","text":"Hm.","providerMetadata":{"anthropic":{"signature":"Eq=="}}},
  {"type":"text","text":"Looking.","state":"done"},
  {"type":"tool-ls","toolCallId":"c1","state":"output-available","input":{"dir": "."},"output":{"files":["a"]}},
  {"type":"dynamic-tool","toolName":"cat","toolCallId":"c2","state":"output-error","input":{},"errorText":"no"},
  {"type":"step-start"},
  {"type":"tool-rm","toolCallId":"c3","state":"output-denied","input":{},"approval":{"id":"a3","approved":false,"reason":"mine"}},
  {"type":"tool-mv","toolCallId":"c4","state":"output-available","input":{},"output":"ok","approval":{"id":"a4","approved":true}},
  {"type":"tool-cp","toolCallId":"c5","state":"approval-responded","input":{},"approval":{"id":"a5","approved":true}},
  {"type":"tool-ln","toolCallId":"c6","state":"approval-requested","input":{},"approval":{"id":"a6"}},
  {"type":"tool-od","toolCallId":"c7","state":"input-streaming","input":{"par":"t"}},
  {"type":"file","mediaType":"image/png","url":"data:"},{"type":"data-x","data":1},{"type":"source-url","url":"u"}]},
 {"id":"m3","role":"user","content":"four","createdAt":"2025-05-01T10:00:00.000Z"},
 {"id":"m4","role":"assistant","content":"Done.","toolInvocations":[
  {"state":"result","toolCallId":"d1","toolName":"ls","args":{},"result":"a"},
  {"state":"call","toolCallId":"d2","toolName":"ls","args":{}},
  {"state":"partial-call","toolCallId":"d3","toolName":"ls","args":{}}]},
 {"id":"m5","role":"assistant","parts":[
  {"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"d4","toolName":"ls","args":{},"result":[1]}}]}
]})";

ReadSource Read(const std::string& text) { return ReadFiles(kUiMessagesFormat, {{"chat.json", text}}); }

std::vector<std::string> ShapesOf(const std::string& parts) {
  return Shapes(Read(R"([{"id":"m","role":"assistant","parts":[)" + parts + "]}]").only().events);
}

TEST(UiMessagesTest, TurnsMessagesIntoEvents) {
  EXPECT_THAT(
      Shapes(Read(R"([{"id":"1","role":"user","parts":[{"type":"text","text":"Hi"}]},{"id":"2","role":"assistant",)"
                  R"("parts":[{"type":"text","text":"Hello."},{"type":"data-x"}]}])")
                 .only()
                 .events),
      ElementsAre(kTurn, R"({"type":"chat_request","content":"Hi"})", R"({"type":"chat_response","message":"Hello."})",
                  "foreign"));
}

// Version 4, as later programs store it.
TEST(UiMessagesTest, ReadsTheContentOfMessagesWithoutParts) {
  EXPECT_THAT(
      Shapes(Read(R"([{"id":"1","role":"user","content":"2+2?","parts":[]},{"id":"2","role":"assistant",)"
                  R"("content":"4","parts":[],"toolInvocations":[{"state":"call","toolCallId":"c","toolName":"add",)"
                  R"("args":{}}]},{"id":"3","role":"user","parts":[]}])")
                 .only()
                 .events),
      ElementsAre(kTurn, R"({"type":"chat_request","content":"2+2?"})",
                  R"({"type":"tool_call_request","id":"c","name":"add","arguments":{}})",
                  R"({"type":"chat_response","message":"4"})", kTurn, R"({"type":"chat_request","content":""})"));
}

TEST(UiMessagesTest, PutsTheResultsOfABlockAfterItsCalls) {
  EXPECT_THAT(
      ShapesOf(R"({"type":"tool-a","toolCallId":"1","state":"output-available","input":{"x":1},"output":"A"},)"
               R"({"type":"tool-b","toolCallId":"2","state":"output-error","input":{},"errorText":"B"},)"
               R"({"type":"step-start"},{"type":"tool-c","toolCallId":"3","state":"input-available","input":{}})"),
      ElementsAre(kTurn, R"({"type":"tool_call_request","id":"1","name":"a","arguments":{"x":1}})",
                  R"({"type":"tool_call_request","id":"2","name":"b","arguments":{}})",
                  R"({"type":"tool_call_response","id":"1","content":"A","is_error":false})",
                  R"({"type":"tool_call_response","id":"2","content":"B","is_error":true})",
                  R"({"type":"tool_call_request","id":"3","name":"c","arguments":{}})"));
}

TEST(UiMessagesTest, TurnsApprovalsIntoInquiries) {
  const auto part = [](const std::string& state, const std::string& approval) {
    return R"({"type":"tool-rm","toolCallId":"1","input":{},"output":"ok","state":")" + state + R"(","approval":)" +
           approval + "}";
  };
  EXPECT_THAT(ShapesOf(part("approval-requested", R"({"id":"a"})")),
              ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow rm?")));
  EXPECT_THAT(
      ShapesOf(R"({"type":"tool-rm","toolCallId":"1","input":{},"state":"approval-responded",)"
               R"("approval":{"id":"a","approved":true}})"),
      ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow rm?"), HasSubstr(R"("answer":true)")));
  EXPECT_THAT(ShapesOf(part("output-available", R"({"id":"a","approved":true})")),
              ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow rm?"), HasSubstr(R"("answer":true)"),
                          HasSubstr(R"("content":"ok")")));
  EXPECT_THAT(ShapesOf(part("output-denied", R"({"id":"a","approved":false,"reason":"mine"})")),
              ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow rm?"), HasSubstr(R"("answer":false)"),
                          HasSubstr(R"("reason":"mine")")));
}

// What an approved call returned may be there before its state says so.
TEST(UiMessagesTest, ReadsTheResultOfACallThatWasAnswered) {
  const auto part = [](const std::string& result) {
    return R"({"type":"tool-rm","toolCallId":"1","input":{},"state":"approval-responded",)" + result +
           R"(,"approval":{"id":"a","approved":true}})";
  };
  EXPECT_THAT(ShapesOf(part(R"("output":"ok")")),
              ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow rm?"), HasSubstr(R"("answer":true)"),
                          R"({"type":"tool_call_response","id":"1","content":"ok","is_error":false})"));
  EXPECT_THAT(ShapesOf(part(R"("errorText":"no")")),
              Contains(R"({"type":"tool_call_response","id":"1","content":"no","is_error":true})"));
  EXPECT_THAT(ShapesOf(part(R"("output":"10%","preliminary":true)")), SizeIs(4)) << "it goes on";
}

// The program's rules may decide about a call, without asking anyone.
TEST(UiMessagesTest, TellsWhatRulesDecidedFromWhatTheUserDid) {
  const auto events = [](const std::string& rest) {
    return Shapes(
        Read(R"([{"id":"1","role":"assistant","parts":[{"type":"tool-rm","toolCallId":"c","input":{},)" + rest + "}]}]")
            .only()
            .events);
  };
  EXPECT_THAT(
      events(R"("state":"output-available","output":"ok","approval":{"id":"a","isAutomatic":true,"approved":true})"),
      ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow rm?"),
                  AllOf(HasSubstr(R"("answer":true)"), HasSubstr(R"("kind":"policy")")), HasSubstr("ok")));
  EXPECT_THAT(
      events(R"("state":"output-denied","approval":{"id":"a","isAutomatic":true,"approved":false,"reason":"no rm"})"),
      ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("Allow rm?"),
                  AllOf(HasSubstr(R"("answer":false)"), HasSubstr(R"("kind":"policy")")),
                  HasSubstr(R"("denied":{"reason":"no rm","responder":{"kind":"policy"})")));
}

TEST(UiMessagesTest, ReadsMessagesOfVersion4) {
  EXPECT_THAT(
      Shapes(Read(R"([{"id":"1","role":"user","content":"Hi"},{"id":"2","role":"assistant","content":"Done.",)"
                  R"("toolInvocations":[{"state":"result","toolCallId":"c","toolName":"ls","args":{},"result":"a"}]}])")
                 .only()
                 .events),
      ElementsAre(kTurn, R"({"type":"chat_request","content":"Hi"})", HasSubstr("tool_call_request"),
                  HasSubstr(R"("content":"a")"), R"({"type":"chat_response","message":"Done."})"));
}

TEST(UiMessagesTest, KeepsProviderMetadataAsOpaque) {
  const auto events = Read(kSample).only().events;
  EXPECT_EQ(events[3].metadata.text(), R"({"opaque":{"anthropic":{"signature":"Eq=="}}})");
}

TEST(UiMessagesTest, WritesEveryMessageBackByteForByte) {
  ReadSource read = Read(kSample);
  EXPECT_EQ(read.only().written, kSample);
  EXPECT_EQ(read.taken, kSample.size());
  EXPECT_THAT(read.problems, IsEmpty());
  ExpectThatUnknownKindsAreKept(kUiMessagesFormat, "chat.json", kSample);
}

TEST(UiMessagesTest, LosesNothingWhereverTheFileEnds) {
  for (std::size_t size = 0; size <= kSample.size(); size += kByteStep) {
    const std::string text = kSample.substr(0, size);
    ASSERT_EQ(Read(text).only().written, text) << size;
  }
}

TEST(UiMessagesTest, LosesNothingWhateverByteIsDamaged) {
  for (std::size_t at = 0; at < kSample.size(); at += kByteStep) {
    for (const int flip : {0x01, 0x80}) {
      std::string text = kSample;
      text[at] = static_cast<char>(text[at] ^ flip);
      ASSERT_EQ(Read(text).only().written, text) << at;
    }
  }
}

using UiMessagesImportTest = ImportTest;

TEST_F(UiMessagesImportTest, FollowsACallThatGoesOn) {
  const auto chat = [](std::string_view state) {
    return std::string(
               R"([{"id":"1","role":"assistant","parts":[{"type":"tool-a","toolCallId":"c","input":{},"output":"A",)")
        .append(R"("state":")")
        .append(state)
        .append("\"}]}]");
  };
  const std::vector<std::filesystem::path> paths{Write("chat.json", chat("input-available"))};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  Write("chat.json", chat("output-available"));
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).extended, 1);
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).unchanged, 1);
  EXPECT_THAT(Events("chat"), SizeIs(6)) << "two import records, and the call as it is now";
}

// A chat whose one answer has these parts, as it is at several times.
class UiMessagesGrowthTest : public ImportTest {
 protected:
  static std::string Tool(const std::string& call, const std::string& state, const std::string& more) {
    return R"({"type":"tool-pay","toolCallId":")" + call + R"(","input":{"n":1},"state":")" + state + "\"" + more + "}";
  }
  static std::string Asked(const std::string& call) {
    return Tool(call, "approval-requested", R"(,"approval":{"id":"a"})");
  }
  static std::string Denied(const std::string& call) {
    return Tool(call, "output-denied", R"(,"approval":{"id":"a","approved":false,"reason":"no"})");
  }
  static std::string Approved(const std::string& call, const std::string& output = "") {
    const std::string approval = R"(,"approval":{"id":"a","approved":true})";
    return output.empty() ? Tool(call, "approval-responded", approval)
                          : Tool(call, "output-available", approval + R"(,"output":")" + output + "\"");
  }

  void Grow(const std::string& parts) {
    const std::string text = R"([{"id":"m","role":"assistant","parts":[)" + parts + "]}]";
    const std::vector<std::filesystem::path> paths{Write("chat.json", text)};
    EXPECT_THAT(Must(Import(*log_, "ui-messages", paths)).problems, IsEmpty()) << parts;
    EXPECT_EQ(Must(Import(*log_, "ui-messages", paths)).unchanged, 1);
    EXPECT_EQ(ExportRawText("ui-messages", "chat"), text);
  }

  // The ids of calls, questions, answers and results, and what is said, in the order of the log.
  std::vector<std::string> Told() {
    std::vector<std::string> told;
    for (const Event& event : Events("chat")) {
      if (const auto* asked = std::get_if<InquiryRequest>(&event.body)) told.push_back(asked->id.text + "?");
      if (const auto* answer = std::get_if<InquiryResponse>(&event.body)) told.push_back(answer->id.text + "!");
      if (const auto* call = std::get_if<ToolCallRequest>(&event.body)) told.push_back(call->id);
      if (const auto* result = std::get_if<ToolCallResponse>(&event.body)) told.push_back(result->id + "=");
      if (const auto* said = std::get_if<ChatResponse>(&event.body)) told.push_back(said->content);
    }
    return told;
  }
};

TEST_F(UiMessagesGrowthTest, AnswersTwoApprovalsAndThenTakesTheResults) {
  Grow(Asked("A") + "," + Asked("B"));
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), SizeIs(2));
  Grow(Approved("A") + "," + Approved("B"));
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), IsEmpty());
  Grow(Approved("A", "1") + "," + Approved("B", "2") + R"(,{"type":"text","text":"ok"})");
  EXPECT_THAT(Told(), ElementsAre("A", "A.approval.1?", "B", "B.approval.1?", "A.approval.1!", "B.approval.1!",
                                  "A=", "B=", "ok"));
}

TEST_F(UiMessagesGrowthTest, TakesAnswersAndResultsInAnyOrder) {
  Grow(Asked("A") + "," + Asked("B") + "," + Asked("C"));
  Grow(Asked("A") + "," + Asked("B") + "," + Denied("C"));
  Grow(Asked("A") + "," + Approved("B", "2") + "," + Denied("C"));
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), SizeIs(1));
  Grow(Approved("A", "1") + "," + Approved("B", "2") + "," + Denied("C") + R"(,{"type":"text","text":"ok"})");
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), IsEmpty());
  EXPECT_THAT(Told(), ElementsAre("A", "A.approval.1?", "B", "B.approval.1?", "C", "C.approval.1?", "C.approval.1!",
                                  "C=", "B.approval.1!", "B=", "A.approval.1!", "A=", "ok"));
}

TEST_F(UiMessagesGrowthTest, TakesAResultAfterWhatFollowsItsCall) {
  const std::string after = R"(,{"type":"data-x","data":1},{"type":"text","text":"wait"})";
  Grow(Tool("A", "input-available", "") + after);
  Grow(Tool("A", "output-available", R"(,"output":"1")") + after);
  EXPECT_THAT(Told(), ElementsAre("A", "wait", "A="));
}

// A later message is imported by then.
TEST_F(UiMessagesGrowthTest, TakesAResultAfterALaterMessage) {
  const std::string after =
      R"(,{"type":"text","text":"wait"}]},{"id":"n","role":"user","parts":[{"type":"text","text":"so?"})";
  Grow(Tool("A", "input-available", "") + after);
  Grow(Tool("A", "output-available", R"(,"output":"1")") + after);
  const std::string more = after + R"(]},{"id":"o","role":"assistant","parts":[{"type":"text","text":"now"})";
  Grow(Tool("A", "output-available", R"(,"output":"1")") + more);
  EXPECT_THAT(Told(), ElementsAre("A", "wait", "A=", "now"));
}

// The places of results that come together may be those of parts without ids.
TEST_F(UiMessagesGrowthTest, TakesTwoResultsAfterDataThatFollowTheirCalls) {
  const std::string data = R"(,{"type":"data-x","id":"d","data":1})";
  const auto called = [](const std::string& call) { return Tool(call, "input-available", ""); };
  Grow(called("A") + "," + called("B") + data);
  const auto done = [](const std::string& call) { return Tool(call, "output-available", R"(,"output":"1")"); };
  Grow(done("A") + "," + done("B") + data);
  Grow(done("A") + "," + done("B") + data + R"(,{"type":"text","text":"ok"})");
  EXPECT_THAT(Told(), ElementsAre("A", "B", "A=", "B=", "ok"));
}

TEST_F(UiMessagesGrowthTest, TakesAQuestionAfterALaterCall) {
  Grow(Tool("A", "input-available", "") + "," + Tool("B", "input-available", ""));
  Grow(Asked("A") + "," + Tool("B", "input-available", ""));
  Grow(Denied("A") + "," + Asked("B"));
  Grow(Denied("A") + "," + Approved("B", "2") + R"(,{"type":"text","text":"ok"})");
  EXPECT_THAT(Told(), ElementsAre("A", "B", "A.approval.1?", "B.approval.1?", "A.approval.1!", "A=", "B.approval.1!",
                                  "B=", "ok"));
}

// Tools run while the model still makes calls.
TEST_F(UiMessagesGrowthTest, TakesCallsAfterTheResultOfAnEarlierOne) {
  const std::string first = Tool("A", "output-available", R"(,"output":"1")") + ",";
  Grow(first + Asked("B"));
  Grow(first + Asked("B") + "," + Asked("C") + "," + Tool("D", "input-available", ""));
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), SizeIs(2));
  Grow(first + Denied("B") + "," + Asked("C") + "," + Tool("D", "output-available", R"(,"output":"4")"));
  Grow(first + Denied("B") + "," + Approved("C", "3") + "," + Tool("D", "output-available", R"(,"output":"4")") +
       R"(,{"type":"text","text":"ok"})");
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), IsEmpty());
  EXPECT_THAT(Told(), ElementsAre("A", "B", "B.approval.1?", "A=", "C", "C.approval.1?", "D", "B.approval.1!",
                                  "B=", "D=", "C.approval.1!", "C=", "ok"));
}

// Of a message that is more than one append.
TEST_F(UiMessagesGrowthTest, TakesResultsInAnyOrderOfALargeMessage) {
  const auto chat = [](int first_done) {
    std::string parts;
    for (int call = 0; call < 300; ++call) {
      const std::string id = fmt::format("c{}", call);
      parts += (call == 0 ? "" : ",") +
               (call < first_done ? Tool(id, "input-available", "")
                                  : Tool(id, "output-available", fmt::format(R"(,"output":"{:0>500}")", call)));
    }
    return R"([{"id":"m","role":"assistant","parts":[)" + parts + "]}]";
  };
  for (const int first_done : {300, 299, 150, 0}) {
    const ImportReport report = ImportSmall(*log_, "ui-messages", Write("chat.json", chat(first_done)));
    EXPECT_THAT(report.problems, IsEmpty()) << first_done;
    EXPECT_EQ(ExportRawText("ui-messages", "chat"), chat(first_done));
  }
  EXPECT_THAT(Told(), SizeIs(600));
}

TEST_F(UiMessagesGrowthTest, WaitsForWhatIsStillBeingStreamed) {
  Grow(R"({"type":"step-start"},{"type":"text","text":"Hel","state":"streaming"})");
  EXPECT_THAT(Told(), IsEmpty());
  const std::string hello = R"({"type":"step-start"},{"type":"text","text":"Hello","state":"done"},)";
  Grow(hello + Tool("A", "input-streaming", "") + R"(,{"type":"file","url":"u"})");
  EXPECT_THAT(Told(), ElementsAre("Hello"));
  Grow(hello + Tool("A", "input-available", ""));
  EXPECT_THAT(Told(), ElementsAre("Hello", "A"));
  Grow(hello + Tool("A", "output-available", R"(,"preliminary":true,"output":"10%")"));
  Grow(hello + Tool("A", "output-available", R"(,"preliminary":true,"output":"20%")"));
  EXPECT_THAT(Told(), ElementsAre("Hello", "A"));
  const std::string done = hello + Tool("A", "output-available", R"(,"output":"all")");
  Grow(done);
  Grow(done + R"(,{"type":"text","text":"No","state":"streaming"})");
  EXPECT_THAT(Told(), ElementsAre("Hello", "A", "A="));
  Grow(done + R"(,{"type":"text","text":"Now","state":"done"})");
  EXPECT_THAT(Told(), ElementsAre("Hello", "A", "A=", "Now"));
}

// Many chats store the answer when it begins.
TEST_F(UiMessagesGrowthTest, WaitsForAnAnswerWithoutParts) {
  Grow("");
  EXPECT_THAT(Told(), IsEmpty());
  Grow(R"({"type":"step-start"})");
  EXPECT_THAT(Told(), IsEmpty());
  Grow(R"({"type":"step-start"},{"type":"text","text":"Hello"})");
  EXPECT_THAT(Told(), ElementsAre("Hello"));
}

// Of version 4, too: then its text is its content.
TEST_F(UiMessagesImportTest, WaitsForAnAnswerWithoutContent) {
  const auto import = [this](const std::string& content) {
    const std::string text =
        R"([{"id":"u","role":"user","content":"Hi"},{"id":"m","role":"assistant","content":")" + content + R"("}])";
    EXPECT_THAT(Must(Import(*log_, "ui-messages", std::vector{Write("chat.json", text)})).problems, IsEmpty());
    EXPECT_EQ(ExportRawText("ui-messages", "chat"), text);
  };
  import("");
  import("Hello");
  EXPECT_THAT(ToJson(View(Events("chat").back())), HasSubstr(R"("message":"Hello")"));
}

// As in a chat that was ended while it streamed, and went on.
TEST(UiMessagesTest, AnotherMessageEndsOneThatIsStreamed) {
  const std::string streamed =
      R"({"id":"1","role":"assistant","content":"","toolInvocations":[{"state":"partial-call","toolCallId":"c",)"
      R"("toolName":"f","args":{}}]})";
  ReadSource waiting = Read("[" + streamed + "\n]\n");
  EXPECT_THAT(waiting.only().events, IsEmpty());
  EXPECT_EQ(waiting.only().parts["trailer"], "[" + streamed + "\n]\n");
  EXPECT_EQ(waiting.taken, streamed.size() + 4);
  ReadSource ended = Read("[" + streamed + R"(,{"id":"2","role":"user","content":"Go on"}])");
  EXPECT_THAT(Shapes(ended.only().events), ElementsAre(kTurn, "foreign", kTurn, HasSubstr("Go on")));
  EXPECT_EQ(ended.only().written, "[" + streamed + R"(,{"id":"2","role":"user","content":"Go on"}])");
}

// As an earlier revision has imported what was being streamed.
TEST_F(UiMessagesGrowthTest, KeepsWhatCameInBeforeItWaited) {
  const auto import = [this](const std::string& last, const std::string& more) {
    const std::string parts = R"({"type":"text","text":"Ok"},{"type":"text","text":"Look",)" + last + "}";
    const std::string text = R"([{"id":"m","role":"assistant","parts":[)" + parts + "]}" + more + "]";
    const std::vector<std::filesystem::path> paths{Write("chat.json", text)};
    return Must(Import(*log_, "ui-messages", paths));
  };
  import(R"("state":"done")", "");
  const ImportReport streaming = import(R"("state":"streaming")", "");
  EXPECT_EQ(streaming.failed, 0U);
  EXPECT_THAT(streaming.notes, ElementsAre(testing::Field(&ImportProblem::code, ImportProblemCode::kShrunk)));
  const std::string more = R"(,{"id":"n","role":"user","parts":[{"type":"text","text":"and?"}]})";
  EXPECT_EQ(import(R"("state":"done")", more).extended, 1U);
}

TEST_F(UiMessagesGrowthTest, RevisesDataThatIsReplaced) {
  const std::string said = R"(,{"type":"text","text":"x"})";
  Grow(R"({"type":"data-progress","id":"p","data":{"n":1}})" + said);
  Grow(R"({"type":"data-progress","id":"p","data":{"n":2}})" + said + R"(,{"type":"text","text":"y"})");
  EXPECT_THAT(Told(), ElementsAre("x", "y"));
}

// An answer that was erased is known by its question: it does not come back.
TEST_F(UiMessagesGrowthTest, KnowsARedactedResultByItsCall) {
  Grow(Asked("A") + "," + Asked("B"));
  Grow(Asked("A") + "," + Approved("B", "hunter22"));
  RedactionTargets targets;
  targets.values.emplace_back("hunter22");
  Must(Must(Redaction::Plan(*log_, targets))->Apply("test"));
  const std::string text =
      R"([{"id":"m","role":"assistant","parts":[)" + Approved("A", "1") + "," + Approved("B", "hunter22") + "]}]";
  EXPECT_THAT(Must(Import(*log_, "ui-messages", std::vector{Write("chat.json", text)})).problems, IsEmpty());
  EXPECT_THAT(Told(), testing::Contains("A="));
  for (const Event& event : Events("chat")) EXPECT_THAT(ToJson(View(event)), testing::Not(HasSubstr("hunter22")));
}

}  // namespace
}  // namespace turnlog::ui_messages_test
