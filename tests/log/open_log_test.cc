#include "turnlog/open_log.h"

#include <gmock/gmock.h>

#include <initializer_list>
#include <string>
#include <utility>

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

// It may be meant for another service, or be a secret: it is not left out, and not quoted.
TEST(OpenLogTest, RefusesWhatTheLocationOfAServiceDoesNotHave) {
  for (const auto& [place, what] :
       std::initializer_list<std::pair<std::string, const char*>>{{"https://127.0.0.1:1/path?query", "query"},
                                                                  {"https://127.0.0.1:1?query", "query"},
                                                                  {"https://127.0.0.1:1/path#part", "fragment"},
                                                                  {"https://127.0.0.1:1#part", "fragment"},
                                                                  {"https://user:kqzv@127.0.0.1:1/path", "password"},
                                                                  {"https://user@127.0.0.1:1", "password"},
                                                                  {"http://127.0.0.1:1/?query", "query"},
                                                                  {"http://127.0.0.1:1#part", "fragment"},
                                                                  {"http://user:kqzv@127.0.0.1:1", "password"},
                                                                  {"http://127.0.0.1:1/path", "path"}}) {
    const auto log = OpenLog(place);
    EXPECT_EQ(CodeOf(log), "invalid argument") << place;
    EXPECT_THAT(MessageOf(log), HasSubstr(what)) << place;
    EXPECT_THAT(MessageOf(log), testing::Not(HasSubstr("kqzv")));
  }
  EXPECT_EQ(CodeOf(OpenLog("http://127.0.0.1:1/")), "not found");
}

TEST(OpenLogTest, ASchemeHasSmallLetters) {
  for (const char* place : {"HTTPS://127.0.0.1:1", "Http://127.0.0.1:1", "FTP://host/x"}) {
    EXPECT_EQ(CodeOf(OpenLog(place, {.mode = OpenMode::kRead, .holder = {}})), "unsupported") << place;
  }
}

TEST(OpenLogTest, AFolderMayHaveAColonInItsName) {
  for (const char* place : {"./unix:", "/nowhere/http://x", "C:", "Http:", ":", "_x:y"}) {
    EXPECT_EQ(CodeOf(OpenLog(place, {.mode = OpenMode::kRead, .holder = {}})), "not found") << place;
  }
}

}  // namespace
}  // namespace turnlog::open_log_test
