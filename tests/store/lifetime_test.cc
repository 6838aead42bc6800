// Cursors and tails that still exist when their log is closed.
#include <gmock/gmock.h>

#include "tests/store/log_fixture.h"

namespace turnlog::lifetime_test {
namespace {

using testing::ElementsAre;

using LifetimeTest = LogTest;

TEST_F(LifetimeTest, CursorFailsAfterCloseAndLeavesTheStoreToTheNextWriter) {
  Must(Append("a", {Say("1"), Say("2")}));
  const auto cursor = Must(log_->ReadRaw(Id("a")));
  Close();
  EXPECT_EQ(CodeOf(cursor->Next()), "needs reopening");
  Open(OpenMode::kWrite);
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
}

TEST_F(LifetimeTest, CursorOfAReaderFailsAfterCloseAndConcernsNoWriter) {
  Must(Append("a", Say("1")));
  Reopen(OpenMode::kRead);
  const auto cursor = Must(log_->ReadRaw(Id("a")));
  Reopen(OpenMode::kWrite);
  Must(Append("a", Say("2")));
  EXPECT_EQ(CodeOf(cursor->Next()), "needs reopening");
}

TEST_F(LifetimeTest, TailFailsAfterClose) {
  Must(Append("a", Say("1")));
  const auto tail = Must(log_->Follow({}));
  Must(log_->Close());
  EXPECT_EQ(CodeOf(tail->Next()), "needs reopening");
  EXPECT_EQ(CodeOf(tail->Wait(std::chrono::milliseconds(0))), "needs reopening");
}

}  // namespace
}  // namespace turnlog::lifetime_test
