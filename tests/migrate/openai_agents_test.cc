#include <gmock/gmock.h>

#include "migrate/openai_agents/format.h"
#include "migrate/sources/source.h"
#include "tests/migrate/agents_database.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::openai_agents_test {
namespace {

using agents_database::kBranches;
using agents_database::kTables;
using agents_database::Message;
using agents_database::PlaceIn;
using agents_database::Session;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

const std::string kCall =
    R"({"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"dir\":\".\"}","id":"fc_1"})";

// One of everything.
std::string Sample() {
  return kTables + Session("s") + Message("s", R"({"role":"user","content":"Hi\u00e9"})") +
         Message("s", R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gA=="})") +
         Message("s", kCall) + Message("s", R"({"type":"function_call_output","call_id":"c1","output":"a\n"})") +
         Message("s", R"({"type":"function_call_output","call_id":"c2","output":"Tool execution was not approved."})") +
         Message("s", R"({"type":"mcp_approval_request","id":"m1","name":"rm","arguments":"{}","server_label":"l"})") +
         Message("s", R"({"role":"developer","content":"Be brief."})") + Message("s", "not JSON") +
         Message("s", R"({"__enc__":1,"v":1,"kid":"hkdf-v1","payload":"gAAA"})") +
         Message("s", R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]})");
}

class OpenAiAgentsTest : public ImportTest {
 protected:
  SourceFiles Files(const std::string& sql) {
    TestDatabase database(dir_ / ("db" + std::to_string(++number_)) / "sessions.db");
    database.Run(sql);
    return database.Files();
  }
  ReadSource Read(const std::string& sql) { return ReadFiles(kOpenAiAgentsFormat, Files(sql)); }

 private:
  int number_ = 0;
};

TEST_F(OpenAiAgentsTest, HasNothingUnreadableWithoutSessions) {
  TestDatabase(dir_ / "empty.db").Run(kTables);
  const ImportReport report = Must(Import(*log_, "openai-agents", std::vector{dir_ / "empty.db"}));
  ASSERT_THAT(report.bytes, SizeIs(1));
  EXPECT_EQ(report.bytes[0].size, 0U);
  EXPECT_EQ(report.bytes[0].unreadable, 0U);
}

TEST_F(OpenAiAgentsTest, TurnsRowsIntoEvents) {
  ReadSource read = Read(Sample());
  ASSERT_THAT(read.conversations, ElementsAre(Key("s")));
  EXPECT_THAT(Shapes(read.only().events),
              ElementsAre(kTurn, "{\"type\":\"chat_request\",\"content\":\"Hi\xc3\xa9\"}",
                          R"({"type":"chat_response","reasoning":""})",
                          R"({"type":"tool_call_request","id":"c1","name":"ls","arguments":{"dir":"."}})",
                          R"({"type":"tool_call_response","id":"c1","content":"a\n","is_error":false})",
                          HasSubstr(R"("denied")"), HasSubstr("Allow rm?"), "foreign", "foreign", "foreign",
                          R"({"type":"chat_response","message":"Done."})"));
  EXPECT_EQ(read.only().events[1].event_id, "1#1");
  EXPECT_EQ(read.only().events[0].timestamp, Must(Timestamp::ParseRfc3339("2026-01-31T10:00:05Z")));
  EXPECT_EQ(read.only().events[2].metadata.text(), R"({"item_id":"rs_1","opaque":"gA=="})");
  EXPECT_THAT(read.problems, IsEmpty());
}

TEST_F(OpenAiAgentsTest, WritesTheRowsAsLines) {
  EXPECT_EQ(
      Read(kTables + Session("s") + Message("s", R"({"role":"user","content":"a"})") + Message("s", "b"))
          .only()
          .written,
      R"({"table":"agent_sessions","session_id":"s","created_at":"2026-01-31 10:00:00","updated_at":"2026-01-31 10:00:00"})"
      "\n"
      R"({"table":"agent_messages","id":1,"session_id":"s","message_data":{"role":"user","content":"a"},"created_at":"2026-01-31 10:00:05"})"
      "\n"
      R"({"table":"agent_messages","id":2,"session_id":"s","message_data":"b","created_at":"2026-01-31 10:00:05"})"
      "\n");
}

// A row is one line of what is exported, so their text is a string in it.
TEST_F(OpenAiAgentsTest, ReadsMessagesOnSeveralLines) {
  const std::string call =
      "{\n  \"type\": \"function_call\",\n  \"call_id\": \"c1\",\n  \"name\": \"ls\",\n  \"arguments\": \"{}\"\n}";
  ReadSource read =
      Read(kTables + Session("s") + Message("s", "\n{\n  \"role\": \"user\",\n  \"content\": \"a\\nb\"\n}\n") +
           Message("s", call));
  EXPECT_THAT(Shapes(read.only().events),
              ElementsAre(kTurn, R"({"type":"chat_request","content":"a\nb"})",
                          R"({"type":"tool_call_request","id":"c1","name":"ls","arguments":{}})"));
  EXPECT_EQ(read.only().events[1].event_id, "1#1");
  EXPECT_THAT(read.only().written, HasSubstr(R"("message_data":"\n{\n  \"role\": \"user\",\n)"));
  EXPECT_EQ(read.taken, read.only().written.size());
}

TEST_F(OpenAiAgentsTest, KeepsRowsOfUnknownKinds) {
  constexpr std::string_view kType = R"("type":")";
  const std::string sample = Sample();
  const std::uint64_t size = Read(sample).taken;
  for (std::size_t at = sample.find(kType); at != std::string::npos; at = sample.find(kType, at + 1)) {
    std::string sql = sample;
    sql.insert(at + kType.size(), "x-");
    ReadSource read = Read(sql);
    EXPECT_EQ(read.taken, size + 2) << at;
    EXPECT_THAT(read.problems, IsEmpty()) << at;
  }
}

TEST_F(OpenAiAgentsTest, ReadsSessionsWithoutMessages) {
  EXPECT_THAT(Read(kTables).conversations, IsEmpty());
  ReadSource read = Read(kTables + Session("s"));
  EXPECT_THAT(read.only().events, IsEmpty());
  EXPECT_THAT(read.only().parts["header"], HasSubstr("agent_sessions"));
}

// The files of a database that a program has open: the main file has no rows.
TEST_F(OpenAiAgentsTest, ReadsRowsThatAreOnlyInTheWriteAheadLog) {
  TestDatabase database(dir_ / "live" / "sessions.db");
  database.Run("PRAGMA journal_mode=WAL;" + Sample());
  SourceFiles files = database.Files();
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_THAT(ReadFiles(kOpenAiAgentsFormat, files).only().events, SizeIs(11));
  const std::vector<std::filesystem::path> paths{dir_ / "live"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_EQ(Last("s"), Seq{12});
}

TEST_F(OpenAiAgentsTest, WritesNothingBesideTheDatabase) {
  std::filesystem::create_directories(dir_ / "copied");
  {
    TestDatabase database(dir_ / "live" / "sessions.db");
    database.Run("PRAGMA journal_mode=WAL;" + Sample());
    for (const auto& [name, bytes] : database.Files()) Write("copied/" + name, bytes);
  }
  const auto before = ReadTree(dir_ / "copied");
  const std::vector<std::filesystem::path> paths{dir_ / "copied"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_EQ(ReadTree(dir_ / "copied"), before);
}

TEST_F(OpenAiAgentsTest, KeepsADatabaseInUseAsItIsWhileItIsRead) {
  TestDatabase database(dir_ / "live" / "sessions.db");
  database.Run("PRAGMA journal_mode=WAL;" + Sample());
  {
    SourceFile file(dir_ / "live" / "sessions.db", false);
    Must(file.Head(1));
    EXPECT_EQ(database.Ask("PRAGMA wal_checkpoint(TRUNCATE)"), "1") << "is refused";
    database.Run(Message("s", R"({"role":"user","content":"while it is read"})"));
  }
  EXPECT_EQ(database.Ask("PRAGMA wal_checkpoint(TRUNCATE)"), "0");
  database.Run("PRAGMA journal_mode=DELETE");
  {
    SourceFile file(dir_ / "live" / "sessions.db", false);
    Must(file.Head(1));
    EXPECT_THROW(database.Run(Message("s", "{}")), std::runtime_error) << "has to wait";
  }
  database.Run(Message("s", "{}"));
}

TEST_F(OpenAiAgentsTest, ReadsBranchesAsConversationsThatSayWhereTheyBegan) {
  const std::string usage =
      "CREATE TABLE turn_usage (id INTEGER PRIMARY KEY, session_id TEXT, branch_id TEXT, user_turn_number INTEGER,"
      " total_tokens INTEGER); INSERT INTO turn_usage VALUES (1,'s','main',1,17);";
  ReadSource read =
      Read(kTables + kBranches + usage + Session("s") + Message("s", R"({"role":"user","content":"one"})") +
           Message("s", R"({"role":"user","content":"two"})") + Message("s", R"({"role":"user","content":"other"})") +
           Message("s", R"({"role":"user","content":"nowhere"})") + PlaceIn("main", 1, 1) + PlaceIn("main", 2, 2) +
           PlaceIn("b", 1, 1) + PlaceIn("b", 3, 2));
  EXPECT_THAT(read.conversations, ElementsAre(Key("s"), Key("s/b")));
  EXPECT_THAT(Shapes(read.conversations["s"].events),
              ElementsAre("foreign", kTurn, HasSubstr("one"), kTurn, HasSubstr("two"), kTurn, HasSubstr("nowhere")));
  EXPECT_THAT(Shapes(read.conversations["s/b"].events), ElementsAre("foreign", kTurn, HasSubstr("other")));
  EXPECT_EQ(read.conversations["s/b"].parts["parent"], "s");
  EXPECT_THAT(read.conversations["s"].written, HasSubstr(R"("total_tokens":17)"));
  EXPECT_THAT(read.conversations["s"].written, HasSubstr(R"("structure":{"table":"message_structure","id":1)"));
}

// A branch has the messages of its session again.
TEST_F(OpenAiAgentsTest, BranchesDoNotBringBackWhatWasRedactedInTheirSession) {
  TestDatabase database(dir_ / "x" / "sessions.db");
  database.Run(kTables + kBranches + Session("s") + Message("s", R"({"role":"user","content":"Use hunter2hunter2."})") +
               PlaceIn("main", 1, 1));
  const std::vector<std::filesystem::path> paths{dir_ / "x"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  RedactionTargets targets;
  targets.values.emplace_back("hunter2hunter2");
  Must(Must(Redaction::Plan(*log_, targets))->Apply("test"));
  database.Run(Message("s", R"({"role":"user","content":"Other"})") + PlaceIn("b", 1, 1) + PlaceIn("b", 2, 2));
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  ASSERT_THAT(Events("s/b"), SizeIs(4));
  for (const Event& event : Events("s/b")) EXPECT_THAT(ToJson(View(event)), testing::Not(HasSubstr("hunter2hunter2")));
  database.Run(Message("s", R"({"role":"user","content":"More"})") + PlaceIn("b", 3, 3));
  const ImportReport more = Must(Import(*log_, "auto", paths));
  EXPECT_THAT(more.problems, IsEmpty());
  EXPECT_EQ(more.extended, 1);
}

// The SDK commits the messages before it adds where they belong.
TEST_F(OpenAiAgentsTest, TakesAMessageBeforeItsPlaceInABranch) {
  TestDatabase database(dir_ / "x" / "sessions.db");
  database.Run(kTables + kBranches + Session("s"));
  const std::vector<std::filesystem::path> paths{dir_ / "x"};
  int number = 0;
  for (const char* item :
       {R"({"role":"user","content":"Hi"})", R"({"type":"x-new","a":{"structure":{}}})", "not JSON"}) {
    database.Run(Message("s", item));
    EXPECT_THAT(Must(Import(*log_, "auto", paths)).problems, IsEmpty()) << item;
    ++number;
    database.Run(PlaceIn("main", number, number));
    EXPECT_THAT(Must(Import(*log_, "auto", paths)).problems, IsEmpty()) << item;
    EXPECT_THAT(ExportRawText("openai-agents", "s"), HasSubstr(fmt::format(R"("message_structure","id":{})", number)));
    EXPECT_EQ(Must(Import(*log_, "auto", paths)).events, 0U);
  }
}

// Of two programs that write at once: until the places are known, all messages are in the first branch.
TEST_F(OpenAiAgentsTest, MessagesMayGoToAnotherBranchAfterTheyCameIn) {
  TestDatabase database(dir_ / "x" / "sessions.db");
  const auto odd = [](int number) { return Message("s", fmt::format(R"({{"type":"x-new","a":{}}})", number)); };
  database.Run(kTables + kBranches + Session("s") + odd(1) + odd(2) + odd(3) + PlaceIn("main", 3, 3));
  const std::vector<std::filesystem::path> paths{dir_ / "x"};
  Must(Import(*log_, "auto", paths));
  database.Run(PlaceIn("b", 1, 1) + PlaceIn("main", 2, 2) + Message("s", R"({"role":"user","content":"Hi"})"));
  EXPECT_THAT(Must(Import(*log_, "auto", paths)).problems, IsEmpty());
  EXPECT_THAT(Said("s"), ElementsAre("Hi"));
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).events, 0U);
}

TEST_F(OpenAiAgentsTest, AccountsForEveryRow) {
  Write("x/keep", "");
  TestDatabase database(dir_ / "x" / "sessions.db");
  database.Run(Sample());
  const std::vector<std::filesystem::path> paths{dir_ / "x"};
  const ImportReport report = Must(Import(*log_, "auto", paths));
  ASSERT_THAT(report.bytes, SizeIs(1));
  EXPECT_EQ(report.bytes[0].size, ReadFiles(kOpenAiAgentsFormat, database.Files()).only().written.size());
  EXPECT_EQ(report.bytes[0].unreadable, 0);
}

TEST_F(OpenAiAgentsTest, AddsRowsThatAreNew) {
  TestDatabase database(dir_ / "x" / "sessions.db");
  database.Run(Sample());
  const std::vector<std::filesystem::path> paths{dir_ / "x"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).unchanged, 1);
  database.Run(Message("s", R"({"role":"user","content":"more"})") + Session("t"));
  const ImportReport more = Must(Import(*log_, "auto", paths));
  EXPECT_EQ(more.extended, 1);
  EXPECT_EQ(more.added, 1);
  database.Run("DELETE FROM agent_messages WHERE id > 3");
  EXPECT_THAT(Must(Import(*log_, "auto", paths)).problems, IsEmpty()) << "rows that disappear remove nothing";
}

TEST_F(OpenAiAgentsTest, RefusesOtherDatabases) {
  const auto problems = [&](const SourceFiles& files) { return ReadFiles(kOpenAiAgentsFormat, files).problems; };
  EXPECT_THAT(problems(Files("CREATE TABLE agent_sessions (session_id TEXT, name TEXT)")),
              ElementsAre("sessions.db: malformed"));
  EXPECT_THAT(problems({{"x.db", "SQLite format 3"}}), ElementsAre("x.db: malformed"));
}

// Tables as the SDK makes them, with these names.
std::string NamedTables(const std::string& sessions, const std::string& messages) {
  return "CREATE TABLE " + sessions +
         " (session_id TEXT PRIMARY KEY, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,"
         " updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);CREATE TABLE " +
         messages +
         " (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_data TEXT NOT NULL,"
         " created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, FOREIGN KEY (session_id) REFERENCES " +
         sessions + " (session_id) ON DELETE CASCADE);";
}

std::string MessageIn(const std::string& table, const std::string& session, const std::string& text) {
  return "INSERT INTO " + table + " (session_id, message_data) VALUES (" + Quoted(session) + "," +
         Quoted(R"({"role":"user","content":")" + text + R"("})") + ");";
}

TEST_F(OpenAiAgentsTest, FindsTablesWithOtherNamesByTheirColumns) {
  std::string sql = Sample();
  for (std::size_t at = sql.find("agent_"); at != std::string::npos; at = sql.find("agent_", at))
    sql.replace(at, 6, "my_");
  ReadSource read = Read(sql);
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_EQ(Shapes(read.only().events), Shapes(Read(Sample()).only().events));
  EXPECT_EQ(read.only().events[1].event_id, "my_messages/1#1");
  EXPECT_THAT(read.only().parts["header"], HasSubstr(R"({"table":"my_sessions","session_id":"s")"));
  EXPECT_THAT(read.only().written, HasSubstr(R"({"table":"my_messages","id":1,)"));
}

TEST_F(OpenAiAgentsTest, ReadsTablesWhateverTheirNamesAre) {
  const std::string messages = R"("select ""all"" 'of' them")";
  ReadSource read = Read("CREATE TABLE logins (session_id TEXT, created_at TEXT, updated_at TEXT);" +
                         NamedTables(R"("from")", messages) + R"(INSERT INTO "from" VALUES ('t','a','b');)" +
                         MessageIn(messages, "s", "Hi"));
  EXPECT_THAT(read.problems, IsEmpty());
  const std::string table = R"(select "all" 'of' them/)";
  EXPECT_THAT(read.conversations, ElementsAre(Key(table + "s"), Key(table + "t")))
      << "those of the table that it refers to";
  EXPECT_THAT(Shapes(read.conversations[table + "s"].events), ElementsAre(kTurn, HasSubstr("Hi")));
}

TEST_F(OpenAiAgentsTest, ReadsEachOfSeveralTables) {
  ReadSource read = Read(NamedTables("a_sessions", "a_messages") + NamedTables("agent_sessions", "agent_messages") +
                         MessageIn("a_messages", "s", "one") + MessageIn("agent_messages", "s", "two") +
                         MessageIn("agent_messages", "t", "three"));
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(read.conversations, ElementsAre(Key("a_messages/s"), Key("s"), Key("t")));
  EXPECT_THAT(Shapes(read.conversations["a_messages/s"].events), ElementsAre(kTurn, HasSubstr("one")));
  EXPECT_THAT(Shapes(read.conversations["s"].events), ElementsAre(kTurn, HasSubstr("two")));
  EXPECT_THAT(Shapes(read.conversations["t"].events), ElementsAre(kTurn, HasSubstr("three")));
}

TEST_F(OpenAiAgentsTest, RefusesASessionWithTheNameOfAnotherOne) {
  ReadSource read = Read(NamedTables("agent_sessions", "agent_messages") + NamedTables("b_sessions", "bot") +
                         MessageIn("agent_messages", "bot/s", "one") + MessageIn("bot", "s", "two"));
  EXPECT_THAT(read.problems, SizeIs(1));
  EXPECT_THAT(Shapes(read.conversations["bot/s"].events), ElementsAre(kTurn, HasSubstr("one")));
}

TEST_F(OpenAiAgentsTest, ImportsTheFirstOfTheSessionsWithOneName) {
  TestDatabase database(dir_ / "x" / "sessions.db");
  database.Run(NamedTables("agent_sessions", "agent_messages") + NamedTables("b_sessions", "bot") +
               MessageIn("agent_messages", "bot/s", "one") + MessageIn("bot", "s", "two"));
  const std::vector<std::filesystem::path> paths{dir_ / "x"};
  const ImportReport report = Must(Import(*log_, "auto", paths));
  EXPECT_EQ(report.added, 1U);
  EXPECT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(Said("bot/s"), ElementsAre("one"));
}

// What is only beside the messages is left out then.
TEST_F(OpenAiAgentsTest, ReadsMessagesWhoseSessionsItCannotTellApart) {
  const std::string like_sessions = " (session_id TEXT, created_at TEXT, updated_at TEXT);";
  ReadSource read =
      Read("CREATE TABLE chat (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT);CREATE TABLE one" +
           like_sessions + "CREATE TABLE two" + like_sessions + MessageIn("chat", "s", "Hi"));
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_THAT(Shapes(read.only().events), ElementsAre(kTurn, HasSubstr("Hi")));
  EXPECT_THAT(read.only().parts["header"], IsEmpty());
}

TEST_F(OpenAiAgentsTest, AddsRowsThatAreNewToTablesWithOtherNames) {
  TestDatabase database(dir_ / "x" / "sessions.db");
  database.Run(NamedTables("my_sessions", "my_messages") + MessageIn("my_messages", "s", "one"));
  const std::vector<std::filesystem::path> paths{dir_ / "x"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1U);
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).unchanged, 1U);
  database.Run(MessageIn("my_messages", "s", "two") + NamedTables("agent_sessions", "agent_messages") +
               MessageIn("agent_messages", "s", "three"));
  const ImportReport more = Must(Import(*log_, "auto", paths));
  EXPECT_THAT(more.problems, IsEmpty());
  EXPECT_EQ(more.extended, 1U);
  EXPECT_EQ(more.added, 1U);
  EXPECT_THAT(Said("my_messages/s"), ElementsAre("one", "two"));
  EXPECT_THAT(Said("s"), ElementsAre("three"));
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).unchanged, 2U);
}

// A program that died within a transaction left a journal, and the file as it was in the middle of it.
TEST_F(OpenAiAgentsTest, RefusesADatabaseInTheMiddleOfATransaction) {
  TestDatabase database(dir_ / "x" / "sessions.db");
  database.Run("PRAGMA cache_size=1;" + Sample() + "BEGIN;");
  for (int i = 0; i < 100; ++i) database.Run(Message("s", "\"" + std::string(2000, 'x') + "\""));
  const SourceFiles files = database.Files();
  ASSERT_THAT(files, SizeIs(2)) << "with a journal";
  EXPECT_THAT(ReadFiles(kOpenAiAgentsFormat, files).problems, SizeIs(1));
}

// Of the messages themselves, a damaged page costs those that are on it.
TEST_F(OpenAiAgentsTest, ReadsMessagesBesideDamagedIndexesAndTables) {
  TestDatabase database(dir_ / "db" / "sessions.db");
  database.Run(kTables + Session("s") + Message("s", R"({"role":"user","content":"Hi"})"));
  const std::string bytes = database.Files().front().second;
  for (const std::string name :
       {"idx_agent_messages_session_id", "sqlite_autoindex_agent_sessions_1", "agent_sessions"}) {
    constexpr std::size_t kPage = 4096;
    const std::size_t page = std::stoull(database.Ask("SELECT rootpage FROM sqlite_schema WHERE name=" + Quoted(name)));
    std::string damaged = bytes;
    damaged.replace(kPage * (page - 1), kPage, kPage, '\xa5');
    ReadSource read = ReadFiles(kOpenAiAgentsFormat, {{"x.db", damaged}});
    EXPECT_THAT(read.problems, SizeIs(1)) << name;
    ASSERT_THAT(read.conversations, ElementsAre(Key("s"))) << name;
    EXPECT_THAT(Shapes(read.only().events), ElementsAre(kTurn, HasSubstr("Hi"))) << name;
    EXPECT_EQ(read.only().parts["header"].empty(), name == "agent_sessions");
  }
}

TEST_F(OpenAiAgentsTest, SurvivesDamageAnywhere) {
  const SourceFiles whole = Files("PRAGMA page_size=512; VACUUM;" + Sample());
  const std::string& bytes = whole.front().second;
  for (std::size_t at = 0; at < bytes.size(); at += kByteStep) {
    std::string text = bytes;
    text[at] = static_cast<char>(text[at] ^ 0x81);
    const ReadSource read = ReadFiles(kOpenAiAgentsFormat, {{"x.db", text}});
    ASSERT_TRUE(!read.conversations.empty() || !read.problems.empty()) << at;
    const ReadSource cut = ReadFiles(kOpenAiAgentsFormat, {{"x.db", bytes.substr(0, at)}});
    ASSERT_TRUE(!cut.problems.empty() || !cut.notes.empty() || cut.conversations.begin()->second.events.size() == 11)
        << at;
  }
}

}  // namespace
}  // namespace turnlog::openai_agents_test
