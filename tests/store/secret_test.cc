// An answer in clear to a question that asks for a secret does not reach the log.
#include <gmock/gmock.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/store/log_fixture.h"

namespace turnlog::secret_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const InquiryId kSecret = Opaque("call.token");

class SecretTest : public LogTest {
 protected:
  void ExpectRefused(const Result<Receipt>& refused, std::string_view asked_at) {
    EXPECT_EQ(CodeOf(refused), "secret refused");
    EXPECT_THAT(MessageOf(refused), HasSubstr("asked at seq " + std::string(asked_at)));
    EXPECT_THAT(MessageOf(refused), Not(HasSubstr("hush-hush")));
  }
};

TEST_F(SecretTest, IsRefusedAfterTheRequest) {
  Must(Append("a", {NewTurn(), AskSecret(kSecret)}));
  ExpectRefused(Append("a", Answer(kSecret)), "2");
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 1 turn", "2 1 ask call.token"));
  EXPECT_THAT(PendingLines(*log_), ElementsAre("a t1 2"));
}

TEST_F(SecretTest, IsRefusedInTheSameBatchAndTheBatchWithIt) {
  ExpectRefused(Append("a", {Say("1"), AskSecret(kSecret), Answer(kSecret)}), "2");
  EXPECT_EQ(CodeOf(log_->Info(Id("a"))), "not found");
}

TEST_F(SecretTest, IsRefusedWhereverTheRequestIsIndexed) {
  Must(Append("a", AskSecret(kSecret)));
  Must(log_->Checkpoint());
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Reopen();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Must(Append("a", Say("2")));
  ReopenAfterCrash();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
}

// A text that nobody has in clear but for a moment.
constexpr std::string_view kMasked = "\x22\x3c\x25\x30\x31\x78\x34\x33\x21\x30\x27\x78\x20\x26\x30\x78\x61\x62\x64\x64";
constexpr char kMask = 0x55;

// How often it stands in clear in the memory of this process.
std::size_t CountInMemory() {
  std::ifstream maps("/proc/self/maps"), memory("/proc/self/mem", std::ios::binary);
  std::size_t count = 0;
  std::vector<char> bytes;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    std::array<char, 5> access{};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access.data()) != 3 || access[1] != 'w') continue;
    if (end - begin > std::size_t{1} << 30) continue;  // shadow memory of a sanitizer
    bytes.resize(end - begin);
    memory.clear();
    memory.seekg(static_cast<std::streamoff>(begin));
    if (!memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) continue;
    const auto same = [](char letter, char masked) { return static_cast<char>(letter ^ kMask) == masked; };
    for (auto at = bytes.begin();; ++at, ++count) {
      at = std::search(at, bytes.end(), kMasked.begin(), kMasked.end(), same);
      if (at == bytes.end()) break;
    }
  }
  return count;
}

TEST_F(SecretTest, IsNowhereInOurMemoryAfterItWasRefused) {
  Must(Append("a", {NewTurn(), AskSecret(kSecret)}));
  std::array<char, kMasked.size() + 2> json{'"'};
  json.back() = '"';
  std::ranges::transform(kMasked, json.begin() + 1, [](char masked) { return static_cast<char>(masked ^ kMask); });
  const EventView answer{
      .body = BasicInquiryResponse<std::string_view>{.outcome = Outcome::kAnswered,
                                                     .id = {kSecret.text, {}},
                                                     .answer = JsonView::FromTrusted({json.data(), json.size()})}};
  ASSERT_GE(CountInMemory(), 1U) << "it would not be found";
  ExpectRefused(log_->Append(Id("a"), {&answer, 1}, {}), "2");
  ::explicit_bzero(json.data(), json.size());
  EXPECT_EQ(CountInMemory(), 0U);
}

TEST_F(SecretTest, IsRefusedUnderKeyedIds) {
  Must(Append("a", AskSecret(Keyed("call", "token", 1))));
  ExpectRefused(Append("a", Answer(Keyed("call", "token", 1))), "1");
  ExpectRefused(Append("a", Answer(Opaque("call.token.1"))), "1");
  EXPECT_EQ(CodeOf(Append("a", Answer(Keyed("call", "token", 2)))), "fine");
}

TEST_F(SecretTest, MayBeRedactedOrCancelled) {
  Must(Append("a", {AskSecret(kSecret), Redacted(kSecret), AskSecret(kSecret), Cancel(kSecret)}));
  EXPECT_THAT(PendingLines(*log_), ElementsAre());
}

// The question has its response; what comes then under its id would be the secret all the same.
TEST_F(SecretTest, IsRefusedAfterTheRequestHasBeenClosed) {
  for (const Event& closing : {Redacted(kSecret), Cancel(kSecret)}) {
    const std::string name = Brief(View(closing));
    Must(Append(name, {NewTurn(), AskSecret(kSecret), closing}));
    ExpectRefused(Append(name, Answer(kSecret)), "2");
    ExpectRefused(Append(name, {Say("4"), Answer(kSecret)}), "2");
    EXPECT_EQ(CodeOf(Append(name, Redacted(kSecret))), "fine");
    EXPECT_EQ(CodeOf(Append(name, Answer(Opaque("call.other")))), "fine");
    EXPECT_EQ(CodeOf(Append(name, {NewTurn(), Answer(kSecret)})), "fine");
  }
  ExpectRefused(Append("batch", {AskSecret(kSecret), Redacted(kSecret), Answer(kSecret)}), "1");
}

TEST_F(SecretTest, IsRefusedAfterTheRequestHasBeenClosedWhereverThatIsIndexed) {
  Must(Append("a", {AskSecret(kSecret), Redacted(kSecret)}));
  Must(log_->Checkpoint());
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Reopen();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Must(Append("a", Say("3")));
  ReopenAfterCrash();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Close();
  std::filesystem::remove_all(path() / "index");
  Open();
  ExpectRefused(Append("a", Answer(kSecret)), "1");
}

// A question of the same id that asks for no secret may be answered, once.
TEST_F(SecretTest, IsNotTheAnswerToALaterQuestionOfItsId) {
  Must(Append("a", {AskSecret(kSecret), Redacted(kSecret), Ask(kSecret)}));
  EXPECT_EQ(CodeOf(Append("a", Answer(kSecret))), "fine");
  ExpectRefused(Append("a", Answer(kSecret)), "1");
}

TEST_F(SecretTest, OfAnEarlierTurnConcernsNobody) {
  Must(Append("a", {AskSecret(kSecret), NewTurn()}));
  EXPECT_EQ(CodeOf(Append("a", Answer(kSecret))), "fine");
  EXPECT_EQ(CodeOf(Append("b", {AskSecret(kSecret), NewTurn(), Answer(kSecret)})), "fine");
}

TEST_F(SecretTest, RepeatedIdsAnswerTheNearestOpenRequest) {
  Must(Append("a", {AskSecret(kSecret), Ask(kSecret)}));
  EXPECT_EQ(CodeOf(Append("a", Answer(kSecret))), "fine");
  ExpectRefused(Append("a", Answer(kSecret)), "1");
  Must(Append("a", {Ask(kSecret), AskSecret(kSecret)}));
  ExpectRefused(Append("a", Answer(kSecret)), "5");
}

TEST_F(SecretTest, RequestThatIsARepeatIsNotAsked) {
  Must(Append("a", {Named("e", AskSecret(kSecret)), Redacted(kSecret)}));
  Must(Append("a", Ask(kSecret)));
  EXPECT_EQ(CodeOf(Append("a", {Named("e", AskSecret(kSecret)), Answer(kSecret)})), "fine");
}

TEST_F(SecretTest, StandsInNoFileAfterTheRefusal) {
  Must(Append("a", AskSecret(kSecret)));
  ExpectRefused(Append("a", {Say("before"), Answer(kSecret)}), "1");
  Must(Append("a", Say("after")));
  Close();
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string contents{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(contents.find("hush-hush"), std::string::npos) << entry.path();
  }
  EXPECT_GT(files, 3);
}

}  // namespace
}  // namespace turnlog::secret_test
