// After a redaction, no file of a database has a presumed secret but in its rows; and what is told of it is true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

#include "migrate/sqlite/writable_database.h"
#include "tests/doctor/database_fixture.h"
#include "tests/doctor/session_files.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"

namespace turnlog::leftover_secrets_test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const DoctorOptions kRedact{.action = DoctorAction::kReplace, .redact = true};

class LeftoverSecretsTest : public DatabaseTest {
 protected:
  static bool Has(const fs::path& file, const std::string& text) { return TextOf(file).contains(text); }

  // One sound session, and nothing to mend.
  fs::path MakeSound() const {
    const fs::path database = Make("openai-agents");
    Execute(database,
            "PRAGMA secure_delete=ON; DELETE FROM agent_messages WHERE session_id<>'sound';"
            "DELETE FROM agent_sessions WHERE session_id<>'sound'; VACUUM");
    return database;
  }

  static void PutSecretIntoRow(const fs::path& database) {
    Execute(database,
            R"(UPDATE agent_messages SET message_data='{"role":"user","content":")" + kFakeToken + R"("}' WHERE id=1)");
  }

  static void LeaveSecretInFreePage(const fs::path& database) {
    Execute(database, "PRAGMA secure_delete=OFF; CREATE TABLE old(x); INSERT INTO old VALUES('" + kFakeToken +
                          "'); DROP TABLE old");
  }

  // With secure_delete, nothing is left in them.
  static void AddFreePages(const fs::path& database) {
    Execute(database,
            "PRAGMA secure_delete=ON; CREATE TABLE old(x); INSERT INTO old VALUES(zeroblob(100000)); DROP TABLE old");
  }

  static bool HasFreePages(const fs::path& database) {
    return Texts(database, "PRAGMA freelist_count") != std::vector<std::string>{"0"};
  }
};

TEST_F(LeftoverSecretsTest, AreRemovedFromFreePages) {
  const fs::path database = MakeSound();
  LeaveSecretInFreePage(database);
  ASSERT_TRUE(Has(database, kFakeToken));
  EXPECT_THAT(Run(database, kRedact).notes, Contains(HasSubstr("were removed")));
  EXPECT_FALSE(Has(database, kFakeToken));
  EXPECT_THAT(Run(database, kRedact).notes, IsEmpty());
}

TEST_F(LeftoverSecretsTest, AreRemovedTogetherWithThoseOfRows) {
  for (const DoctorAction action : {DoctorAction::kCopy, DoctorAction::kReplace}) {
    const fs::path database = MakeSound(), copy = folder_ / "out/openai-agents.db";
    PutSecretIntoRow(database);
    LeaveSecretInFreePage(database);
    const DoctorReport report = Run(database, {.action = action, .out = copy.parent_path(), .redact = true});
    EXPECT_EQ(Problems(report), "");
    EXPECT_THAT(report.notes, Contains(HasSubstr("were removed")));
    EXPECT_FALSE(Has(action == DoctorAction::kCopy ? copy : database, kFakeToken));
    fs::remove(database);
  }
}

// A long value continues on other pages; where it is cut, no rule finds it.
TEST_F(LeftoverSecretsTest, AreFoundAcrossPages) {
  constexpr std::size_t kPage = 4096;
  const fs::path sound = MakeSound();
  std::size_t split = 0;
  for (std::size_t after = 0; after < 2 * kPage && split < 3; after += 16) {  // how long it is decides where it is cut
    TempDir folder;
    const fs::path database = folder / "agents.db";
    fs::copy_file(sound, database);
    Execute(database, "PRAGMA secure_delete=OFF; CREATE TABLE old(x); INSERT INTO old VALUES('" +
                          std::string(3 * kPage - after, ' ') + kFakeToken + std::string(after, ' ') +
                          "'); DROP TABLE old");
    if (Has(database, kFakeToken)) continue;
    ++split;
    const std::string half = kFakeToken.substr(0, kFakeToken.size() / 2), other = kFakeToken.substr(half.size());
    ASSERT_TRUE(Has(database, half) || Has(database, other)) << after;
    (void)Run(database, kRedact);
    EXPECT_FALSE(Has(database, half) || Has(database, other)) << after;
  }
  EXPECT_EQ(split, 3U);
}

// As of a program that keeps its journal (PRAGMA journal_mode=PERSIST).
TEST_F(LeftoverSecretsTest, AreRemovedFromTheJournal) {
  const fs::path database = MakeSound(), journal = database.string() + "-journal";
  PutSecretIntoRow(database);
  Execute(database,
          "PRAGMA journal_mode=PERSIST; PRAGMA secure_delete=ON;"
          R"(UPDATE agent_messages SET message_data='{"role":"user","content":"Look"}' WHERE id=1)");
  ASSERT_TRUE(Has(journal, kFakeToken));
  EXPECT_THAT(Run(database, kRedact).notes, Contains(HasSubstr("were removed")));
  EXPECT_FALSE(fs::exists(journal));
}

// To write all of a large database takes long.
TEST_F(LeftoverSecretsTest, IfThereAreNoneTheDatabaseIsNotRebuilt) {
  const fs::path database = MakeSound();
  AddFreePages(database);
  PutSecretIntoRow(database);
  EXPECT_THAT(Run(database, kRedact).notes, IsEmpty());
  EXPECT_FALSE(Has(database, kFakeToken));
  EXPECT_TRUE(HasFreePages(database));
}

// A row that is not redacted has it anyway.
TEST_F(LeftoverSecretsTest, AreNotWhatARowHas) {
  const fs::path database = MakeSound();
  AddFreePages(database);
  Execute(database, "CREATE TABLE other(x); INSERT INTO other VALUES('" + kFakeToken + "')");
  const std::string before = TextOf(database);
  const DoctorReport report = Run(database, kRedact);
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_TRUE(TextOf(database) == before);
}

TEST_F(LeftoverSecretsTest, AreReportedIfTheDatabaseIsInUse) {
  const fs::path database = MakeSound();
  LeaveSecretInFreePage(database);
  const std::array<fs::path, 1> paths{database};
  DoctorOptions options = kRedact;
  options.idle_seconds = 1'000'000;
  EXPECT_THAT(Must(ExamineSessions(paths, options)).notes, Contains(HasSubstr("were not removed: it was written")));
  EXPECT_TRUE(Has(database, kFakeToken));
}

// The rows are changed then: it would be wrong to say that they are not.
TEST_F(LeftoverSecretsTest, InALogThatAnotherReadsDoNotMakeRowsUnwritten) {
  const fs::path database = MakeSound();
  Execute(database, "PRAGMA journal_mode=WAL");
  PutSecretIntoRow(database);
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(database.c_str(), &reader), SQLITE_OK);
  DoctorOptions options = kRedact;
  options.on_step = [&](std::string_view step) {  // a process of its own would be noticed before
    if (step != "write") return;
    for (const char* sql : {"BEGIN", "SELECT * FROM agent_messages"}) {
      EXPECT_EQ(sqlite3_exec(reader, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    }
  };
  const SessionReport session = Run(database, options).sessions.front();
  EXPECT_EQ(session.written, database) << session.redacted;
  EXPECT_EQ(CodeOf(session.problem), "busy");
  sqlite3_close(reader);
  EXPECT_THAT(ItemsOf(database, "sound"), HasSubstr("[redacted"));
}

TEST_F(LeftoverSecretsTest, ALogThatAnotherReadsIsNotCalledEmpty) {
  const fs::path database = MakeSound();
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(database.c_str(), &reader), SQLITE_OK);
  for (const char* sql :
       {"PRAGMA journal_mode=WAL", "DELETE FROM agent_messages WHERE id=1", "BEGIN", "SELECT * FROM agent_messages"}) {
    ASSERT_EQ(sqlite3_exec(reader, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  }
  EXPECT_EQ(Must(WritableDatabase::Open(database)).EmptyLog().error().code, ErrorCode::kBusy);
  sqlite3_close(reader);
  EXPECT_TRUE(Must(WritableDatabase::Open(database)).EmptyLog());
}

}  // namespace
}  // namespace turnlog::leftover_secrets_test
