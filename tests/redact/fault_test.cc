// A redaction that fails at any of its writes, followed by redactions of other values.
#include <gmock/gmock.h>

#include <fstream>

#include "store/engine/event_log.h"
#include "tests/redact/redact_fixture.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temp_dir.h"
#include "turnlog/maintenance.h"

namespace turnlog::fault_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

// Everything that a caller may print when the n-th read or write fails.
class ErrorTextTest : public RedactTest {
 protected:
  std::string TextOf(Log& log) {
    std::string text;
    const auto redaction = Redaction::Plan(log, Given({value_}));
    if (!redaction) return redaction.error().message;
    for (const ValueLocation& location : (*redaction)->plan().kept) text += location.conversation + location.field;
    for (const Damage& damage : (*redaction)->plan().damage) text += ToString(damage);
    if (const Status applied = (*redaction)->Apply("tester"); !applied) text += applied.error().message;
    const auto proof = (*redaction)->Prove();
    if (!proof) return text + proof.error().message;
    for (const ValueLocation& location : proof->left) text += location.file + location.conversation + location.field;
    for (const std::string& problem : proof->problems) text += problem;
    return text;
  }

  // False if nothing failed.
  bool FailsAt(std::uint64_t n, bool read) {
    const TempDir folder;
    FaultFileSystem files(PosixFileSystem());
    const auto log = Must(EventLog::Open(folder / "store", {}, {.files = &files}));
    for (int i = 0; i < 3; ++i) Must(log->Append(Id("about " + value_), turnlog::Say(value_)));
    std::ofstream(folder / "store" / ("copy of " + value_)) << "x";
    read ? files.FailRead(n) : files.FailMutation(n);
    const std::string text = TextOf(*log);
    EXPECT_THAT(text, Not(HasSubstr(value_))) << n;
    const bool failed = !files.failed().empty();
    if (failed) texts_ += text;
    return failed;
  }

  std::string texts_;
};

TEST_F(ErrorTextTest, HoldsNoValueWhateverFails) {
  for (const bool read : {true, false}) {
    std::uint64_t n = 1;
    while (FailsAt(n, read)) ++n;
    EXPECT_GT(n, 3U) << "hardly anything failed: the test does not test";
  }
  EXPECT_THAT(texts_, HasSubstr("about [redacted]"));
  EXPECT_THAT(texts_, HasSubstr("copy of [redacted]"));
}

}  // namespace
}  // namespace turnlog::fault_test
