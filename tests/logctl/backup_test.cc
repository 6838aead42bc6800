// `logctl backup` and `logctl restore`: what they print, and how they end.
#include <filesystem>

#include "tests/logctl/logctl_test.h"

namespace turnlog::backup_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class BackupCommandTest : public LogctlTest {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
};

TEST_F(BackupCommandTest, BackUpLookAndRestore) {
  AppendSample();
  const std::string cat = Output({"cat", "sample"});
  EXPECT_THAT(Output({"backup", Path("backup")}),
              AllOf(HasSubstr("copied "), HasSubstr("26 events of 1 conversation: clean\n")));
  EXPECT_EQ(RunProgram({"cat", "sample", "--store", Path("backup")}).out, cat);
  EXPECT_THAT(Output({"restore", Path("backup"), Path("restored")}), HasSubstr("restored "));
  EXPECT_EQ(RunProgram({"cat", "sample", "--store", Path("restored")}).out, cat);
  EXPECT_THAT(RunProgram({"verify", "--store", Path("restored")}).out, HasSubstr("clean"));
}

TEST_F(BackupCommandTest, ReportsAsJson) {
  AppendSample();
  const JsonValue first = Json({"backup", Path("backup")});
  EXPECT_EQ(first["events"].Number(), kSampleEvents);
  EXPECT_GT(first["copied_bytes"].Number(), 0u);
  EXPECT_EQ(Json({"backup", Path("backup")})["copied_bytes"].Number(), 0u);
  EXPECT_EQ(Json({"restore", Path("backup"), Path("restored")})["damage_count"].Number(), 0u);
}

TEST_F(BackupCommandTest, RedactNamesTheBackupsThatMayStillHoldIt) {
  Append("c", R"({"type":"chat_request","content":"the value zzz-9-zzz is here"})");
  ASSERT_EQ(Logctl({"backup", Path("backup")}).exit_code, 0);
  const Ran ran = Logctl({"redact", "--values-stdin"}, "zzz-9-zzz\n");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("the backup at " + std::filesystem::canonical(Path("backup")).string()));
  EXPECT_THAT(Output({"backup", Path("backup")}), HasSubstr("erased in the backup, as in the store: 1 record\n"));
  EXPECT_THAT(RunProgram({"cat", "c", "--store", Path("backup")}).out, HasSubstr("the value [redacted] is here"));
}

TEST_F(BackupCommandTest, SaysWhyItCannot) {
  AppendSample();
  EXPECT_THAT(Logctl({"backup", store()}), FailsWith(1, store()));
  EXPECT_THAT(Logctl({"restore", Path("nothing"), Path("restored")}), FailsWith(1, Path("nothing")));
  ASSERT_EQ(Logctl({"backup", Path("backup")}).exit_code, 0);
  EXPECT_THAT(Logctl({"restore", Path("backup"), store()}), Fails(1));
  // Where nothing can be made, what is to be made is named, and not the store.
  std::filesystem::create_symlink(Path("nothing"), Path("dead"));
  for (const std::string& place : {Path("dead"), std::string("/proc/nothing")}) {
    const Ran ran = Logctl({"backup", place});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, AllOf(HasSubstr(place), Not(HasSubstr("there is no store"))));
    EXPECT_THAT(RunProgram({"store", "init", place}), FailsWith(1, place));
    EXPECT_THAT(RunProgram({"store", "init", place}).err, Not(HasSubstr("there is no store")));
  }
}

}  // namespace
}  // namespace turnlog::backup_test
