// Locks of other sessions: those of a purge are waited for, others not for ever.
#include <chrono>
#include <thread>

#include "tests/sql/row_locks.h"
#include "tests/sql/sql_fixture.h"

namespace turnlog::locks_test {
namespace {

constexpr std::chrono::seconds kPatience{3};

// A lock of the table of events, for longer than that.
constexpr const char* kSlowIndex =
    "CREATE FUNCTION slowly(v int8) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_query() LIKE "
    "'VACUUM%' THEN PERFORM pg_sleep(5); END IF; RETURN v; END $$;"
    "CREATE INDEX ON turnlog_event (slowly(seq))";

class LocksTest : public SqlTest {
 protected:
  void AwaitRewrite() {
    while (server().Ask("SELECT count(*) FROM pg_stat_progress_cluster") == "0") std::this_thread::yield();
  }
  static std::string CodeOfFirst(Log& log) {
    const auto cursor = log.ReadRaw(Id("a"), {});
    return cursor ? CodeOf((*cursor)->Next()) : CodeOf(cursor);
  }
};

TEST_F(LocksTest, APurgeIsWaitedForToItsEnd) {
  const auto log = OpenStore({.patience = kPatience});
  Must(log->Append(Id("a"), Say("before")));
  Run(kSlowIndex);
  const std::jthread purge([&] { server().Run("VACUUM (FULL) " + schema_->name() + ".turnlog_event"); });
  AwaitRewrite();
  std::string appended, read;
  {
    const std::jthread appends([&] { appended = CodeOf(log->Append(Id("a"), Say("meanwhile"))); });
    const std::jthread reads([&] { read = CodeOfFirst(*log); });
  }
  EXPECT_EQ(appended, "fine");
  EXPECT_EQ(read, "fine");
  EXPECT_EQ(Must(log->Info(Id("a"))).last, Seq{2});
}

TEST_F(LocksTest, AnotherLockIsNot) {
  const auto log = OpenStore({.patience = kPatience});
  Must(log->Append(Id("a"), Say("before")));
  RowLocks held(schema_->Url(), "turnlog_head");
  ASSERT_TRUE(held.held());
  EXPECT_EQ(CodeOf(log->Append(Id("a"), Say("never"))), "busy");
  held.Release();
  EXPECT_EQ(Must(log->Info(Id("a"))).last, Seq{1});
}

}  // namespace
}  // namespace turnlog::locks_test
