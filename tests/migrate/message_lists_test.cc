// The formats whose files are lists of messages in one document.
#include <gmock/gmock.h>

#include "migrate/anthropic/format.h"
#include "migrate/codex/format.h"
#include "migrate/openai/format.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"

namespace turnlog::message_lists_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

const std::string kAnthropicRequest = R"({"model":"opus","system":[{"type":"text","text":"Be brief."}],"messages": [
  {"role":"user","content":"Hi\u00e9"},
  {"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"Eq=="},
    {"type":"text","text":"Looking."},{"type":"tool_use","id":"t1","name":"ls","input":{"dir": "."}},
    {"type":"server_tool_use","id":"s1","name":"web_search","input":{}},
    {"type":"web_search_tool_result","tool_use_id":"s1","content":[{"url":"u"}]},{"type":"novelty"}]},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a"}],
    "is_error":true},{"type":"text","text":"and this"},{"type":"image","source":{}}]},
  {"role":"system","content":"later"},
  {"role":"user","content":[{"type":"text","text":"Two"},{"type":"text","text":"parts"}]}
],"max_tokens":5}
)";

const std::string kChat = R"([{"role":"system","content":"Be brief."},
 {"role":"user","content":"Hi"},
 {"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[
   {"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"dir\":\".\"}"}},
   {"id":"c2","type":"custom","custom":{"name":"sql","input":"SELECT 1"}},{"type":"odd"}]},
 {"role":"tool","tool_call_id":"c1","content":"a"},
 {"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"1"}]},
 {"role":"assistant","content":"Done."},{"role":"exit","content":"x"}])";

const std::string kItems = R"({"id":"resp_1","object":"response","output":[
 {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gA=="},
 {"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Hello."}]},
 {"type":"shell_call","call_id":"s1","action":{"commands":["ls"]}},
 {"type":"shell_call_output","call_id":"s1","output":[{"stdout":"a"}]},
 {"type":"apply_patch_call","call_id":"p1","operation":{"type":"create_file"}},
 {"type":"web_search_call","id":"ws_1"}],"usage":{}})";

const std::string kCompletion = R"({"id":"chatcmpl-1","object":"chat.completion","created":1785578400,"model":"gpt-5",
 "choices":[{"index":0,"message":{"role":"assistant","content":"Hello.","tool_calls":[
  {"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}],"refusal":null},"finish_reason":"stop"},
 {"index":1,"message":{"role":"assistant","content":"Or hi."},"finish_reason":"stop"}],
 "usage":{"prompt_tokens":10,"completion_tokens":5}})";

ReadSource Read(const Format& format, const std::string& text) { return ReadFiles(format, {{"talk.json", text}}); }

TEST(MessageListsTest, TurnsTheChoicesOfAChatCompletionIntoEvents) {
  ReadSource read = Read(kOpenAiFormat, kCompletion);
  EXPECT_THAT(Shapes(read.only().events),
              ElementsAre(kTurn, R"({"type":"chat_response","message":"Hello."})",
                          R"({"type":"tool_call_request","id":"c1","name":"ls","arguments":{}})",
                          R"({"type":"chat_response","message":"Or hi."})"));
  for (const Event& event : read.only().events) EXPECT_EQ(event.timestamp->ToRfc3339(), "2026-08-01T10:00:00Z");
  EXPECT_EQ(kOpenAiFormat.import.match_file({"talk.json", kCompletion}), Match::kByContent);
}

TEST(MessageListsTest, TurnsAnthropicMessagesIntoEvents) {
  ReadSource read = Read(kAnthropicFormat, kAnthropicRequest);
  EXPECT_THAT(
      Shapes(read.only().events),
      ElementsAre(kTurn, "{\"type\":\"chat_request\",\"content\":\"Hi\xc3\xa9\"}",
                  R"({"type":"chat_response","reasoning":"Hm."})", R"({"type":"chat_response","message":"Looking."})",
                  R"({"type":"tool_call_request","id":"t1","name":"ls","arguments":{"dir": "."}})",
                  R"({"type":"tool_call_request","id":"s1","name":"web_search","arguments":{}})",
                  R"({"type":"tool_call_response","id":"s1","content":"[{\"url\":\"u\"}]","is_error":false})",
                  "foreign", R"({"type":"tool_call_response","id":"t1","content":"a","is_error":true})",
                  R"({"type":"chat_request","content":"and this"})", "foreign", "foreign", kTurn,
                  R"({"type":"chat_request","content":"Two\nparts"})"));
  EXPECT_EQ(read.only().events[2].metadata.text(), R"({"opaque":"Eq=="})");
}

TEST(MessageListsTest, TurnsChatMessagesIntoEvents) {
  EXPECT_THAT(Shapes(Read(kOpenAiFormat, kChat).only().events),
              ElementsAre("foreign", kTurn, R"({"type":"chat_request","content":"Hi"})",
                          R"({"type":"chat_response","reasoning":"Hm."})",
                          R"({"type":"tool_call_request","id":"c1","name":"ls","arguments":{"dir":"."}})",
                          R"({"type":"tool_call_request","id":"c2","name":"sql","arguments":{"input":"SELECT 1"}})",
                          "foreign", R"({"type":"tool_call_response","id":"c1","content":"a","is_error":false})",
                          R"({"type":"tool_call_response","id":"c2","content":"1","is_error":false})",
                          R"({"type":"chat_response","message":"Done."})", "foreign"));
}

TEST(MessageListsTest, TurnsResponseItemsIntoEvents) {
  ReadSource read = Read(kOpenAiFormat, kItems);
  EXPECT_THAT(
      Shapes(read.only().events),
      ElementsAre(kTurn, R"({"type":"chat_response","reasoning":""})", R"({"type":"chat_response","message":"Hello."})",
                  R"({"type":"tool_call_request","id":"s1","name":"shell","arguments":{"commands":["ls"]}})",
                  R"({"type":"tool_call_response","id":"s1","content":"[{\"stdout\":\"a\"}]","is_error":false})",
                  R"({"type":"tool_call_request","id":"p1","name":"apply_patch","arguments":{"type":"create_file"}})",
                  "foreign"));
  EXPECT_EQ(read.only().events[1].metadata.text(), R"({"item_id":"rs_1","opaque":"gA=="})");
}

TEST(MessageListsTest, RecognisesErrorsOfToolsThatTheServerRuns) {
  const auto result = [](const std::string& content) {
    const ReadSource read =
        Read(kAnthropicFormat,
             R"([{"role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"s1","content":)" +
                 content + "}]}]");
    return Shapes(read.conversations.begin()->second.events).back();
  };
  EXPECT_THAT(result(R"({"type":"web_search_tool_result_error","error_code":"unavailable"})"),
              HasSubstr(R"("is_error":true)"));
  EXPECT_THAT(result(R"({"type":"code_execution_result","return_code":0})"), HasSubstr(R"("is_error":false)"));
  EXPECT_THAT(result(R"([{"url":"u"}])"), HasSubstr(R"("is_error":false)"));
}

// The history of a run of its Agents SDK, which has no list of results of the API.
TEST(MessageListsTest, TurnsTheItemsOfJavaScriptIntoEvents) {
  const std::string list = R"([{"role":"user","content":"Hi"},
    {"type":"function_call","callId":"c1","name":"ls","status":"completed","arguments":"{\"dir\":\".\"}"},
    {"type":"function_call_result","name":"ls","callId":"c1","status":"completed","output":{"type":"text","text":"a"}}])";
  ReadSource read = Read(kOpenAiFormat, list);
  EXPECT_EQ(read.only().written, list);
  EXPECT_THAT(Shapes(read.only().events),
              ElementsAre(kTurn, R"({"type":"chat_request","content":"Hi"})",
                          R"({"type":"tool_call_request","id":"c1","name":"ls","arguments":{"dir":"."}})",
                          R"({"type":"tool_call_response","id":"c1","content":"a","is_error":false})"));
  EXPECT_EQ(kOpenAiFormat.import.match_file({"talk.json", list}), Match::kByContent);
}

TEST(MessageListsTest, ConnectsTheCallsOfComputersAndPrograms) {
  const std::string list = R"([{"type":"computer_call","id":"k","call_id":"k1","action":{"type":"screenshot"}},
    {"type":"computer_call_output","call_id":"k1","output":{"type":"computer_screenshot","image_url":"data:x"}},
    {"type":"computer_call","call_id":"k2","actions":[{"type":"wait"},{"type":"screenshot"}]},
    {"type":"program","id":"p","call_id":"p1","code":"await f","fingerprint":"x"},
    {"type":"function_call","call_id":"c1","name":"f","arguments":"{}","caller":{"type":"program","caller_id":"p1"}},
    {"type":"function_call_output","call_id":"c1","output":"a"},
    {"type":"program_output","call_id":"p1","result":"b","status":"completed"}])";
  ReadSource read = Read(kOpenAiFormat, list);
  EXPECT_EQ(read.only().written, list);
  EXPECT_THAT(
      Shapes(read.only().events),
      ElementsAre(
          kTurn, R"({"type":"tool_call_request","id":"k1","name":"computer","arguments":{"type":"screenshot"}})",
          R"({"type":"tool_call_response","id":"k1","content":"[computer_screenshot]","is_error":false})",
          R"({"type":"tool_call_request","id":"k2","name":"computer","arguments":{"actions":[{"type":"wait"},{"type":"screenshot"}]}})",
          R"({"type":"tool_call_request","id":"p1","name":"programmatic_tool_calling","arguments":{"input":"await f"}})",
          R"({"type":"tool_call_request","id":"c1","name":"f","arguments":{}})",
          R"({"type":"tool_call_response","id":"c1","content":"a","is_error":false})",
          R"({"type":"tool_call_response","id":"p1","content":"b","is_error":false})"));
}

// Neither has an id: the result follows the call.
TEST(MessageListsTest, ConnectsTheFunctionsOfChatsWithTheirResults) {
  const std::string list = R"([{"role":"function","name":"f","content":"of another list"},
    {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"n\":1}"}},
    {"role":"function","name":"f","content":"a"},
    {"role":"assistant","content":null,"function_call":{"name":"g","arguments":"{}"}},
    {"role":"function","name":"g","content":"b"},{"role":"function","name":"g","content":"c"}])";
  ReadSource read = Read(kOpenAiFormat, list);
  EXPECT_EQ(read.only().written, list);
  EXPECT_THAT(
      Shapes(read.only().events),
      ElementsAre("foreign", kTurn,
                  R"({"type":"tool_call_request","id":"function_call_1","name":"f","arguments":{"n":1}})",
                  R"({"type":"tool_call_response","id":"function_call_1","content":"a","is_error":false})",
                  R"({"type":"tool_call_request","id":"function_call_2","name":"g","arguments":{}})",
                  R"({"type":"tool_call_response","id":"function_call_2","content":"b","is_error":false})", "foreign"));
  EXPECT_EQ(kOpenAiFormat.import.match_file({"talk.json", list}), Match::kByContent);
}

// What precedes it is no longer sent to the model.
TEST(MessageListsTest, ShowsTheSummariesOfAnthropicsApi) {
  const std::string list = R"([{"role":"user","content":"Hi"},{"role":"assistant","content":[
    {"type":"compaction","content":"They said hi.","encrypted_content":"x"},{"type":"text","text":"Go on."}]},
    {"role":"assistant","content":[{"type":"compaction","content":null}]},{"role":"user","content":"More"}])";
  ReadSource read = Read(kAnthropicFormat, list);
  EXPECT_EQ(read.only().written, list);
  EXPECT_THAT(
      Shapes(read.only().events),
      ElementsAre(kTurn, HasSubstr("Hi"),
                  R"({"type":"compaction","from_turn":0,"to_turn":0,"summary":{"summary":"They said hi."}})", kTurn,
                  R"({"type":"chat_response","message":"Go on."})", "foreign", kTurn, HasSubstr("More")));
}

// Its summary is encrypted, for the server.
TEST(MessageListsTest, ShowsTheCompactionsOfResponses) {
  const std::string list = R"([{"type":"compaction","encrypted_content":"of what is not here"},
    {"role":"user","content":"Hi"},
    {"id":"cmp_1","type":"compaction", "encrypted_content":"gA\u003d=","created_by":"x"},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Go on."}]}])";
  ReadSource read = Read(kOpenAiFormat, list);
  EXPECT_EQ(read.only().written, list);
  EXPECT_THAT(Shapes(read.only().events),
              ElementsAre("foreign", kTurn, HasSubstr("Hi"),
                          R"({"type":"compaction","from_turn":0,"to_turn":0,"summary":{"summary":""},)"
                          R"("metadata":{"item_id":"cmp_1","opaque":"gA\u003d="}})",
                          kTurn, R"({"type":"chat_response","message":"Go on."})"));
  EXPECT_THAT(*read.only().events[3].source_text, Not(HasSubstr("gA"))) << "it is kept once";
}

TEST(MessageListsTest, ShowsWhatTheModelSaysWhenItRefuses) {
  EXPECT_THAT(Shapes(Read(kOpenAiFormat, R"([{"role":"assistant","content":null,"refusal":"I cannot."},
    {"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"I will not."}]},
    {"role":"assistant","content":null,"refusal":null},{"role":"tool","tool_call_id":"c1","content":"a"}])")
                         .only()
                         .events),
              ElementsAre(kTurn, R"({"type":"chat_response","message":"I cannot."})",
                          R"({"type":"chat_response","message":"I will not."})", "foreign",
                          R"({"type":"tool_call_response","id":"c1","content":"a","is_error":false})"));
}

// Servers that speak OpenAI's API name it in one of these ways, and some in both.
TEST(MessageListsTest, ShowsTheReasoningOfChatMessages) {
  EXPECT_THAT(Shapes(Read(kOpenAiFormat, R"([{"role":"assistant","content":"a","reasoning":"One."},
    {"role":"assistant","content":"b","reasoning":"Two.","reasoning_content":"Two."},
    {"role":"assistant","content":"c","reasoning":{"effort":"high"}},{"role":"tool","tool_call_id":"c1","content":"a"}])")
                         .only()
                         .events),
              ElementsAre(kTurn, R"({"type":"chat_response","reasoning":"One."})", HasSubstr(R"("a")"),
                          R"({"type":"chat_response","reasoning":"Two."})", HasSubstr(R"("b")"), HasSubstr(R"("c")"),
                          HasSubstr("tool_call_response")));
}

// Of Mistral: a list of parts, beside the answer.
TEST(MessageListsTest, ShowsThinkingAmongTheAnswer) {
  EXPECT_THAT(Shapes(Read(kOpenAiFormat, R"([{"role":"assistant","content":[{"type":"thinking","thinking":[)"
                                         R"({"type":"text","text":"Hm."}]},{"type":"text","text":"Done."}]}])")
                         .only()
                         .events),
              ElementsAre(kTurn, R"({"type":"chat_response","reasoning":"Hm."})",
                          R"({"type":"chat_response","message":"Done."})"));
}

TEST(MessageListsTest, ShowsWhatIsSaidWithoutContent) {
  EXPECT_THAT(
      Shapes(Read(kOpenAiFormat, R"([{"role":"assistant","content":null,"audio":{"id":"a","transcript":"Hi."}},)"
                                 R"({"role":"assistant","content":null,"reasoning":"Hm."}])")
                 .only()
                 .events),
      ElementsAre(kTurn, R"({"type":"chat_response","message":"Hi."})",
                  R"({"type":"chat_response","reasoning":"Hm."})"));
}

TEST(MessageListsTest, ConnectsAFunctionWithItsResultAlsoAfterAText) {
  for (const std::string text : {"", "Looking."}) {
    ReadSource read = Read(kOpenAiFormat, R"([{"role":"assistant","content":")" + text +
                                              R"(","function_call":{"name":"f","arguments":"{}"}},)"
                                              R"({"role":"function","name":"f","content":"a"}])");
    std::vector<std::string> shapes = Shapes(read.only().events);
    if (!text.empty()) {
      ASSERT_THAT(shapes, SizeIs(4));
      EXPECT_EQ(shapes[1], R"({"type":"chat_response","message":"Looking."})");
      shapes.erase(shapes.begin() + 1);
    }
    EXPECT_THAT(shapes,
                ElementsAre(kTurn, R"({"type":"tool_call_request","id":"function_call_1","name":"f","arguments":{}})",
                            R"({"type":"tool_call_response","id":"function_call_1","content":"a","is_error":false})"));
  }
}

TEST(MessageListsTest, TakesAResultThatIsNoText) {
  ReadSource read = Read(kOpenAiFormat, R"([{"role":"tool","tool_call_id":"1","content":null},)"
                                        R"({"role":"tool","tool_call_id":"2","content":{"a": 1}},)"
                                        R"({"role":"tool","tool_call_id":"3"}])");
  EXPECT_THAT(Shapes(read.only().events),
              ElementsAre(kTurn, R"({"type":"tool_call_response","id":"1","content":"","is_error":false})",
                          R"({"type":"tool_call_response","id":"2","content":"{\"a\": 1}","is_error":false})",
                          R"({"type":"tool_call_response","id":"3","content":"","is_error":false})"));
}

TEST(MessageListsTest, TellsPatchesThatFailedFromThoseThatWereApplied) {
  EXPECT_THAT(Shapes(Read(kOpenAiFormat, R"([
    {"type":"apply_patch_call_output","call_id":"p1","status":"failed","output":"no such file"},
    {"type":"apply_patch_call_output","call_id":"p2","status":"failed"},
    {"type":"apply_patch_call_output","call_id":"p3","status":"completed","output":"done"}])")
                         .only()
                         .events),
              ElementsAre(kTurn, R"({"type":"tool_call_response","id":"p1","content":"no such file","is_error":true})",
                          R"({"type":"tool_call_response","id":"p2","content":"","is_error":true})",
                          R"({"type":"tool_call_response","id":"p3","content":"done","is_error":false})"));
}

// The API names the call in `id` there; programs write `call_id`, too.
TEST(MessageListsTest, ConnectsTheOutputOfALocalShellWithItsCall) {
  EXPECT_THAT(
      Shapes(Read(kOpenAiFormat, R"([
    {"type":"local_shell_call","id":"ls_1","call_id":"c1","action":{"type":"exec"}},
    {"type":"local_shell_call_output","id":"c1","output":"a"},
    {"type":"local_shell_call_output","id":"o2","call_id":"c2","output":"b"}])")
                 .only()
                 .events),
      ElementsAre(kTurn, R"({"type":"tool_call_request","id":"c1","name":"local_shell","arguments":{"type":"exec"}})",
                  R"({"type":"tool_call_response","id":"c1","content":"a","is_error":false})",
                  R"({"type":"tool_call_response","id":"c2","content":"b","is_error":false})"));
}

TEST(MessageListsTest, ReadsTheBlocksOfAResponse) {
  EXPECT_THAT(
      Shapes(Read(kAnthropicFormat, R"({"type":"message","role":"assistant","content":[{"type":"text","text":"x"}]})")
                 .only()
                 .events),
      ElementsAre(kTurn, R"({"type":"chat_response","message":"x"})"));
}

TEST(MessageListsTest, ReadsSessionsOfTheFirstCodex) {
  ReadSource read = ReadFiles(
      kCodexFormat,
      {{"rollout-2025-05-01-x.json", R"({"session":{"id":"old"},"items":[{"role":"user","content":"Hi"},)"
                                     R"({"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}]})"}});
  EXPECT_EQ(read.conversations.begin()->first, "old");
  EXPECT_THAT(Shapes(read.only().events),
              ElementsAre(kTurn, R"({"type":"chat_request","content":"Hi"})",
                          R"({"type":"tool_call_request","id":"c","name":"shell","arguments":{}})"));
}

struct Sample {
  const Format& format;
  const std::string& text;
};

class MessageLists : public ::testing::TestWithParam<int> {
 protected:
  static Sample SampleOf(int number) {
    return number == 0   ? Sample{kAnthropicFormat, kAnthropicRequest}
           : number == 1 ? Sample{kOpenAiFormat, kChat}
                         : Sample{kOpenAiFormat, kItems};
  }
};

TEST_P(MessageLists, AreWrittenBackByteForByte) {
  const auto& [format, text] = SampleOf(GetParam());
  ReadSource read = Read(format, text);
  EXPECT_EQ(read.only().written, text);
  EXPECT_EQ(read.taken, text.size());
  EXPECT_THAT(read.problems, IsEmpty());
}

TEST_P(MessageLists, MayHaveUnknownKinds) {
  const auto& [format, text] = SampleOf(GetParam());
  ExpectThatUnknownKindsAreKept(format, "talk.json", text);
}

TEST_P(MessageLists, LoseNothingWhereverTheFileEnds) {
  const auto& [format, sample] = SampleOf(GetParam());
  for (std::size_t size = 0; size <= sample.size(); size += kByteStep) {
    const std::string text = sample.substr(0, size);
    ASSERT_EQ(Read(format, text).only().written, text) << size;
  }
}

TEST_P(MessageLists, LoseNothingWhateverByteIsDamaged) {
  const auto& [format, sample] = SampleOf(GetParam());
  for (std::size_t at = 0; at < sample.size(); at += kByteStep) {
    for (const int flip : {0x01, 0x80}) {
      std::string text = sample;
      text[at] = static_cast<char>(text[at] ^ flip);
      ASSERT_EQ(Read(format, text).only().written, text) << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MessageLists, ::testing::Values(0, 1, 2));

class MessageListsImportTest : public ImportTest {
 protected:
  std::string Detect(const std::string& text) {
    const ImportTest::TempStore store;
    const std::vector<std::filesystem::path> paths{Write("talk.json", text)};
    if (Must(Import(*store.log, "auto", paths)).added == 0) return "";
    const auto cursor = Must(store.log->ReadRaw(Id("talk")));
    const std::string json =
        std::get<Verbatim>(Own(Must(std::get<Record>(Must(cursor->Next())).Decode())).body).json.text();
    return json.contains(R"("format":"anthropic")") ? "anthropic"
           : json.contains(R"("format":"openai")")  ? "openai"
                                                    : "?";
  }
};

TEST_F(MessageListsImportTest, AreDetectedByTheirMessages) {
  EXPECT_EQ(Detect(kAnthropicRequest), "anthropic");
  EXPECT_EQ(Detect(kChat), "openai");
  EXPECT_EQ(Detect(kItems), "openai");
  EXPECT_EQ(Detect(R"({"type":"message","role":"assistant","content":[{"type":"text","text":"x"}]})"), "anthropic");
  EXPECT_EQ(Detect(R"({"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":"refusal"})"),
            "anthropic");
  EXPECT_EQ(Detect(R"([{"role":"assistant","content":[{"type":"thinking","thinking":[]}]}])"), "openai") << "Mistral";
  EXPECT_EQ(Detect(R"([{"role":"user","content":"which API?"}])"), "");
  EXPECT_EQ(Detect(R"([{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b"}],"ts":17}])"), "")
      << "Cline";
  EXPECT_EQ(Detect(R"({"messages":[{"type":"user","content":"x"}]})"), "");
  EXPECT_EQ(Detect(R"({"id":"part","type":"compaction","auto":true})"), "") << "a part of an opencode message";
}

TEST_F(MessageListsImportTest, GrowWithTheirSources) {
  const std::string one = R"([{"role":"user","content":"Hi"}])";
  const std::string two = R"([{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}])";
  const std::vector<std::filesystem::path> paths{Write("talk.json", one)};
  EXPECT_EQ(Must(Import(*log_, "openai", paths)).added, 1);
  Write("talk.json", two);
  EXPECT_EQ(Must(Import(*log_, "openai", paths)).extended, 1);
  EXPECT_EQ(Must(Import(*log_, "openai", paths)).unchanged, 1);
  std::string out;
  const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
  const std::vector<ConversationId> ids{Id("talk")};
  EXPECT_THAT(Must(ExportToStream(*log_, "openai", ids, sink, {.raw = true})).failures, IsEmpty());
  EXPECT_EQ(out, two);
}

TEST_F(MessageListsImportTest, NameTheOtherOfTwoFilesWithOneName) {
  const std::string first = Write("tasks/1/messages.json", R"([{"role":"user","content":"one"}])");
  Write("tasks/2/messages.json", R"([{"role":"user","content":"two"}])");
  const std::vector<std::filesystem::path> paths{dir_ / "tasks"};
  for (int time = 1; time <= 2; ++time) {
    const ImportReport report = Must(Import(*log_, "openai", paths));
    ASSERT_THAT(report.problems, SizeIs(1));
    EXPECT_EQ(report.problems[0].code, ImportProblemCode::kChanged);
    EXPECT_THAT(report.problems[0].reason, HasSubstr(first));
  }
  const std::vector<std::filesystem::path> alone{dir_ / "tasks/2"};
  EXPECT_THAT(Must(Import(*log_, "openai", alone)).problems.at(0).reason, Not(HasSubstr(first)));
}

// What is beside the messages is kept as it is, wherever the document begins with damage or not.
TEST_F(MessageListsImportTest, MayHaveLoneSurrogatesBesideTheMessages) {
  const std::string cut = R"("x \ud83d \\ud83d \ud83d\ude00 \udE00")";
  const std::string text = R"({"system":)" + cut + R"(,"messages":[{"role":"user","content":"Hi"},)" +
                           R"({"role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","input":{}}]}],)" +
                           R"("metadata":{"user":)" + cut + "}}\n";
  AutoSilently({Write("talk.json", text)});
  EXPECT_THAT(Said("talk"), ElementsAre("Hi"));
  EXPECT_EQ(PartOf("talk", "header"), R"({"system":)" + cut + R"(,"messages":)");
  EXPECT_EQ(ExportRawText("anthropic", "talk"), text);
  const std::string torn = text.substr(0, text.size() - 5);
  const std::filesystem::path path = Write("torn.json", torn);
  EXPECT_THAT(Must(Import(*log_, "anthropic", {&path, 1})).problems, SizeIs(1)) << "it has no end";
}

}  // namespace
}  // namespace turnlog::message_lists_test
