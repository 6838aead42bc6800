// Events as released versions wrote them, frozen: X.bin is the payload, X.json the same event.
// TURNLOG_REGENERATE_GOLDEN in the environment writes them anew instead; only for a format that was never released.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "schema/codec.h"
#include "tests/schema/aligned_bytes.h"
#include "tests/schema/sample_events.h"
#include "tests/support/source_dir.h"
#include "turnlog/event_json.h"

namespace turnlog::golden_test {
namespace {

const std::filesystem::path kFolder = SourceDir() / "tests/golden/v1/events";

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::filesystem::path& path, std::string_view contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

class Golden : public testing::TestWithParam<SampleEvent> {
 protected:
  void SetUp() override {
    if (std::getenv("TURNLOG_REGENERATE_GOLDEN") == nullptr) return;
    EventEncoder encoder;
    WriteFile(Path(".bin"), encoder.Encode(View(GetParam().event)));
    WriteFile(Path(".json"), ToJson(View(GetParam().event)) + "\n");
  }

  std::filesystem::path Path(const char* suffix) const { return kFolder / (GetParam().name + suffix); }
};

INSTANTIATE_TEST_SUITE_P(Events, Golden, testing::ValuesIn(SampleEvents()),
                         [](const auto& sample) { return sample.param.name; });

TEST_P(Golden, ReadsAsItsJson) {
  AlignedBytes bytes(Contents(Path(".bin")));
  const auto event = DecodeEvent(bytes.view());
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(ToJson(*event) + "\n", Contents(Path(".json")));
}

TEST_P(Golden, IsWrittenTheSameToday) {
  const auto event = ParseEvent(Contents(Path(".json")));
  ASSERT_TRUE(event) << event.error().message;
  EventEncoder encoder;
  EXPECT_EQ(encoder.Encode(View(*event)), Contents(Path(".bin")));
}

TEST(Golden, EveryFileIsTested) {
  std::set<std::string> tested, there;
  for (const auto& sample : SampleEvents()) tested.insert(sample.name);
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) there.insert(entry.path().stem());
  EXPECT_EQ(tested, there);
}

}  // namespace
}  // namespace turnlog::golden_test
