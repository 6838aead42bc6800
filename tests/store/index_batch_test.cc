// Changes of an index in the order of their keys.
#include "store/index/index_batch.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace turnlog::index_batch_test {
namespace {

using testing::ElementsAreArray;

std::vector<std::string> Sorted(const std::vector<std::string>& keys) {
  IndexBatch batch;
  for (const std::string& key : keys) batch.Put(key, "value of " + key);
  batch.Sort();
  std::vector<std::string> sorted;
  batch.ForEach([&](const IndexBatch::Change& change) {
    EXPECT_EQ(change.value, "value of " + std::string(change.key));
    sorted.emplace_back(change.key);
  });
  return sorted;
}

void ExpectSorted(const std::set<std::string>& keys, unsigned seed) {
  std::vector<std::string> shuffled(keys.begin(), keys.end());
  std::ranges::shuffle(shuffled, std::mt19937(seed));
  EXPECT_THAT(Sorted(shuffled), ElementsAreArray(keys)) << seed;
}

TEST(IndexBatchTest, SortsWhateverKeysShare) {
  const std::string beginnings[] = {"", "conversation-", std::string("\0\0", 2),
                                    "\xff\xff\xff\xff\xff\xff\xff\xff\xff"};
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::set<std::string> keys;
    for (int i = 0; i < 60; ++i) {
      std::string key(1, static_cast<char>(random() % 4 == 0 ? 0xFF : random() % 4));
      key += beginnings[random() % (1 + seed % 4)];
      for (auto more = random() % 12; more > 0; --more) key += static_cast<char>(random() % 3 == 0 ? 0 : random());
      keys.insert(key);
    }
    ExpectSorted(keys, seed);
  }
}

TEST(IndexBatchTest, SortsKeysOfWhichOneBeginsTheOthers) {
  ExpectSorted({"a", "ab", std::string("ab\0", 3), std::string("ab\0\0", 4), "abc", "abcdefghijkl", "abcdefghijklm"},
               1);
  ExpectSorted({"one"}, 1);
  ExpectSorted({}, 1);
}

}  // namespace
}  // namespace turnlog::index_batch_test
