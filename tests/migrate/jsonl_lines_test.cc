// JSON lines as they come: generated conversations that go out byte for byte, and files with one damaged byte.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "migrate/jsonl/format.h"
#include "schema/json/json_scan.h"
#include "tests/migrate/any_talk.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"

namespace turnlog::jsonl_lines_test {
namespace {

using ::testing::IsEmpty;

class JsonlLinesTest : public ImportTest {};

// As an export writes them: conversation by conversation, with seqs from 1.
TEST_F(JsonlLinesTest, OfGeneratedConversationsGoOutAsTheyCameIn) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    AnyTalk any(seed);
    TempStore store;
    std::swap(store.log, log_);
    std::string text;
    std::vector<ConversationId> ids;
    for (std::uint64_t talk = 1 + any.random()() % 4; talk > 0; --talk) {
      ids.push_back(Id(fmt::format("{} talk", talk)));
      for (std::uint64_t seq = 1; seq <= 1 + any.random()() % 12; ++seq) {
        Event event = any.Next();
        if (any.random()() % 3 == 0) event.event_id = fmt::format("e{}", seq);
        if (any.random()() % 3 == 0) event.timestamp = Timestamp{static_cast<std::int64_t>(any.random()() >> 2)};
        text += fmt::format("{{\"conversation\":\"{}\",\"seq\":{},{}\n", ids.back().text(), seq,
                            ToJson(View(event)).substr(1));
      }
    }
    const auto path = Write(fmt::format("{}.jsonl", seed), text);
    const ImportReport report = Jsonl({path});
    EXPECT_EQ(report.added, ids.size());
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(ExportToJsonl(ids, {.raw = true}), text);
    EXPECT_EQ(Jsonl({path}).unchanged, ids.size());
    std::swap(store.log, log_);
  }
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (SkipJsonSpace(line, 0) < line.size()) lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

const std::string kSample =
    R"({"conversation":"a","seq":1,"timestamp":"2026-03-18T13:19:06.8Z","type":"turn_start"})"
    "\n"
    R"({"conversation":"b","seq":1,"type":"chat_request","content":"caf\u00e9 )"
    "\xc3\xa9"
    R"(","event_id":"e","new":[1,{}]})"
    "\n\n"
    R"({"conversation":"a","seq":2,"type":"tool_call_request","id":"c","name":"ls","arguments":{"a":-1.50}})"
    "\r\n"
    R"({"type":"later","x":null})"
    "\n"
    R"({"conversation":"a","seq":3,"type":"tool_call_response","id":"c","content":"","is_error":true})"
    "\n";

// Each line is an event or a problem, and a line that can be read by itself is its event, unless it does not fit to the
// lines before it. What the faults are of is not imported; every other byte is accounted for.
void ExpectThatEachLineCounts(const std::string& text) {
  ReadSource read = ReadFiles(kJsonlFormat, {{"chat.jsonl", text}});
  const std::vector<std::string> lines = LinesOf(text);
  std::size_t events = 0, known = 0;
  std::vector<std::string> forms;
  for (const auto& [name, conversation] : read.conversations) {
    events += conversation.events.size();
    for (const Event& event : conversation.events) forms.push_back(ToJson(View(event)));
  }
  ASSERT_EQ(events + read.problems.size() + read.notes.size(), lines.size()) << text;
  for (const std::string& line : lines) {
    const auto event = ParseEvent(line);
    if (event) known += std::ranges::count(forms, ToJson(View(*event))) > 0 ? 1 : 0;
  }
  EXPECT_GE(known, events) << text;
  EXPECT_LE(read.taken, text.size());
  if (!read.problems.empty() || !read.notes.empty()) return;
  EXPECT_EQ(read.taken, text.size()) << text;
}

TEST_F(JsonlLinesTest, WithOneByteChangedLoseNothingElse) {
  for (std::size_t at = 0; at < kSample.size(); at += kByteStep) {
    for (const int mask : {0x01, 0x02, 0x08, 0x20, 0x40, 0x80}) {
      std::string text = kSample;
      text[at] = static_cast<char>(text[at] ^ mask);
      ExpectThatEachLineCounts(text);
    }
    for (const char other : {'\0', '\n', '"', '}', '\\'}) {
      std::string text = kSample;
      text[at] = other;
      ExpectThatEachLineCounts(text);
    }
  }
}

TEST_F(JsonlLinesTest, CutAnywhereLoseNothingBeforeTheCut) {
  for (std::size_t size = 0; size <= kSample.size(); size += kByteStep)
    ExpectThatEachLineCounts(kSample.substr(0, size));
}

TEST_F(JsonlLinesTest, OfUnknownKindsAreKept) {
  constexpr std::string_view kType = R"("type":")";
  for (std::size_t at = kSample.find(kType); at != std::string::npos; at = kSample.find(kType, at + 1)) {
    std::string text = kSample;
    text.insert(at + kType.size(), "x-");
    const ReadSource read = ReadFiles(kJsonlFormat, {{"chat.jsonl", text}});
    EXPECT_THAT(read.problems, IsEmpty()) << text;
    EXPECT_EQ(read.taken, text.size()) << text;
  }
}

}  // namespace
}  // namespace turnlog::jsonl_lines_test
