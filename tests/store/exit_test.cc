// A log that a global variable owns, which outlives main and RocksDB's own globals.
#include <cstdlib>

#include "tests/store/log_fixture.h"

namespace turnlog::exit_test {
namespace {

std::unique_ptr<Log> global;  // NOLINT(readability-identifier-naming): it changes

using ExitTest = LogTest;

TEST_F(ExitTest, AGlobalLogIsClosedBeforeTheProcessIsGone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Close();
  const auto play = [&] {
    global = Must(OpenSegmentLog(path(), {}));
    Must(global->Append(Id("c"), Say("before the end"), {.durability = Durability::kBuffered}));
    std::exit(0);
  };
  EXPECT_EXIT(play(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace turnlog::exit_test
