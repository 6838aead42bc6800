#include "turnlog/open_log.h"

#include <gmock/gmock.h>

#include "tests/store/log_fixture.h"

namespace turnlog::open_log_test {
namespace {

using testing::HasSubstr;

TEST(OpenLogTest, OpensAFolder) {
  const TempDir folder;
  const auto log = Must(OpenLog(folder / "store", {.holder = "test"}));
  Must(log->Append(Id("a"), Say("1")));
  EXPECT_EQ(Must(log->Stats()).engine, "segments");
}

TEST(OpenLogTest, RefusesLocationsOfMissingEngines) {
  for (const std::string place : {"ftp://host/x", "postgresql:", "s3+x:bucket"}) {
    const auto log = OpenLog(place);
    EXPECT_EQ(CodeOf(log), "unsupported") << place;
    EXPECT_THAT(MessageOf(log), HasSubstr(place.substr(0, place.find(':') + 1)));
  }
  EXPECT_EQ(CodeOf(OpenLog("")), "invalid argument");
}

TEST(OpenLogTest, ReportsThatNoServiceIsThere) {
  const TempDir folder;
  for (const std::string& place : {"unix:" + (folder / "none").string(), std::string("http://127.0.0.1:1")}) {
    EXPECT_EQ(CodeOf(OpenLog(place)), "not found") << place;
  }
  for (const char* place : {"http://example.org:80", "http://127.0.0.1", "http://"}) {
    EXPECT_EQ(CodeOf(OpenLog(place)), "invalid argument") << place;
  }
}

TEST(OpenLogTest, AFolderMayHaveAColonInItsName) {
  for (const char* place : {"./unix:", "/nowhere/http://x", "C:", "Http:", ":", "_x:y"}) {
    EXPECT_EQ(CodeOf(OpenLog(place, {.mode = OpenMode::kRead, .holder = {}})), "not found") << place;
  }
}

}  // namespace
}  // namespace turnlog::open_log_test
