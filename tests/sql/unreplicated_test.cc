// Commits that can be read before they are durable: nothing acknowledges them until they are.
#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "tests/sql/sql_fixture.h"
#include "tests/support/destroying.h"

namespace turnlog::unreplicated_test {
namespace {

using testing::ElementsAre;

struct Interrupted {
  std::string name, interrupt;  // a function of the server that ends the wait of a session
  std::function<void(Log&)> call;
};

void Await(const std::function<bool()>& done) {
  while (!done()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// The session that waits for a standby and has sent this statement.
std::string Waiting(const PostgresServer& primary, const std::string& statement) {
  return primary.Ask("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '" + statement +
                     "%'");
}

std::vector<Interrupted> Calls() {
  const auto append = [](Log& log) { EXPECT_THAT(Seqs(log.Append(Id("a"), Say("2"))), ElementsAre(2)); };
  const auto append_again = [](Log& log) { EXPECT_THAT(Seqs(log.Append(Id("a"), Say("3"))), ElementsAre(3)); };
  const auto redact = [](Log& log) {
    const Event redaction = RedactionEvent(), text = Say("x");
    const Replacement change{{1}, View(text)};
    EXPECT_EQ(Must(log.Redact(Id("a"), std::vector<Replacement>{change}, View(redaction), {})).redaction.value, 4U);
  };
  const auto erase = [](Log& log) { EXPECT_EQ(Must(log.Erase(Id("a"), std::vector<Seq>{{2}}, {})).events, 1U); };
  return {{"append, cancelled", "pg_cancel_backend", append},
          {"append, connection lost", "pg_terminate_backend", append_again},
          {"redact", "pg_terminate_backend", redact},
          {"erase", "pg_cancel_backend", erase}};
}

// A session that is told to stop waiting for its standbys has committed on the primary alone, and says so in a warning
// or not at all.
TEST(UnreplicatedTest, CallsReturnOnceAStandbyHasTheirCommit) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
  PostgresServer primary({"synchronous_standby_names=ANY 1 (*)"});
  PostgresServer standby({.primary = primary});
  const auto log = Must(OpenSqlLog(primary.Url()));
  Must(log->Append(Id("a"), Say("1")));
  for (const auto& [name, interrupt, call] : Calls()) {
    SCOPED_TRACE(name);
    standby.Stop(SIGKILL);
    Await([&] { return primary.Ask("SELECT count(*) FROM pg_stat_replication") == "0"; });
    std::atomic<bool> returned = false;
    std::thread caller([&, run = &call] {
      (*run)(*log);
      returned = true;
    });
    Await([&] { return returned || !Waiting(primary, "COMMIT").empty(); });
    primary.Run("SELECT " + interrupt + "(" + Waiting(primary, "COMMIT") + ")");
    Await([&] { return returned || !Waiting(primary, "UPDATE turnlog_lane SET tag = tag").empty(); });
    EXPECT_FALSE(returned);
    standby.Start();
    caller.join();
  }
}

// The first append waits for nothing, the second one for the disk.
TEST(UnreplicatedTest, ARepeatedAppendIsAsDurableAsItAsks) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
  PostgresServer server({"wal_writer_delay=10s"});
  const auto log = Must(OpenSqlLog(server.Url()));
  const Event event = Named("e", Say("1"));
  Must(log->Append(Id("a"), event, {.durability = Durability::kBuffered, .expected_last = {}}));
  EXPECT_TRUE(Must(log->Append(Id("a"), event)).events.front().repeated);
  server.Stop(SIGQUIT);  // as if the machine had crashed
  server.Start();
  EXPECT_THAT(Lines(*log, "a"), ElementsAre("1 0 1"));
}

}  // namespace
}  // namespace turnlog::unreplicated_test
