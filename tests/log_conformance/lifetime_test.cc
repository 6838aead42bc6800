// Cursors and tails that still exist when their log is closed.
#include "tests/log_conformance/conformance.h"

namespace turnlog::lifetime_test {
namespace {

using testing::ElementsAre;

using LifetimeTest = ConformanceTest;

TURNLOG_FOR_ALL_ENGINES(LifetimeTest);

TEST_P(LifetimeTest, CursorFailsAfterCloseAndLeavesTheStoreToTheNextWriter) {
  Must(Append("a", {Say("1"), Say("2")}));
  const auto cursor = Must(log_->ReadRaw(Id("a")));
  Must(log_->Close());
  const auto next = Must(store_->Open(OpenMode::kWrite));
  EXPECT_EQ(CodeOf(cursor->Next()), "needs reopening");
  EXPECT_THAT(Lines(*next, "a"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_P(LifetimeTest, CursorOfAReaderFailsAfterCloseAndConcernsNoWriter) {
  Must(Append("a", Say("1")));
  const auto reader = OpenReader();
  const auto cursor = Must(reader->ReadRaw(Id("a")));
  Must(reader->Close());
  Must(Append("a", Say("2")));
  EXPECT_EQ(CodeOf(cursor->Next()), "needs reopening");
}

TEST_P(LifetimeTest, TailFailsAfterClose) {
  Must(Append("a", Say("1")));
  const auto tail = Must(log_->Follow({}));
  Must(log_->Close());
  EXPECT_EQ(CodeOf(tail->Next()), "needs reopening");
  EXPECT_EQ(CodeOf(tail->Wait(std::chrono::milliseconds(0))), "needs reopening");
}

}  // namespace
}  // namespace turnlog::lifetime_test
