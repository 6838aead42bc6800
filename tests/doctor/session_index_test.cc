// Indexes of sessions against the files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "migrate/records/json_object.h"
#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::session_index_test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kOne = "0b8c5d1e-2f3a-4b6c-8d7e-9f0a1b2c3d4e", kTwo = "019fc8be-3658-7ca3-9e29-0123456789ab";

class SessionIndexTest : public testing::Test {
 protected:
  DoctorReport Report(DoctorAction action = DoctorAction::kExamine, std::uint64_t idle_seconds = 0,
                      bool redact = false) const {
    const std::array<fs::path, 1> paths{folder_.path()};
    return Must(ExamineSessions(
        paths, {.action = action, .secrets = false, .redact = redact, .idle_seconds = idle_seconds, .jobs = 1}));
  }

  // A session of Claude Code with an index that does not have it.
  void AddToNoIndex() const {
    WriteText(folder_ / (std::string(kOne) + ".jsonl"), TextOf(DamagedSessions() / "claude-code" / "sound.jsonl"));
    WriteText(folder_ / "sessions-index.json", R"({"entries":[]})");
  }

  // The first column of the first row.
  static std::string Text(const fs::path& database, const std::string& sql) {
    sqlite3* open = nullptr;
    std::string text;
    EXPECT_EQ(sqlite3_open_v2(database.c_str(), &open, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    const auto take = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(open, sql.c_str(), take, &text, nullptr), SQLITE_OK) << sqlite3_errmsg(open);
    sqlite3_close(open);
    return text;
  }

  // A session of Codex with its usual folders.
  fs::path AddCodexSession() const {
    const fs::path day = folder_ / "sessions/2026/08/01";
    const std::string name = "rollout-2026-08-01T10-00-00-" + std::string(kTwo) + ".jsonl";
    fs::create_directories(day);
    fs::copy_file(DamagedSessions() / "codex/sound" / name, day / name);
    return day / name;
  }

  static void Execute(const fs::path& database, const std::string& sql) {
    sqlite3* open = nullptr;
    ASSERT_EQ(sqlite3_open(database.c_str(), &open), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(open, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(open);
    sqlite3_close(open);
  }

  TempDir folder_;
};

TEST_F(SessionIndexTest, OfClaudeCodeIsComparedInBothDirections) {
  const std::string sound = TextOf(DamagedSessions() / "claude-code" / "sound.jsonl");
  WriteText(folder_ / (std::string(kOne) + ".jsonl"), sound);
  EXPECT_THAT(Report().indexes, IsEmpty());
  WriteText(folder_ / "sessions-index.json",
            R"({"version":1,"entries":[{"sessionId":")" + std::string(kTwo) + "\"}]}\n");
  const DoctorReport report = Report();
  ASSERT_THAT(report.indexes, SizeIs(2));
  EXPECT_EQ(report.indexes[0].rule, "index-missing-entry");
  EXPECT_EQ(report.indexes[0].session, kOne);
  EXPECT_EQ(report.indexes[1].rule, "index-missing-file");
  EXPECT_EQ(report.indexes[1].session, kTwo);
  WriteText(folder_ / "sessions-index.json", R"({"entries":[{"sessionId":")" + std::string(kOne) + "\"}]}");
  EXPECT_THAT(Report().indexes, IsEmpty());
}

TEST_F(SessionIndexTest, OfCodexIsTheNewestDatabase) {
  (void)AddCodexSession();
  const std::string table = "CREATE TABLE threads(id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, title TEXT);";
  Execute(folder_ / "state_4.sqlite", table);
  Execute(folder_ / "state_10.sqlite", table + "INSERT INTO threads VALUES('" + std::string(kTwo) + "','x','t')");
  EXPECT_THAT(Report().indexes, IsEmpty());
  Execute(folder_ / "state_10.sqlite", "UPDATE threads SET id='" + std::string(kOne) + "', rollout_path='/nowhere'");
  const DoctorReport report = Report();
  ASSERT_THAT(report.indexes, SizeIs(2));
  EXPECT_EQ(report.indexes[0].rule, "index-missing-entry");
  EXPECT_EQ(report.indexes[0].session, kTwo);
  EXPECT_EQ(report.indexes[1].rule, "index-missing-file");
  EXPECT_EQ(report.indexes[1].file, "/nowhere");
}

TEST_F(SessionIndexTest, OfCodexGetsWhatTheFilesSay) {
  const fs::path session = AddCodexSession();
  const fs::path index = folder_ / "state_5.sqlite";
  Execute(index,
          "CREATE TABLE threads(id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, cwd TEXT NOT NULL, title TEXT)");
  const DoctorReport mended = Report(DoctorAction::kReplace);
  ASSERT_THAT(mended.indexes, SizeIs(1));
  EXPECT_TRUE(mended.indexes.front().mended);
  EXPECT_THAT(Report().indexes, IsEmpty());
  EXPECT_EQ(Text(index, "SELECT rollout_path FROM threads"), session);
  const std::string text = TextOf(session);
  const JsonObject header = *JsonObject::Parse(std::string_view(text).substr(0, text.find('\n')));
  EXPECT_EQ(Text(index, "SELECT cwd FROM threads"), header.Object("payload").String("cwd"));
}

TEST_F(SessionIndexTest, OfCodexGetsThePathOfAFileThatWasMoved) {
  const fs::path session = AddCodexSession();
  const fs::path index = folder_ / "state_5.sqlite";
  Execute(index,
          "CREATE TABLE threads(id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, title TEXT);"
          "INSERT INTO threads VALUES('" +
              std::string(kTwo) + "','/elsewhere/a.jsonl','kept')");
  EXPECT_EQ(Report().indexes.at(0).rule, "index-moved-file");
  EXPECT_TRUE(Report(DoctorAction::kReplace).indexes.at(0).mended);
  EXPECT_THAT(Report().indexes, IsEmpty());
  EXPECT_EQ(Text(index, "SELECT rollout_path FROM threads"), session);
  EXPECT_EQ(Text(index, "SELECT title FROM threads"), "kept");
}

TEST_F(SessionIndexTest, OfAnUnknownVersionOfCodexIsNotChanged) {
  (void)AddCodexSession();
  Execute(folder_ / "state_5.sqlite",
          "CREATE TABLE threads(id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, mystery TEXT NOT NULL)");
  const DoctorReport report = Report(DoctorAction::kReplace);
  EXPECT_FALSE(report.indexes.at(0).mended);
  EXPECT_THAT(report.notes, testing::Contains(testing::HasSubstr("mystery")));
}

TEST_F(SessionIndexTest, NamesOfCodexAreOfSessionsThatExist) {
  (void)AddCodexSession();
  Execute(folder_ / "state_5.sqlite", "CREATE TABLE threads(id TEXT, rollout_path TEXT);INSERT INTO threads VALUES('" +
                                          std::string(kTwo) + "','x')");
  WriteText(folder_ / "session_index.jsonl", R"({"id":")" + std::string(kTwo) + R"(","thread_name":"a"})" + "\n" +
                                                 R"({"id":")" + std::string(kOne) + R"(","thread_name":"b"})" + "\n");
  const DoctorReport report = Report();
  ASSERT_THAT(report.indexes, SizeIs(1));
  EXPECT_EQ(report.indexes[0].rule, "index-missing-file");
  EXPECT_EQ(report.indexes[0].session, kOne);
}

// A rollout that someone has copied.
TEST_F(SessionIndexTest, OfCodexHasOnlyWhatIsInItsFolders) {
  constexpr std::string_view kTable =
      "CREATE TABLE threads(id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, title TEXT);";
  const fs::path session = AddCodexSession();
  const fs::path index = folder_ / "state_5.sqlite";
  fs::create_directories(folder_ / "backup");
  fs::rename(session, folder_ / "backup" / session.filename());
  Execute(index, std::string(kTable));
  EXPECT_THAT(Report(DoctorAction::kReplace).indexes, IsEmpty());
  EXPECT_EQ(Text(index, "SELECT count(*) FROM threads"), "0");
  Execute(index, "INSERT INTO threads VALUES('" + std::string(kTwo) + "','/elsewhere/a.jsonl','kept')");
  EXPECT_THAT(Report(DoctorAction::kReplace).indexes, IsEmpty());
  EXPECT_EQ(Text(index, "SELECT rollout_path FROM threads"), "/elsewhere/a.jsonl");
  fs::create_directories(folder_ / "archived_sessions");
  fs::rename(folder_ / "backup" / session.filename(), folder_ / "archived_sessions" / session.filename());
  EXPECT_THAT(Report(DoctorAction::kReplace).indexes, SizeIs(1));
  EXPECT_EQ(Text(index, "SELECT rollout_path FROM threads"), folder_ / "archived_sessions" / session.filename());
}

TEST_F(SessionIndexTest, ThatWasJustWrittenIsNotMended) {
  (void)AddCodexSession();
  Execute(folder_ / "state_5.sqlite", "CREATE TABLE threads(id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL)");
  AddToNoIndex();
  const DoctorReport report = Report(DoctorAction::kReplace, 3600);
  ASSERT_THAT(report.indexes, SizeIs(2));
  for (const IndexFinding& finding : report.indexes) EXPECT_FALSE(finding.mended) << finding.index;
  EXPECT_THAT(report.notes, SizeIs(2));
  EXPECT_EQ(TextOf(folder_ / "sessions-index.json"), R"({"entries":[]})");
  EXPECT_EQ(Text(folder_ / "state_5.sqlite", "SELECT count(*) FROM threads"), "0");
}

TEST_F(SessionIndexTest, OfClaudeCodeThatIsOpenIsNotPutAside) {
  AddToNoIndex();
  const fs::path index = folder_ / "sessions-index.json";
  int opened[2] = {}, done[2] = {};
  ASSERT_EQ(::pipe(opened), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(done[1]);
    char byte = 0;
    const int fd = ::open(index.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || ::write(opened[1], &byte, 1) != 1) ::_exit(1);
    (void)!::read(done[0], &byte, 1);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(opened[0], &byte, 1), 1);
  EXPECT_FALSE(Report(DoctorAction::kReplace).indexes.at(0).mended);
  EXPECT_TRUE(fs::exists(index));
  for (const int fd : {opened[0], opened[1], done[0], done[1]}) ::close(fd);
  ::waitpid(child, nullptr, 0);
}

TEST_F(SessionIndexTest, OfClaudeCodeIsPutAsideUnderANameThatIsFree) {
  AddToNoIndex();
  WriteText(folder_ / "sessions-index.json.before-doctor", "earlier");
  EXPECT_TRUE(Report(DoctorAction::kReplace).indexes.at(0).mended);
  EXPECT_EQ(TextOf(folder_ / "sessions-index.json.before-doctor"), "earlier");
  EXPECT_EQ(TextOf(folder_ / "sessions-index.json.aside-2.before-doctor"), R"({"entries":[]})");
  EXPECT_FALSE(fs::exists(folder_ / "sessions-index.json"));
}

TEST_F(SessionIndexTest, OfClaudeCodeStaysWithARedaction) {
  AddToNoIndex();
  EXPECT_FALSE(Report(DoctorAction::kReplace, 0, true).indexes.at(0).mended);
  EXPECT_EQ(TextOf(folder_ / "sessions-index.json"), R"({"entries":[]})");
  EXPECT_FALSE(fs::exists(folder_ / "sessions-index.json.before-doctor"));
}

TEST_F(SessionIndexTest, OfClaudeCodeIsPutAside) {
  AddToNoIndex();
  EXPECT_TRUE(Report(DoctorAction::kReplace).indexes.at(0).mended);
  EXPECT_FALSE(fs::exists(folder_ / "sessions-index.json"));
  EXPECT_EQ(TextOf(folder_ / "sessions-index.json.before-doctor"), R"({"entries":[]})");
  EXPECT_THAT(Report().indexes, IsEmpty());
}

TEST_F(SessionIndexTest, FoldersOfClaudeCodeAreNamedAfterTheProject) {
  const std::string text = TextOf(DamagedSessions() / "claude-code" / "sound.jsonl");
  for (const std::string folder : {"-home-ada-shop", "-home-ada-other"}) {
    fs::create_directories(folder_ / "projects" / folder);
    WriteText(folder_ / "projects" / folder / (std::string(kOne) + ".jsonl"), text);
  }
  const DoctorReport report = Report();
  ASSERT_THAT(report.indexes, SizeIs(1));
  EXPECT_EQ(report.indexes[0].rule, "project-folder");
  EXPECT_EQ(report.indexes[0].index.filename(), "-home-ada-other");
  EXPECT_EQ(report.indexes[0].file.parent_path().filename(), "-home-ada-shop");
}

TEST_F(SessionIndexTest, MessagesOfOpencodeHaveASession) {
  fs::copy(DamagedSessions() / "opencode/storage-sound", folder_ / "storage", fs::copy_options::recursive);
  EXPECT_THAT(Report().indexes, IsEmpty());
  fs::create_directories(folder_ / "storage/message/ses_lost");
  const DoctorReport report = Report();
  ASSERT_THAT(report.indexes, SizeIs(1));
  EXPECT_EQ(report.indexes[0].rule, "index-missing-entry");
  EXPECT_EQ(report.indexes[0].session, "ses_lost");
}

TEST_F(SessionIndexTest, ThatCannotBeReadIsNoted) {
  WriteText(folder_ / (std::string(kOne) + ".jsonl"), TextOf(DamagedSessions() / "claude-code" / "sound.jsonl"));
  WriteText(folder_ / "sessions-index.json", "{\"entries\":");
  const DoctorReport report = Report();
  EXPECT_THAT(report.indexes, IsEmpty());
  EXPECT_THAT(report.notes, SizeIs(1));
}

}  // namespace
}  // namespace turnlog::session_index_test
