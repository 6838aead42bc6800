// Which files count as backups of a replaced one: only names that a run can have written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "doctor/replace_file.h"
#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::late_bytes_test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kText = "{\"a\":1}\n", kLate = "{\"late\":2}\n";

class LateBytesTest : public testing::Test {
 protected:
  LateBytesTest() { WriteText(file_, kText); }

  void AddBackup(const std::string& numbers, const std::string& text) const {
    WriteText(folder_ / ("s.jsonl." + numbers + std::string(kBackupSuffix)), text);
  }

  TempDir folder_;
  const fs::path file_ = folder_ / "s.jsonl";
};

TEST_F(LateBytesTest, AreCarriedOverOnce) {
  AddBackup("8", std::string(kText).append(kLate));
  EXPECT_EQ(CountLateBytes(file_), kLate.size());
  EXPECT_EQ(Must(CarryOver(file_, {})), kLate.size());
  EXPECT_EQ(TextOf(file_), std::string(kText).append(kLate));
  EXPECT_EQ(CountLateBytes(file_), 0U);
  EXPECT_EQ(Must(CarryOver(file_, {})), 0U);
}

TEST_F(LateBytesTest, OfAnInterruptedRunAreCompleted) {
  AddBackup("8-19", std::string(kText).append(kLate));
  EXPECT_EQ(Must(CarryOver(file_, {})), kLate.size());
  EXPECT_EQ(TextOf(file_), std::string(kText).append(kLate));
}

// Their numbers say more bytes than the file has, or fewer than were there before.
TEST_F(LateBytesTest, AreNotReadFromFilesWithImpossibleNumbers) {
  const std::string text = std::string(kText).append(kLate);
  for (const char* numbers : {"0-18446744073709551615", "100-5", "8-20", "18446744073709551615", "20", "8-19-", "-8",
                              "8.", "8.x", "99999999999999999999"}) {
    SCOPED_TRACE(numbers);
    AddBackup(numbers, text);
    EXPECT_EQ(CountLateBytes(file_), 0U);
    EXPECT_EQ(Must(CarryOver(file_, {})), 0U);
    EXPECT_EQ(TextOf(file_), kText);
  }
}

}  // namespace
}  // namespace turnlog::late_bytes_test
