// Stores of earlier schema versions.
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/sql/sql_fixture.h"
#include "tests/support/source_dir.h"

namespace turnlog::migration_test {
namespace {

using testing::ElementsAre;

class MigrationTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
    std::ifstream file(SourceDir() / "tests/golden/sql/v1.sql");
    std::string dump{std::istreambuf_iterator<char>(file), {}};
    schema_ = std::make_unique<PostgresSchema>();
    const std::string dumped = "stored_v1";
    for (std::size_t at = 0; (at = dump.find(dumped, at)) != std::string::npos;) {
      dump.replace(at, dumped.size(), schema_->name());
    }
    PostgresServer::Shared().Run("DROP SCHEMA " + schema_->name() + ";" + dump);
  }

  auto Open(OpenMode mode) { return OpenSqlLog(schema_->Url(), {.mode = mode}); }
  Status Migrate() { return MigrateSqlLog(schema_->Url()); }

  std::unique_ptr<PostgresSchema> schema_;
};

TEST_F(MigrationTest, AnEarlierVersionIsNotTouchedUntilItIsMigrated) {
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite, OpenMode::kCreate, OpenMode::kCreateNew}) {
    EXPECT_EQ(CodeOf(Open(mode)), mode == OpenMode::kCreateNew ? "invalid argument" : "unsupported version");
  }
  EXPECT_EQ(CodeOf(Migrate()), "fine");
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite, OpenMode::kCreate}) {
    EXPECT_EQ(CodeOf(Open(mode)), "fine");
  }
  EXPECT_EQ(CodeOf(Migrate()), "fine");  // again
}

TEST_F(MigrationTest, EverythingStaysAndNewEventsFollow) {
  Must(Migrate());
  const auto log = Must(Open(OpenMode::kWrite));
  EXPECT_EQ(Must(log->Stats()).format_version, 2U);
  const std::vector<std::string> lines = Lines(*log, "kept");
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines[1], "2 1 first");
  EXPECT_EQ(lines[4], "5 1 chat_response");  // redacted
  EXPECT_EQ(lines[6], "7 2 second");
  EXPECT_THAT(AttemptLines(*log, "kept", Opaque("call.q.1")), ElementsAre("t1 3..4", "t2 8..- pending"));
  EXPECT_EQ(Must(log->Append(Id("kept"), Named("e-1", Say("first")))).events.front().seq.value, 2U);
  Must(log->Append(Id("kept"), std::vector<Event>{Say("10"), Say("11")}, AppendOptions{}));
  EXPECT_EQ(Lines(*log, "kept", {.from = {11}}), std::vector<std::string>{"11 2 11"});
  EXPECT_EQ(Lines(*log, "kept", {.from = {0}, .backward = true}).size(), 11U);
  EXPECT_EQ(TailLines(*Must(log->Follow({}))).size(), 12U);
}

// In one transaction: a table that is in the way stops the last of its steps.
TEST_F(MigrationTest, IsWholeOrNotAtAll) {
  const std::string in_schema = "SET search_path = " + schema_->name() + ";";
  const std::string columns = in_schema + "SELECT count(*) FROM information_schema.columns WHERE table_schema = '" +
                              schema_->name() + "' AND table_name IN ('turnlog_event', 'turnlog_consumer')";
  PostgresServer::Shared().Run(in_schema + "CREATE TABLE turnlog_changed (other integer)");
  const std::string before = PostgresServer::Shared().Ask(columns);
  EXPECT_NE(CodeOf(Migrate()), "fine");
  EXPECT_EQ(PostgresServer::Shared().Ask(columns), before);
  EXPECT_EQ(CodeOf(Open(OpenMode::kRead)), "unsupported version");
  PostgresServer::Shared().Run(in_schema + "DROP TABLE turnlog_changed");
  EXPECT_EQ(CodeOf(Migrate()), "fine");
  EXPECT_EQ(Lines(*Must(Open(OpenMode::kRead)), "kept").size(), 9U);
}

TEST_F(MigrationTest, ManyAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(CodeOf(Migrate()), "fine"); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Lines(*Must(Open(OpenMode::kRead)), "kept").size(), 9U);
}

}  // namespace
}  // namespace turnlog::migration_test
