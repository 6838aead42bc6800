// A commit that is interrupted, or whose transaction the server undoes: what was appended is there
// exactly once, or not at all with an error that says so.
#include <atomic>
#include <climits>
#include <csignal>
#include <functional>
#include <thread>

#include "tests/sql/row_locks.h"
#include "tests/sql/sql_fixture.h"
#include "tests/support/destroying.h"

namespace turnlog::commit_failures_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class CommitFailuresTest : public Destroying<SqlTest> {
 protected:
  // Statements that run when a transaction commits that has appended.
  void AtCommit(const std::string& statements, const std::string& settings = "") {
    Run("CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql " + settings + " AS 'BEGIN " + statements +
        " RETURN NULL; END';"
        "CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT OR UPDATE ON turnlog_head DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION at_commit()");
  }
  void CommitsAsUsual() { Run("DROP FUNCTION at_commit CASCADE"); }

  // Of an append, a redaction and an erasure.
  void ExpectAllRefused(Log& log, std::string_view code) {
    const Event redaction = RedactionEvent(), text = Say("x");
    const Replacement change{{1}, View(text)};
    EXPECT_EQ(CodeOf(log.Append(Id("a"), Named("e", Ask(Opaque("i"))))), code);
    EXPECT_EQ(CodeOf(log.Append(Id("new"), Say("1"))), code);
    EXPECT_EQ(CodeOf(log.Redact(Id("a"), std::vector<Replacement>{change}, View(redaction), {})), code);
    EXPECT_EQ(CodeOf(log.Erase(Id("a"), std::vector<Seq>{{1}}, {})), code);
  }
  void ExpectNothingChanged() {
    EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
    EXPECT_THAT(PendingLines(*log_), IsEmpty());
    EXPECT_EQ(CodeOf(log_->Info(Id("new"))), "not found");
    EXPECT_THAT(TailLines(*Must(log_->Follow({}))), ElementsAre("a 1 1"));
  }
};

// By an operator, or by the time-out of an engine whose commits have one (those of PostgreSQL have none).
TEST_F(CommitFailuresTest, ACancelledCommitLeavesNothing) {
  Must(log_->Append(Id("a"), Say("1")));
  AtCommit("RAISE EXCEPTION SQLSTATE ''57014'';");
  ExpectAllRefused(*log_, "i/o error");
  CommitsAsUsual();
  ExpectNothingChanged();
  EXPECT_THAT(Seqs(log_->Append(Id("a"), Named("e", Say("2")))), ElementsAre(2));
}

TEST_F(CommitFailuresTest, ALockTimeoutInACommitLeavesNothing) {
  Must(log_->Append(Id("a"), Say("1")));
  Run("CREATE TABLE elsewhere AS SELECT 1 AS one");
  AtCommit("UPDATE elsewhere SET one = 2;", "SET lock_timeout = 50");
  const RowLocks locks(schema_->Url(), "elsewhere");
  ExpectAllRefused(*log_, "busy");
  CommitsAsUsual();
  ExpectNothingChanged();
  EXPECT_THAT(Seqs(log_->Append(Id("a"), Named("e", Say("2")))), ElementsAre(2));
}

// Numbers of a sequence stay taken when their transaction is undone: only the first commits fail. 40003, of distributed
// engines: whether the transaction was committed is unknown.
TEST_F(CommitFailuresTest, WhatTheServerUndoesIsAppendedOnceAfterAll) {
  Run("CREATE SEQUENCE tries");
  std::uint64_t last = 0;
  for (const std::string state : {"40001", "40P01", "40003"}) {
    SCOPED_TRACE(state);
    Run("ALTER SEQUENCE tries RESTART");
    AtCommit("IF nextval(''tries'') < 4 THEN RAISE EXCEPTION SQLSTATE ''" + state + "''; END IF;");
    EXPECT_EQ(Must(log_->Append(Id("a"), Named(state, Say("x")))).events.front().seq.value, ++last);
    EXPECT_GE(std::stoi(server().Ask("SELECT last_value FROM " + schema_->name() + ".tries")), 4);
    CommitsAsUsual();
  }
  EXPECT_EQ(Lines(*log_, "a").size(), last);
}

// --- Standbys that do not answer ---

void Await(const std::function<bool()>& done) {
  while (!done()) std::this_thread::yield();
}

class SlowStandbyTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
    primary_ = std::make_unique<PostgresServer>(std::vector<std::string>{"synchronous_standby_names=ANY 1 (*)"});
    standby_ = std::make_unique<PostgresServer>(PostgresServer::StandbyOf{*primary_});
    Must(Must(OpenSqlLog(primary_->Url()))->Append(Id("a"), Say("1")));
  }
  void StopStandby() {
    standby_->Stop(SIGKILL);
    Await([&] { return primary_->Ask("SELECT count(*) FROM pg_stat_replication") == "0"; });
  }
  std::unique_ptr<Log> OpenWriter(std::chrono::milliseconds patience) {
    return Must(OpenSqlLog(primary_->Url(), {.mode = OpenMode::kWrite, .patience = patience}));
  }
  // Ends so many waits of commits for a standby, unless the call returns before.
  void CancelWaits(int times, const std::atomic<bool>& returned) {
    for (int ended = 0; ended < times && !returned;) {
      ended += std::stoi(
          primary_->Ask("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"));
    }
  }
  // Makes the call, none of whose commits gets an answer.
  void CancelAllWaits(const std::function<void()>& call) {
    std::atomic<bool> returned = false;
    std::thread caller([&] {
      call();
      returned = true;
    });
    CancelWaits(INT_MAX, returned);
    caller.join();
  }

  std::unique_ptr<PostgresServer> primary_, standby_;
};

TEST_F(SlowStandbyTest, AnAppendIsThereOnceWhenAStandbyComesBackInTime) {
  const auto log = OpenWriter(60s);
  StopStandby();
  std::atomic<bool> returned = false;
  std::thread appending([&] {
    EXPECT_THAT(Seqs(log->Append(Id("a"), std::vector<Event>{Say("2"), Named("e", Say("3"))})), ElementsAre(2, 3));
    returned = true;
  });
  // The wait of the append itself, and those of the commits that would have made it durable.
  CancelWaits(4, returned);
  EXPECT_FALSE(returned);
  standby_->Start();
  appending.join();
  EXPECT_THAT(Lines(*log, "a"), ElementsAre("1 0 1", "2 0 2", "3 0 3"));
}

TEST_F(SlowStandbyTest, AnAppendInDoubtIsAnErrorAndARepeatByItsEventId) {
  const auto log = OpenWriter(200ms);
  StopStandby();
  const Event event = Named("e", Say("2"));
  CancelAllWaits([&] { EXPECT_EQ(CodeOf(log->Append(Id("a"), event)), "i/o error"); });
  CancelAllWaits([&] { EXPECT_EQ(CodeOf(log->Append(Id("a"), event)), "i/o error"); });  // there, but not safe
  standby_->Start();
  EXPECT_THAT(Seqs(log->Append(Id("a"), event)), ElementsAre(-2));
  EXPECT_THAT(Lines(*log, "a"), ElementsAre("1 0 1", "2 0 2"));
}

// It waits for no disk and no standby; what is waited for next makes it durable.
TEST_F(SlowStandbyTest, ABufferedAppendDoesNotWait) {
  const auto log = OpenWriter(200ms);
  StopStandby();
  const auto appended = log->Append(Id("a"), Say("2"), {.durability = Durability::kBuffered, .expected_last = {}});
  EXPECT_THAT(Seqs(appended), ElementsAre(2));
  CancelAllWaits([&] { EXPECT_EQ(CodeOf(log->Wait(appended->ticket, Durability::kSync)), "i/o error"); });
  standby_->Start();
  EXPECT_EQ(CodeOf(log->Wait(appended->ticket, Durability::kSync)), "fine");
}

// Unless it is told otherwise, a server or role may have it off.
TEST(SynchronousCommitTest, IsRaisedWhereItIsOff) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
  PostgresServer server({"synchronous_commit=off", "wal_writer_delay=10s"});
  const auto log = Must(OpenSqlLog(server.Url()));
  Must(log->Append(Id("a"), Say("1")));
  server.Stop(SIGQUIT);  // as if the machine had crashed
  server.Start();
  EXPECT_THAT(Lines(*log, "a"), ElementsAre("1 0 1"));
}

}  // namespace
}  // namespace turnlog::commit_failures_test
