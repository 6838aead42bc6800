// Shared by tests of erasing and redacting: what is still stored, and that the log answers the same afterwards, even
// after a crash or the loss of derived data.
#pragma once

#include <string_view>

#include "tests/log_conformance/conformance.h"
#include "tests/log_conformance/stored_text.h"
#include "tests/store/answers.h"
#include "tests/support/destroying.h"

namespace turnlog {

class DestroyedTest : public Destroying<ConformanceTest> {
 protected:
  // From everything stored, if the engine erases in place.
  void ExpectGone(std::string_view text) {
    if (!log_->capabilities().erases_in_place) return;
    EXPECT_THAT(StoredObjectsWith(*log_, text), testing::IsEmpty());
  }

  void ExpectSameAnswersAfterwards() {
    const std::vector<std::string> answers = AnswersOf(*log_);
    Must(log_->Checkpoint());
    EXPECT_EQ(AnswersOf(*log_), answers);
    ReopenAfterKill();
    EXPECT_EQ(AnswersOf(*log_), answers);
    Reopen();
    EXPECT_EQ(AnswersOf(*log_), answers);
    ReopenWithoutDerived();
    EXPECT_EQ(AnswersOf(*log_), answers);
    EXPECT_EQ(AnswersOf(*OpenReader()), answers);
    Close();
    EXPECT_EQ(store_->Check(), "");
    Open(OpenMode::kWrite);
  }
};

}  // namespace turnlog
