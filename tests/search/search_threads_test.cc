// Many workers return the same results in the same order as one.
#include <gtest/gtest.h>

#include "tests/store/log_fixture.h"
#include "turnlog/search.h"

namespace turnlog::search_threads_test {
namespace {

using SearchThreadsTest = LogTest;

TEST_F(SearchThreadsTest, GiveTheSameAsOneWorker) {
  for (int i = 0; i < 300; ++i) {
    const std::string name = "c" + std::to_string(1000 + i);
    Must(Append(name, std::vector<Event>(static_cast<std::size_t>(1 + i % 7), Say("some x in " + name))));
  }
  const auto find = [&](unsigned jobs, std::uint64_t limit) {
    std::vector<std::pair<std::string, std::uint64_t>> found;
    const SearchOptions options{.limit = limit, .jobs = jobs};
    Must(SearchStore(*log_, {.text = "x"}, options, [&](std::variant<FoundEvent, Damage>&& event) {
      const auto& each = std::get<FoundEvent>(event);
      found.emplace_back(each.conversation, each.seq.value);
      return true;
    }));
    return found;
  };
  const auto all = find(1, UINT64_MAX);
  EXPECT_EQ(all.size(), 1197u);
  EXPECT_EQ(find(8, UINT64_MAX), all);
  EXPECT_EQ(find(8, 100).size(), 100u);
}

}  // namespace
}  // namespace turnlog::search_threads_test
