// Every batch is done once: by the thread, or given back.
#include "base/work_beside.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <utility>

namespace turnlog::work_beside_test {
namespace {

struct Numbers {
  int sum = 0;
};

TEST(WorkBesideTest, GivesBackWhatHasNotBegun) {
  std::latch begun(1), may_end(1);
  std::atomic<int> done = 0;
  WorkBeside<Numbers> beside([&](Numbers& numbers) {
    begun.count_down();
    may_end.wait();
    done += numbers.sum;
    numbers = {};
  });
  auto batch = std::make_unique<Numbers>(1);
  ASSERT_TRUE(beside.Offer(batch));
  EXPECT_EQ(batch, nullptr);
  begun.wait();
  batch = std::make_unique<Numbers>(2);
  ASSERT_TRUE(beside.Offer(batch));
  batch = std::make_unique<Numbers>(4);
  EXPECT_FALSE(beside.Offer(batch)) << "one works, and one waits";
  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(batch->sum, 4);
  const auto rest = beside.TakeBack();
  ASSERT_NE(rest, nullptr);
  EXPECT_EQ(rest->sum, 2);
  EXPECT_EQ(beside.TakeBack(), nullptr);
  may_end.count_down();
  beside.Await();
  EXPECT_EQ(done, 1);
}

TEST(WorkBesideTest, DoesAllThatItTakes) {
  constexpr int kBatches = 10'000;
  int beside_sum = 0, own_sum = 0;
  WorkBeside<Numbers> beside([&](Numbers& numbers) { beside_sum += std::exchange(numbers.sum, 0); });
  std::unique_ptr<Numbers> batch;
  for (int i = 0; i < kBatches; ++i) {
    if (batch == nullptr) batch = std::make_unique<Numbers>();
    EXPECT_EQ(batch->sum, 0);
    batch->sum = 1;
    if (!beside.Offer(batch)) own_sum += std::exchange(batch->sum, 0);
  }
  if (const auto rest = beside.TakeBack()) own_sum += rest->sum;
  beside.Await();
  EXPECT_EQ(beside_sum + own_sum, kBatches);
}

}  // namespace
}  // namespace turnlog::work_beside_test
