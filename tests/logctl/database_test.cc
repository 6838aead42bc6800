// logctl over a store in a database.
#include "tests/logctl/logctl_test.h"
#include "tests/support/postgres_server.h"

namespace turnlog::database_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kLines =
    "{\"type\":\"chat_request\",\"content\":\"the value zzz-9-zzz is here\"}\n"
    "{\"type\":\"chat_request\",\"content\":\"seen\"}\n";

class DatabaseTest : public LogctlTest {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
    schema_ = std::make_unique<PostgresSchema>();
  }
  Ran At(const std::string& location, Strings words, const std::string& input = {}) {
    words.insert(words.end(), {"--store", location});
    return RunProgram(words, input);
  }
  Ran InDatabase(Strings words, const std::string& input = {}) { return At(schema_->Url(), std::move(words), input); }
  JsonValue JsonOf(const Ran& ran) {
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return JsonValue::Parse(ran.out);
  }

  std::unique_ptr<PostgresSchema> schema_;
};

TEST_F(DatabaseTest, AStoreIsMadeOnceAndUsedByEveryCommand) {
  EXPECT_THAT(InDatabase({"cat", "c"}), Fails(1));  // there is none yet
  const std::string id = JsonOf(RunProgram({"store", "init", schema_->Url(), "--json"}))["store_id"].Text();
  EXPECT_EQ(JsonOf(RunProgram({"store", "init", schema_->Url(), "--json"}))["store_id"].Text(), id);
  const JsonValue made = JsonOf(InDatabase({"stats", "--json"}));
  EXPECT_EQ(made["store_id"].Text(), id);
  EXPECT_EQ(InDatabase({"append", "c"}, kLines).exit_code, 0);
  EXPECT_THAT(InDatabase({"cat", "c"}).out, HasSubstr("zzz-9-zzz"));
  EXPECT_EQ(InDatabase({"verify"}).exit_code, 0);
  EXPECT_THAT(InDatabase({"ls"}).out, HasSubstr("c"));
}

TEST_F(DatabaseTest, ALaterVersionIsRefused) {
  ASSERT_EQ(RunProgram({"store", "init", schema_->Url()}).exit_code, 0);
  PostgresServer::Shared().Run("UPDATE " + schema_->name() + ".turnlog_store SET version = 99");
  EXPECT_THAT(RunProgram({"store", "init", schema_->Url()}), FailsWith(1, "99"));
  EXPECT_THAT(InDatabase({"append", "c"}, kLines), FailsWith(1, "99"));
}

TEST_F(DatabaseTest, StoresAreCopiedBetweenEngines) {
  AppendSample();
  const auto copy = [&](const std::string& from, const std::string& to) {
    return JsonOf(RunProgram({"store", "copy", from, to, "--json"}));
  };
  EXPECT_EQ(copy(store(), schema_->Url())["copied_events"].Number(), kSampleEvents);
  EXPECT_EQ(copy(store(), schema_->Url())["copied_events"].Number(), 0U);  // goes on where it was
  const std::string back = (folder_ / "back").string();
  const JsonValue report = copy(schema_->Url(), back);
  EXPECT_EQ(report["events"].Number(), kSampleEvents);
  EXPECT_EQ(report["problems"].Size(), 0U);
  EXPECT_EQ(At(back, {"cat", "sample"}).out, Output({"cat", "sample"}));
  EXPECT_EQ(InDatabase({"cat", "sample"}).out, Output({"cat", "sample"}));
  // A copy that differs is no copy.
  PostgresServer::Shared().Run("UPDATE " + schema_->name() +
                               ".turnlog_event SET payload = set_byte(payload, octet_length(payload) - 1, 255 - "
                               "get_byte(payload, octet_length(payload) - 1))");
  EXPECT_EQ(RunProgram({"store", "copy", store(), schema_->Url()}).exit_code, 1);
}

TEST_F(DatabaseTest, PasswordsOnTheCommandLineAreRefused) {
  for (const std::string url :
       {"postgresql://user:hunter2@/db?host=/nowhere", "postgresql://u@h/db?password=hunter2"}) {
    for (const Ran& ran : {At(url, {"ls"}), At(url, {"mcp"}), RunProgram({"store", "init", url}),
                           RunProgram({"store", "copy", store(), url})}) {
      EXPECT_NE(ran.exit_code, 0);
      EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("hunter2")));
    }
  }
  EXPECT_EQ(At("postgresql://user:hunter2@/db?host=/nowhere", {"ls"}).exit_code, 2);
}

TEST_F(DatabaseTest, ARedactionNamesWhatTheServerKeeps) {
  ASSERT_EQ(InDatabase({"append", "c"}, kLines).exit_code, 0);
  const Ran ran = InDatabase({"redact", "--values-stdin", "--json"}, "zzz-9-zzz\n");
  const JsonValue report = JsonOf(ran);
  EXPECT_TRUE(report["proof"]["clean"].Flag());
  const JsonValue copies = report["kept_copies"];
  ASSERT_GE(copies.Size(), 2U);
  EXPECT_THAT(copies[0]["place"].Text(), StartsWith("the write-ahead log"));
  EXPECT_THAT(copies[0]["end"].Text(), HasSubstr("wal_recycle"));
  EXPECT_THAT(copies[static_cast<int>(copies.Size()) - 1]["place"].Text(), HasSubstr("base backups"));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("wal_recycle"), HasSubstr("base backups")));  // for people, too
  EXPECT_THAT(InDatabase({"cat", "c"}).out, Not(HasSubstr("zzz-9-zzz")));
  // Nothing was redacted: nothing is kept.
  EXPECT_EQ(JsonOf(InDatabase({"redact", "--values-stdin", "--json"}, "zzz-9-zzz\n"))["kept_copies"].Size(), 0U);
}

}  // namespace
}  // namespace turnlog::database_test
