#include <gtest/gtest.h>

#include <string>

#include "tests/support/where.h"
#include "turnlog/event_json.h"

namespace turnlog::event_json_error_test {
namespace {

struct BadJson {
  std::string name;
  std::string json;
  std::string where;
};

void PrintTo(const BadJson& bad, std::ostream* out) { *out << bad.name; }

std::string Request(const std::string& source, const std::string& question) {
  return R"({"type":"inquiry_request","id":"i","source":)" + source + R"(,"question":)" + question + "}";
}

std::string AnswerType(const std::string& type) {
  return Request(R"({"source":"user"})", R"({"text":"?","answer_type":)" + type + "}");
}

std::string Response(const std::string& fields) { return R"({"type":"inquiry_response",)" + fields + "}"; }

std::string Nested(int depth) {
  return R"({"type":"turn_start","x":)" + std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']') + "}";
}

class EventJsonError : public testing::TestWithParam<BadJson> {};

TEST_P(EventJsonError, NamesTheLocation) {
  const auto event = ParseEvent(GetParam().json);
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Where(event.error().message), GetParam().where) << event.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Text, EventJsonError,
    testing::Values(BadJson{"empty", "", "byte 0"}, BadJson{"blank", " \n", "byte 2"},
                    BadJson{"array", " []", "byte 1"}, BadJson{"string", R"("type")", "byte 0"},
                    BadJson{"truncated", R"({"type":"turn_start")", "byte 20"},
                    BadJson{"truncated_string", R"({"type":"turn_start)", "byte 8"},
                    BadJson{"garbage_behind", R"({"type":"turn_start"} x)", "byte 22"},
                    BadJson{"second_object", R"({"type":"turn_start"}{})", "byte 21"},
                    BadJson{"brace_behind", R"({"type":"turn_start"}})", "byte 21"},
                    BadJson{"verbatim_garbage_behind", R"({"type":"x"}])", "byte 12"},
                    BadJson{"no_comma", R"({"type":"turn_start" "x":1})", "byte 21: type"},
                    BadJson{"no_colon", R"({"type" "turn_start"})", "byte 8"},
                    BadJson{"comma_at_end", R"({"type":"turn_start",})", "byte 21"},
                    BadJson{"bare_key", R"({type:"turn_start"})", "byte 1"},
                    BadJson{"wrong_bracket", R"({"type":"turn_start","x":[1}})", "byte 27"},
                    BadJson{"leading_zero", R"({"type":"turn_start","x":01})", "byte 26"},
                    BadJson{"bare_point", R"({"type":"turn_start","x":1.})", "byte 25"},
                    BadJson{"plus", R"({"type":"turn_start","x":+1})", "byte 25"},
                    BadJson{"bad_word", R"({"type":"turn_start","x":nul})", "byte 25"},
                    BadJson{"nan", R"({"type":"turn_start","x":NaN})", "byte 25"},
                    BadJson{"bad_escape", R"({"type":"chat_request","content":"a\x"})", "byte 35: content"},
                    BadJson{"short_unicode", R"({"type":"chat_request","content":"\u12"})", "byte 34: content"},
                    BadJson{"lone_high_surrogate", R"({"type":"chat_request","content":"\ud834x"})",
                            "byte 34: content"},
                    BadJson{"lone_low_surrogate", R"({"type":"chat_request","content":"\udd1e"})", "byte 34: content"},
                    BadJson{"lone_surrogate_in_raw_value", R"({"type":"turn_start","x":["\ud834\u0041"]})", "byte 27"},
                    BadJson{"lone_surrogate_in_key", R"({"type":"turn_start","\udd1e":1})", "byte 22"},
                    BadJson{"control_character", "{\"type\":\"chat_request\",\"content\":\"a\nb\"}", "byte 35"},
                    BadJson{"bad_utf8", "{\"type\":\"chat_request\",\"content\":\"\xc3\x28\"}", "byte 34"},
                    BadJson{"overlong_utf8", "{\"type\":\"x\",\"a\":\"\xc0\x80\"}", "byte 17"},
                    BadJson{"utf8_surrogate", "{\"type\":\"x\",\"a\":\"\xed\xa0\x80\"}", "byte 17"},
                    BadJson{"byte_order_mark", "\xef\xbb\xbf{\"type\":\"turn_start\"}", "byte 0"},
                    BadJson{"nul", std::string("{\"type\":\"turn_start\"}\0", 22), "byte 21"},
                    BadJson{"too_deep", Nested(256), "byte 280"}),
    [](const auto& sample) { return sample.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Fields, EventJsonError,
    testing::Values(
        BadJson{"no_type", R"( {"x":1})", "byte 1"}, BadJson{"type_no_string", R"({"type":7})", "byte 8: type"},
        BadJson{"type_twice", R"({"type":"turn_start","type":"x"})", "byte 21: type"},
        BadJson{"twice_by_escape", R"({"type":"chat_request","content":"","\u0063ontent":""})", "byte 36: content"},
        BadJson{"timestamp", R"({"type":"turn_start","timestamp":"2026"})", "byte 33: timestamp"},
        BadJson{"timestamp_no_string", R"({"type":"turn_start","timestamp":5})", "byte 33: timestamp"},
        BadJson{"metadata", R"({"type":"turn_start","metadata":null})", "byte 32: metadata"},
        BadJson{"event_id", R"({"type":"turn_start","event_id":""})", "byte 32: event_id"},
        BadJson{"event_id_too_long", R"({"type":"turn_start","event_id":")" + std::string(1025, 'x') + "\"}",
                "byte 32: event_id"},
        BadJson{"conversation", R"({"type":"turn_start","conversation":1})", "byte 36: conversation"},
        BadJson{"seq", R"({"type":"turn_start","seq":-1})", "byte 27: seq"},
        BadJson{"seq_too_large", R"({"type":"turn_start","seq":18446744073709551616})", "byte 27: seq"},
        BadJson{"seq_fraction", R"({"type":"turn_start","seq":1.0})", "byte 27: seq"},
        BadJson{"no_content", R"({"type":"chat_request"})", "byte 0"},
        BadJson{"content", R"({"type":"chat_request","content":null})", "byte 33: content"},
        BadJson{"chat_schema", R"({"type":"chat_request","content":"","schema":[]})", "byte 45: schema"},
        BadJson{"no_part", R"({"type":"chat_response"})", "byte 0"},
        BadJson{"message", R"({"type":"chat_response","message":1})", "byte 34: message"},
        BadJson{"reasoning", R"({"type":"chat_response","reasoning":{}})", "byte 36: reasoning"},
        BadJson{"arguments", R"({"type":"tool_call_request","id":"c","name":"n","arguments":null})",
                "byte 60: arguments"},
        BadJson{"no_name", R"({"type":"tool_call_request","id":"c"})", "byte 0"},
        BadJson{"no_is_error", R"({"type":"tool_call_response","id":"c","content":""})", "byte 0"},
        BadJson{"is_error", R"({"type":"tool_call_response","id":"c","content":"","is_error":1})", "byte 62: is_error"},
        BadJson{"denied", R"({"type":"tool_call_response","id":"c","content":"","is_error":true,"denied":"no"})",
                "byte 76: denied"},
        BadJson{"denied_reason",
                R"({"type":"tool_call_response","id":"c","content":"","is_error":true,"denied":{"reason":1}})",
                "byte 86: denied.reason"}),
    [](const auto& sample) { return sample.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Inquiries, EventJsonError,
    testing::Values(
        BadJson{
            "no_id",
            R"({"type":"inquiry_request","source":{"source":"user"},"question":{"text":"","answer_type":{"type":"text"}}})",
            "byte 0"},
        BadJson{"source_unknown", Request(R"({"source":"cat"})", "{}"), "byte 54: source.source"},
        BadJson{"source_missing", Request("{}", "{}"), "byte 44: source"},
        BadJson{"source_without_name", Request(R"({"source":"tool"})", "{}"), "byte 44: source"},
        BadJson{"question", Request(R"({"source":"user"})", "[]"), "byte 73: question"},
        BadJson{"question_text", Request(R"({"source":"user"})", R"({"answer_type":{"type":"text"}})"),
                "byte 73: question"},
        BadJson{"answer_type_missing", Request(R"({"source":"user"})", R"({"text":""})"), "byte 73: question"},
        BadJson{"answer_type_unknown", AnswerType(R"({"type":"song"})"), "byte 107: question.answer_type.type"},
        BadJson{"answer_type_flat", AnswerType(R"("text")"), "byte 99: question.answer_type"},
        BadJson{"select_without_options", AnswerType(R"({"type":"select"})"), "byte 99: question.answer_type"},
        BadJson{"schema_missing", AnswerType(R"({"type":"schema"})"), "byte 99: question.answer_type"},
        BadJson{"options", AnswerType(R"({"type":"select","options":{}})"), "byte 126: question.answer_type.options"},
        BadJson{"plain_option", AnswerType(R"({"type":"select","options":[{"value":1},"b"]})"),
                "byte 139: question.answer_type.options[1]"},
        BadJson{"option_without_value", AnswerType(R"({"type":"select","options":[{}]})"),
                "byte 127: question.answer_type.options[0]"},
        BadJson{"option_description", AnswerType(R"({"type":"select","options":[{"value":1,"description":2}]})"),
                "byte 152: question.answer_type.options[0].description"},
        BadJson{"broken_array", AnswerType(R"({"type":"select","options":[{"value":1} {"value":2}]})"),
                "byte 139: question.answer_type.options"},
        BadJson{"exclusive",
                Request(R"({"source":"user"})", R"({"text":"","answer_type":{"type":"text"},"exclusive":"yes"})"),
                "byte 126: question.exclusive"},
        BadJson{"outcome", Response(R"("outcome":"lost","id":"i","answer":1)"), "byte 37: outcome"},
        BadJson{"flat_without_answer", Response(R"("id":"i")"), "byte 0"},
        BadJson{"answered_without_answer", Response(R"("outcome":"answered","id":"i")"), "byte 0"},
        BadJson{"answered_reason", Response(R"("outcome":"answered","id":"i","answer":1,"reason":5)"),
                "byte 77: reason"},
        BadJson{"responder", Response(R"("id":"i","answer":1,"responder":{"model":"m"})"), "byte 59: responder"},
        BadJson{"id", Response(R"("id":"","answer":1)"), "byte 32: id"},
        BadJson{"key_does_not_fit",
                Response(R"("id":"a.b.1","key":{"tool_call":"a","question":"b","attempt":2},"answer":1)"),
                "byte 46: key"},
        BadJson{"key_question_with_dot", Response(R"("key":{"tool_call":"a","question":"b.c","attempt":2},"answer":1)"),
                "byte 33: key"},
        BadJson{"key_attempt", Response(R"("key":{"tool_call":"a","question":"b","attempt":0},"answer":1)"),
                "byte 75: key.attempt"},
        BadJson{"key_incomplete", Response(R"("key":{"tool_call":"a","attempt":1},"answer":1)"), "byte 33: key"},
        BadJson{"key_extra", Response(R"("key":{"tool_call":"a","question":"b","attempt":1,"x":1},"answer":1)"),
                "byte 33: key"}),
    [](const auto& sample) { return sample.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Wrappers, EventJsonError,
    testing::Values(BadJson{"typed_tag", R"({"tag":"turn_start","verbatim":{"type":"turn_start"}})", "byte 0: type"},
                    BadJson{"other_tag", R"({"tag":"y","verbatim":{"type":"x"}})", "byte 0: type"},
                    BadJson{"tag_without_object", R"({"tag":"y","verbatim":1})", "byte 0: type"},
                    BadJson{"unknown_field", R"({"verbatim":1,"x":1})", "byte 0: extra"}),
    [](const auto& sample) { return sample.param.name; });

TEST(EventJsonDepth, AsDeepAsAllowedIsRead) { EXPECT_TRUE(ParseEvent(Nested(255))); }

TEST(EventJsonDepth, MillionsOfBracketsAreRefused) {
  for (const std::string bracket : {"[", "{", "{\"a\":", "{\"type\":"}) {
    std::string brackets;
    for (int i = 0; i < 1'000'000; ++i) brackets += bracket;
    for (const std::string& json : {brackets, R"({"type":"x","a":)" + brackets,
                                    R"({"type":"turn_start","a":)" + brackets, R"({"a":)" + brackets}) {
      EXPECT_FALSE(ParseEvent(json));
    }
  }
}

}  // namespace
}  // namespace turnlog::event_json_error_test
