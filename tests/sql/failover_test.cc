// A primary with two standbys and quorum commit: it dies under load, a standby is promoted, and the writers go on.
#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "tests/store/log_fixture.h"
#include "tests/support/postgres_server.h"
#include "turnlog/sql_log.h"

namespace turnlog::failover_test {
namespace {

using namespace std::chrono_literals;

constexpr int kWriters = 4;
constexpr std::uint64_t kBefore = 40, kAfter = 80;  // appends of each writer: before the primary dies, and in the end

// Everything that was acknowledged is on the standby that has received most: a commit waits for one of the two.
PostgresServer& MoreAdvanced(PostgresServer& one, PostgresServer& other) {
  const auto received = [](const PostgresServer& server) {
    return std::stoull(server.Ask("SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::bigint"));
  };
  return received(one) >= received(other) ? one : other;
}

std::string UrlOfAll(const std::vector<const PostgresServer*>& servers) {
  std::string folders;
  for (const PostgresServer* server : servers) folders += (folders.empty() ? "" : ",") + server->folder();
  return "postgresql:///postgres?host=" + folders + "&user=postgres&target_session_attrs=read-write";
}

TEST(FailoverTest, NothingAcknowledgedIsLostAndWritersGoOn) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
  PostgresServer primary({"synchronous_standby_names=ANY 1 (*)", "hot_standby=on"});
  PostgresServer first({.primary = primary}), second({.primary = primary});
  const auto log = Must(OpenSqlLog(UrlOfAll({&primary, &first, &second})));

  std::atomic<std::uint64_t> acknowledged = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      const ConversationId id = Id(std::to_string(writer));
      for (std::uint64_t i = 0; i < kAfter; ++i) {
        // Seqs that are dense and as expected: no event is lost, and none is there twice.
        EXPECT_EQ(Must(log->Append(id, Say(std::to_string(i)), {.expected_last = Seq{i}})).events.front().seq.value,
                  i + 1);
        ++acknowledged;
      }
    });
  }
  while (acknowledged < kBefore * kWriters) std::this_thread::yield();
  primary.Stop(SIGKILL);
  MoreAdvanced(first, second).Run("SELECT pg_promote()");
  for (std::thread& writer : writers) writer.join();

  const auto reader = Must(OpenSqlLog(UrlOfAll({&first, &second}), {.mode = OpenMode::kRead}));
  for (int writer = 0; writer < kWriters; ++writer) {
    std::vector<std::string> expected;
    for (std::uint64_t i = 0; i < kAfter; ++i) expected.push_back(std::to_string(i + 1) + " 0 " + std::to_string(i));
    EXPECT_EQ(Lines(*reader, std::to_string(writer)), expected);
  }
  EXPECT_EQ(TailLines(*Must(reader->Follow({}))).size(), kAfter * kWriters);
}

// A standby serves readers.
TEST(FailoverTest, AStandbyIsReadAndRefusesWriters) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
  PostgresServer primary({"synchronous_standby_names=ANY 1 (*)", "synchronous_commit=remote_apply"});
  PostgresServer standby({.primary = primary});
  const auto log = Must(OpenSqlLog(primary.Url()));
  Must(log->Append(Id("a"), Say("1")));
  const auto reader = Must(OpenSqlLog(standby.Url(), {.mode = OpenMode::kRead}));
  EXPECT_THAT(Lines(*reader, "a"), testing::ElementsAre("1 0 1"));
  EXPECT_THAT(TailLines(*Must(reader->Follow({}))), testing::ElementsAre("a 1 1"));
  const auto writer = Must(OpenSqlLog(standby.Url(), {.mode = OpenMode::kWrite}));
  EXPECT_EQ(CodeOf(writer->Append(Id("a"), Say("2"))), "read only");
}

// It is behind, and has lost nothing.
TEST(FailoverTest, ATailWaitsForAStandbyThatIsBehind) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
  PostgresServer primary;
  PostgresServer standby({.primary = primary});
  const auto log = Must(OpenSqlLog(primary.Url()));
  Must(log->Append(Id("a"), Say("1")));
  const std::string until = primary.Ask("SELECT pg_current_wal_lsn()");
  while (standby.Ask("SELECT pg_last_wal_replay_lsn() >= '" + until + "'") != "t") std::this_thread::yield();
  const auto reader = Must(OpenSqlLog(standby.Url(), {.mode = OpenMode::kRead, .patience = 100ms}));
  standby.Run("SELECT pg_wal_replay_pause()");
  Must(log->Append(Id("a"), Say("2")));
  const Position end = Must(log->End());
  EXPECT_EQ(CodeOf(reader->Follow(end)), "i/o error");
  standby.Run("SELECT pg_wal_replay_resume()");
  const auto patient = Must(OpenSqlLog(standby.Url(), {.mode = OpenMode::kRead}));
  EXPECT_THAT(TailLines(*Must(patient->Follow(end))), testing::IsEmpty());
}

}  // namespace
}  // namespace turnlog::failover_test
