// What a consumer has to look at: it costs what is returned, and misses nothing while others write.
#include <atomic>
#include <thread>

#include "tests/sql/sql_fixture.h"

namespace turnlog::changed_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChangedTest : public SqlTest {
 protected:
  static std::vector<std::string> Changed(Log& log, Changes which = Changes::kAll) {
    std::vector<std::string> names;
    for (const ConversationInfo& info : Must(log.ListChanged("sanitize", "", 10'000, which))) names.push_back(info.id);
    return names;
  }
  static void Settle(Log& log, std::string_view conversation) {
    Must(log.SetWatermark("sanitize", Id(conversation), {Must(log.Info(Id(conversation))).last, ""}));
  }

  // Rows of the table that a log has read, which is closed here. A session enters its counts before it leaves the list
  // of sessions.
  std::uint64_t RowsRead(std::unique_ptr<Log> log, const std::string& holder, const std::string& table) {
    log.reset();
    while (server().Ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + holder + "'") != "0") {
    }
    return std::stoull(
        server().Ask("SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM "
                     "pg_stat_user_tables WHERE schemaname = '" +
                     schema_->name() + "' AND relname = '" + table + "'"));
  }
};

TEST_F(ChangedTest, CostsWhatItReturns) {
  constexpr std::uint64_t kConversations = 300;
  for (std::uint64_t i = 0; i < kConversations; ++i) {
    Must(log_->Append(Id(std::to_string(i)), Say("1")));
    Settle(*log_, std::to_string(i));
  }
  EXPECT_THAT(Changed(*log_), IsEmpty());
  for (const char* name : {"7", "70", "170"}) Must(log_->Append(Id(name), Say("2")));
  (void)RowsRead(std::move(log_), "turnlog", "turnlog_head");  // or it may enter its counts later
  const std::uint64_t before = RowsRead(OpenStore({.holder = "first"}), "first", "turnlog_head");
  auto log = OpenStore({.holder = "second"});
  EXPECT_THAT(Changed(*log), ElementsAre("170", "7", "70"));
  EXPECT_LT(RowsRead(std::move(log), "second", "turnlog_head") - before, kConversations / 4);
  log = OpenStore({.holder = "third"});
  EXPECT_THAT(Changed(*log, Changes::kRepaired), IsEmpty());
}

TEST_F(ChangedTest, ALowerWatermarkListsItAgain) {
  Must(Append(*log_, "a", {Say("1"), Say("2")}));
  Settle(*log_, "a");
  EXPECT_THAT(Changed(*log_), IsEmpty());
  Must(log_->SetWatermark("sanitize", Id("a"), {{1}, ""}));
  EXPECT_THAT(Changed(*log_), ElementsAre("a"));
}

TEST_F(ChangedTest, ARoleThatMayNotWriteSeesTheSame) {
  for (const char* name : {"a", "b", "c"}) Must(log_->Append(Id(name), Say("1")));
  Settle(*log_, "b");
  const std::string url = UrlOf("only_reads", "SELECT");
  EXPECT_THAT(Changed(*Must(OpenSqlLog(url, {.mode = OpenMode::kWrite}))), ElementsAre("a", "c"));
  EXPECT_THAT(Changed(*Must(OpenSqlLog(url, {.mode = OpenMode::kRead}))), ElementsAre("a", "c"));
  EXPECT_THAT(Changed(*log_), ElementsAre("a", "c"));
}

// Appends, watermarks and listing by many at once: in the end, exactly what has changed is listed.
TEST_F(ChangedTest, NothingIsMissedWhileOthersWrite) {
  constexpr int kThreads = 6, kRounds = 40, kConversations = 8;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const auto log = OpenStore({.connections = 2});
      for (int i = 0; i < kRounds; ++i) {
        const std::string name = std::to_string((thread * 5 + i) % kConversations);
        Must(log->Append(Id(name), Say("x")));
        if (thread % 2 == 0) Settle(*log, name);
        if (thread % 3 == 0) (void)Changed(*log);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> expected;
  for (int i = 0; i < kConversations; ++i) {
    const std::string name = std::to_string(i);
    const auto watermark = Must(log_->FindWatermark("sanitize", Id(name)));
    if (!watermark || watermark->head < Must(log_->Info(Id(name))).last) expected.push_back(name);
  }
  EXPECT_EQ(Changed(*log_), expected);
  for (int i = 0; i < kConversations; ++i) Settle(*log_, std::to_string(i));
  EXPECT_THAT(Changed(*log_), IsEmpty());
}

}  // namespace
}  // namespace turnlog::changed_test
