// The server's disk is full: a small tmpfs holds the store's tables. Needs the right to mount.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "tests/sql/sql_fixture.h"

namespace turnlog::full_disk_test {
namespace {

// A file system of this size as a tablespace of the server.
class SmallTablespace {
 public:
  explicit SmallTablespace(PostgresServer& server) : server_(server), path_(server.folder() + "/small") {
    std::filesystem::create_directory(path_);
    mounted_ = ::mount("turnlog-test", path_.c_str(), "tmpfs", 0, "size=4m,mode=0777") == 0;
    if (!mounted_) return;
    std::filesystem::create_directory(path_ + "/space");
    // Its owner is the user that the server runs as.
    struct stat owner{};
    if (::stat((server.folder() + "/data").c_str(), &owner) == 0) {
      (void)!::chown((path_ + "/space").c_str(), owner.st_uid, owner.st_gid);
    }
    server_.Run("CREATE TABLESPACE small LOCATION '" + path_ + "/space'");
  }
  ~SmallTablespace() {
    if (!mounted_) return;
    server_.Run("DROP TABLESPACE small");
    ::umount(path_.c_str());
  }
  SmallTablespace(const SmallTablespace&) = delete;
  SmallTablespace& operator=(const SmallTablespace&) = delete;

  bool mounted() const { return mounted_; }

 private:
  PostgresServer& server_;
  const std::string path_;
  bool mounted_ = false;
};

TEST(FullDiskTest, AppendsFailWholeAndGoOnWhenThereIsRoom) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
  PostgresServer server;
  const SmallTablespace space(server);
  if (!space.mounted()) GTEST_SKIP() << "this user may not mount a file system";
  server.Run("CREATE SCHEMA full_disk");
  const auto log = Must(OpenSqlLog(server.Url("full_disk")));
  for (const char* table : {"turnlog_event", "turnlog_part"}) {
    server.Run(std::string("ALTER TABLE full_disk.") + table + " SET TABLESPACE small");
  }

  const std::vector<Event> large{Ask(Opaque("i")), Say(std::string(200'000, 'x')), Say(std::string(1'500'000, 'y'))};
  std::uint64_t appended = 0;
  Result<AppendResult> refused = log->Append(Id("a"), large);
  while (refused) {
    appended += large.size();
    refused = log->Append(Id("a"), large);
  }
  EXPECT_EQ(CodeOf(refused), "i/o error");
  EXPECT_EQ(CodeOf(log->Append(Id("b"), large)), "i/o error");
  const std::vector<Event> many(6'000, Say(std::string(800, 'x')));  // more than the file system holds
  EXPECT_EQ(CodeOf(log->Append(Id("many"), many)), "i/o error");
  // Nothing of them is there, neither events nor what is derived from them.
  EXPECT_EQ(Lines(*log, "a").size(), appended);
  EXPECT_EQ(Must(log->Info(Id("a"))).last.value, appended);
  EXPECT_EQ(PendingLines(*log).size(), appended / large.size());
  EXPECT_EQ(TailLines(*Must(log->Follow({}))).size(), appended);
  EXPECT_EQ(CodeOf(log->Info(Id("b"))), "not found");
  EXPECT_EQ(CodeOf(log->Info(Id("many"))), "not found");

  for (const char* table : {"turnlog_event", "turnlog_part"}) {
    server.Run(std::string("ALTER TABLE full_disk.") + table + " SET TABLESPACE pg_default");
  }
  EXPECT_EQ(Seqs(log->Append(Id("a"), large)).front(), static_cast<std::int64_t>(appended) + 1);
  EXPECT_EQ(Lines(*log, "a").size(), appended + large.size());
  Must(log->Append(Id("many"), many));
  EXPECT_EQ(Lines(*log, "many").size(), many.size());
  server.Run("DROP SCHEMA full_disk CASCADE");
}

}  // namespace
}  // namespace turnlog::full_disk_test
