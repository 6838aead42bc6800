// A redaction that fails at any of its writes, followed by redactions of other values.
#include <gmock/gmock.h>

#include "store/engine/event_log.h"
#include "tests/redact/redact_fixture.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temp_dir.h"
#include "turnlog/maintenance.h"

namespace turnlog::fault_test {
namespace {

using ::testing::IsEmpty;

class InterruptedRedactionTest : public RedactTest {
 protected:
  Status RedactValue(Log& log, std::string_view value) {
    const auto redaction = Redaction::Plan(log, Given({value}));
    if (!redaction) return std::unexpected(redaction.error());
    return (*redaction)->Apply("tester");
  }

  // Both values in the same events, in a conversation of sources and one of occurrences.
  void Fill(Log& log) {
    for (const char* name : {"a", "b"}) {
      for (int i = 0; i < 3; ++i) Must(log.Append(Id(name), Say(value_ + " and " + other_)));
    }
    Must(log.Append(Id("b"), LeakedAnswer("q", other_)));
    Must(log.Checkpoint());
  }
};

TEST_F(InterruptedRedactionTest, OtherValuesGoCompletelyAndThenTheFirstOne) {
  std::uint64_t n = 1;
  for (bool failed = true; failed; ++n) {
    SCOPED_TRACE(n);
    const TempDir folder;
    CrashFileSystem disk(PosixFileSystem());
    FaultFileSystem files(disk);
    const auto open = [&] { return Must(EventLog::Open(folder / "store", {}, {.files = &files})); };
    {
      const auto log = open();
      Fill(*log);
      files.FailMutation(n, FaultMode::kShortWrite, FaultExtent::kFromThenOn);
      (void)RedactValue(*log, value_);
      failed = !files.failed().empty();
    }
    files.Heal();
    const auto log = open();
    EXPECT_TRUE(Redact(*log, Given({other_})).clean());
    EXPECT_THAT(FilesWith(folder / "store", other_), IsEmpty());
    EXPECT_TRUE(Redact(*log, Given({value_})).clean());
    EXPECT_THAT(FilesWith(folder / "store", value_), IsEmpty());
    Must(log->Close());
    EXPECT_TRUE(Must(VerifyStore(folder / "store")).clean());
    if (HasFailure()) return;
  }
  EXPECT_GT(n, 6U) << "hardly anything failed: the test does not test";
}

}  // namespace
}  // namespace turnlog::fault_test
