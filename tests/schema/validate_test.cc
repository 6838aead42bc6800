#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "schema/event/codec.h"
#include "schema/event/encoded_size.h"
#include "tests/schema/sample_events.h"
#include "tests/support/where.h"
#include "turnlog/event_json.h"
#include "turnlog/types.h"

namespace turnlog::validate_test {
namespace {

// "" if it is valid.
std::string WhereRefused(const Event& event) {
  const Status status = Validate(View(event));
  if (status) return "";
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(Where(status.error().message), "") << status.error().message;
  return Where(status.error().message);
}

// A sample event with one thing changed.
template <class Body>
std::string Changed(const std::string& sample, const std::function<void(Event&, Body&)>& change) {
  for (auto [name, event] : SampleEvents()) {
    if (name != sample) continue;
    change(event, std::get<Body>(event.body));
    return WhereRefused(event);
  }
  return "no such sample";
}

const std::string kBadUtf8 = "ab\xff";
const std::string kLongId(kMaxIdBytes + 1, 'x');

TEST(Validate, RefusesInvalidUtf8InEveryText) {
  using Change = std::function<void(Event&, InquiryRequest&)>;
  const std::vector<std::pair<std::string, Change>> changes{
      {"id", [](Event&, InquiryRequest& body) { body.id = {kBadUtf8, {}}; }},
      {"source.name", [](Event&, InquiryRequest& body) { body.source.name = kBadUtf8; }},
      {"question.text", [](Event&, InquiryRequest& body) { body.question.text = kBadUtf8; }},
      {"question.context", [](Event&, InquiryRequest& body) { body.question.context = kBadUtf8; }},
      {"question.persistence", [](Event&, InquiryRequest& body) { body.question.persistence = kBadUtf8; }},
      {"question.answer_type.options[0].description",
       [](Event&, InquiryRequest& body) { body.question.answer_type.options[0].description = kBadUtf8; }},
      {"escalated_from", [](Event&, InquiryRequest& body) { body.escalated_from = kBadUtf8; }},
      {"event_id", [](Event& event, InquiryRequest&) { event.event_id = kBadUtf8; }},
      {"source_text", [](Event& event, InquiryRequest&) { event.source_text = kBadUtf8; }},
  };
  for (const auto& [field, change] : changes) {
    EXPECT_EQ(Changed("inquiry_request_full", change), field + ": byte 2");
  }
  EXPECT_EQ(Changed<ChatRequest>("chat_request", [](Event&, ChatRequest& body) { body.content = kBadUtf8; }),
            "content: byte 2");
  EXPECT_EQ(Changed<ChatRequest>("chat_request", [](Event&, ChatRequest& body) { body.author = kBadUtf8; }),
            "author: byte 2");
  EXPECT_EQ(
      Changed<ChatResponse>("chat_response_reasoning", [](Event&, ChatResponse& body) { body.content = kBadUtf8; }),
      "reasoning: byte 2");
  EXPECT_EQ(Changed<ToolCallRequest>("tool_call_request", [](Event&, ToolCallRequest& body) { body.name = kBadUtf8; }),
            "name: byte 2");
  EXPECT_EQ(Changed<ToolCallResponse>("tool_call_response_denied",
                                      [](Event&, ToolCallResponse& body) { body.denied->reason = kBadUtf8; }),
            "denied.reason: byte 2");
}

TEST(Validate, RefusesEmptyAndOverlongIds) {
  for (const std::string& id : {std::string(), kLongId}) {
    EXPECT_EQ(Changed<ToolCallRequest>("tool_call_request", [&](Event&, ToolCallRequest& body) { body.id = id; }),
              "id");
    EXPECT_EQ(Changed<ToolCallResponse>("tool_call_response", [&](Event&, ToolCallResponse& body) { body.id = id; }),
              "id");
    EXPECT_EQ(Changed<InquiryRequest>("inquiry_request", [&](Event&, InquiryRequest& body) { body.id.text = id; }),
              "id");
    EXPECT_EQ(
        Changed<InquiryRequest>("inquiry_request", [&](Event&, InquiryRequest& body) { body.escalated_from = id; }),
        "escalated_from");
    EXPECT_EQ(Changed<TurnStart>("turn_start", [&](Event& event, TurnStart&) { event.event_id = id; }), "event_id");
  }
  EXPECT_EQ(
      Changed<ToolCallRequest>("tool_call_request", [](Event&, ToolCallRequest& body) { body.id = kLongId.substr(1); }),
      "");
}

TEST(Validate, RefusesKeysThatDoNotFitTheId) {
  const auto with_key = [](InquiryKey key, const std::string& text) {
    return Changed<InquiryResponse>("inquiry_response_redacted",
                                    [&](Event&, InquiryResponse& body) { body.id = {text, key}; });
  };
  EXPECT_EQ(with_key({"a", "b", 1}, "a.b.1"), "");
  EXPECT_EQ(with_key({"a", "b", 1}, "a.b.2"), "key");
  EXPECT_EQ(with_key({"a", "b.c", 1}, "a.b.c.1"), "key");
  EXPECT_EQ(with_key({"a", "b", 0}, "a.b.0"), "key");
  EXPECT_EQ(with_key({"", "b", 1}, ".b.1"), "key");
}

TEST(Validate, RefusesJsonThatIsNoneOrOfTheWrongType) {
  const auto metadata = [](std::string_view json) {
    return Changed<TurnStart>("turn_start", [&](Event& event, TurnStart&) { event.metadata = J(json); });
  };
  EXPECT_EQ(metadata("{\"a\":}"), "metadata: byte 5");
  EXPECT_EQ(metadata("[]"), "metadata");
  EXPECT_EQ(metadata("{} "), "metadata: byte 2");
  EXPECT_EQ(metadata(" {}"), "metadata: byte 0");
  EXPECT_EQ(metadata("{\"\xff\":1}"), "metadata: byte 2");
  EXPECT_EQ(
      Changed<ToolCallRequest>("tool_call_request", [](Event&, ToolCallRequest& body) { body.arguments = J("null"); }),
      "arguments");
  EXPECT_EQ(Changed<ChatRequest>("chat_request", [](Event&, ChatRequest& body) { body.schema = J("1"); }), "schema");
  EXPECT_EQ(Changed<ChatResponse>("chat_response_data", [](Event&, ChatResponse& body) { body.content = ""; }), "data");
  EXPECT_EQ(Changed<ChatResponse>("chat_response_data", [](Event&, ChatResponse& body) { body.content = "{"; }),
            "data: byte 1");
  EXPECT_EQ(Changed<InquiryRequest>("inquiry_request_full",
                                    [](Event&, InquiryRequest& body) { body.question.default_value = J("tru"); }),
            "question.default: byte 0");
  EXPECT_EQ(
      Changed<InquiryRequest>("inquiry_request_full",
                              [](Event&, InquiryRequest& body) { body.question.answer_type.options[1].value = {}; }),
      "question.answer_type.options[1].value");
}

TEST(Validate, RefusesResponsesThatDoNotFitTheirOutcome) {
  using R = InquiryResponse;
  EXPECT_EQ(Changed<R>("inquiry_response_answered", [](Event&, R& body) { body.answer = {}; }), "answer");
  EXPECT_EQ(Changed<R>("inquiry_response_cancelled", [](Event&, R& body) { body.reason.reset(); }), "reason");
  EXPECT_EQ(Changed<R>("inquiry_response_cancelled", [](Event&, R& body) { body.answer = J("1"); }), "answer");
  EXPECT_EQ(Changed<R>("inquiry_response_redacted", [](Event&, R& body) { body.answer = J("1"); }), "answer");
  EXPECT_EQ(Changed<R>("inquiry_response_redacted", [](Event&, R& body) { body.reason = "x"; }), "reason");
}

TEST(Validate, RefusesFieldsOfOtherShapes) {
  using R = InquiryRequest;
  EXPECT_EQ(Changed<R>("inquiry_request_boolean", [](Event&, R& body) { body.source.name = "x"; }), "source.name");
  EXPECT_EQ(Changed<R>("inquiry_request_boolean",
                       [](Event&, R& body) { body.question.answer_type.options = {{J("1"), {}, {}}}; }),
            "question.answer_type.options");
  EXPECT_EQ(Changed<R>("inquiry_request_boolean", [](Event&, R& body) { body.question.answer_type.schema = J("{}"); }),
            "question.answer_type.schema");
  EXPECT_EQ(Changed<R>("inquiry_request_schema", [](Event&, R& body) { body.question.answer_type.schema = {}; }),
            "question.answer_type.schema");
  EXPECT_EQ(Changed<R>("inquiry_request_multi_select",
                       [](Event&, R& body) {
                         body.question.answer_type.options.assign(kMaxSelectOptions + 1, {J("1"), {}, {}});
                       }),
            "question.answer_type.options");
}

TEST(Validate, RefusesValuesThatNoEnumHas) {
  EXPECT_EQ(
      Changed<ChatResponse>("chat_response_reasoning", [](Event&, ChatResponse& body) { body.part = ChatPart{9}; }),
      "part");
  EXPECT_EQ(Changed<InquiryResponse>("inquiry_response_redacted",
                                     [](Event&, InquiryResponse& body) { body.outcome = Outcome{9}; }),
            "outcome");
  EXPECT_EQ(Changed<InquiryRequest>("inquiry_request",
                                    [](Event&, InquiryRequest& body) { body.source.kind = SourceKind{9}; }),
            "source.source");
  EXPECT_EQ(
      Changed<InquiryRequest>("inquiry_request",
                              [](Event&, InquiryRequest& body) { body.question.answer_type.kind = AnswerKind{9}; }),
      "question.answer_type.type");
}

TEST(Validate, RefusesUnknownFieldsThatAreKnown) {
  const auto extra = [](const std::string& sample, std::string_view json) {
    Event event;
    for (const auto& [name, candidate] : SampleEvents()) {
      if (name == sample) event = candidate;
    }
    event.extra = J(json);
    return WhereRefused(event);
  };
  EXPECT_EQ(extra("turn_start", R"({"content":1})"), "");
  EXPECT_EQ(extra("chat_request", R"({"content":1})"), "extra");
  EXPECT_EQ(extra("chat_request", R"({"\u0063ontent":1})"), "extra");
  EXPECT_EQ(extra("turn_start", R"({"a":1,"seq":1})"), "extra");
  EXPECT_EQ(extra("turn_start", "[]"), "extra");
  EXPECT_EQ(extra("inquiry_response_redacted", R"({"answer":1})"), "extra");
  EXPECT_EQ(extra("inquiry_response_redacted", R"({"reason":1})"), "");
  EXPECT_EQ(extra("chat_response_reasoning", R"({"message":1})"), "");
  EXPECT_EQ(extra("chat_response_reasoning", R"({"message":"m"})"), "extra");
  EXPECT_EQ(extra("chat_response_reasoning", R"({"message":1,"message":"m"})"), "");
  EXPECT_EQ(extra("chat_response_reasoning", R"({"message":"m","message":1})"), "extra");
  EXPECT_EQ(Changed<InquiryRequest>("inquiry_request",
                                    [](Event&, InquiryRequest& body) { body.source.extra = J(R"({"name":1})"); }),
            "source.extra");
  EXPECT_EQ(Changed<InquiryRequest>("inquiry_request",
                                    [](Event&, InquiryRequest& body) { body.question.extra = J(R"({"text":1})"); }),
            "question.extra");
  EXPECT_EQ(Changed<InquiryRequest>(
                "inquiry_request_full",
                [](Event&, InquiryRequest& body) { body.question.answer_type.options[0].extra = J(R"({"value":1})"); }),
            "question.answer_type.options[0].extra");
}

TEST(Validate, HoldsVerbatimEventsAgainstTheirObject) {
  const auto verbatim = [](EventKind kind, const std::string& tag, std::string_view json) {
    Event event;
    event.body = Verbatim{kind, tag, J(json)};
    return WhereRefused(event);
  };
  EXPECT_EQ(verbatim(EventKind::kUnknown, "x", R"({"type":"x"})"), "");
  EXPECT_EQ(verbatim(EventKind::kUnknown, "x", R"({"type":"\u0078"})"), "");
  EXPECT_EQ(verbatim(EventKind::kUnknown, "", "17"), "");
  EXPECT_EQ(verbatim(EventKind::kUnknown, "", R"({"type":"chat_request"})"), "");
  EXPECT_EQ(verbatim(EventKind::kUnknown, "", ""), "json");
  EXPECT_EQ(verbatim(EventKind::kRepair, "", "17"), "type");
  EXPECT_EQ(verbatim(EventKind::kUnknown, "repair", R"({"type":"repair"})"), "type");
  EXPECT_EQ(verbatim(EventKind::kChatRequest, "chat_request", R"({"type":"chat_request"})"), "type");
  EXPECT_EQ(verbatim(EventKind::kUnknown, "x", R"({"type":"y","type":"x"})"), "type");
  EXPECT_EQ(verbatim(EventKind::kUnknown, "x", "[]"), "type");
  EXPECT_EQ(verbatim(EventKind::kUnknown, "x", R"({"type":"x")"), "json: byte 11");
}

TEST(Validate, VerbatimEventsCarryNothingBesideTheirObject) {
  EXPECT_EQ(Changed<Verbatim>("unknown", [](Event& event, Verbatim&) { event.metadata = J("{}"); }), "metadata");
  EXPECT_EQ(Changed<Verbatim>("unknown", [](Event& event, Verbatim&) { event.extra = J("{}"); }), "extra");
}

TEST(Validate, RefusesEventsBeyondTheSizeLimit) {
  const std::string half(kMaxEventBytes / 2, 'x');
  Event event;
  event.body = ChatRequest{half, {}, {}};
  EXPECT_EQ(WhereRefused(event), "");
  event.source_text = half;
  const Status status = Validate(View(event));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
}

TEST(EncodedSizeBound, IsNeverExceeded) {
  EventEncoder encoder;
  for (const auto& [name, event] : SampleEvents()) {
    EXPECT_LE(encoder.Encode(View(event)).size(), EncodedSizeBound(View(event))) << name;
  }
  InquiryRequest request{
      {"i", {}}, {SourceKind::kUser, "", {}}, {"?", {AnswerKind::kSelect, {}, false, {}, {}}, {}, {}, {}, {}, {}}, {}};
  request.question.answer_type.options.assign(kMaxSelectOptions, {J("1"), {}, {}});
  Event event;
  event.body = request;
  EXPECT_LE(encoder.Encode(View(event)).size(), EncodedSizeBound(View(event)));
}

}  // namespace
}  // namespace turnlog::validate_test
