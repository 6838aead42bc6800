// Every entry that follows from the log is compared, whatever its key begins with.
#include "store/engine/index_comparison.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "store/index/index_format.h"
#include "tests/support/must.h"

namespace turnlog::index_comparison_test {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<IndexBase> IndexOf(const Entries& entries) {
  auto index = Must(IndexBase::MakeScratch());
  IndexBatch batch;
  for (const auto& [key, value] : entries) batch.Put(key, value);
  Must(index->Apply(batch));
  return index;
}

// One for each first byte.
Entries AllEntries() {
  Entries entries;
  for (int byte = 0; byte < 256; ++byte) entries.emplace_back(std::string(1, static_cast<char>(byte)) + "key", "value");
  return entries;
}

bool IsCompared(const std::string& key) { return IsOfTheLog(static_cast<KeySpace>(key.front())); }

TEST(IndexComparisonTest, FindsNothingInEqualIndexes) {
  const IndexDifferences found = Must(CompareIndexes(*IndexOf(AllEntries()), *IndexOf(AllEntries())));
  EXPECT_EQ(found.entries, 252U);  // four spaces are those of consumers
  EXPECT_EQ(found.count, 0U);
}

TEST(IndexComparisonTest, FindsAChangeInEachSpace) {
  const auto same = IndexOf(AllEntries());
  for (std::size_t i = 0; i < 256; i += i < 16 ? 1 : 48) {
    Entries entries = AllEntries();
    const std::uint64_t expected = IsCompared(entries[i].first) ? 1 : 0;
    entries[i].second = "another value";
    const auto different = IndexOf(entries);
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
    const auto less = IndexOf(entries);
    EXPECT_EQ(Must(CompareIndexes(*different, *same)).count, expected) << i;
    EXPECT_EQ(Must(CompareIndexes(*less, *same)).count, expected) << i;
    EXPECT_EQ(Must(CompareIndexes(*same, *less)).count, expected) << i;
  }
}

TEST(IndexComparisonTest, ListsTheFirstDifferencesAndCountsAll) {
  Entries entries;
  for (int i = 0; i < 1'500; ++i) entries.emplace_back("\x04" + std::to_string(i), "value");
  entries.emplace_back("\x02name", "value");
  const IndexDifferences found = Must(CompareIndexes(*IndexOf(entries), *IndexOf({})));
  EXPECT_EQ(found.count, 1'501U);
  ASSERT_EQ(found.first.size(), 1'000U);
  EXPECT_EQ(found.first.front(), "conversation: an entry that does not follow from the log");
}

}  // namespace
}  // namespace turnlog::index_comparison_test
