#include "turnlog/event_json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"
#include "tests/schema/sample_events.h"

namespace turnlog::event_json_test {
namespace {

Event Parsed(std::string_view json) {
  const auto event = ParseEvent(json);
  EXPECT_TRUE(event) << event.error().message;
  return event.value_or(Event{});
}

template <class Body>
Body ParsedBody(std::string_view json) {
  const Event event = Parsed(json);
  EXPECT_TRUE(std::holds_alternative<Body>(event.body));
  return std::holds_alternative<Body>(event.body) ? std::get<Body>(event.body) : Body{};
}

// The JSON form after reading and writing once.
std::string Rewritten(std::string_view json) { return ToJson(Parsed(json)); }

class EventJson : public testing::TestWithParam<SampleEvent> {};

INSTANTIATE_TEST_SUITE_P(Samples, EventJson, testing::ValuesIn(SampleEvents()),
                         [](const auto& sample) { return sample.param.name; });

TEST_P(EventJson, ReadsWhatItWrites) {
  const std::string json = ToJson(View(GetParam().event));
  EXPECT_EQ(Parsed(json), GetParam().event) << json;
}

TEST_P(EventJson, ReadsWhatItWritesInAnEnvelope) {
  std::string json = "before ";
  AppendJson(View(GetParam().event), "c \"1\"\n", Seq{UINT64_MAX}, json);
  ASSERT_TRUE(json.starts_with(R"(before {"conversation":"c \"1\"\n","seq":18446744073709551615)")) << json;
  EventParser parser;
  const auto event = parser.Parse(std::string_view(json).substr(7));
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(Own(*event), GetParam().event) << json;
  EXPECT_EQ(parser.envelope().conversation, "c \"1\"\n");
  EXPECT_EQ(parser.envelope().seq, UINT64_MAX);
}

TEST_P(EventJson, IsOneLine) { EXPECT_EQ(ToJson(View(GetParam().event)).find_first_of("\r\n"), std::string::npos); }

TEST_P(EventJson, ReadsTheSameWithOtherWhiteSpace) {
  const std::string json = ToJson(View(GetParam().event));
  EXPECT_EQ(Parsed(" \r\n\t" + json + "\n  "), GetParam().event);
}

TEST(EventJsonShape, KeysComeInTheDocumentedOrder) {
  EXPECT_EQ(Rewritten(R"({"zz":1,"source_text":"s","event_id":"e","metadata":{},"author":"a","content":"c",)"
                      R"("schema":{},"timestamp":"2026-03-18T11:54:23Z","aa":2,"type":"chat_request"})"),
            R"({"timestamp":"2026-03-18T11:54:23Z","type":"chat_request","content":"c","author":"a","schema":{},)"
            R"("metadata":{},"event_id":"e","zz":1,"aa":2,"source_text":"s"})");
}

TEST(EventJsonShape, AbsentFieldsStayAbsent) {
  EXPECT_EQ(Rewritten(R"({"type":"turn_start"})"), R"({"type":"turn_start"})");
  EXPECT_EQ(Rewritten(R"({"type":"chat_request","content":"","author":null,"schema":null,"timestamp":null,)"
                      R"("event_id":null,"source_text":null})"),
            R"({"type":"chat_request","content":""})");
}

TEST(EventJsonShape, ToolCallWithoutArgumentsHasEmptyOnes) {
  EXPECT_EQ(Rewritten(R"({"type":"tool_call_request","id":"c","name":"n"})"),
            R"({"type":"tool_call_request","id":"c","name":"n","arguments":{}})");
}

TEST(EventJsonShape, ChatResponseIsTheFirstPartThatFits) {
  const std::string all = R"({"type":"chat_response","data":1,"reasoning":"r","message":"m"})";
  EXPECT_EQ(ParsedBody<ChatResponse>(all).content, "m");
  EXPECT_EQ(Parsed(all).extra, J(R"({"data":1,"reasoning":"r"})"));
  const std::string broken = R"({"type":"chat_response","message":null,"reasoning":"r","data":1})";
  EXPECT_EQ(ParsedBody<ChatResponse>(broken), (ChatResponse{ChatPart::kReasoning, "r"}));
  EXPECT_EQ(Parsed(broken).extra, J(R"({"message":null,"data":1})"));
  const std::string data = R"({"type":"chat_response","message":1,"reasoning":[],"data":null})";
  EXPECT_EQ(ParsedBody<ChatResponse>(data), (ChatResponse{ChatPart::kData, "null"}));
  for (const std::string& json : {all, broken, data}) {
    EXPECT_EQ(Parsed(Rewritten(json)), Parsed(json));
    EXPECT_TRUE(Validate(Parsed(json)));
  }
}

TEST(EventJsonShape, DenialMayBeNull) {
  const auto body = ParsedBody<ToolCallResponse>(
      R"({"type":"tool_call_response","id":"c","content":"","is_error":true,"denied":null})");
  EXPECT_FALSE(body.denied);
}

TEST(EventJsonShape, DeniedWithoutReason) {
  const auto body = ParsedBody<ToolCallResponse>(
      R"({"type":"tool_call_response","id":"c","content":"","is_error":true,"denied":{"reason":null}})");
  ASSERT_TRUE(body.denied);
  EXPECT_EQ(body.denied->reason, std::nullopt);
}

constexpr std::string_view kRequest =
    R"({"type":"inquiry_request","id":"i","source":{"source":"tool","name":"fs"},"question":{"text":"?",)"
    R"("answer_type":{"type":"boolean"}}})";

TEST(EventJsonShape, InquiryRequest) {
  const auto body = ParsedBody<InquiryRequest>(kRequest);
  EXPECT_EQ(body.id, (InquiryId{"i", std::nullopt}));
  EXPECT_EQ(body.source, (InquirySource{SourceKind::kTool, "fs", {}}));
  EXPECT_EQ(body.question.answer_type.kind, AnswerKind::kBoolean);
  EXPECT_EQ(Rewritten(kRequest), kRequest);
}

TEST(EventJsonShape, NullDefaultIsNoDefault) {
  const auto body = ParsedBody<InquiryRequest>(
      R"({"type":"inquiry_request","id":"i","source":{"source":"user"},"question":{"text":"?","default":null,)"
      R"("context":null,"exclusive":null,"persistence":null,"answer_type":{"type":"text"}},"escalated_from":null})");
  EXPECT_TRUE(body.question.default_value.empty());
  EXPECT_EQ(body.question.exclusive, std::nullopt);
}

TEST(EventJsonShape, FieldsOfOtherAnswerTypesAndSourcesAreKept) {
  const std::string json =
      R"({"type":"inquiry_request","id":"i","source":{"source":"user","name":5},"question":{"text":"?",)"
      R"("answer_type":{"type":"boolean","options":7,"schema":[]}}})";
  const auto body = ParsedBody<InquiryRequest>(json);
  EXPECT_EQ(body.source.extra, J(R"({"name":5})"));
  EXPECT_EQ(body.question.answer_type.extra, J(R"({"options":7,"schema":[]})"));
  EXPECT_EQ(Rewritten(json), json);
}

TEST(EventJsonShape, TypeOfSourceAndAnswerMayComeLast) {
  const auto body = ParsedBody<InquiryRequest>(
      R"({"question":{"answer_type":{"options":[{"description":null,"value":[1]}],"type":"multi_select"},"text":"?"},)"
      R"("source":{"name":"n","source":"other"},"id":"i","type":"inquiry_request"})");
  EXPECT_EQ(body.source.name, "n");
  ASSERT_EQ(body.question.answer_type.options.size(), 1u);
  EXPECT_EQ(body.question.answer_type.options[0].value, J("[1]"));
}

TEST(EventJsonShape, KeyOfAnInquiryIsKeptBesideItsId) {
  const std::string json =
      R"({"type":"inquiry_response","outcome":"redacted","id":"a.b.q.2","key":{"tool_call":"a.b","question":"q","attempt":2}})";
  EXPECT_EQ(ParsedBody<InquiryResponse>(json).id, (InquiryId{"a.b.q.2", InquiryKey{"a.b", "q", 2}}));
  EXPECT_EQ(Rewritten(json), json);
}

TEST(EventJsonShape, KeyAloneMakesTheId) {
  const auto body = ParsedBody<InquiryResponse>(
      R"({"type":"inquiry_response","outcome":"redacted","key":{"attempt":2,"question":"q","tool_call":"a.b"}})");
  EXPECT_EQ(body.id.text, "a.b.q.2");
}

TEST(EventJsonShape, IdAloneIsNeverSplit) {
  EXPECT_EQ(ParsedBody<InquiryResponse>(R"({"type":"inquiry_response","outcome":"redacted","id":"a.q.2"})").id.key,
            std::nullopt);
}

TEST(EventJsonShape, FlatResponsesOfOldWritersAreAnswers) {
  for (const std::string outcome : {"", R"("outcome":null,)", R"("outcome":7,)"}) {
    const std::string json = R"({"type":"inquiry_response",)" + outcome + R"("id":"i","answer":true})";
    EXPECT_EQ(ParsedBody<InquiryResponse>(json), (InquiryResponse{Outcome::kAnswered, {"i", {}}, J("true"), {}, {}}));
    EXPECT_EQ(Rewritten(json), R"({"type":"inquiry_response","outcome":"answered","id":"i","answer":true})");
  }
}

TEST(EventJsonShape, NullIsAnAnswer) {
  EXPECT_EQ(ParsedBody<InquiryResponse>(R"({"type":"inquiry_response","id":"i","answer":null})").answer, J("null"));
}

TEST(EventJsonShape, CancelledWithoutAReadableReasonIsUnspecified) {
  for (const std::string reason : {"", R"(,"reason":null)", R"(,"reason":5)", R"(,"reason":{"a":[]})"}) {
    const std::string json = R"({"type":"inquiry_response","outcome":"cancelled","id":"i")" + reason + "}";
    EXPECT_EQ(ParsedBody<InquiryResponse>(json).reason, "unspecified") << json;
    EXPECT_TRUE(Parsed(json).extra.empty());
  }
  EXPECT_EQ(ParsedBody<InquiryResponse>(R"({"type":"inquiry_response","outcome":"cancelled","id":"i","reason":"new"})")
                .reason,
            "new");
}

TEST(EventJsonShape, StrayAnswersAreDropped) {
  for (const std::string outcome : {"redacted", "cancelled"}) {
    const std::string json =
        R"({"answer":"hunter2","type":"inquiry_response","outcome":")" + outcome + R"(","id":"i","an\u0073wer2":1})";
    EXPECT_EQ(Rewritten(json).find("hunter2"), std::string::npos);
    EXPECT_EQ(Parsed(json).extra, J(R"({"an\u0073wer2":1})"));
  }
  EXPECT_TRUE(
      Parsed(R"({"type":"inquiry_response","outcome":"redacted","id":"i","\u0061nswer":"hunter2"})").extra.empty());
}

TEST(EventJsonShape, FieldsThatAnOutcomeDoesNotHaveAreKept) {
  const std::string json =
      R"({"type":"inquiry_response","outcome":"redacted","id":"i","responder":{"kind":"user"},"reason":"r"})";
  EXPECT_EQ(Parsed(json).extra, J(R"({"reason":"r"})"));
  EXPECT_EQ(Rewritten(json), json);
}

TEST(EventJsonShape, ResponderAndReasonOfAnAnswer) {
  const auto body = ParsedBody<InquiryResponse>(
      R"({"type":"inquiry_response","outcome":"answered","id":"i","answer":1,"reason":"so","responder":)"
      R"({"kind":"robot","model":null,"x":1}})");
  EXPECT_EQ(body.reason, "so");
  EXPECT_EQ(body.responder, (Responder{"robot", {}, {}, {}, J(R"({"x":1})")}));
}

TEST(EventJsonShape, UnknownFieldsAreKeptLetterByLetter) {
  const std::string json =
      R"({"type":"turn_start","index":0,"a":1E400,"a":{"b":[9223372036854775807,18446744073709551616,-0.0,1.0],"b":null},)"
      R"("\u00fc":"\u00FC\/"})";
  EXPECT_EQ(Rewritten(json), json);
  EXPECT_EQ(Rewritten("{ \"type\" : \"turn_start\" , \"x\" : { \"y\":\n 1 } }"),
            R"({"type":"turn_start","x":{ "y": 1 }})");
}

TEST(EventJsonShape, NumbersKeepTheirLetters) {
  for (const std::string number :
       {"1E400", "9223372036854775807", "18446744073709551616", "-0.0", "1.0", "1e-7", "0"}) {
    const std::string json = R"({"type":"chat_response","data":)" + number + "}";
    EXPECT_EQ(ParsedBody<ChatResponse>(json).content, number);
    EXPECT_EQ(Rewritten(json), json);
  }
}

TEST(EventJsonShape, StringsWithAnyEscapeAreUnderstood) {
  const auto body = ParsedBody<ChatRequest>(
      R"({"\u0074ype":"chat\u005frequest","content":"\"\\\/\b\f\n\r\t\u0000\u00e9\u20ac\ud834\udd1e€"})");
  EXPECT_EQ(body.content, std::string("\"\\/\b\f\n\r\t\0é€𝄞€", 21));
  EXPECT_EQ(Rewritten(R"({"type":"chat_request","content":"\u0000\u001f\/\u007f"})"),
            "{\"type\":\"chat_request\",\"content\":\"\\u0000\\u001f/\x7f\"}");
}

TEST(EventJsonShape, LongStringsOfEveryLengthAreUnderstood) {
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string text = std::string(length, 'x') + "\n\\" + std::string(length % 7, 'y');
    Event event;
    event.body = ChatRequest{text, text, {}};
    EXPECT_EQ(Parsed(ToJson(event)), event);
  }
}

TEST(EventJsonEnvelope, IsTakenOutWhereverItStands) {
  EventParser parser;
  const auto event = parser.Parse(R"({"type":"turn_start","seq":7,"x":1,"conversation":"c"})");
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->extra.text(), R"({"x":1})");
  EXPECT_EQ(parser.envelope().conversation, "c");
  EXPECT_EQ(parser.envelope().seq, 7u);
}

TEST(EventJsonEnvelope, IsForgottenByTheNextParse) {
  EventParser parser;
  ASSERT_TRUE(parser.Parse(R"({"type":"turn_start","seq":7,"conversation":"c"})"));
  ASSERT_TRUE(parser.Parse(R"({"type":"turn_start"})"));
  EXPECT_FALSE(parser.envelope().conversation);
  EXPECT_FALSE(parser.envelope().seq);
}

TEST(EventJsonVerbatim, IsGivenBackLetterByLetter) {
  for (const std::string json :
       {R"({"type":"x"})", R"({ "b" : 1 , "type" : "x", "a" : [ 1E400, "\u0041" ], "a":2 })",
        R"({"seq":"no number","type":"x"})",
        R"({"type":"x","timestamp":5,"event_id":{},"metadata":null,"conversation":"c","seq":1})",
        R"({"type":"config_delta","timestamp":"2026-03-18 11:54:23.0","delta":{}})",
        R"({"conversation":7,"seq":1,"type":"x"})", R"({"conversation":"c","seq":-1,"type":"x"})",
        R"({"conversation":"c","seq":1.5,"type":"x"})", R"({"conversation":"c", "seq":1,"type":"x"})"}) {
    EventParser parser;
    const auto event = parser.Parse("  " + json + " ");
    ASSERT_TRUE(event) << json << event.error().message;
    EXPECT_EQ(std::get<BasicVerbatim<std::string_view>>(event->body).json.text(), json);
    EXPECT_FALSE(parser.envelope().conversation);
    EXPECT_FALSE(parser.envelope().seq);
    EXPECT_EQ(Rewritten(json), json);
  }
}

TEST(EventJsonVerbatim, ComesOutOfItsEnvelopeUnchanged) {
  for (const std::string json : {R"({ "type" : "x", "conversation":"mine", "seq":1 })",
                                 R"({"conversation":"mine","seq":1,"type":"x"})", R"({"type":"x"})"}) {
    Event event;
    event.body = Verbatim{EventKind::kUnknown, "x", J(json)};
    std::string line;
    AppendJson(View(event), "ours", Seq{5}, line);
    EventParser parser;
    const auto parsed = parser.Parse(line);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(std::get<BasicVerbatim<std::string_view>>(parsed->body).json.text(), json);
    EXPECT_EQ(parser.envelope().conversation, "ours");
    EXPECT_EQ(parser.envelope().seq, 5u);
  }
}

TEST(EventJsonVerbatim, TimestampAndEventIdAreCopiedOutIfTheyCanBeRead) {
  const Event good = Parsed(R"({"type":"x","timestamp":"1970-01-01T00:00:01Z","event_id":"e"})");
  EXPECT_EQ(good.timestamp, Timestamp{1'000'000'000});
  EXPECT_EQ(good.event_id, "e");
  const Event bad = Parsed(R"({"type":"x","timestamp":"yesterday","event_id":""})");
  EXPECT_EQ(bad.timestamp, std::nullopt);
  EXPECT_EQ(bad.event_id, std::nullopt);
}

TEST(EventJsonVerbatim, KindFollowsTheTag) {
  EXPECT_EQ(Parsed(R"({"type":"compaction"})").kind(), EventKind::kCompaction);
  EXPECT_EQ(Parsed(R"({"type":"turn_start2"})").kind(), EventKind::kUnknown);
  EXPECT_EQ(Parsed(R"({"type":"\u0072edaction"})").kind(), EventKind::kRedaction);
}

TEST(EventJsonVerbatim, LineBreaksBecomeSpaces) {
  EXPECT_EQ(Rewritten("{\r\n  \"type\": \"x\",\n\n\t\"a\": [1, 2\n]\n}"), R"({ "type": "x", "a": [1, 2 ] })");
}

TEST(EventJsonVerbatim, ForeignElementsAreWrapped) {
  Event event;
  event.body = Verbatim{EventKind::kUnknown, "", J(R"({"type":"chat_request"})")};
  EXPECT_EQ(ToJson(View(event)), R"({"verbatim":{"type":"chat_request"}})");
}

TEST(EventParser, ViewsStayValidUntilTheNextParse) {
  EventParser parser;
  std::string json = R"({"type":"chat_request","content":"a\tb","metadata":{"k":1},"x":1})";
  const auto event = parser.Parse(json);
  ASSERT_TRUE(event);
  EXPECT_EQ(std::get<BasicChatRequest<std::string_view>>(event->body).content, "a\tb");
  EXPECT_EQ(event->metadata.text(), R"({"k":1})");
  EXPECT_EQ(event->extra.text(), R"({"x":1})");
}

TEST(EventParser, GoesOnAfterErrorsGrowsAndShrinks) {
  EventParser parser;
  for (std::size_t size : {10u, 100'000u, 10u, 20'000'000u, 10u}) {
    EXPECT_FALSE(parser.Parse("{\"type\":\"chat_request\",\"content\":\"" + std::string(size, 'x')));
    const auto event = parser.Parse("{\"type\":\"chat_request\",\"content\":\"" + std::string(size, 'x') + "\"}");
    ASSERT_TRUE(event);
    EXPECT_EQ(std::get<BasicChatRequest<std::string_view>>(event->body).content.size(), size);
  }
}

TEST(EventParser, ReadsAStringOf64MiB) {
  std::string json = R"({"type":"chat_request","content":")";
  json.append(std::size_t{64} << 20, 'x').append("\"}");
  EventParser parser;
  const auto event = parser.Parse(json);
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(std::get<BasicChatRequest<std::string_view>>(event->body).content.size(), std::size_t{64} << 20);
}

// A content that is long enough to be unescaped where it is.
std::string LongContent() {
  std::string token = R"("begins with \"\\ \u0000 \ud834\udd1e)";
  for (int i = 0; i < 40'000; ++i) token.append(R"(\na few letters, \/ and more\u00e9€)");
  return token.append(R"(, ends with \\")");
}

TEST(EventParser, UnderstandsALongContentWhereverItStands) {
  const std::string content = LongContent(), meaning = UnescapeJson(content);
  EventParser parser;
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {R"({"type":"chat_request","content":)", R"(,"author":"a\tb","metadata":{"k":"a\tb"},"x":"a\tb"})"},
           {R"({"x":"a\tb","metadata":{"k":"a\tb"},"author":"a\tb","content":)", R"(,"type":"chat_request"})"},
           {R"( {"type":"chat_response","message":)", R"(,"event_id":"a\tb"} )"},
           {R"({"type":"chat_response","data":{},"reasoning":)", "}"},
           {R"({"is_error":false,"id":"a\tb","content":)",
            R"(,"type":"tool_call_response","seq":7,"conversation":"c"})"},
           {R"({"type":"inquiry_response","id":"a.b.1","outcome":"cancelled","reason":)", "}"},
       }) {
    const auto same = ParseEvent(before + R"("CONTENT")" + after);
    ASSERT_TRUE(same) << same.error().message;
    const std::string json = before + content + after;
    const auto event = parser.Parse(json);
    ASSERT_TRUE(event) << event.error().message;
    std::string written = ToJson(*event), short_meaning;
    AppendJsonString(meaning, short_meaning);
    const std::size_t at = written.find(short_meaning);
    ASSERT_NE(at, std::string::npos) << before;
    EXPECT_EQ(written.replace(at, short_meaning.size(), R"("CONTENT")"), ToJson(*same));
    EventParser owner;
    const auto owned = owner.ParseOwned(json);
    ASSERT_TRUE(owned) << owned.error().message;
    EXPECT_TRUE(*owned == *event) << before;
    EXPECT_EQ(owner.envelope().seq, parser.envelope().seq);
    EXPECT_EQ(owner.envelope().conversation, parser.envelope().conversation);
  }
}

TEST(EventParser, NamesTheByteOfAFaultAroundALongContent) {
  const std::string before = R"({"type":"chat_request","content":)", content = LongContent();
  EventParser parser;
  for (const auto& [after, what] : std::vector<std::pair<std::string, std::string>>{
           {R"(,"author":1})", "author: must be a string"},
           {R"(,"content":"twice"})", "content: given twice"},
           {R"(,"author":"\x"})", "unknown escape in a string"},
           {R"(} x)", "more text after the value"},
       }) {
    const std::string json = before + content + after;
    const auto same = ParseEvent(before + R"("")" + after);
    const auto event = parser.Parse(json), owned = EventParser().ParseOwned(json);
    ASSERT_FALSE(event || owned || same) << after;
    EXPECT_TRUE(event.error().message.ends_with(what)) << event.error().message;
    EXPECT_TRUE(same.error().message.ends_with(what)) << same.error().message;
    EXPECT_EQ(owned.error().message, event.error().message);
    const auto byte_of = [](const Error& error) { return std::stoull(error.message.substr(5)); };
    EXPECT_EQ(byte_of(event.error()), byte_of(same.error()) + content.size() - 2) << after;
  }
  std::string lone = before + content + "}";
  lone.replace(before.size() + content.size() - 13, 6, "\\ud834");
  const auto refused = parser.Parse(lone);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.ends_with("lone surrogate")) << refused.error().message;
  EXPECT_TRUE(parser.Parse(before + content + "}")) << "and goes on";
}

TEST(EventParser, TakesAShortTextOverAsWell) {
  EventParser parser;
  const auto event = parser.ParseOwned(R"({"type":"chat_request","content":"a\tb"})");
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(std::get<ChatRequestView>(event->body).content, "a\tb");
  ASSERT_TRUE(parser.ParseOwned(R"({"type":"chat_request","content":)" + LongContent() + "}"));
  const auto next = parser.Parse(R"({"content":"a\tb","type":"chat_request"})");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(std::get<ChatRequestView>(next->body).content, "a\tb");
}

}  // namespace
}  // namespace turnlog::event_json_test
