// Generated sessions of each format whose sources are files: imported and exported they are the same bytes, and nothing
// in them is unreadable.
#include "tests/migrate/generated_sessions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/format.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/must.h"

namespace turnlog::generated_sessions_test {
namespace {

namespace fs = std::filesystem;

using ::testing::IsEmpty;
using ::testing::SizeIs;

class GeneratedSessionsTest : public ImportTest, public testing::WithParamInterface<GeneratedKind> {};

TEST_P(GeneratedSessionsTest, AreTheSameBytesAfterAnImport) {
  const GeneratedKind& kind = GetParam();
  const bool jp = kind.format == "jp";
  for (std::uint64_t seed = 1; seed <= SampleSize(30, 1000); ++seed) {
    SCOPED_TRACE(seed);
    Generator any(seed);
    const TempStore store;
    const fs::path file = fmt::format("{}/{}", seed, kind.file);
    const std::string text = kind.make(any);
    const fs::path path = Write(file, text);
    if (jp) Write(file.parent_path() / "base_config.json", "{}\n");
    const fs::path source = jp ? path.parent_path() : path;
    const ImportReport report = Must(Import(*store.log, kind.format, {&source, 1}));
    ASSERT_EQ(report.added, 1U);
    EXPECT_THAT(report.problems, IsEmpty());
    ASSERT_THAT(report.bytes, SizeIs(1));
    EXPECT_EQ(report.bytes[0].unreadable, 0U);
    std::vector<ConversationId> ids;
    for (const ConversationInfo& info : Must(store.log->List("", 9))) ids.push_back(Id(info.id));
    ASSERT_THAT(ids, SizeIs(1));
    const fs::path out = dir_ / fmt::format("out{}", seed);
    std::string written;
    if (jp || kind.format == "opencode") {
      Must(ExportToFolder(*store.log, kind.format, ids, out, {.raw = true}));
      for (const auto& [name, bytes] : ReadTree(out)) {
        if (!name.ends_with("base_config.json")) written = bytes;
      }
    } else {
      const auto sink = [&](std::string_view piece) { return written += piece, Status(); };
      Must(ExportToStream(*store.log, kind.format, ids, sink, {.raw = true}));
    }
    ASSERT_EQ(written, text);
    EXPECT_EQ(Must(Import(*store.log, kind.format, {&source, 1})).unchanged, 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GeneratedSessionsTest, testing::ValuesIn(GeneratedKinds()));

}  // namespace
}  // namespace turnlog::generated_sessions_test
