// Databases that a program writes while they are imported: their logs and journals come and go.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <fstream>

#include "migrate/import/import_run.h"
#include "migrate/import/source_import.h"
#include "migrate/sources/descriptor.h"
#include "migrate/sources/find_sources.h"
#include "migrate/sources/held_files.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"

namespace turnlog::databases_in_use_test {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kTables =
    "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);"
    "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TIMESTAMP);"
    "INSERT INTO agent_sessions (session_id) VALUES ('s');";

std::string Prompt(const std::string& text) {
  return "INSERT INTO agent_messages (session_id, message_data) VALUES ('s'," +
         Quoted(R"({"role":"user","content":")" + text + "\"}") + ");";
}

class DatabasesInUseTest : public ImportTest {
 protected:
  DatabasesInUseTest() { fs::create_directories(dir_ / "in"); }

  // A database and its journal, as a program has them that is in the middle of a transaction: it has written to the
  // database, because it has no memory for what it changes.
  SourceFiles InTransaction() {
    TestDatabase database(dir_ / "made.db");
    database.Run("PRAGMA cache_size=1;" + std::string(kTables) + Prompt("one") + "BEGIN;");
    for (int i = 0; i < 100; ++i) database.Run(Prompt(std::string(2000, 'x')));
    SourceFiles files = database.Files();
    EXPECT_THAT(files, SizeIs(2)) << "with a journal";
    return files;
  }
  void WriteFile(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

  Source List() {
    std::vector<ImportProblem> notes;
    return Must(LoadSource({FindFormat("openai-agents"), database_, false, {}}, notes));
  }
  ImportReport ImportListed(Source& source) {
    ImportRun run(*log_);
    Must(SourceImport(run, *FindFormat("openai-agents"), source).Import());
    return Must(run.Finish());
  }

  const fs::path database_ = dir_ / "in/talk.db", journal_ = dir_ / "in/talk.db-journal",
                 wal_ = dir_ / "in/talk.db-wal";
};

TEST_F(DatabasesInUseTest, AreReadWhenTheirTransactionHasEndedSinceTheyWereListed) {
  TestDatabase(database_).Run(kTables + Prompt("one"));
  WriteFile(journal_, InTransaction()[1].second);
  Source source = List();
  ASSERT_THAT(source.files, SizeIs(2));
  fs::remove(journal_);
  EXPECT_THAT(ImportListed(source).problems, IsEmpty());
  EXPECT_THAT(Said("s"), ElementsAre("one"));
  Settle();
  source = List();
  EXPECT_EQ(ImportListed(source).unchanged, 1U);
}

// As the files of sources that are followed.
TEST_F(DatabasesInUseTest, AreReadWhenTheirTransactionHasEndedSinceTheirFilesAreHeld) {
  TestDatabase(database_).Run(kTables + Prompt("one"));
  WriteFile(journal_, InTransaction()[1].second);
  Source source = List();
  HeldFiles held;
  ASSERT_TRUE(held.Hold(source));
  fs::remove(journal_);
  EXPECT_THAT(ImportListed(source).problems, IsEmpty());
  EXPECT_THAT(Said("s"), ElementsAre("one"));
}

// It keeps the journal before it changes the database, which it cannot do while that is read.
TEST_F(DatabasesInUseTest, AreReadWhileAProgramIsAboutToWriteThem) {
  TestDatabase(database_).Run(kTables + Prompt("one"));
  WriteFile(journal_, InTransaction()[1].second);
  constexpr off_t kReserved = 0x40000001;
  const Descriptor program(::open(database_.c_str(), O_RDWR | O_CLOEXEC), database_);
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kReserved;
  lock.l_len = 1;
  ASSERT_EQ(::fcntl(program.fd(), F_OFD_SETLK, &lock), 0);
  Source source = List();
  EXPECT_THAT(ImportListed(source).problems, IsEmpty());
  EXPECT_THAT(Said("s"), ElementsAre("one"));
}

// Its program has died meanwhile: what it has written to the database is not to be read.
TEST_F(DatabasesInUseTest, AreRefusedWhenTheyHaveAJournalThatWasNotListed) {
  const SourceFiles files = InTransaction();
  WriteFile(database_, files[0].second);
  Source source = List();
  WriteFile(journal_, files[1].second);
  EXPECT_THAT(ImportListed(source).problems, SizeIs(1));
  EXPECT_THAT(All(), IsEmpty());
}

TEST_F(DatabasesInUseTest, AreReadWithTheLogThatTheyHaveNow) {
  TestDatabase(database_).Run(std::string("PRAGMA journal_mode=WAL;") + kTables + Prompt("one"));
  Source before = List();
  TestDatabase program(database_);
  program.Run(Prompt("two"));
  ASSERT_TRUE(fs::exists(wal_));
  EXPECT_THAT(ImportListed(before).problems, IsEmpty());
  EXPECT_THAT(Said("s"), ElementsAre("one", "two"));
}

TEST_F(DatabasesInUseTest, AreReadWhenTheirLogIsGone) {
  Source source;
  {
    TestDatabase program(database_);
    program.Run(std::string("PRAGMA journal_mode=WAL;") + kTables + Prompt("one"));
    source = List();
    ASSERT_THAT(source.files, SizeIs(2));
  }
  ASSERT_FALSE(fs::exists(wal_));
  EXPECT_THAT(ImportListed(source).problems, IsEmpty());
  EXPECT_THAT(Said("s"), ElementsAre("one"));
}

}  // namespace
}  // namespace turnlog::databases_in_use_test
