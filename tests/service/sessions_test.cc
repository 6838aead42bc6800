// Codes, cookies and sessions, by themselves.
#include "service/sessions.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "service/digest.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"

namespace turnlog::sessions_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Timestamp kNow{1'700'000'000'000'000'000};

Timestamp After(std::chrono::nanoseconds time) { return {kNow.nanos + time.count()}; }

std::string TextOf(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(SessionsTest, ACodeSignsInOnce) {
  Sessions sessions({});
  const std::string code = sessions.MakeCode({"ann", {}}, kNow);
  EXPECT_EQ(sessions.TakeCode(code, kNow).value_or(Invited{}).who, "ann");
  EXPECT_FALSE(sessions.TakeCode(code, kNow));
}

TEST(SessionsTest, ACodeIsTakenAsPeopleTypeIt) {
  Sessions sessions({});
  std::string code = sessions.MakeCode({}, kNow);
  std::erase(code, '-');
  for (char& c : code) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  EXPECT_TRUE(sessions.TakeCode(" " + code, kNow));
}

TEST(SessionsTest, ACodeExpires) {
  Sessions sessions({});
  const std::string code = sessions.MakeCode({}, kNow), other = sessions.MakeCode({}, kNow);
  EXPECT_TRUE(sessions.TakeCode(code, After(kCodeTime)));
  EXPECT_FALSE(sessions.TakeCode(other, After(kCodeTime + std::chrono::nanoseconds(1))));
}

TEST(SessionsTest, AClockThatIsSetBackDoesNotLengthenTheLifeOfACode) {
  Sessions sessions({});
  const std::string code = sessions.MakeCode({}, After(std::chrono::minutes(1)));
  EXPECT_FALSE(sessions.TakeCode(code, kNow));
}

TEST(SessionsTest, WrongCodesVoidTheRightOne) {
  Sessions sessions({});
  const std::string code = sessions.MakeCode({}, kNow);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(sessions.TakeCode("AAAA-AAAA", kNow));
  EXPECT_FALSE(sessions.TakeCode(code, kNow));
  EXPECT_TRUE(sessions.TakeCode(sessions.MakeCode({}, kNow), kNow));
}

TEST(SessionsTest, ASessionIsFoundByItsCookieOnly) {
  Sessions sessions({});
  const std::string cookie = Must(sessions.Begin("ann", kNow));
  const Session session = sessions.Find(cookie, kNow).value();
  EXPECT_EQ(session.who, "ann");
  EXPECT_NE(cookie, Must(sessions.Begin("ann", kNow)));
  for (const std::string& wrong : {std::string(), session.id, Sha256Hex(cookie), cookie + "0"}) {
    EXPECT_FALSE(sessions.Find(wrong, kNow)) << wrong;
  }
}

TEST(SessionsTest, ASessionEndsWhenItIsRevokedOrOld) {
  Sessions sessions({});
  const std::string first = Must(sessions.Begin("ann", kNow)), second = Must(sessions.Begin("bob", After(kCodeTime)));
  ASSERT_EQ(sessions.List(kNow).size(), 2U);
  EXPECT_EQ(sessions.List(kNow)[0].who, "ann");
  Must(sessions.End(sessions.List(kNow)[0].id, kNow));
  EXPECT_FALSE(sessions.Find(first, kNow));
  EXPECT_TRUE(sessions.Find(second, kNow));
  EXPECT_FALSE(sessions.Find(second, After(kSessionTime + std::chrono::hours(1))));
  EXPECT_EQ(sessions.List(After(kSessionTime + std::chrono::hours(1))).size(), 0U);
  EXPECT_FALSE(sessions.End("other", kNow));
}

TEST(SessionsTest, TheyOutliveARestartAndTheFileSignsNobodyIn) {
  const TempDir folder;
  const auto file = folder / "sessions";
  const std::string cookie = Must(Sessions(file).Begin("ann", kNow));
  EXPECT_THAT(TextOf(file), Not(HasSubstr(cookie)));
  Sessions again(file);
  EXPECT_EQ(again.Find(cookie, kNow).value().who, "ann");
  Must(again.End(again.List(kNow)[0].id, kNow));
  EXPECT_FALSE(Sessions(file).Find(cookie, kNow));
}

TEST(SessionsTest, ASessionWhoseEndCannotBeSavedStaysEndedAndIsSavedLater) {
  const TempDir folder;
  for (const bool by_list : {false, true}) {
    const auto store = folder / "store", away = folder / "away";
    std::filesystem::create_directory(store);
    Sessions sessions(store / "sessions");
    const std::string cookie = Must(sessions.Begin("ann", kNow));
    const std::string id = sessions.List(kNow)[0].id;
    std::filesystem::rename(store, away);
    std::ofstream(store) << "no folder";
    for (int i = 0; i < 2; ++i) {
      const Status ended = sessions.End(id, kNow);
      ASSERT_FALSE(ended);
      EXPECT_NE(ended.error().code, ErrorCode::kNotFound);
      EXPECT_FALSE(sessions.Find(cookie, kNow));
    }
    std::filesystem::remove(store);
    std::filesystem::rename(away, store);
    if (by_list) {
      EXPECT_TRUE(sessions.List(kNow).empty());
    } else {
      Must(sessions.End(id, kNow));
    }
    EXPECT_FALSE(Sessions(store / "sessions").Find(cookie, kNow));
    EXPECT_EQ(CodeOf(sessions.End(id, kNow)), "not found");
    std::filesystem::remove_all(store);
  }
}

TEST(SessionsTest, ASessionThatCannotBeSavedDoesNotBegin) {
  const TempDir folder;
  Sessions sessions(folder / "none" / "sessions");
  EXPECT_FALSE(sessions.Begin("ann", kNow));
  EXPECT_TRUE(sessions.List(kNow).empty());
}

TEST(SessionsTest, AFileThatIsDamagedCountsAsEmpty) {
  const TempDir folder;
  for (const char* text : {"", "{", "[]", R"({"sessions":[{"hash":1}]})", R"({"sessions":7})"}) {
    std::ofstream(folder / "sessions") << text;
    EXPECT_EQ(Sessions(folder / "sessions").List(kNow).size(), 0U) << text;
  }
}

TEST(DigestTest, IsWhatTheStandardSays) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HmacSha256Hex("key", "The quick brown fox jumps over the lazy dog"),
            "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
  EXPECT_EQ(RandomHex(32).size(), 64U);
  EXPECT_NE(RandomHex(32), RandomHex(32));
}

}  // namespace
}  // namespace turnlog::sessions_test
