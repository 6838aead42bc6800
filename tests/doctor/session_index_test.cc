// Indexes of sessions against the files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>

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
  DoctorReport Report() const {
    const std::array<fs::path, 1> paths{folder_.path()};
    return Must(ExamineSessions(paths, {.secrets = false, .jobs = 1}));
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
  const fs::path day = folder_ / "sessions/2026/08/01";
  const std::string name = "rollout-2026-08-01T10-00-00-" + std::string(kTwo) + ".jsonl";
  fs::create_directories(day);
  fs::copy_file(DamagedSessions() / "codex/sound" / name, day / name);
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

TEST_F(SessionIndexTest, ThatCannotBeReadIsNoted) {
  WriteText(folder_ / (std::string(kOne) + ".jsonl"), TextOf(DamagedSessions() / "claude-code" / "sound.jsonl"));
  WriteText(folder_ / "sessions-index.json", "{\"entries\":");
  const DoctorReport report = Report();
  EXPECT_THAT(report.indexes, IsEmpty());
  EXPECT_THAT(report.notes, SizeIs(1));
}

}  // namespace
}  // namespace turnlog::session_index_test
