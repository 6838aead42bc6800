#include "migrate/logged/import_record.h"

#include <gmock/gmock.h>

#include "migrate/logged/redacted_parts.h"
#include "turnlog/event_json.h"

namespace turnlog::import_record_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ImportRecord Sample() {
  ImportRecord record{.format = "f", .source = "17-a \"b\"", .events = 12, .fingerprint = "00ff", .redacted = true};
  record.parts = {{"metadata.json", "{\n  \"title\": \"t\",\n  \"n\": 1.50\n}\n"},
                  {"odd.json", "{\"a\": 1}"},
                  {"note \"1\".md", "text\n"},
                  {"empty", ""},
                  {"binary", std::string("\xff\x00\x01", 3)},
                  {"array.json", "[\n  1\n]\n"}};
  return record;
}

std::optional<ImportRecord> Read(std::string_view tag, std::string json) {
  Event event;
  event.body = Verbatim{EventKind::kUnknown, std::string(tag), Json::FromTrusted(std::move(json))};
  return ReadImportEvent(View(event));
}

TEST(ImportRecord, ComesBackByteByByte) {
  const Event event = MakeImportEvent(Sample());
  EXPECT_TRUE(Validate(View(event)));
  EXPECT_EQ(ReadImportEvent(View(event)), Sample());
}

TEST(ImportRecord, ComesBackThroughItsJsonForm) {
  const auto event = ParseEvent(ToJson(MakeImportEvent(Sample())));
  ASSERT_TRUE(event);
  EXPECT_EQ(ReadImportEvent(View(*event)), Sample());
}

TEST(ImportRecord, KeepsJsonAsJsonWhereItCan) {
  const std::string json = ToJson(MakeImportEvent(Sample()));
  EXPECT_THAT(json, HasSubstr(R"("metadata.json":{"title":"t","n":1.50})"));
  EXPECT_THAT(json, HasSubstr(R"("odd.json":"{\"a\": 1}")"));
  EXPECT_THAT(json, HasSubstr(R"("binary":["/wAB"])"));
}

TEST(ImportRecord, TakesPartsOfAnyDepth) {
  ImportRecord record = Sample();
  std::string& deep = record.parts["deep.json"];
  for (int i = 0; i < 256; ++i) deep.append("{\n").append(static_cast<std::size_t>(2 * i + 2), ' ').append("\"a\": ");
  deep += "1";
  for (int i = 255; i >= 0; --i) deep.append("\n").append(static_cast<std::size_t>(2 * i), ' ').append("}");
  deep += "\n";
  const Event event = MakeImportEvent(record);
  EXPECT_TRUE(Validate(View(event)));
  EXPECT_EQ(ReadImportEvent(View(event)), record);
}

// The form in stores of the first version.
TEST(ImportRecord, ReadsWhatWasWrittenBeforeThereWasASecondFormat) {
  const auto record =
      Read("jp_import", R"({"type":"jp_import","directory":"17-a","archived":true,"events":3,"fingerprint":"00ff",)"
                        R"("base_config":{"type":"config_delta"},"trailer":"]","files":{"metadata.json":{"a":1},)"
                        R"("notes":"text","binary":["/wAB"]}})");
  ASSERT_TRUE(record);
  ImportRecord expected{.format = "jp", .source = ".archive/17-a", .events = 3, .fingerprint = "00ff"};
  expected.parts = {{"base_config", "{\n  \"type\": \"config_delta\"\n}\n"},
                    {"trailer", "]"},
                    {"files/metadata.json", "{\n  \"a\": 1\n}\n"},
                    {"files/notes", "text"},
                    {"files/binary", std::string("\xff\x00\x01", 3)}};
  EXPECT_EQ(*record, expected);
}

TEST(ImportRecord, RefusesOtherShapes) {
  EXPECT_TRUE(Read("import", R"({"type":"import","format":"f","source":"s"})"));
  EXPECT_FALSE(Read("import", R"({"type":"import"})"));
  EXPECT_FALSE(Read("import", R"({"type":"import","format":"f"})"));
  EXPECT_FALSE(Read("import", R"({"type":"import","format":"f","source":"s","parts":5})"));
  EXPECT_FALSE(Read("import", R"({"type":"import","format":"f","source":"s","parts":{"a":5}})"));
  EXPECT_FALSE(Read("import", R"({"type":"import","format":"f","source":"s","parts":{"a":["!"]}})"));
  EXPECT_FALSE(Read("jp_import", R"({"type":"jp_import","directory":"17"})"));
  EXPECT_FALSE(Read("jp_import", R"({"type":"jp_import","directory":"17","files":{},"base_config":5})"));
  EXPECT_FALSE(Read("other", R"({"type":"import","format":"f","source":"s"})"));
  EXPECT_FALSE(ReadImportEvent(EventView{}));
}

class RedactedPartsTest : public testing::Test {
 protected:
  static ImportRecord Record(std::map<std::string, std::string> parts, std::string source = "s") {
    ImportRecord record{.format = "f", .source = std::move(source)};
    record.parts = std::move(parts);
    return record;
  }

  std::vector<std::string> Apply(ImportRecord& record) const { return redacted_.Apply(record, nullptr); }

  RedactedParts redacted_;
};

TEST_F(RedactedPartsTest, ComeBackInAnyLaterRecord) {
  redacted_.Add(Record({{"a", "x [redacted] y"}, {"b", "plain"}}), true);
  redacted_.Add(Record({{"b", "newer"}}), false);  // `a` was missing in between
  ImportRecord record = Record({{"a", "x secret y"}, {"b", "newest"}});
  EXPECT_THAT(Apply(record), IsEmpty());
  EXPECT_EQ(record.parts, (std::map<std::string, std::string>{{"a", "x [redacted] y"}, {"b", "newest"}}));
  EXPECT_TRUE(record.redacted);
}

TEST_F(RedactedPartsTest, AreKnownFromTheRecordItself) {
  ImportRecord known = Record({{"a", "[redacted]"}});
  known.redacted = true;
  redacted_.Add(known, false);
  ImportRecord record = Record({{"a", "secret and more"}});
  Apply(record);
  EXPECT_EQ(record.parts.at("a"), "[redacted]");
}

TEST_F(RedactedPartsTest, SayWhatTheyKeepOut) {
  redacted_.Add(Record({{"a", "x [redacted]"}}), true);
  ImportRecord record = Record({{"a", "new text"}});
  EXPECT_THAT(Apply(record), ElementsAre("a"));
  EXPECT_EQ(record.parts.at("a"), "x [redacted]");
}

TEST_F(RedactedPartsTest, AreKnownByTheirRedactedNames) {
  redacted_.Add(Record({{"files/[redacted].md", "text"}}, "17-[redacted]"), true);
  ImportRecord record = Record({{"files/secret.md", "newer"}}, "17-secret");
  EXPECT_THAT(Apply(record), IsEmpty());
  EXPECT_EQ(record.parts, (std::map<std::string, std::string>{{"files/[redacted].md", "newer"}}));
  EXPECT_EQ(record.source, "17-[redacted]");
}

TEST_F(RedactedPartsTest, AreKnownWhereJsonWasKeptValid) {
  redacted_.Add(Record({{"a", R"({"pin":"[redacted]","[redacted]":1,"[redacted]#2":2})"}}), true);
  ImportRecord record = Record({{"a", R"({"pin":88776655,"one":1,"two":2})"}});
  EXPECT_THAT(Apply(record), IsEmpty());
  EXPECT_EQ(record.parts.at("a"), R"({"pin":"[redacted]","[redacted]":1,"[redacted]#2":2})");
}

// A number that was redacted is 0, which the record has to say.
TEST_F(RedactedPartsTest, AreKnownWithoutAMark) {
  ImportRecord known = Record({{"a", R"({"pin":0,"n":1,"on":false})"}, {"b", R"({"n":0})"}});
  known.redacted = true;
  known.redacted_parts = {"a"};
  const Event event = MakeImportEvent(known);
  const auto read = ReadImportEvent(View(event));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, known);
  redacted_.Add(*read, false);
  ImportRecord record = Record({{"a", R"({"pin":88776655,"n":1,"on":true})"}, {"b", R"({"n":5})"}});
  EXPECT_THAT(Apply(record), IsEmpty());
  EXPECT_EQ(record.parts.at("a"), R"({"pin":0,"n":1,"on":false})");
  EXPECT_EQ(record.parts.at("b"), R"({"n":5})");
  EXPECT_EQ(record.redacted_parts, known.redacted_parts);
  record.parts["a"] = R"({"pin":88776655,"n":2,"on":true})";
  EXPECT_THAT(Apply(record), ElementsAre("a")) << "another number has changed";
}

// A source may contain the text "[redacted]" without having been redacted.
TEST_F(RedactedPartsTest, AreNoneWhereNothingWasRedacted) {
  redacted_.Add(Record({{"a", "[redacted]"}}), false);
  ImportRecord record = Record({{"a", "other"}});
  EXPECT_THAT(Apply(record), IsEmpty());
  EXPECT_EQ(record.parts.at("a"), "other");
  EXPECT_FALSE(record.redacted);
}

}  // namespace
}  // namespace turnlog::import_record_test
