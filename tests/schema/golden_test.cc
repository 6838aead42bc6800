// Events as released versions wrote them, frozen: X.bin is the payload, X.json the same event.
// TURNLOG_REGENERATE_GOLDEN in the environment writes them again instead; only for a format that was never released.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/event/codec.h"
#include "tests/schema/aligned_bytes.h"
#include "tests/schema/sample_events.h"
#include "tests/support/source_dir.h"
#include "turnlog/event_json.h"
#include "turnlog/repair.h"

namespace turnlog::golden_test {
namespace {

using Path = std::filesystem::path;

Path Folder(std::string_view version) { return SourceDir() / "tests/golden" / version / "events"; }

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::filesystem::path& path, std::string_view contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

// Version 2 is where repairs and redactions are no longer verbatim; version 3 says who decided, and through what, and
// allows other answers than the options. Everything else is written as by version 1.
std::string_view WrittenBy(const SampleEvent& sample) {
  if (sample.name.ends_with("_by") || sample.name.ends_with("_other")) return "v3";
  const EventKind kind = sample.event.kind();
  return kind == EventKind::kRepair || kind == EventKind::kRedaction ? "v2" : "v1";
}

// Without the suffix, as version/name.
std::vector<std::string> GoldenFiles() {
  std::set<std::string> files;
  for (const char* version : {"v1", "v2", "v3"}) {
    for (const auto& entry : std::filesystem::directory_iterator(Folder(version))) {
      files.insert(std::string(version).append("/").append(entry.path().stem().string()));
    }
  }
  return {files.begin(), files.end()};
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  static Path File(const char* suffix) {
    const Path name = GetParam();
    return Folder(name.parent_path().string()) / (name.filename().string() + suffix);
  }
};

INSTANTIATE_TEST_SUITE_P(Events, Golden, testing::ValuesIn(GoldenFiles()), [](const auto& file) {
  std::string name = file.param;
  std::ranges::replace(name, '/', '_');
  return name;
});

TEST_P(Golden, ReadsAsItsJson) {
  AlignedBytes bytes(Contents(File(".bin")));
  const auto event = DecodeEvent(bytes.view());
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(ToJson(*event) + "\n", Contents(File(".json")));
}

TEST_P(Golden, IsWrittenTheSameToday) {
  if (GetParam() == "v1/repair") GTEST_SKIP() << "is not written like this any more";
  const auto event = ParseEvent(Contents(File(".json")));
  ASSERT_TRUE(event) << event.error().message;
  EventEncoder encoder;
  EXPECT_EQ(encoder.Encode(View(*event)), Contents(File(".bin")));
}

TEST(Golden, ARepairOfVersion1SaysWhatItSaysToday) {
  AlignedBytes bytes(Contents(Folder("v1") / "repair.bin"));
  const auto event = DecodeEvent(bytes.view());
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->kind(), EventKind::kRepair);
  const auto repair = ReadRepair(*event);
  ASSERT_TRUE(repair) << repair.error().message;
  for (const auto& sample : SampleEvents()) {
    if (sample.name != "repair") continue;
    EXPECT_EQ(*repair, std::get<Repair>(sample.event.body));
  }
}

TEST(Golden, EverySampleHasItsFiles) {
  for (const SampleEvent& sample : SampleEvents()) {
    const auto& [name, event] = sample;
    const Path file = Folder(WrittenBy(sample)) / name;
    if (std::getenv("TURNLOG_REGENERATE_GOLDEN") != nullptr) {
      EventEncoder encoder;
      WriteFile(file.string() + ".bin", encoder.Encode(View(event)));
      WriteFile(file.string() + ".json", ToJson(View(event)) + "\n");
    }
    EXPECT_EQ(Contents(file.string() + ".json"), ToJson(View(event)) + "\n") << name;
  }
}

}  // namespace
}  // namespace turnlog::golden_test
