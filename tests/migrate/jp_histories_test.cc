// Histories written by hand, with all liberties of JSON writers: an export returns the imported bytes.
#include <gmock/gmock.h>

#include "tests/migrate/import_fixture.h"
#include "tests/support/source_dir.h"
#include "turnlog/migrate/export.h"

namespace turnlog::jp_histories_test {
namespace {

constexpr int kConversations = 9;

class JpHistoriesTest : public ImportTest {
 protected:
  const std::filesystem::path folder_ = SourceDir() / "tests/migrate/histories";
};

TEST_F(JpHistoriesTest, GoOutByteByByteAsTheyCameIn) {
  const ImportReport report = Jp({folder_});
  EXPECT_EQ(report.added, kConversations);
  EXPECT_EQ(report.failed, 0);
  for (const bool raw : {false, true}) {
    SCOPED_TRACE(raw);
    const auto out = dir_ / (raw ? "raw" : "sanitized");
    ASSERT_TRUE(ExportToJp(All(), out, {.raw = raw}));
    EXPECT_EQ(ReadTree(out), ReadTree(folder_));
  }
}

TEST_F(JpHistoriesTest, AreUnchangedWhenTheyComeAgain) {
  Jp({folder_});
  const ImportReport again = Jp({folder_});
  EXPECT_EQ(again.unchanged, kConversations);
  EXPECT_EQ(again.events, 0);
  ASSERT_TRUE(ExportToJp(All(), dir_ / "out"));
  EXPECT_EQ(Jp({dir_ / "out"}).unchanged, kConversations) << "an export is a source";
}

}  // namespace
}  // namespace turnlog::jp_histories_test
