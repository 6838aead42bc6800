// Events with parts, which are read later than their row.
#include "tests/sql/sql_fixture.h"
#include "tests/support/destroying.h"

namespace turnlog::large_events_test {
namespace {

using testing::ElementsAre;

class LargeEventsTest : public Destroying<SqlTest> {
 protected:
  void SetUp() override {
    SqlTest::SetUp();
    if (log_ == nullptr) return;
    const std::string large(3 << 20, 'x');
    Must(Append(*log_, "a", {Say("1"), Say(large), Say(large), Say("4")}));
  }
  // Whose page holds the rows of the large events, as they are now.
  std::unique_ptr<Cursor> CursorWithPage(const ReadOptions& options) {
    auto cursor = Must(log_->ReadRaw(Id("a"), options));
    Must(cursor->Next());
    return cursor;
  }
};

TEST_F(LargeEventsTest, OneThatIsRedactedOrErasedMeanwhileIsReadAsItIsThen) {
  const auto forward = CursorWithPage({}), backward = CursorWithPage({.from = {0}, .backward = true});
  Must(Redact("a", {{2, Say("[redacted]")}}));
  Must(Erase("a", {3}));
  const std::string erased = "3 0 erased " + std::string(ToString(EventKind::kChatRequest));
  EXPECT_THAT(Lines(*forward), ElementsAre("2 0 [redacted]", erased, "4 0 4"));
  EXPECT_THAT(Lines(*backward), ElementsAre(erased, "2 0 [redacted]", "1 0 1"));
}

TEST_F(LargeEventsTest, AMissingPartIsDamage) {
  Run("DELETE FROM turnlog_part WHERE seq = 2 AND part = 1");
  const std::vector<std::string> lines = Lines(*log_, "a");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[1], testing::HasSubstr("damage"));
  EXPECT_EQ(lines[3], "4 0 4");
}

}  // namespace
}  // namespace turnlog::large_events_test
