// What the database may keep outside of the tables, and whether the advice ends it.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/sql/sql_fixture.h"
#include "tests/support/destroying.h"

namespace turnlog::kept_copies_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

namespace fs = std::filesystem;

std::vector<std::string> FilesWith(const fs::path& folder, std::string_view text) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.contains(text)) found.push_back(entry.path().filename());
  }
  return found;
}

std::vector<std::string> Places(const std::string& url) {
  std::vector<std::string> places;
  for (const KeptCopy& copy : Must(FindKeptCopies(url))) places.push_back(copy.place);
  return places;
}

std::string EndOf(const std::string& url, std::string_view place) {
  for (const KeptCopy& copy : Must(FindKeptCopies(url))) {
    if (copy.place.starts_with(place)) return copy.end;
  }
  return {};
}

class KeptCopiesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
  }
};

TEST_F(KeptCopiesTest, AServerWithItsDefaults) {
  const PostgresServer server;
  EXPECT_THAT(Places(server.Url()), ElementsAre(StartsWith("the write-ahead log ("), "base backups and dumps"));
}

TEST_F(KeptCopiesTest, WhatIsSaidOfTheWriteAheadLogEndsIt) {
  const PostgresServer server;
  const fs::path wal = fs::path(server.folder()) / "data" / "pg_wal";
  const auto log = Must(OpenSqlLog(server.Url()));
  // Over several files, which are recycled.
  for (int i = 0; i < 40; ++i) Must(log->Append(Id("a"), Say(std::string(1 << 20, 'x') + std::string(kPlanted))));
  std::vector<Seq> all;
  for (std::uint64_t seq = 1; seq <= 40; ++seq) all.push_back({seq});
  Must(log->Erase(Id("a"), all, {}));
  Must(log->Checkpoint());
  ASSERT_THAT(FilesWith(wal, kPlanted), Not(IsEmpty()));

  const std::string end = EndOf(server.Url(), "the write-ahead log");
  EXPECT_THAT(end, HasSubstr("`wal_recycle = off` (now on)"));
  const std::size_t number = end.rfind(' ', end.rfind(" times") - 1) + 1;
  server.Run("ALTER SYSTEM SET wal_recycle = off");
  server.Run("SELECT pg_reload_conf()");
  for (int left = std::stoi(end.substr(number)); left > 0; --left) {
    server.Run("SELECT pg_switch_wal()");
    server.Run("CHECKPOINT");
  }
  EXPECT_THAT(FilesWith(wal, kPlanted), IsEmpty());
  EXPECT_THAT(EndOf(server.Url(), "the write-ahead log"), Not(HasSubstr("now on")));
}

TEST_F(KeptCopiesTest, EverythingThatThisServerKeeps) {
  const PostgresServer server({"archive_mode=on", "archive_command=true", "wal_keep_size=64MB", "log_statement=mod"});
  const auto log = Must(OpenSqlLog(server.Url()));
  server.Run("SELECT pg_create_physical_replication_slot('forgotten', true)");
  server.Run("SELECT pg_switch_wal()");
  Must(log->Append(Id("a"), Say("1")));
  const std::string url = server.Url();
  EXPECT_THAT(Places(url), ElementsAre(StartsWith("the write-ahead log ("), "the archive of the write-ahead log",
                                       HasSubstr("\"forgotten\""), "the server's log", "base backups and dumps"));
  EXPECT_THAT(EndOf(url, "the write-ahead log"), HasSubstr("`wal_keep_size = 0` (now 64MB)"));
  EXPECT_THAT(EndOf(url, "the archive"), HasSubstr("`pg_archivecleanup FOLDER 0000000100000000000000"));
  EXPECT_THAT(EndOf(url, "the log that"), HasSubstr("pg_drop_replication_slot('forgotten')"));
  EXPECT_THAT(EndOf(url, "the server's log"), HasSubstr("log_statement"));

  server.Run("SELECT pg_drop_replication_slot('forgotten')");
  server.Run("ALTER DATABASE postgres SET log_parameter_max_length = 0");
  EXPECT_THAT(Places(url), ElementsAre(StartsWith("the write-ahead log ("), "the archive of the write-ahead log",
                                       "base backups and dumps"));
}

TEST_F(KeptCopiesTest, AStandbyUntilItHasReplayedTheErasure) {
  const PostgresServer primary;
  const auto log = Must(OpenSqlLog(primary.Url()));
  const PostgresServer standby{PostgresServer::StandbyOf{primary}};
  standby.Run("SELECT pg_wal_replay_pause()");
  Must(log->Append(Id("a"), Say("1")));
  EXPECT_THAT(EndOf(primary.Url(), "standby"), HasSubstr("wait until"));
  standby.Run("SELECT pg_wal_replay_resume()");
  // Ends as soon as the standby has, up to the end of the log then, which goes on by itself; a minute is for a standby
  // that never does.
  std::string end = EndOf(primary.Url(), "standby");
  for (int tries = 0; tries < 6000 && end.starts_with("wait"); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    end = EndOf(primary.Url(), "standby");
  }
  EXPECT_THAT(end, HasSubstr("has replayed"));
}

TEST_F(KeptCopiesTest, ARoleThatMayNotLook) {
  const PostgresServer server;
  server.Run("CREATE ROLE agent LOGIN");
  const std::string url = server.Url("public", "agent");
  EXPECT_THAT(Places(url), ElementsAre("the write-ahead log", "base backups and dumps"));
  EXPECT_THAT(EndOf(url, "the write-ahead log"), HasSubstr("pg_monitor"));
}

TEST_F(KeptCopiesTest, ThereIsNoServer) {
  EXPECT_EQ(CodeOf(FindKeptCopies("postgresql:///?host=/nowhere")), "i/o error");
}

}  // namespace
}  // namespace turnlog::kept_copies_test
