#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/logged/import_record.h"
#include "migrate/ui_messages/format.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"

namespace turnlog::model_messages_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

// One of everything.
const std::string kSample = R"({"model":"m","messages":[
 {"role":"system","content":"Be brief.","providerOptions":{"anthropic":{"cacheControl":{"type":"ephemeral"}}}},
 {"role":"user","content":"Hi\u00e9"},
 {"role":"assistant","content":[
  {"type":"reasoning","text":"Hm.","providerOptions":{"anthropic":{"signature":"Eq=="}}},
  {"type":"text","text":"Looking."},{"type":"file","data":"AA==","mediaType":"image/png"},
  {"type":"tool-call","toolCallId":"c1","toolName":"ls","input":{"dir": "."}},
  {"type":"tool-call","toolCallId":"c2","toolName":"cat","input":{}},
  {"type":"tool-call","toolCallId":"c3","toolName":"rm","input":{}},
  {"type":"tool-approval-request","approvalId":"a3","toolCallId":"c3"}]},
 {"role":"tool","content":[
  {"type":"tool-result","toolCallId":"c1","toolName":"ls","output":{"type":"json","value":{"files":["a"]}}},
  {"type":"tool-result","toolCallId":"c2","toolName":"cat","output":{"type":"error-text","value":"no"}},
  {"type":"tool-approval-response","approvalId":"a3","approved":false,"reason":"mine"}]},
 {"role":"tool","content":[
  {"type":"tool-result","toolCallId":"c3","toolName":"rm","output":{"type":"execution-denied","reason":"mine"}}]},
 {"role":"user","content":[{"type":"text","text":"See"},{"type":"image","image":"https://a/b.png"}]},
 {"id":"m9","role":"assistant","content":[{"type":"reasoning","text":"Old.","signature":"Sg=="},
  {"type":"redacted-reasoning","data":"Rd=="},{"type":"tool-call","toolCallId":"d1","toolName":"ls","args":{}}]},
 {"role":"tool","content":[{"type":"tool-result","toolCallId":"d1","toolName":"ls","result":"a","isError":true}]},
 {"role":"assistant","content":"Done."}
],"temperature":0}
)";

ReadSource Read(const std::string& text) { return ReadFiles(kModelMessagesFormat, {{"chat.json", text}}); }

std::vector<std::string> ShapesOf(const std::string& messages) {
  return Shapes(Read("[" + messages + "]").only().events);
}

std::string Assistant(const std::string& parts) { return R"({"role":"assistant","content":[)" + parts + "]}"; }
std::string Tool(const std::string& parts) { return R"(,{"role":"tool","content":[)" + parts + "]}"; }

const std::string kCall = R"({"type":"tool-call","toolCallId":"1","toolName":"rm","input":{"f":"a"}})";

std::string Result(const std::string& rest) {
  return R"({"type":"tool-result","toolCallId":"1","toolName":"rm",)" + rest + "}";
}

TEST(ModelMessagesTest, TurnsMessagesIntoEvents) {
  EXPECT_THAT(
      ShapesOf(R"({"role":"system","content":"s"},{"role":"user","content":"Hi"},)"
               R"({"role":"assistant","content":"Hello."},{"role":"user","content":[{"type":"text","text":"a"},)"
               R"({"type":"image","image":"AA=="},{"type":"file","data":"AA==","mediaType":"text/csv"}]},)" +
               Assistant(R"({"type":"reasoning","text":"Hm."},{"type":"text","text":"b"},)"
                         R"({"type":"file","data":"AA==","mediaType":"image/png"})")),
      ElementsAre("foreign", kTurn, R"({"type":"chat_request","content":"Hi"})",
                  R"({"type":"chat_response","message":"Hello."})", kTurn,
                  R"({"type":"chat_request","content":"a\n[image]\n[file]"})",
                  R"({"type":"chat_response","reasoning":"Hm."})", R"({"type":"chat_response","message":"b"})",
                  "foreign"));
}

TEST(ModelMessagesTest, ReadsEachKindOfOutput) {
  const auto response = [](const std::string& rest) {
    const auto shapes = ShapesOf(Assistant(kCall) + Tool(Result(rest)));
    EXPECT_THAT(shapes, ElementsAre(kTurn, R"({"type":"tool_call_request","id":"1","name":"rm","arguments":{"f":"a"}})",
                                    HasSubstr("tool_call_response")));
    return shapes.back();
  };
  const auto is = [](const std::string& content, const std::string& is_error) {
    return R"({"type":"tool_call_response","id":"1","content":)" + content + R"(,"is_error":)" + is_error + "}";
  };
  EXPECT_EQ(response(R"("output":{"type":"text","value":"a"})"), is(R"("a")", "false"));
  EXPECT_EQ(response(R"("output":{"type":"json","value":{"a": 1}})"), is(R"("{\"a\": 1}")", "false"));
  EXPECT_EQ(response(R"("output":{"type":"json","value":"a"})"), is(R"("a")", "false"));
  EXPECT_EQ(response(R"("output":{"type":"error-text","value":"a"})"), is(R"("a")", "true"));
  EXPECT_EQ(response(R"("output":{"type":"error-json","value":[1]})"), is(R"("[1]")", "true"));
  EXPECT_EQ(
      response(R"("output":{"type":"content","value":[{"type":"text","text":"a"},{"type":"image-data","data":""}]})"),
      is(R"("a\n[image-data]")", "false"));
  EXPECT_EQ(response(R"("output":{"type":"new","value":1})"), is(R"("{\"type\":\"new\",\"value\":1}")", "false"));
  EXPECT_EQ(response(R"("output":{"type":"text","text":"a"})"), is(R"("{\"type\":\"text\",\"text\":\"a\"}")", "false"))
      << "of a tool";
  EXPECT_THAT(response(R"("output":{"type":"execution-denied","reason":"mine"})"),
              HasSubstr(R"("is_error":true,"denied":{"reason":"mine","responder":{"kind":"user"}})"));
  // of version 4
  EXPECT_EQ(response(R"("result":"a")"), is(R"("a")", "false"));
  EXPECT_EQ(response(R"("result":{"a":1},"isError":true)"), is(R"("{\"a\":1}")", "true"));
}

// A provider runs some tools itself.
TEST(ModelMessagesTest, ReadsResultsAmongTheCalls) {
  EXPECT_THAT(ShapesOf(Assistant(kCall + "," + Result(R"("output":{"type":"text","value":"a"})") +
                                 R"(,{"type":"text","text":"b"})")),
              ElementsAre(kTurn, HasSubstr("tool_call_request"), HasSubstr("tool_call_response"),
                          R"({"type":"chat_response","message":"b"})"));
}

TEST(ModelMessagesTest, TurnsApprovalsIntoInquiries) {
  const auto events = [](const std::string& asked, const std::string& after) {
    return ShapesOf(
        Assistant(kCall + R"(,{"type":"tool-approval-request","approvalId":"a","toolCallId":"1")" + asked + "}") +
        after);
  };
  const auto answer = [](const std::string& rest) {
    return R"({"type":"tool-approval-response","approvalId":"a","approved":)" + rest + "}";
  };
  const auto call = HasSubstr("tool_call_request"), asks = HasSubstr("Allow rm?");
  EXPECT_THAT(events("", ""), ElementsAre(kTurn, call, asks));
  EXPECT_THAT(events("", Tool(answer("true")) + Tool(Result(R"("output":{"type":"error-text","value":"x"})"))),
              ElementsAre(kTurn, call, asks, HasSubstr(R"("answer":true)"), Not(HasSubstr("denied"))));
  EXPECT_THAT(events("", Tool(Result(R"("output":{"type":"text","value":"x"})"))),
              ElementsAre(kTurn, call, asks, HasSubstr("cancelled"), HasSubstr(R"("content":"x")")));
  const std::string no = answer(R"(false,"reason":"mine")");
  EXPECT_THAT(events("", Tool(no + "," + Result(R"("output":{"type":"execution-denied"})"))),
              ElementsAre(kTurn, call, asks, HasSubstr(R"("answer":false)"),
                          HasSubstr(R"("denied":{"reason":"mine","responder":{"kind":"user"}})")));
  EXPECT_THAT(events("", Tool(no + "," + Result(R"("output":{"type":"error-text","value":"refused"})"))),
              ElementsAre(kTurn, call, asks, HasSubstr(R"("answer":false)"),
                          AllOf(HasSubstr(R"("content":"refused")"), HasSubstr(R"("denied":{"reason":"mine")"))));
  EXPECT_THAT(events(R"(,"isAutomatic":true)", Tool(no + "," + Result(R"("output":{"type":"execution-denied"})"))),
              ElementsAre(kTurn, call, asks, HasSubstr(R"("kind":"policy")"), HasSubstr(R"("kind":"policy")")));
}

TEST(ModelMessagesTest, KeepsWhatItCannotPlace) {
  EXPECT_THAT(
      ShapesOf(Assistant(kCall) +
               Tool(R"({"type":"tool-approval-response","approvalId":"a","approved":true},{"type":"tool-result"})")),
      ElementsAre(kTurn, HasSubstr("tool_call_request"), "foreign", "foreign"));
  const std::string ask = R"({"type":"tool-approval-request","approvalId":"a","toolCallId":"1"})";
  EXPECT_THAT(ShapesOf(Assistant(ask + "," + ask)), ElementsAre(kTurn, HasSubstr("Allow the tool?"), "foreign"));
  EXPECT_THAT(
      ShapesOf(R"({"role":"assistant","content":[]},{"role":"tool","content":"x"},{"role":"new","content":"x"})"),
      ElementsAre("foreign", "foreign", "foreign"));
}

TEST(ModelMessagesTest, KeepsWhatOnlyTheProviderUnderstandsAsOpaque) {
  ReadSource read = Read(kSample);
  std::vector<std::string> opaque;
  for (const Event& event : read.only().events) {
    const std::string metadata(event.metadata.text());
    if (std::holds_alternative<ChatResponse>(event.body) && !metadata.empty()) opaque.push_back(metadata);
  }
  EXPECT_THAT(opaque, ElementsAre(R"({"opaque":{"anthropic":{"signature":"Eq=="}}})", R"({"opaque":"Sg=="})",
                                  R"({"opaque":"Rd=="})"));
}

TEST(ModelMessagesTest, WritesEveryMessageBackByteForByte) {
  ReadSource read = Read(kSample);
  EXPECT_EQ(read.only().written, kSample);
  EXPECT_EQ(read.taken, kSample.size());
  EXPECT_THAT(read.problems, IsEmpty());
  ExpectThatUnknownKindsAreKept(kModelMessagesFormat, "chat.json", kSample);
}

TEST(ModelMessagesTest, LosesNothingWhereverTheFileEnds) {
  for (std::size_t size = 0; size <= kSample.size(); size += kByteStep) {
    const std::string text = kSample.substr(0, size);
    ASSERT_EQ(Read(text).only().written, text) << size;
  }
}

TEST(ModelMessagesTest, LosesNothingWhateverByteIsDamaged) {
  for (std::size_t at = 0; at < kSample.size(); at += kByteStep) {
    for (const int flip : {0x01, 0x80}) {
      std::string text = kSample;
      text[at] = static_cast<char>(text[at] ^ flip);
      ASSERT_EQ(Read(text).only().written, text) << at;
    }
  }
}

class ModelMessagesImportTest : public ImportTest {
 protected:
  // What `auto` takes the file for; empty: nothing.
  std::string FormatOf(const std::string& text) {
    const std::string name = fmt::format("chat{}", files_++);
    if (!Auto({Write(name + ".json", text)}).problems.empty()) return {};
    return ReadImportEvent(View(Events(name).front())).value().format;
  }

 private:
  int files_ = 0;
};

// Plain texts look the same in all lists of messages.
TEST_F(ModelMessagesImportTest, IsToldFromOtherListsByWhatItsPartsAre) {
  std::string texts = R"([{"role":"system","content":"s"})";
  for (int turn = 0; turn < 2000; ++turn) {
    texts += fmt::format(R"(,{{"role":"user","content":"Question {0} of some length"}},)"
                         R"({{"role":"assistant","content":[{{"type":"text","text":"Answer {0}"}}]}})",
                         turn);
  }
  const auto format = [&](const std::string& last) { return FormatOf(texts + "," + last + "]"); };
  EXPECT_EQ(format(Assistant(kCall)), "model-messages");
  EXPECT_EQ(format(Tool(Result(R"("result":"x")")).substr(1)), "model-messages");
  EXPECT_EQ(format(Assistant(R"({"type":"reasoning","text":"x"})")), "model-messages");
  EXPECT_EQ(format(R"({"role":"user","content":"x","providerOptions":{}})"), "model-messages");
  EXPECT_EQ(format(R"({"role":"user","content":[{"type":"file","data":"AA==","mediaType":"a/b"}]})"), "model-messages");
  EXPECT_EQ(format(Assistant(R"({"type":"tool_use","id":"c","name":"ls","input":{}})")), "anthropic");
  EXPECT_EQ(format(R"({"role":"tool","tool_call_id":"c","content":"x"})"), "openai");
  EXPECT_EQ(format(R"({"id":"i","role":"assistant","parts":[{"type":"reasoning","text":"x"}]})"), "ui-messages");
  EXPECT_EQ(format(R"({"role":"user","content":"x"})"), "");
  EXPECT_EQ(FormatOf(R"({"system":"s","prompt":[)" + Assistant(kCall) + "]}"), "model-messages");
}

TEST_F(ModelMessagesImportTest, AddsOnlyWhatIsNewInAListThatGrew) {
  const std::string ask = R"({"type":"tool-approval-request","approvalId":"a","toolCallId":"1"})";
  const std::string yes = Tool(R"({"type":"tool-approval-response","approvalId":"a","approved":true})");
  std::string list = R"([{"role":"user","content":"Hi"},)" + Assistant(kCall + "," + ask);
  const auto grow = [&](const std::string& more) {
    list += more;
    const std::vector<std::filesystem::path> paths{Write("chat.json", list + "]")};
    const ImportReport report = Must(Import(*log_, "auto", paths));
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(Must(Import(*log_, "auto", paths)).unchanged, 1);
    EXPECT_EQ(ExportRawText("model-messages", "chat"), list + "]");
    return report.events;
  };
  EXPECT_EQ(grow(""), 4 + 1) << "with the import record";
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), SizeIs(1));
  EXPECT_EQ(grow(yes), 1 + 1);
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), IsEmpty());
  EXPECT_EQ(grow(Tool(Result(R"("output":{"type":"text","value":"ok"})"))), 1 + 1);
  EXPECT_EQ(grow(R"(,{"role":"assistant","content":"Done."},{"role":"user","content":"Hi"})"), 3 + 1);
}

}  // namespace
}  // namespace turnlog::model_messages_test
