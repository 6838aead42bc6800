// What reads and lookups cost does not depend on how much is stored: the rows that the server touches are counted.
#include <functional>
#include <utility>

#include "tests/sql/sql_fixture.h"

namespace turnlog::lookup_cost_test {
namespace {

constexpr std::uint64_t kTurns = 400, kEventsOfTurn = 4;

class LookupCostTest : public SqlTest {
 protected:
  void SetUp() override {
    SqlTest::SetUp();
    if (IsSkipped()) return;
    std::vector<Event> events;
    for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
      const InquiryId id = Opaque(std::to_string(turn));
      events.insert(events.end(), {NewTurn(), Ask(id), Answer(id), Say("x")});
    }
    events.push_back(Ask(Opaque("open")));
    Must(log_->Append(Id("a"), events));
    for (std::uint64_t i = 0; i < kTurns; ++i) Must(log_->Append(Id(std::to_string(i)), Say("x")));
    log_.reset();
    WaitForEndOf("turnlog");  // or it may enter its counts while those of another are looked at
    Run("ANALYZE");
  }

  // Rows of all tables that a log of its own has read for the call. A session enters its counts before it leaves the
  // list of sessions.
  std::uint64_t RowsRead(const std::function<void(Log&)>& call) {
    return Counted("coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)", call);
  }
  // The same for a column of the statistics.
  std::uint64_t Counted(const std::string& count, const std::function<void(Log&)>& call) {
    const std::uint64_t before = Total(count);
    auto log = OpenStore({.holder = "counted"});
    call(*log);
    log.reset();
    WaitForEndOf("counted");
    return Total(count) - before;
  }

 private:
  static void WaitForEndOf(const std::string& holder) {
    while (server().Ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + holder + "'") != "0") {
    }
  }
  std::uint64_t Total(const std::string& count) const {
    return std::stoull(server().Ask("SELECT sum(" + count + ") FROM pg_stat_user_tables WHERE schemaname = '" +
                                    schema_->name() + "'"));
  }
};

TEST_F(LookupCostTest, DoesNotGrowWithTheStore) {
  const std::vector<std::pair<std::string, std::function<void(Log&)>>> calls{
      {"an inquiry", [](Log& log) { (void)Must(log.FindInquiry(Id("a"), {"7", {}})); }},
      {"pending ones of a conversation", [](Log& log) { EXPECT_EQ(PendingLines(log, "a").size(), 1U); }},
      {"pending ones of all", [](Log& log) { EXPECT_EQ(PendingLines(log).size(), 1U); }},
      {"the last turns", [](Log& log) { EXPECT_EQ(Lines(log, "a", {.last_turns = 2}).size(), 2 * kEventsOfTurn + 1); }},
      {"the last events",
       [](Log& log) {
         EXPECT_EQ(Lines(log, "a", {.from = {kTurns * kEventsOfTurn}, .backward = true, .limit = 5}).size(), 5U);
       }},
      {"a turn in the middle",
       [](Log& log) { EXPECT_EQ(Lines(log, "a", {.from_turn = Turn{9}, .limit = 3}).size(), 3U); }},
      {"a page of names", [](Log& log) { EXPECT_EQ(Must(log.List("2", 5)).size(), 5U); }},
      {"the end of the feed", [](Log& log) { (void)Must(log.End()); }},
      {"a watermark", [](Log& log) { (void)Must(log.FindWatermark("sanitize", Id("a"))); }},
      {"an append", [](Log& log) { Must(log.Append(Id("a"), Answer(Opaque("open")))); }},
      {"an event_id", [](Log& log) { Must(log.Append(Id("a"), Named("e", Say("x")))); }},
  };
  // All 64 lanes may be read twice: where they are few pages, the planner prefers that to their index.
  const std::uint64_t opening = RowsRead([](Log&) {});
  for (const auto& [name, call] : calls) EXPECT_LT(RowsRead(call) - opening, kTurns / 2) << name;
}

// Between two vacuums a small table has many dead rows, which a scan of it would visit. Prepared statements are planned
// for all values from their sixth run on.
TEST_F(LookupCostTest, AnAppendScansNoTable) {
  const auto scans = Counted("seq_scan", [](Log& log) {
    for (int i = 0; i < 10; ++i) Must(log.Append(Id("a"), Say("x")));
    (void)Must(log.End());
  });
  EXPECT_EQ(scans, 0U);
}

// Each append updates the row of its lane: there is room for the new version beside it.
TEST_F(LookupCostTest, LanesHaveRoomOnTheirPages) {
  EXPECT_GE(std::stoi(server().Ask("SELECT pg_relation_size('" + schema_->name() + ".turnlog_lane') / 8192")), 4);
}

}  // namespace
}  // namespace turnlog::lookup_cost_test
