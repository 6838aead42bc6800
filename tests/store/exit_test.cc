// Logs that are still open when their process exits: after main, and perhaps after RocksDB's own globals.
#include "tests/store/child_process.h"
#include "tests/store/log_fixture.h"

namespace turnlog::exit_test {
namespace {

class ExitTest : public testing::Test {
 protected:
  int Run(const std::string& what) { return ChildProcess({TURNLOG_EXITING_PROCESS, path(), what}).Finish(); }
  // The index is as of the end, so that there is nothing to replay.
  void ExpectClosed() {
    const auto log = Must(OpenQuietLog(path(), {.mode = OpenMode::kRead}));
    const StoreStats stats = Must(log->Stats());
    EXPECT_EQ(Figure(stats, "checkpoint_offset"), Figure(stats, "end_offset"));
    EXPECT_GT(Must(log->Info(Id("read"))).last.value, 0U);
  }
  std::string path() const { return folder_ / "store"; }

  TempDir folder_;
};

TEST_F(ExitTest, AGlobalLogIsClosedBeforeTheProcessIsGone) {
  ASSERT_EQ(Run("global"), 0);
  ExpectClosed();
}

TEST_F(ExitTest, ThreadsThatGoOnUsingALogDoNotDisturbTheExit) {
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(Run("writers"), 0);
    ExpectClosed();
  }
}

TEST_F(ExitTest, ThreadsThatGoOnReadingDoNotDisturbTheExit) {
  ASSERT_EQ(Run("writers"), 0);
  for (int i = 0; i < 8; ++i) ASSERT_EQ(Run("readers"), 0);
}

}  // namespace
}  // namespace turnlog::exit_test
