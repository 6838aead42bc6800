// Errors of the server, and of what is stored: each is clear, and nothing is half-written.
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/log_conformance/stored_text.h"
#include "tests/sql/sql_fixture.h"

namespace turnlog::errors_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SqlErrorsTest : public SqlTest {
 protected:
  static Result<AppendResult> AppendAs(const std::string& url, std::string_view text = "refused") {
    const auto log = Must(OpenSqlLog(url, {.mode = OpenMode::kWrite}));
    return log->Append(Id("a"), Say(text));
  }
};

TEST_F(SqlErrorsTest, ThereIsNoStore) {
  const PostgresSchema empty;
  EXPECT_EQ(CodeOf(OpenSqlLog(empty.Url(), {.mode = OpenMode::kRead})), "not found");
  EXPECT_EQ(CodeOf(OpenSqlLog(empty.Url(), {.mode = OpenMode::kWrite})), "not found");
  EXPECT_EQ(CodeOf(OpenSqlLog(schema_->Url(), {.mode = OpenMode::kCreateNew})), "invalid argument");
  EXPECT_EQ(CodeOf(OpenSqlLog(empty.Url(), {.mode = OpenMode::kCreateNew})), "fine");
}

TEST_F(SqlErrorsTest, ALaterVersionOfTheSchema) {
  Run("UPDATE turnlog_store SET version = 99");
  const auto refused = OpenSqlLog(schema_->Url());
  EXPECT_EQ(CodeOf(refused), "unsupported version");
  EXPECT_THAT(MessageOf(refused), HasSubstr("99"));
}

TEST_F(SqlErrorsTest, ARoleWithoutRights) {
  Must(log_->Append(Id("a"), Say("1")));
  EXPECT_EQ(CodeOf(AppendAs(UrlOf("only_reads", "SELECT"))), "read only");
  EXPECT_EQ(CodeOf(OpenSqlLog(UrlOf("has_nothing", ""))), "read only");
  const auto reader = Must(OpenSqlLog(UrlOf("only_reads", "SELECT"), {.mode = OpenMode::kRead}));
  EXPECT_THAT(Lines(*reader, "a"), ElementsAre("1 0 1"));
}

TEST_F(SqlErrorsTest, AReadOnlyServer) {
  Must(log_->Append(Id("a"), Say("1")));
  const std::string url = UrlOf("on_standby", "ALL");
  server().Run("ALTER ROLE on_standby SET default_transaction_read_only = on");
  EXPECT_EQ(CodeOf(AppendAs(url)), "read only");
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
}

TEST_F(SqlErrorsTest, AStatementTimeout) {
  Must(log_->Append(Id("a"), Say("1")));
  const std::string url = UrlOf("hurried", "ALL");
  server().Run("ALTER ROLE hurried SET statement_timeout = '20ms'");
  // Its trigger takes longer.
  Run("CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';"
      "CREATE TRIGGER stall BEFORE UPDATE ON turnlog_head FOR EACH ROW EXECUTE FUNCTION stall()");
  const auto refused = AppendAs(url, "hush-hush");
  EXPECT_EQ(CodeOf(refused), "i/o error");
  EXPECT_THAT(MessageOf(refused), HasSubstr("statement_timeout"));
  EXPECT_THAT(MessageOf(refused), Not(HasSubstr("hush-hush")));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
  EXPECT_THAT(server().Log(), Not(HasSubstr("hush-hush")));
}

TEST_F(SqlErrorsTest, NoFreeConnection) {
  const std::string url = UrlOf("one_session", "ALL");
  server().Run("ALTER ROLE one_session CONNECTION LIMIT 1");
  const auto first = Must(OpenSqlLog(url));
  EXPECT_EQ(CodeOf(OpenSqlLog(url)), "i/o error");
}

// Its first connection still answers; calls that would open another one may fail, whole.
TEST_F(SqlErrorsTest, NoFreeConnectionForASecondThread) {
  const std::string url = UrlOf("single_session", "ALL");
  server().Run("ALTER ROLE single_session CONNECTION LIMIT 1");
  const auto log = Must(OpenSqlLog(url, {.patience = std::chrono::milliseconds(50)}));
  std::atomic<std::uint64_t> appended = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 10; ++i) {
        const auto result = log->Append(Id(std::to_string(thread)), Say("x"));
        EXPECT_THAT(CodeOf(result), testing::AnyOf("fine", "i/o error"));
        appended += result ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(appended, 0);
  EXPECT_EQ(Must(log_->Stats()).events, appended.load());
}

TEST_F(SqlErrorsTest, AProcessHasNoMoreConnectionsThanItIsAllowed) {
  const auto log = OpenStore({.holder = "bounded", .connections = 2});
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 20; ++i) {
        Must(log->Append(Id(std::to_string(thread)), Say("x")));
        (void)Must(log->Info(Id(std::to_string(thread))));
      }
      ++done;
    });
  }
  int most = 0;
  while (done < 6) {
    most = std::max(most, std::stoi(server().Ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = "
                                                 "'bounded'")));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(most, 1);
  EXPECT_LE(most, 2);
}

// A failure in the middle of the transaction leaves nothing, and the connection usable.
TEST_F(SqlErrorsTest, AnErrorAfterTheHeadLeavesNothing) {
  Must(log_->Append(Id("a"), Say("1")));
  Run("ALTER TABLE turnlog_feed RENAME TO hidden");
  EXPECT_EQ(CodeOf(Append(*log_, "a", {NewTurn(), Ask(Opaque("i"))})), "not found");
  EXPECT_EQ(CodeOf(log_->Append(Id("new"), Say("1"))), "not found");
  Run("ALTER TABLE hidden RENAME TO turnlog_feed");
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
  EXPECT_THAT(PendingLines(*log_), IsEmpty());
  EXPECT_EQ(CodeOf(log_->Info(Id("new"))), "not found");
  EXPECT_THAT(Seqs(log_->Append(Id("a"), Say("2"))), ElementsAre(2));
}

TEST_F(SqlErrorsTest, PasswordsAreNeverShown) {
  EXPECT_TRUE(HasSqlPassword("postgresql://user:hunter2@host/db"));
  EXPECT_TRUE(HasSqlPassword("postgresql://user@host/db?password=hunter2"));
  EXPECT_FALSE(HasSqlPassword(schema_->Url()));
  EXPECT_FALSE(HasSqlPassword("postgresql://user@one:5432,two:,[::1]/db?user=user@realm"));
  const std::vector<std::string> with_password{"postgresql://user:hunter2@/db?host=/nowhere",
                                               "postgresql://user:hunter2@host:x:y/db",
                                               "postgresql://user:hunter2@host/db?no_such_option=1",
                                               "postgresql://u:hunter2%zz@h/d",
                                               "postgresql://user:hunter2/x@host/db",
                                               "postgresql://user:1/hunter2@host/db",
                                               "postgresql://user:x@hunter2@host/db",
                                               "postgresql://user:x@y/hunter2@host/db",
                                               "postgresql://user:hunter2?x/y@host/db"};
  for (const std::string& url : with_password) {
    EXPECT_TRUE(HasSqlPassword(url)) << url;
    const auto refused = OpenSqlLog(url);
    EXPECT_THAT(CodeOf(refused), testing::AnyOf("i/o error", "invalid argument"));
    EXPECT_THAT(MessageOf(refused), Not(HasSubstr("hunter2"))) << url;
  }
  // As a password that was meant to be followed by a host.
  EXPECT_THAT(MessageOf(OpenSqlLog("postgresql://user:hunter2")), Not(HasSubstr("hunter2")));
}

// --- What users name ---

TEST_F(SqlErrorsTest, TextsAreNeverPartOfAStatement) {
  const std::vector<std::string> hostile{
      "'; DROP TABLE turnlog_event; --",  "$1",      "\\'", "\"", "%s", "a'||'b", "\xF0\x9F\x92\xA9",
      "1); DELETE FROM turnlog_head; --", "E'\\x00'"};
  for (const std::string& text : hostile) {
    Must(Append(*log_, text, {Named(text, Say(text)), Ask(Opaque(text)), Ask(Keyed(text, "q", 1))}));
    EXPECT_THAT(Seqs(log_->Append(Id(text), Named(text, Say("again")))), ElementsAre(-1));
    EXPECT_THAT(AttemptLines(*log_, text, Opaque(text)), ElementsAre("t0 2..- pending"));
    Must(log_->SetWatermark("sanitize", Id(text), {{1}, text}));
    EXPECT_EQ(Must(log_->FindWatermark("sanitize", Id(text)))->state, text);
    EXPECT_EQ(TailLines(*Must(log_->Follow({}, Id(text)))).size(), 3U);
    (void)Must(log_->List(text, 10));
    (void)Must(log_->ListChanged("sanitize", text, 10, Changes::kAll));
  }
  EXPECT_EQ(Must(log_->List("", 100)).size(), hostile.size());
}

TEST_F(SqlErrorsTest, ConsumersWithOddNamesAreRefused) {
  Must(log_->Append(Id("a"), Say("1")));
  for (const std::string name : {"'; DROP TABLE turnlog_event; --", "$1", "a'||'b", "a b", "A", ""}) {
    EXPECT_EQ(CodeOf(log_->SetWatermark(name, Id("a"), {{1}, ""})), "invalid argument") << name;
    EXPECT_EQ(CodeOf(log_->FindWatermark(name, Id("a"))), "invalid argument") << name;
    EXPECT_EQ(CodeOf(log_->ListChanged(name, "", 10, Changes::kAll)), "invalid argument") << name;
  }
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
}

// Also for purging and for the search of the files, whose statements cannot have parameters everywhere.
TEST_F(SqlErrorsTest, SchemasAndProgramsMayHaveAnyName) {
  const std::string quoted = R"("odd""; DROP TABLE turnlog_event; --'")";
  const std::string in_url = R"("odd"";\ DROP\ TABLE\ turnlog_event;\ --'")";
  server().Run("CREATE SCHEMA " + quoted);
  const auto log = Must(OpenSqlLog(server().Url(in_url), {.holder = "x'; --\""}));
  Must(Append(*log, "a", {Say("hush-hush"), Say("2")}));
  Must(log->Erase(Id("a"), std::vector<Seq>{{1}}, {}));
  Must(log->Checkpoint());
  EXPECT_THAT(StoredObjectsWith(*log, "hush-hush"), IsEmpty());
  EXPECT_EQ(Lines(*log, "a").size(), 2U);
  EXPECT_EQ(Must(log_->Stats()).events, 0U);
  server().Run("DROP SCHEMA " + quoted + " CASCADE");
}

TEST_F(SqlErrorsTest, AServiceFileNamesTheServer) {
  const TempDir folder;
  const std::string file = (folder / "pg_service.conf").string();
  std::ofstream(file) << "[agents]\nhost=" << server().folder() << "\ndbname=postgres\nuser=postgres\n"
                      << "options=-csearch_path=" << schema_->name() << "\n";
  ASSERT_EQ(::setenv("PGSERVICEFILE", file.c_str(), 1), 0);
  const auto log = OpenSqlLog("postgresql://?service=agents", {.mode = OpenMode::kWrite});
  EXPECT_EQ(CodeOf(OpenSqlLog("postgresql://?service=nobodys")), "i/o error");
  ::unsetenv("PGSERVICEFILE");
  ASSERT_TRUE(log);
  Must((*log)->Append(Id("a"), Say("1")));
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1"));
}

TEST_F(SqlErrorsTest, AnyEncodingOfTheDatabaseWillDo) {
  for (const std::string encoding : {"LATIN1", "SQL_ASCII"}) {
    server().Run("CREATE DATABASE in_" + encoding + " TEMPLATE template0 LOCALE 'C' ENCODING '" + encoding + "'");
    std::string url = server().Url();
    std::string database = "in_" + encoding;
    for (char& c : database) c = static_cast<char>(std::tolower(c));
    url.replace(url.find("/postgres?"), 10, "/" + database + "?");
    const auto log = Must(OpenSqlLog(url));
    const std::string text = "\xE2\x82\xAC and \xF0\x9F\x92\xA9";
    Must(log->Append(Id(text), Named(text, Say(text))));
    EXPECT_THAT(Lines(*log, text), ElementsAre("1 0 " + text));
    EXPECT_THAT(Seqs(log->Append(Id(text), Named(text, Say("x")))), ElementsAre(-1));
  }
}

// --- Damage ---

TEST_F(SqlErrorsTest, DamagedRowsAreReportedAndTheRestIsRead) {
  for (int i = 1; i <= 8; ++i) Must(log_->Append(Id("a"), Say(std::to_string(i))));
  Must(log_->Append(Id("a"), Say(std::string(3 << 20, 'x'))));
  Run("UPDATE turnlog_event SET payload = payload || '\\x00' WHERE seq = 2;"
      "UPDATE turnlog_event SET turn = 7 WHERE seq = 3;"
      "UPDATE turnlog_event SET kind = 1 - kind WHERE seq = 4;"
      "UPDATE turnlog_event SET state = 2 WHERE seq = 5;"
      "UPDATE turnlog_event SET kind = kind + 256 WHERE seq = 6;"
      "DELETE FROM turnlog_event WHERE seq = 7;"
      "DELETE FROM turnlog_part WHERE seq = 9 AND part = 1");
  for (const bool backward : {false, true}) {
    std::vector<std::string> lines = Lines(*log_, "a", {.from = {backward ? 0U : 1U}, .backward = backward});
    ASSERT_EQ(lines.size(), 9U);
    if (backward) std::ranges::reverse(lines);
    for (const std::size_t seq : {2U, 3U, 4U, 5U, 6U, 7U, 9U}) EXPECT_THAT(lines[seq - 1], HasSubstr("damage")) << seq;
    for (const std::size_t seq : {1U, 8U}) EXPECT_EQ(lines[seq - 1], std::to_string(seq) + " 0 " + std::to_string(seq));
  }
  EXPECT_EQ(CodeOf(log_->Erase(Id("a"), std::vector<Seq>{{1}, {2}})), "corruption");
  EXPECT_EQ(Lines(*log_, "a", {.limit = 1}), std::vector<std::string>{"1 0 1"});
  Must(log_->Append(Id("a"), Say("10")));
}

TEST_F(SqlErrorsTest, ARowOfAnotherConversationIsNotTaken) {
  Must(log_->Append(Id("a"), Say("1")));
  Run("UPDATE turnlog_head SET name = 'b'");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "corruption");
  EXPECT_EQ(CodeOf(OpenStore()->Append(Id("a"), Say("2"))), "corruption");
}

// Buffered appends can be lost with the server; then other appends take their place.
TEST_F(SqlErrorsTest, APositionOfLostEventsIsRefused) {
  Must(Append(*log_, "a", {Say("1"), Say("2")}));
  const Position end = Must(log_->End());
  Run("UPDATE turnlog_feed SET tag = tag + 1");
  EXPECT_EQ(CodeOf(log_->Follow(end)), "conflict");
  Run("DELETE FROM turnlog_feed");
  EXPECT_EQ(CodeOf(log_->Follow(end)), "conflict");
}

// Another history that ends at the same seq.
TEST_F(SqlErrorsTest, ACachedHeadOfALostHistoryIsNotTrusted) {
  Must(Append(*log_, "a", {Say("1"), AskSecret(Opaque("i"))}));
  Run("UPDATE turnlog_head SET tag = tag + 1, open = ''");
  EXPECT_EQ(CodeOf(log_->Append(Id("a"), Answer(Opaque("i")))), "fine");
}

}  // namespace
}  // namespace turnlog::errors_test
