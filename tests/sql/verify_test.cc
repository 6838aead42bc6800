// What is looked up is compared with the events: no row of any table can be wrong without being named.
#include "tests/sql/sql_fixture.h"
#include "tests/support/destroying.h"
#include "turnlog/verify_log.h"

namespace turnlog::verify_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class VerifyTest : public Destroying<SqlTest> {
 protected:
  void SetUp() override {
    SqlTest::SetUp();
    if (log_ == nullptr) return;
    Must(log_->Append(Id("a"), std::vector<Event>{NewTurn(), Ask(Opaque("i")), Answer(Opaque("i")), Ask(Opaque("i")),
                                                  NewTurn(), Answer(Opaque("orphan")), Repaired(6, 6), Say("x")}));
    Must(log_->Append(Id("b"), std::vector<Event>{NewTurn(), Ask(Opaque("open"))}));
  }
  LogReport Verify() { return Must(VerifyLog(*OpenStore({.mode = OpenMode::kRead}))); }
};

TEST_F(VerifyTest, AStoreIsCleanAlsoAfterErasuresAndRedactions) {
  EXPECT_THAT(Verify().differences, IsEmpty());
  Must(Redact("a", {{8, Say("[redacted]")}}));
  Must(Erase("a", {1, 6}));
  const LogReport report = Verify();
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.conversations, 2U);
  EXPECT_EQ(report.events, 11U);
  EXPECT_EQ(report.erased, 2U);
  EXPECT_EQ(report.redacted, 1U);
}

TEST_F(VerifyTest, NoRowIsWrongWithoutBeingNamed) {
  for (const auto& [change, named] : std::vector<std::pair<std::string, std::string>>{
           {"UPDATE turnlog_head SET turns = 3 WHERE last_seq = 8", "2 turns, and 3 are counted"},
           {"UPDATE turnlog_head SET bytes = bytes + 1 WHERE last_seq = 8", "are counted"},
           {"UPDATE turnlog_head SET first_time = 1 WHERE last_seq = 8", "first or last time"},
           {"UPDATE turnlog_head SET open = (SELECT open FROM turnlog_head WHERE last_seq = 8) WHERE last_seq = 2",
            "other inquiries are pending"},
           {"UPDATE turnlog_head SET open = (SELECT open FROM turnlog_head WHERE last_seq = 2) WHERE last_seq = 8",
            "other inquiries are pending"},
           {"DELETE FROM turnlog_pending", "not among those of all conversations"},
           {"UPDATE turnlog_turn SET seq = 4 WHERE seq = 5", "turn 2 begins with event 5, and event 4 is found"},
           {"DELETE FROM turnlog_turn WHERE seq = 5", "turn 2 begins with event 5"},
           {"UPDATE turnlog_inquiry SET response = 0 WHERE request = 2 AND response = 3", "of the inquiry of event 2"},
           {"UPDATE turnlog_inquiry SET turn = 2 WHERE request = 4", "of the inquiry of event 2"},
           {"DELETE FROM turnlog_inquiry WHERE response = 6", "of the inquiry of event 6"},
           {"UPDATE turnlog_repair SET to_seq = 8", "other repairs"},
           {"DELETE FROM turnlog_repair", "other repairs"}}) {
    SCOPED_TRACE(change);
    Run("CREATE TABLE kept_h AS TABLE turnlog_head; CREATE TABLE kept_t AS TABLE turnlog_turn; CREATE TABLE kept_i AS "
        "TABLE turnlog_inquiry; CREATE TABLE kept_r AS TABLE turnlog_repair; CREATE TABLE kept_p AS TABLE "
        "turnlog_pending; " +
        change);
    const LogReport report = Verify();
    EXPECT_FALSE(report.clean());
    EXPECT_THAT(report.differences, testing::Contains(HasSubstr(named)));
    Run("TRUNCATE turnlog_head, turnlog_turn, turnlog_inquiry, turnlog_repair, turnlog_pending; INSERT INTO "
        "turnlog_head TABLE kept_h; INSERT INTO turnlog_turn TABLE kept_t; INSERT INTO turnlog_inquiry TABLE kept_i; "
        "INSERT INTO turnlog_repair TABLE kept_r; INSERT INTO turnlog_pending TABLE kept_p; DROP TABLE kept_h, kept_t, "
        "kept_i, kept_r, kept_p");
    EXPECT_TRUE(Verify().clean());
  }
}

}  // namespace
}  // namespace turnlog::verify_test
