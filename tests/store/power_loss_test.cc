// Power is lost at any moment: all unsynced data is lost, or random pages and names of it, of the segments and of the
// index. TURNLOG_EFFORT=full does that to 2,000 stores.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "store/engine/event_log.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/power_loss_rig.h"
#include "tests/support/effort.h"
#include "tests/support/temp_dir.h"
#include "turnlog/maintenance.h"

namespace turnlog::power_loss_test {
namespace {

constexpr int kLivesOfAStore = 6;

std::uint64_t Stores() { return SampleSize(24, 2000); }

// One append and its offset in the log.
struct Placed {
  std::uint64_t offset = 0;  // its end
  std::uint32_t conversation = 0;
  std::uint64_t last = 0;
};

// A store, used until the power is lost, several times. With a fixed order everything follows from the seed.
class StoreWithPowerLosses {
 public:
  StoreWithPowerLosses(std::uint64_t seed, FileOrder order) : order_(order), random_(seed), machine_(order) {
    machine_.TraceBelow(folder_.path());
  }

  void Run() {
    for (int life = 0; life < kLivesOfAStore; ++life) {
      SCOPED_TRACE(fmt::format("life {}", life));
      Live();
      // Sometimes the next run is the first to open the store.
      if (random_() % 3 != 0) ExpectNothingLost();
      if (testing::Test::HasFailure()) return;
    }
    ExpectNothingLost();
  }
  const std::vector<std::string>& trace() const { return machine_.trace(); }

 private:
  // One run of the store, from opening to the power loss.
  void Live() {
    const SegmentOptions options{.segment_bytes = (8U << 10) << (random_() % 3),
                                 .checkpoint_bytes = (8U << 10) << (random_() % 4),
                                 .compression = static_cast<Compression>(random_() % 3)};
    // Usually it stops during the work, sometimes during opening.
    const std::uint64_t log_operations = random_() % 3 == 0 ? 0 : 1 + random_() % (random_() % 3 == 0 ? 12 : 150);
    const std::uint64_t index_operations = random_() % 3 == 0 ? 1 + random_() % 40 : 0;
    machine_.StopAfter(log_operations, index_operations);
    placed_.clear();
    auto log = EventLog::Open(store_, options, machine_.environment());
    if (log) Work(**log);
    if (log && random_() % 4 == 0) (void)(*log)->Close();
    if (log && random_() % 8 == 0) log->reset();
    machine_.StopNow();
    const bool only_the_process = random_() % 4 == 0;
    if (!only_the_process) machine_.LosePower(random_(), random_() % 3 == 0 ? Loss::kAll : Loss::kRandom);
    log = std::unique_ptr<EventLog>();
    machine_.Restart();
  }

  void Work(EventLog& log) {
    const std::uint64_t threads = order_ == FileOrder::kFree ? 1 + random_() % 3 : 1;
    std::vector<std::thread> others;
    for (std::uint64_t i = 1; i < threads; ++i) {
      others.emplace_back([this, &log, i, seed = random_()] { Append(log, static_cast<std::uint32_t>(i), seed); });
    }
    Append(log, 0, random_());
    for (std::thread& thread : others) thread.join();
  }

  // Until an error or the maximum of appends. Each thread appends to its own conversations.
  void Append(EventLog& log, std::uint32_t thread, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::uint64_t left = random() % 120; left > 0; --left) {
      const std::uint32_t conversation = thread * 100 + static_cast<std::uint32_t>(random() % 4);
      const auto info = log.Info(NameOf(conversation));
      if (!info && info.error().code != ErrorCode::kNotFound) return;
      const std::uint64_t first = info ? info->last.value + 1 : 1;
      const auto events = BatchAt(conversation, first);
      std::vector<EventView> views;
      for (const Event& event : events) views.push_back(View(event));
      const auto result = log.AppendLater(NameOf(conversation), views, {.expected_last = Seq{first - 1}});
      if (!result) return;
      const Placed placed{result->ticket.handle, conversation, first + events.size() - 1};
      {
        const std::scoped_lock lock(mutex_);
        placed_.push_back(placed);
      }
      if (random() % 4 == 0 && !SetWatermark(log, conversation, placed.last)) return;
      const std::uint64_t dice = random() % 10;
      if (dice == 0 && !log.Checkpoint()) return;
      if (thread == 0 && random() % 4 == 0) log.ClaimIfIdle();
      if (dice < 6 && !log.Wait(result->ticket, Durability::kBuffered)) return;
      if (dice < 4) {
        if (!log.Wait(result->ticket, Durability::kSync)) return;
        const std::scoped_lock lock(mutex_);
        std::uint64_t& last = acknowledged_[conversation];
        last = std::max(last, placed.last);
      }
    }
  }

  void ExpectNothingLost() {
    if (!std::filesystem::exists(store_ / "STORE")) {
      EXPECT_TRUE(acknowledged_.empty()) << "the store is gone";
      return;
    }
    {
      const auto log = EventLog::Open(store_, {.mode = OpenMode::kWrite}, machine_.environment());
      ASSERT_TRUE(log) << log.error().message;
      acknowledged_ = ExpectBeginnings(**log, acknowledged_);
      ExpectLostInOrder(acknowledged_);
      ExpectWatermarksFit(**log);
      ASSERT_TRUE((*log)->Close());
    }
    const auto report = VerifyStore(store_);
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damage) ADD_FAILURE() << ToString(damage);
    for (const std::string& difference : report->index_differences) ADD_FAILURE() << difference;
    EXPECT_EQ(report->unfinished_bytes, 0U);
  }

  static bool SetWatermark(Log& log, std::uint32_t conversation, std::uint64_t head) {
    return log.SetWatermark("sanitize", NameOf(conversation), {{head}, fmt::format("{} up to {}", conversation, head)})
        .has_value();
  }

  // A watermark is one that was set, and its head is not lost.
  void ExpectWatermarksFit(Log& log) {
    std::vector<std::string> behind;
    for (const auto& [conversation, last] : acknowledged_) {
      const auto watermark = log.FindWatermark("sanitize", NameOf(conversation));
      ASSERT_TRUE(watermark) << watermark.error().message;
      if (*watermark) {
        EXPECT_LE((*watermark)->head.value, last);
        EXPECT_EQ((*watermark)->state, fmt::format("{} up to {}", conversation, (*watermark)->head.value));
      }
      if (!*watermark || (*watermark)->head.value < last) behind.push_back(NameOf(conversation).text());
    }
    const auto changed = log.ListChanged("sanitize", "", 1'000);
    ASSERT_TRUE(changed) << changed.error().message;
    std::vector<std::string> names;
    for (const ConversationInfo& info : *changed) names.push_back(info.id);
    std::ranges::sort(behind);
    EXPECT_EQ(names, behind);
  }

  // Events are lost from the end of the log, over all conversations.
  void ExpectLostInOrder(LastSeqs& left) {
    std::uint64_t last_kept = 0;
    std::uint64_t first_lost = UINT64_MAX;
    for (const Placed& placed : placed_) {
      if (placed.last <= left[placed.conversation]) {
        last_kept = std::max(last_kept, placed.offset);
      } else {
        first_lost = std::min(first_lost, placed.offset);
      }
    }
    EXPECT_LT(last_kept, first_lost);
    std::erase_if(left, [](const auto& entry) { return entry.second == 0; });
  }

  const FileOrder order_;
  std::mt19937_64 random_;
  TempDir folder_;
  const std::filesystem::path store_ = folder_ / "store";
  PowerLossRig machine_;
  std::mutex mutex_;  // guards what the threads record:
  std::vector<Placed> placed_;
  LastSeqs acknowledged_;
};

class PowerLossTest : public testing::TestWithParam<std::uint64_t> {};
class PowerLossThreadsTest : public testing::TestWithParam<std::uint64_t> {};
class PowerLossOrderTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(PowerLossTest, SyncedEventsSurviveAndTheRestIsLostFromTheEnd) {
  StoreWithPowerLosses(GetParam(), FileOrder::kFixed).Run();
}

// The same while threads append, maintain and compact at once. What is asserted holds for every order.
TEST_P(PowerLossThreadsTest, SyncedEventsSurviveAndTheRestIsLostFromTheEnd) {
  StoreWithPowerLosses(GetParam(), FileOrder::kFree).Run();
}

TEST_P(PowerLossOrderTest, TheSameSeedRepeatsEveryOperation) {
  StoreWithPowerLosses first(GetParam(), FileOrder::kFixed), second(GetParam(), FileOrder::kFixed);
  ExpectSameTrace(first, second);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerLossTest, testing::Range<std::uint64_t>(1, Stores() + 1));
INSTANTIATE_TEST_SUITE_P(Seeds, PowerLossThreadsTest, testing::Range<std::uint64_t>(1, Stores() / 2 + 1));
INSTANTIATE_TEST_SUITE_P(Seeds, PowerLossOrderTest, testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace turnlog::power_loss_test
