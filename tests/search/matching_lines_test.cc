#include "search/matching_lines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/store/log_fixture.h"
#include "turnlog/event_json.h"

namespace turnlog::matching_lines_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "FIELD: LINE" for each line that contains `text`.
std::vector<std::string> Where(std::string_view text, std::string_view json) {
  const Event event = Must(ParseEvent(json));
  std::vector<std::string> result;
  for (const FoundLine& line : MatchingLines(View(event), Must(Pattern::Compile({.text = std::string(text)})))) {
    result.push_back(fmt::format("{}: {}", line.field, line.text));
  }
  return result;
}

TEST(MatchingLinesTest, LooksIntoEverythingThatAPersonCanRead) {
  const auto found = [](std::string_view json) { return Where("needle", json); };
  EXPECT_THAT(found(R"({"type":"chat_request","content":"a needle","author":"needle"})"),
              ElementsAre("content: a needle", "author: needle"));
  EXPECT_THAT(found(R"({"type":"chat_response","data":{"a":"needle"}})"), ElementsAre(R"(data: {"a":"needle"})"));
  EXPECT_THAT(found(R"({"type":"tool_call_request","id":"needle","name":"needle","arguments":{"needle":1}})"),
              ElementsAre("id: needle", "name: needle", R"(arguments: {"needle":1})"));
  EXPECT_THAT(
      found(R"({"type":"tool_call_response","id":"c","content":"","is_error":true,"denied":{"reason":"needle"}})"),
      ElementsAre("denied.reason: needle"));
  EXPECT_THAT(
      found(
          R"({"type":"inquiry_request","id":"c.q.1","source":{"source":"tool","name":"needle"},"question":{"text":"needle?","answer_type":{"type":"select","options":[{"value":"needle","description":"needles"}]},"context":"needle!"}})"),
      ElementsAre("source.name: needle", "question.text: needle?", "question.answer_type.options: \"needle\"",
                  "question.answer_type.options: needles", "question.context: needle!"));
  EXPECT_THAT(
      found(R"({"type":"inquiry_response","outcome":"answered","id":"c.q.1","answer":"needle","reason":"needle"})"),
      ElementsAre("answer: \"needle\"", "reason: needle"));
  EXPECT_THAT(found(R"({"type":"config_delta","model":"needle"})"),
              ElementsAre(R"(: {"type":"config_delta","model":"needle"})"));
  EXPECT_THAT(found(R"({"type":"turn_start","metadata":{"m":"needle"},"event_id":"needle"})"),
              ElementsAre("event_id: needle", R"(metadata: {"m":"needle"})"));
}

TEST(MatchingLinesTest, ReadsStringsInJsonWithoutTheirEscapes) {
  const std::string_view json =
      R"({"type":"tool_call_request","id":"c","name":"write","arguments":{"text":"one\n\"two\"\r\nthr\u0065e"}})";
  EXPECT_THAT(Where("\"two\"", json), ElementsAre("arguments: \"two\""));
  EXPECT_THAT(Where("three", json), ElementsAre("arguments: three\"}"));
  EXPECT_THAT(Where("\\n", json), IsEmpty());
}

TEST(MatchingLinesTest, UnescapingJsonLeavesTheRestAsItIs) {
  EXPECT_EQ(UnescapedJson(R"([1, "a\tb", {"\u00e4": null}])"), "[1, \"a\tb\", {\"\xc3\xa4\": null}]");
  EXPECT_EQ(UnescapedJson("12"), "12");
}

TEST(MatchingLinesTest, AnEventIsKnownByItsFirstTextThatIsNoId) {
  const auto first = [](std::string_view json) {
    const Event event = Must(ParseEvent(json));
    const auto line = FirstLine(View(event));
    return line ? line->text : "none";
  };
  EXPECT_EQ(first(R"({"type":"chat_request","content":"one\ntwo"})"), "one");
  EXPECT_EQ(first(R"({"type":"tool_call_response","id":"c","content":"done","is_error":false})"), "done");
  EXPECT_EQ(first(R"({"type":"turn_start"})"), "none");
}

}  // namespace
}  // namespace turnlog::matching_lines_test
