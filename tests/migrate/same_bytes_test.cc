// Records that an earlier version of turnlog has read otherwise, for example as foreign events.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "migrate/anthropic/format.h"
#include "migrate/logged/import_record.h"
#include "migrate/openai/format.h"
#include "migrate/records/record_events.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::same_bytes_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kPrompt = R"({"role":"user","content":"List"})";
const std::string kCall = R"({"type":"shell_call","call_id":"c1","action":{"commands":["ls"]}})";
const std::string kOutput = R"({"type":"shell_call_output","call_id":"c1","output":[{"stdout":"a"}]})";
const std::string kAnswer = R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done"}]})";

std::string List(const std::vector<std::string>& items) { return fmt::format("[{}]\n", fmt::join(items, ",\n")); }

class SameBytesTest : public ImportTest {
 protected:
  // Imports the list as an earlier version did that knew nothing of shells.
  void ImportAsBefore(const std::vector<std::string>& items) {
    std::string list = List(items);
    for (std::size_t at = 0; (at = list.find("shell_call", at)) != std::string::npos;) list[at] = 'S';
    ReadSource read = ReadFiles(kOpenAiFormat, {{"list.json", list}});
    std::vector<Event>& events = read.only().events;
    std::size_t item = 0;
    for (Event& event : events) {
      if (!event.source_text) continue;
      const std::string& text = items[item++];
      const std::string lead = event.source_text->substr(0, event.source_text->find_first_of({"{\x01"}));
      if (event.kind() == EventKind::kUnknown) event = Foreign(text, lead);
    }
    const ImportRecord record{.format = "openai",
                              .source = "list.json",
                              .events = events.size(),
                              .fingerprint = {},
                              .redacted_parts = {},
                              .parts = read.only().parts,
                              .same_parts = {}};
    Append("list", MakeImportEvent(record));
    for (const Event& event : events) Append("list", event);
    EXPECT_EQ(ExportRawText("openai", "list"), List(items));
  }
  static Event Foreign(std::string_view text, std::string_view lead, std::string_view format = "openai") {
    RecordEvents events;
    events.Begin(format, text, {});
    events.KeepAsForeign(lead, false);
    return events.events().front();
  }

  // Fails the test if there is a problem or note.
  ImportReport Import(const std::vector<std::string>& items) {
    const std::vector<std::filesystem::path> paths{Write("list.json", List(items))};
    ImportReport report = Must(turnlog::Import(*log_, "openai", paths));
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_THAT(report.notes, IsEmpty());
    EXPECT_EQ(ExportRawText("openai", "list"), List(items));
    return report;
  }
  std::vector<std::string> Shown() {
    std::vector<std::string> shown = Shapes(Events("list"));
    std::erase(shown, "import");
    return shown;
  }
};

TEST_F(SameBytesTest, StayWhenTheirSourceGrows) {
  ImportAsBefore({kPrompt, kCall, kOutput, kAnswer});
  const std::vector<std::string> before = Shown();
  Import({kPrompt, kCall, kOutput, kAnswer});
  EXPECT_EQ(Shown(), before);
  EXPECT_EQ(Import({kPrompt, kCall, kOutput, kAnswer, kPrompt, kCall}).extended, 1U);
  EXPECT_THAT(Shown(), ElementsAre(HasSubstr("turn_start"), HasSubstr("List"), "foreign", "foreign", HasSubstr("Done"),
                                   HasSubstr("turn_start"), HasSubstr("List"), HasSubstr("tool_call_request")));
}

TEST_F(SameBytesTest, MayBeginATurn) {
  ImportAsBefore({kCall, kOutput, kAnswer});
  const std::vector<std::string> before = Shown();
  Import({kCall, kOutput, kAnswer});
  EXPECT_EQ(Shown(), before);
  EXPECT_EQ(Import({kCall, kOutput, kAnswer}).events, 0U);
  EXPECT_EQ(Import({kCall, kOutput, kAnswer, kPrompt}).extended, 1U);
  EXPECT_THAT(Shown(), ElementsAre("foreign", "foreign", HasSubstr("turn_start"), HasSubstr("Done"),
                                   HasSubstr("turn_start"), HasSubstr("List")));
}

// The call beside the text was only in the template.
TEST_F(SameBytesTest, MayHaveMoreEvents) {
  const std::string said = R"({"role":"assistant","content":"Ok","function_call":{"name":"f","arguments":"{}"}})";
  ReadSource read = ReadFiles(kOpenAiFormat, {{"list.json", List({kPrompt, said, kAnswer})}});
  std::vector<Event>& events = read.only().events;  // turn_start, prompt, text, call, answer
  ASSERT_EQ(events.size(), 5U);
  RecordEvents before;
  before.Begin("openai", said, {});
  before.Add(ChatResponse{ChatPart::kMessage, "Ok"});
  before.Reproduces(Slot::kContent, JsonObject::OfValid(said)["content"]);
  before.Finish(",\n", false);
  const ImportRecord record{.format = "openai",
                            .source = "list.json",
                            .events = 4,
                            .fingerprint = {},
                            .redacted_parts = {},
                            .parts = read.only().parts,
                            .same_parts = {}};
  Append("list", MakeImportEvent(record));
  for (const Event* event : {&events[0], &events[1], &before.events()[0], &events[4]}) Append("list", *event);
  EXPECT_EQ(ExportRawText("openai", "list"), List({kPrompt, said, kAnswer}));
  const std::vector<std::string> shown = Shown();
  Import({kPrompt, said, kAnswer});
  EXPECT_EQ(Shown(), shown);
  EXPECT_EQ(Import({kPrompt, said, kAnswer, kPrompt, said}).extended, 1U);
  EXPECT_THAT(Shown(),
              ElementsAre(HasSubstr("turn_start"), HasSubstr("List"), HasSubstr("Ok"), HasSubstr("Done"),
                          HasSubstr("turn_start"), HasSubstr("List"), HasSubstr("Ok"), HasSubstr("tool_call_request")));
  EXPECT_EQ(Import({kPrompt, said, kAnswer, kPrompt, said}).events, 0U);
}

// A part of the record was a foreign event.
TEST_F(SameBytesTest, MayHaveOtherEvents) {
  const std::string prompt = R"({"role":"user","content":"Hi"})";
  const std::string before =
      R"({"role":"assistant","content":[{"type":"compaction","content":"S"},{"type":"text","text":"Ok"}]})";
  const std::string list = fmt::format("[{},{}]", prompt, before),
                    more = fmt::format("[{},{},{},{}]", prompt, before, prompt, before);
  ReadSource read = ReadFiles(kAnthropicFormat, {{"list.json", list}});
  std::vector<Event>& events = read.only().events;  // turn_start, prompt, compaction, turn_start, text
  ASSERT_EQ(events.size(), 5U);
  Event foreign = Foreign(R"({"type":"compaction","content":"S"})", {}, "anthropic");
  foreign.source_text = "," + before;
  const ImportRecord record{.format = "anthropic",
                            .source = "list.json",
                            .events = 4,
                            .fingerprint = {},
                            .redacted_parts = {},
                            .parts = read.only().parts,
                            .same_parts = {}};
  Append("list", MakeImportEvent(record));
  for (const Event* event : {&events[0], &events[1], &foreign, &events[4]}) Append("list", *event);
  const std::vector<std::filesystem::path> paths{Write("list.json", more)};
  const ImportReport report = Must(turnlog::Import(*log_, "anthropic", paths));
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(Shown(), ElementsAre(HasSubstr("turn_start"), HasSubstr("Hi"), "foreign", HasSubstr("Ok"),
                                   HasSubstr("turn_start"), HasSubstr("Hi"), HasSubstr(R"("from_turn":0,"to_turn":1)"),
                                   HasSubstr("turn_start"), HasSubstr("Ok")))
      << "turns have the numbers that they have in the log";
  EXPECT_EQ(ExportRawText("anthropic", "list"), more);
  EXPECT_EQ(Must(turnlog::Import(*log_, "anthropic", paths)).events, 0U);
}

TEST_F(SameBytesTest, OfOtherBytesAreOtherOnes) {
  ImportAsBefore({kPrompt, kCall, kAnswer});
  const std::string other = R"({"type":"shell_call","call_id":"c2","action":{}})";
  const std::vector<std::filesystem::path> paths{Write("list.json", List({kPrompt, other, kAnswer}))};
  EXPECT_EQ(Must(turnlog::Import(*log_, "openai", paths)).failed, 1U);
}

TEST_F(SameBytesTest, BringNothingBackThatWasRedacted) {
  const std::string call = R"({"type":"shell_call","call_id":"c1","action":{"commands":["hunter2-and-more"]}})";
  ImportAsBefore({kPrompt, call, kAnswer});
  RedactionTargets targets;
  targets.values.emplace_back("hunter2-and-more");
  ASSERT_TRUE(Must(Redaction::Plan(*log_, targets))->Apply("tester"));
  const std::vector<std::filesystem::path> paths{Write("list.json", List({kPrompt, call, kAnswer, kPrompt}))};
  EXPECT_EQ(Must(turnlog::Import(*log_, "openai", paths)).extended, 1U);
  EXPECT_FALSE(IsStored("hunter2-and-more"));
}

}  // namespace
}  // namespace turnlog::same_bytes_test
