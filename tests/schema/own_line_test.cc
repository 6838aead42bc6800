// ReadOwnLine gives what the parser for any form gives, or nothing.
#include "schema/event/own_line.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/schema/sample_events.h"

namespace turnlog::own_line_test {
namespace {

std::string LineOf(const Event& event) {
  std::string line;
  AppendJson(View(event), "a \"conversation\"", Seq{7}, line);
  return line;
}

// With every field that turnlog knows of any event.
std::vector<SampleEvent> Samples() {
  std::vector<SampleEvent> samples = SampleEvents();
  for (SampleEvent& sample : samples) sample.event.extra = {};
  return samples;
}

// Whether ReadOwnLine reads the line.
bool IsRead(std::string_view line) {
  std::string memory(line.size(), '\0');
  EventParser::Envelope envelope;
  const std::optional<EventView> own = ReadOwnLine(line, memory.data(), envelope);
  if (!own) return false;
  EventParser parser;
  const auto any = parser.Parse(std::string(" ").append(line));  // which is no line of ours
  EXPECT_TRUE(any.has_value()) << line << any.error().message;
  if (!any) return true;
  EXPECT_EQ(Own(*own), Own(*any)) << line;
  EXPECT_EQ(envelope.conversation, parser.envelope().conversation) << line;
  EXPECT_EQ(envelope.seq, parser.envelope().seq) << line;
  return true;
}

// Not those of rare kinds, denied calls, and what has fields that turnlog does not know.
TEST(OwnLineTest, ReadsMostEvents) {
  const std::set<std::string> rare{"compaction",
                                   "config_delta",
                                   "redaction",
                                   "redaction_full",
                                   "repair",
                                   "repair_full",
                                   "tool_call_response_denied",
                                   "tool_call_response_denied_by",
                                   "tool_call_response_denied_without_reason",
                                   "unknown",
                                   "unknown_with_source_text",
                                   "unknown_without_tag"};
  const std::set<std::string> with_unknown_fields{"inquiry_request_full", "inquiry_response_answered_full",
                                                  "inquiry_response_by", "inquiry_response_redacted_by"};
  for (const SampleEvent& sample : Samples()) {
    const bool expected = !rare.contains(sample.name) && !with_unknown_fields.contains(sample.name);
    EXPECT_EQ(IsRead(LineOf(sample.event)), expected) << sample.name;
    EXPECT_EQ(IsRead(ToJson(sample.event)), expected) << sample.name;
  }
}

TEST(OwnLineTest, ReadsNothingElseThanTheParserForAnyForm) {
  for (const SampleEvent& sample : Samples()) {
    const std::string line = LineOf(sample.event);
    for (std::size_t at = 0; at < line.size(); ++at) {
      (void)IsRead(line.substr(0, at));
      (void)IsRead(std::string(line).erase(at, 1));
      for (const char c : std::string_view(" \"\\,:0nu{}[]e\x01\xff")) {
        (void)IsRead(std::string(line).insert(at, 1, c));
        (void)IsRead(std::string(line).replace(at, 1, 1, c));
      }
    }
  }
}

// A field twice, and each of the others in its place.
TEST(OwnLineTest, ReadsNothingElseWithFieldsInOtherPlaces) {
  for (const SampleEvent& sample : Samples()) {
    const std::string line = LineOf(sample.event);
    for (std::size_t from = line.find(",\""); from != std::string::npos; from = line.find(",\"", from + 1)) {
      const std::size_t end = std::min(line.find(",\"", from + 1), line.size() - 1);
      const std::string field = line.substr(from, end - from);
      for (std::size_t to = line.find(",\""); to != std::string::npos; to = line.find(",\"", to + 1)) {
        (void)IsRead(std::string(line).insert(to, field));
      }
    }
  }
}

TEST(OwnLineTest, KeepsEveryTextThatIsUnescaped) {
  const std::string line =
      R"({"conversation":"\u00e4","seq":18446744073709551615,"timestamp":"2026-01-01T00:00:00Z","type":)"
      R"("tool_call_request","id":"\"1\"","name":"\ud83d\ude00 \n","arguments":{"a":"\\"},"event_id":"\/"})";
  EXPECT_TRUE(IsRead(line));
}

}  // namespace
}  // namespace turnlog::own_line_test
