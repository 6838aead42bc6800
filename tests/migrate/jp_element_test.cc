#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "migrate/jp/array.h"
#include "migrate/jp/element.h"
#include "migrate/jp/history_writer.h"
#include "migrate/logged/quarantine.h"
#include "tests/migrate/jp_vectors.h"

namespace turnlog::jp_element_test {
namespace {

using ::testing::HasSubstr;

JpElement Parse(std::string_view text, std::string_view lead = CanonicalLead(false)) {
  return JpElementParser().Parse({lead, text}, {});
}

// In jp's layout.
JpElement ParseLaidOut(std::string_view json) { return Parse(JpLayout(json)); }

// After another element.
std::string Written(const Event& event) {
  std::string out;
  JpHistoryWriter writer(out);
  writer.AddConfig({});
  writer.Add(View(event));
  return out;
}

TEST(JpElement, DecodesArgumentsContentAndMetadata) {
  const JpElement call = ParseLaidOut(
      R"({"timestamp":"2020-01-01 00:00:00.0","type":"tool_call_request","id":"a","name":"b",)"
      R"("arguments":{"aGk=":["aGk=",1,null,{"x":"w6k="}],"plain":"not encoded"},"metadata":{"m":"aGk="}})");
  ASSERT_FALSE(call.fault);
  const auto& request = std::get<ToolCallRequest>(call.events.front().body);
  EXPECT_EQ(request.arguments.text(), "{\"aGk=\":[\"hi\",1,null,{\"x\":\"\xc3\xa9\"}],\"plain\":\"not encoded\"}");
  EXPECT_EQ(call.events.front().metadata.text(), R"({"m":"hi"})");
  const JpElement result =
      ParseLaidOut(R"({"type":"tool_call_response","id":"a","content":"bGluZQoi","is_error":true})");
  EXPECT_EQ(std::get<ToolCallResponse>(result.events.front().body).content, "line\n\"");
  EXPECT_FALSE(result.events.front().source_text);
}

TEST(JpElement, DecodesTheOtherAlphabetInContentOnly) {
  const JpElement result =
      ParseLaidOut(R"({"type":"tool_call_response","id":"a","content":"Pz8_Pj4-","is_error":false})");
  EXPECT_EQ(std::get<ToolCallResponse>(result.events.front().body).content, "?\?\?>>>");
  EXPECT_TRUE(result.events.front().source_text);
  const JpElement call =
      ParseLaidOut(R"({"type":"tool_call_request","id":"a","name":"b","arguments":{"x":"Pz8_Pj4-"}})");
  EXPECT_EQ(std::get<ToolCallRequest>(call.events.front().body).arguments.text(), R"({"x":"Pz8_Pj4-"})");
}

TEST(JpElement, LeavesTextAloneThatIsNoUtf8WhenDecoded) {
  const JpElement result = ParseLaidOut(R"({"type":"tool_call_response","id":"a","content":"test","is_error":false})");
  EXPECT_EQ(std::get<ToolCallResponse>(result.events.front().body).content, "test");
}

TEST(JpElement, DoesNotDecodeAnythingElse) {
  const JpElement chat = ParseLaidOut(R"({"type":"chat_request","content":"aGk="})");
  EXPECT_EQ(std::get<ChatRequest>(chat.events.front().body).content, "aGk=");
  const JpElement answer =
      ParseLaidOut(R"({"type":"inquiry_response","outcome":"answered","id":"a.b.1","answer":"aGk="})");
  EXPECT_EQ(std::get<InquiryResponse>(answer.events.front().body).answer.text(), R"("aGk=")");
}

TEST(JpElement, KeepsItsBytesOnlyWhereTheyCannotBeMadeAgain) {
  constexpr const char* kTurn = R"({"timestamp":"2020-01-01 00:00:00.0","type":"turn_start"})";
  EXPECT_FALSE(ParseLaidOut(kTurn).events.front().source_text);
  const JpElement compact = Parse(kTurn);
  EXPECT_EQ(compact.events.front().source_text, std::string(",\n  ") + kTurn);
  EXPECT_EQ(Parse(JpLayout(kTurn), ", ").events.front().source_text, ", " + JpLayout(kTurn));
}

// jp would write each of these differently; their bytes must be kept.
TEST(JpElement, GoesOutAsItCameIn) {
  for (const char* text : {
           R"({"type":"turn_start","timestamp":"2020-01-01 00:00:00.0"})",
           R"({ "timestamp" : "2020-01-01T00:00:00+02:00" , "type" : "chat_request" , "content" : "\u00e9\/" })",
           R"({"content":"x","type":"chat_request"})",
           R"({"type":"chat_request","content":"x","timestamp":"2020-1-1 0:0:0"})",
           R"({"type":"inquiry_response","id":"a","answer":1.50})",
           R"({"type":"tool_call_response","id":"a","content":"Pz8_Pj4-","is_error":false})",
           R"({"type":"chat_request","content":"x","source_text":"y","conversation":"z","seq":3})",
           R"({"type":"unknown_kind","a":[1,  2],"a":3})",
           R"({"type":"config_delta","inherit":true})",
           R"({"no":"type"})",
           R"({"type":5})",
           "5",
           R"("x")",
           "null",
           "[[1], 2]",
           R"({"type":"chat_request"})",
           R"({"type":"turn_start",})",
           R"({"type":"chat_request","content":"\ud800"})",
           "{]",
           "nul",
           R"({"type":"repair","drops":[]})",
           R"({"type":"quarantined","reason":"x","raw":"5"})",
           "\"\xff\"",
           R"({"timestamp":"never","type":"turn_start"})",
       }) {
    for (const char* lead : {",\n  ", ", ", ",\r\n\t"}) {
      const JpElement element = Parse(text, lead);
      EXPECT_EQ(Written(element.events.front()), std::string(lead) + text);
      EXPECT_TRUE(Validate(View(element.events.front()))) << text;
    }
  }
}

TEST(JpElement, QuarantinesWithReasonAndByte) {
  const struct {
    std::string_view text;
    std::size_t byte;
  } kCases[] = {
      {R"({"type":"chat_request","content":5})", 33},
      {R"({"timestamp":7,"type":"turn_start"})", 1},
      {R"({"timestamp":"2020-01-01 00:00:00.0","type":"tool_call_request","name":"x","arguments":[]})", 87},
      {R"({"timestamp":"2020-01-01 00:00:00.0","type":"tool_call_request","id":"","name":"x"})", 69},
      {R"({"type":"turn_start",})", 21},
      {"\"\xff\"", 1},
      {R"({"type":"redaction"})", 0},
  };
  for (const auto& [text, byte] : kCases) {
    const JpElement element = Parse(text);
    ASSERT_TRUE(element.fault) << text;
    EXPECT_EQ(element.fault->byte, byte) << text;
    const auto quarantined = ReadQuarantined(View(element.events.front()));
    ASSERT_TRUE(quarantined);
    EXPECT_EQ(quarantined->raw, text);
    EXPECT_EQ(quarantined->reason, element.fault->reason);
  }
}

TEST(JpElement, ReasonsDoNotQuoteValues) {
  const JpElement element = Parse(R"({"type":"inquiry_response","id":"a","outcome":"hunter2"})");
  ASSERT_TRUE(element.fault);
  EXPECT_THAT(element.fault->reason, ::testing::Not(HasSubstr("hunter2")));
}

TEST(JpElement, QuarantinesWhatIsNestedTooDeep) {
  const std::string deep = R"({"type":"x","a":)" + std::string(300, '[') + std::string(300, ']') + "}";
  const JpElement element = Parse(deep);
  ASSERT_TRUE(element.fault);
  EXPECT_GT(element.fault->byte, 256U) << "within the brackets";
  EXPECT_EQ(Written(element.events.front()), ",\n  " + deep);
}

TEST(JpElement, ForgetsTheAnswerBesideRedacted) {
  for (const char* text : {R"({"type":"inquiry_response","outcome":"redacted","id":"a","answer":"hunter2"})",
                           R"({"type":"inquiry_response","outcome":"redacted","id":"a","\u0061nswer":"hunter2"})"}) {
    const JpElement element = Parse(text);
    ASSERT_FALSE(element.fault);
    EXPECT_FALSE(element.events.front().source_text);
    EXPECT_THAT(Written(element.events.front()), ::testing::Not(HasSubstr("hunter2")));
  }
  const JpElement clean = Parse(R"({"type":"inquiry_response","outcome":"redacted","id":"a"})");
  EXPECT_TRUE(clean.events.front().source_text);
}

TEST(JpElement, TakesTheLeadOfItsPosition) {
  Event event;
  event.source_text = "[ {\"type\":\"turn_start\"}";
  EXPECT_EQ(Written(event), ",\n  {\"type\":\"turn_start\"}");
  std::string first;
  JpHistoryWriter(first).Add(View(event));
  EXPECT_EQ(first, "[ {\"type\":\"turn_start\"}");
}

// Events that were not imported from jp are exported in jp's form as far as it has one.
TEST(JpElement, WritesWhatJpDoesNotKnow) {
  Event answer;
  answer.event_id = "e1";
  answer.body = InquiryResponse{Outcome::kAnswered,
                                {"a.b.1", InquiryKey{"a", "b", 1}},
                                Json::FromTrusted("true"),
                                "because",
                                Responder{"assistant", "m1", {}, {}, {}}};
  EXPECT_EQ(Written(answer), ",\n  " + JpLayout(R"({"type":"inquiry_response","outcome":"answered","id":"a.b.1",)"
                                                R"("answer":true,"reason":"because","responder":{"kind":"assistant",)"
                                                R"("model":"m1"},"event_id":"e1"})"));
  Event denied;
  denied.body = ToolCallResponse{"a", "", true, Denial{"no", {}, {}}};
  EXPECT_EQ(Written(denied), ",\n  " + JpLayout(R"({"type":"tool_call_response","id":"a","content":"",)"
                                                R"("is_error":true,"denied":{"reason":"no"}})"));
  Event turn;
  turn.event_id = "e2";
  EXPECT_EQ(Written(turn), ",\n  " + JpLayout(R"({"type":"turn_start"})")) << "jp refuses a turn_start with other keys";
}

TEST(JpElement, WritesEveryPartOfAQuestion) {
  const std::string text = JpLayout(
      R"({"timestamp":"2020-01-01 00:00:00.0","type":"inquiry_request","id":"a.b.1",)"
      R"("source":{"source":"other","name":"x","why":1},"question":{"text":"q","answer_type":{"type":"select",)"
      R"("options":[{"value":1.0,"description":"d","icon":"i"},{"value":null}],"min":1},"default":{"a":[]},)"
      R"("context":"c","exclusive":true,"persistence":"turn","future":[1]},"escalated_from":"a.b.0","also":{},)"
      R"("metadata":{"m":"aGk="}})");
  const JpElement element = Parse(text);
  EXPECT_FALSE(element.fault);
  EXPECT_FALSE(element.events.front().source_text);
  EXPECT_EQ(Written(element.events.front()), ",\n  " + text);
}

}  // namespace
}  // namespace turnlog::jp_element_test
