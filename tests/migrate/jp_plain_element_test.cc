// The elements that are read at once are those that the parser for any element reads the same way.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "migrate/jp/array.h"
#include "migrate/jp/element.h"
#include "migrate/jp/plain_element.h"
#include "migrate/jp/writer.h"
#include "migrate/records/json_array.h"

namespace turnlog::jp_plain_element_test {
namespace {

const std::vector<std::string>& Plain() {
  static const std::vector<std::string> plain{
      R"({
    "type": "turn_start"
  })",
      R"({
    "timestamp": "2026-03-18 13:19:06.8",
    "type": "turn_start"
  })",
      R"({
    "timestamp": "2026-03-18 13:19:06.812345",
    "type": "chat_request",
    "content": "A \"question\"\non two lines, \u0001 and ünicode"
  })",
      R"({
    "timestamp": "2026-03-18 13:19:06.0",
    "type": "chat_response",
    "message": "",
    "event_id": "e-1"
  })",
      R"({
    "type": "chat_response",
    "reasoning": "because"
  })",
      R"({
    "timestamp": "2026-03-18 13:19:06.8",
    "type": "tool_call_response",
    "id": "call_1",
    "content": "dGhlIHJlc3VsdA==",
    "is_error": false
  })",
      R"({
    "type": "tool_call_response",
    "id": "call_2",
    "content": "",
    "is_error": true,
    "event_id": "e-2"
  })"};
  return plain;
}

// As an element after others, or at the beginning of the file.
JpElement ReadAny(std::string_view text) {
  return JpElementParser().Parse({CanonicalLead(false), text}, ElementContext());
}

void ExpectTheSame(const Event& event, std::string_view text) {
  std::string written;
  AppendJpElement(View(event), written);
  EXPECT_EQ(written, text);
  const JpElement any = ReadAny(text);
  EXPECT_FALSE(any.fault) << any.fault->reason << '\n' << text;
  ASSERT_EQ(any.events.size(), 1) << text;
  EXPECT_EQ(any.events.front(), event) << text;
}

TEST(JpPlainElement, IsReadAsAnyElementIs) {
  for (const std::string& text : Plain()) {
    const auto event = ReadPlainJpElement(text);
    ASSERT_TRUE(event) << text;
    ExpectTheSame(*event, text);
  }
}

TEST(JpPlainElement, OthersAreLeftToTheOtherParser) {
  for (const char* text : {
           "{\n    \"type\": \"turn_start\",\n    \"event_id\": \"e\"\n  }",                        // jp writes none
           "{\"type\":\"turn_start\"}",                                                             // compact
           "{\n    \"type\": \"chat_request\",\n    \"content\": \"a\\/b\"\n  }",                   // an escape less
           "{\n    \"type\": \"chat_request\",\n    \"content\": \"a\",\n    \"schema\": {}\n  }",  // another field
           "{\n    \"timestamp\": \"2026-03-18T13:19:06Z\",\n    \"type\": \"turn_start\"\n  }",    // another form
           "{\n    \"type\": \"tool_call_response\",\n    \"id\": \"c\",\n    \"content\": \"no base64\",\n"
           "    \"is_error\": false\n  }",
           "{\n    \"type\": \"tool_call_response\",\n    \"id\": \"c\",\n    \"content\": \"YR==\",\n"  // not as
                                                                                                         // encoded
           "    \"is_error\": false\n  }",
           "{\n    \"type\": \"chat_request\",\n    \"content\": \"a\"\n  } ",
           "{\n    \"type\": \"chat_request\",\n    \"content\": \"a",
           "",
       }) {
    EXPECT_FALSE(ReadPlainJpElement(text)) << text;
  }
}

// Every byte changed, left out and doubled: what is still read at once is read the same by the other parser.
TEST(JpPlainElement, ChangedElementsAreReadTheSameOrLeftToTheOtherParser) {
  std::mt19937 random(1);
  std::size_t read = 0;
  for (const std::string& text : Plain()) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::vector<std::string> changed{text, text, text};
      changed[0].erase(at, 1);
      changed[1].insert(at, 1, text[at]);
      changed[2][at] = "\"\\{}[]:, \n0a\x01\xff"[random() % 16];
      for (const std::string& each : changed) {
        JpElementParser parser;
        const RawElement element{CanonicalLead(false), each};
        if (!parser.ReadPlain(element, ElementContext())) continue;
        const JpElement plain = parser.Parse(element, ElementContext());
        ASSERT_EQ(plain.events.size(), 1);
        ExpectTheSame(plain.events.front(), each);
        ++read;
      }
    }
  }
  EXPECT_GT(read, 100);
}

TEST(JpPlainElement, AnUnusualLeadIsKept) {
  JpElementParser parser;
  EXPECT_FALSE(parser.ReadPlain({", ", Plain().front()}, ElementContext()));
  ElementContext begins;
  begins.begins_file = true;
  EXPECT_FALSE(parser.ReadPlain({CanonicalLead(false), Plain().front()}, begins));
  EXPECT_TRUE(parser.ReadPlain({CanonicalLead(true), Plain().front()}, begins));
}

}  // namespace
}  // namespace turnlog::jp_plain_element_test
