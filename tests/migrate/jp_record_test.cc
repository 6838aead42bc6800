#include "migrate/jp_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "turnlog/event_json.h"

namespace turnlog::jp_record_test {
namespace {

using ::testing::HasSubstr;

JpRecord Sample() {
  JpRecord record;
  record.directory = "17-a \"b\"";
  record.archived = true;
  record.events = 12;
  record.fingerprint = "00ff";
  record.packed_config = "[\n  {\n    \"type\": \"config_delta\",\n    \"delta\": {}\n  }";
  record.trailer = "]";
  record.files = {{"metadata.json", "{\n  \"title\": \"t\",\n  \"n\": 1.50\n}\n"},
                  {"odd.json", "{\"a\": 1}"},
                  {"note \"1\".md", "text\n"},
                  {"empty", ""},
                  {"binary", std::string("\xff\x00\x01", 3)},
                  {"array.json", "[\n  1\n]\n"}};
  return record;
}

TEST(JpRecord, ComesBackByteByByte) {
  const Event event = MakeJpRecordEvent(Sample());
  EXPECT_TRUE(Validate(View(event)));
  EXPECT_EQ(ReadJpRecord(View(event)), Sample());
}

TEST(JpRecord, ComesBackThroughItsJsonForm) {
  const auto event = ParseEvent(ToJson(View(MakeJpRecordEvent(Sample()))));
  ASSERT_TRUE(event);
  EXPECT_EQ(ReadJpRecord(View(*event)), Sample());
}

TEST(JpRecord, KeepsJsonAsJsonWhereItCan) {
  const std::string json = ToJson(View(MakeJpRecordEvent(Sample())));
  EXPECT_THAT(json, HasSubstr(R"("metadata.json":{"title":"t","n":1.50})"));
  EXPECT_THAT(json, HasSubstr(R"("base_config":{"type":"config_delta","delta":{}})"));
  EXPECT_THAT(json, HasSubstr(R"("odd.json":"{\"a\": 1}")"));
  EXPECT_THAT(json, HasSubstr(R"("binary":["/wAB"])"));
}

TEST(JpRecord, TakesFilesOfAnyDepth) {
  JpRecord record = Sample();
  std::string& deep = record.files["deep.json"];
  for (int i = 0; i < 256; ++i) deep.append("{\n").append(static_cast<std::size_t>(2 * i + 2), ' ').append("\"a\": ");
  deep += "1";
  for (int i = 255; i >= 0; --i) deep.append("\n").append(static_cast<std::size_t>(2 * i), ' ').append("}");
  deep += "\n";
  const Event event = MakeJpRecordEvent(record);
  EXPECT_TRUE(Validate(View(event)));
  EXPECT_EQ(ReadJpRecord(View(event)), record);
}

std::optional<JpRecord> Read(std::string json) {
  Event event;
  event.body = Verbatim{EventKind::kUnknown, "jp_import", Json::FromTrusted(std::move(json))};
  return ReadJpRecord(View(event));
}

TEST(JpRecord, RefusesNamesThatLeadOutOfAFolder) {
  EXPECT_TRUE(Read(R"({"type":"jp_import","directory":"17","files":{}})"));
  for (const char* name : {"", ".", "..", "../x", "/etc", "a/b", "a\\u0000b"}) {
    EXPECT_FALSE(Read(std::string(R"({"type":"jp_import","files":{},"directory":")") + name + "\"}")) << name;
    EXPECT_FALSE(Read(std::string(R"({"type":"jp_import","directory":"17","files":{")") + name + "\":\"\"}}")) << name;
  }
}

TEST(JpRecord, RefusesOtherShapes) {
  EXPECT_FALSE(Read(R"({"type":"jp_import"})"));
  EXPECT_FALSE(Read(R"({"type":"jp_import","directory":"17"})"));
  EXPECT_FALSE(Read(R"({"type":"jp_import","directory":"17","files":{"a":5}})"));
  EXPECT_FALSE(Read(R"({"type":"jp_import","directory":"17","files":{"a":["!"]}})"));
  EXPECT_FALSE(Read(R"({"type":"jp_import","directory":"17","files":{},"base_config":5})"));
  EXPECT_FALSE(ReadJpRecord(View(Event{})));
}

}  // namespace
}  // namespace turnlog::jp_record_test
