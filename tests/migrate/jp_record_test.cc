#include <gmock/gmock.h>

#include "migrate/jp/record.h"

namespace turnlog::jp_record_test {
namespace {

ImportRecord Sample() {
  ImportRecord record{.format = "jp", .source = ".archive/17-a \"b\"", .events = 12, .fingerprint = "00ff"};
  record.parts = {{"trailer", "]"},
                  {"base_config", "{\n  \"type\": \"config_delta\",\n  \"delta\": {}\n}\n"},
                  {"files/metadata.json", "{}\n"}};
  return record;
}

TEST(JpRecord, ReturnsTheFolder) {
  const auto record = ReadJpRecord(Sample());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->directory, "17-a \"b\"");
  EXPECT_TRUE(record->archived);
  EXPECT_EQ(record->trailer, "]");
  EXPECT_EQ(record->packed_config, "[\n  {\n    \"type\": \"config_delta\",\n    \"delta\": {}\n  }");
  EXPECT_EQ(record->files.at("metadata.json"), "{}\n");
}

TEST(JpRecord, KeepsThePackedConfigurationWhateverItsLayout) {
  for (const std::string config :
       {"[\n  {\n    \"type\": \"config_delta\",\n    \"n\": 1.50\n  }", "[{\"type\":\"config_delta\"}",
        " [\n  {\n    \"type\": \"config_delta\"\n  }", "[\n  {\"type\": \"config_delta\"}"}) {
    ImportRecord record = Sample();
    record.parts["base_config"] = JpConfigPart(config);
    EXPECT_EQ(ReadJpRecord(record)->packed_config, config);
  }
}

TEST(JpRecord, RefusesWhatNoFolderOfJpHolds) {
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("../x"), std::string("/etc"),
        std::string("a/b"), std::string("a\0b", 3), std::string("a\x1b[0m"), std::string("a\n"),
        std::string("1\xE2\x80\xAEgpj"), std::string("1\xFF")}) {
    ImportRecord source = Sample();
    source.source = name;
    EXPECT_FALSE(ReadJpRecord(source)) << name;
    ImportRecord file = Sample();
    file.parts["files/" + name] = "";
    EXPECT_FALSE(ReadJpRecord(file)) << name;
  }
  for (const char* const directory : {".git", "hooks", "-17"}) {
    ImportRecord elsewhere = Sample();
    elsewhere.source = directory;
    EXPECT_FALSE(ReadJpRecord(elsewhere)) << directory;
  }
  ImportRecord other = Sample();
  other.parts["other"] = "";
  EXPECT_FALSE(ReadJpRecord(other));
  ImportRecord format = Sample();
  format.format = "x";
  EXPECT_FALSE(ReadJpRecord(format));
}

}  // namespace
}  // namespace turnlog::jp_record_test
