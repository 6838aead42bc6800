// Listing conversations in order, page by page, wherever they are indexed.
#include <fmt/format.h>

#include <map>

#include "tests/log_conformance/conformance.h"

namespace turnlog::list_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ListTest : public ConformanceTest {
 protected:
  static std::vector<std::string> Names(const std::vector<ConversationInfo>& infos) {
    std::vector<std::string> names;
    for (const ConversationInfo& info : infos) names.push_back(info.id);
    return names;
  }
  std::vector<std::string> Page(std::string_view after, std::size_t limit) {
    return Names(Must(log_->List(after, limit)));
  }
  std::vector<std::string> ByPages(std::size_t limit) {
    std::vector<std::string> all;
    for (;;) {
      const std::vector<std::string> page = Page(all.empty() ? "" : all.back(), limit);
      EXPECT_LE(page.size(), limit);
      if (page.empty()) return all;
      all.insert(all.end(), page.begin(), page.end());
    }
  }
};

TURNLOG_FOR_ALL_ENGINES(ListTest);

TEST_P(ListTest, OrdersByBytesOfTheId) {
  for (const char* name : {"b", "a", "aa", "B", "a b", "\xC3\xA9", "10", "9", "~"}) Must(Append(name, Say("x")));
  const std::vector<std::string> expected{"10", "9", "B", "a", "a b", "aa", "b", "~", "\xC3\xA9"};
  EXPECT_EQ(Page("", 100), expected);
  Must(log_->Checkpoint());
  EXPECT_EQ(Page("", 100), expected);
}

TEST_P(ListTest, BeginsAfterAnyText) {
  for (const char* name : {"b", "d"}) Must(Append(name, Say("x")));
  EXPECT_THAT(Page("a", 10), ElementsAre("b", "d"));
  EXPECT_THAT(Page("b", 10), ElementsAre("d"));
  EXPECT_THAT(Page("c", 10), ElementsAre("d"));
  EXPECT_THAT(Page("d", 10), IsEmpty());
  EXPECT_THAT(Page("\xFF\xFF", 10), IsEmpty());
  EXPECT_THAT(Page("", 0), IsEmpty());
  EXPECT_THAT(Page("", SIZE_MAX), SizeIs(2));
}

// Some on disk, some in memory, some in both, some with later appends.
TEST_P(ListTest, JoinsWhatIsInMemoryAndOnDisk) {
  std::vector<std::string> expected;
  for (int i = 0; i < 90; ++i) {
    const std::string name = fmt::format("conversation {:03}", i * 37 % 90);
    Must(Append(name, {NewTurn(), Say("x")}));
    expected.push_back(name);
    if (i == 30 || i == 60) Must(log_->Checkpoint());
    if (i % 10 == 9) Must(Append(fmt::format("conversation {:03}", i * 37 % 50), Say("more")));
  }
  std::ranges::sort(expected);
  const auto check = [&] {
    for (const std::size_t limit : {1U, 2U, 7U, 89U, 90U, 91U}) ASSERT_EQ(ByPages(limit), expected) << limit;
    for (const ConversationInfo& info : Must(log_->List("", 100))) {
      const ConversationInfo same = Must(log_->Info(Id(info.id)));
      EXPECT_EQ(info.last, same.last);
      EXPECT_EQ(info.turns, 1U);
    }
  };
  check();
  Reopen();
  check();
  ReopenAfterKill();
  check();
  Reopen(OpenMode::kRead);
  check();
}

TEST_P(ListTest, ReturnsTheSameAsInfo) {
  Must(Append("a", {NewTurn(), Ask(Opaque("i"))}));
  const ConversationInfo listed = Must(log_->List("", 1)).front();
  const ConversationInfo info = Must(log_->Info(Id("a")));
  EXPECT_EQ(listed.id, "a");
  EXPECT_EQ(listed.last.value, 2U);
  EXPECT_EQ(listed.turns, 1U);
  EXPECT_EQ(listed.bytes, info.bytes);
  EXPECT_EQ(listed.first_time, std::nullopt);
}

}  // namespace
}  // namespace turnlog::list_test
