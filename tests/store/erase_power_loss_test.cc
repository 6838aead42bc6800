// Power is lost at any moment while events are appended, erased and redacted: unsynced data is lost, all of it or
// random pages, so that an overwritten event may be half on disk. TURNLOG_EFFORT=full does that to 2,000 stores.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <thread>

#include "store/engine/event_log.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/erased_events.h"
#include "tests/store/power_loss_rig.h"
#include "tests/support/effort.h"
#include "tests/support/temp_dir.h"

namespace turnlog::erase_power_loss_test {
namespace {

constexpr int kLivesOfAStore = 6;
constexpr int kMostSteps = 300;
constexpr std::uint32_t kConversations = 4;

std::uint64_t Stores() { return SampleSize(24, 2000); }

// A store, used until the power is lost, several times. With a fixed order everything follows from the seed.
class ErasingWithPowerLosses {
 public:
  ErasingWithPowerLosses(std::uint64_t seed, FileOrder order) : order_(order), random_(seed), machine_(order) {
    machine_.TraceBelow(folder_.path());
  }

  void Run() {
    for (int life = 0; life < kLivesOfAStore; ++life) {
      SCOPED_TRACE(fmt::format("life {}", life));
      Live();
      ExpectErasedOrWhole();
      if (testing::Test::HasFailure()) return;
    }
  }
  const std::vector<std::string>& trace() const { return machine_.trace(); }

 private:
  void Live() {
    const SegmentOptions options{.segment_bytes = (8U << 10) << (random_() % 3),
                                 .checkpoint_bytes = (16U << 10) << (random_() % 4),
                                 .compression = static_cast<Compression>(random_() % 3)};
    if (random_() % 5 == 0) {
      machine_.FailOnce(1 + random_() % 150);
    } else {
      machine_.StopAfter(1 + random_() % (random_() % 3 == 0 ? 15 : 200), random_() % 4 == 0 ? 1 + random_() % 60 : 0);
    }
    auto log = EventLog::Open(store_, options, machine_.environment());
    if (log) {
      std::optional<std::thread> other;
      if (order_ == FileOrder::kFree) other.emplace([&log] { AppendOnly(**log); });
      Work(**log);
      if (other) other->join();
    }
    if (log && random_() % 4 == 0) (void)(*log)->Close();
    machine_.StopNow();
    const bool only_the_process = random_() % 4 == 0;
    if (!only_the_process) machine_.LosePower(random_(), random_() % 4 == 0 ? Loss::kAll : Loss::kRandom);
    log = std::unique_ptr<EventLog>();
    machine_.Restart();
  }

  // Appends to a separate conversation.
  static void AppendOnly(Log& log) {
    std::uint64_t seq = log.Info(NameOf(kConversations)).value_or(ConversationInfo{}).last.value;
    for (int left = kMostSteps; left > 0; --left) {
      const auto result = log.Append(NameOf(kConversations), BatchAt(kConversations, seq + 1));
      if (!result) return;
      seq = result->events.back().seq.value;
    }
  }

  // Until an error, or the maximum of steps.
  void Work(Log& log) {
    for (int left = kMostSteps; left > 0; --left) {
      const auto conversation = static_cast<std::uint32_t>(random_() % kConversations);
      const auto info = log.Info(NameOf(conversation));
      if (!info && info.error().code != ErrorCode::kNotFound) return;
      const std::uint64_t last = info ? info->last.value : 0;
      const std::uint64_t dice = random_() % 10;
      if (dice == 0 && !log.Checkpoint()) return;
      if (dice < 4 && last > 0) {
        if (!Erase(log, conversation, last)) return;
      } else {
        const Durability durability = dice < 7 ? Durability::kSync : Durability::kBuffered;
        if (!log.Append(NameOf(conversation), BatchAt(conversation, last + 1), {.durability = durability})) return;
      }
    }
  }

  bool Erase(Log& log, std::uint32_t conversation, std::uint64_t last) {
    const bool redact = random_() % 2 == 0;
    std::vector<Seq> seqs;
    for (std::uint64_t left = 1 + random_() % 4; left > 0; --left) {
      // Mostly of the last ones, which may not be synced yet.
      const std::uint64_t among = random_() % 3 == 0 ? last : std::min<std::uint64_t>(last, 8);
      const Seq seq{last - random_() % among};
      const auto cursor = log.ReadRaw(NameOf(conversation), {.from = seq, .limit = 1});
      const auto item = cursor ? (*cursor)->Next() : Result<Item>(std::unexpected(cursor.error()));
      if (!item) return false;
      const auto* record = std::get_if<Record>(&*item);
      if (record != nullptr && record->kind == EventKind::kRedaction) continue;
      const EventKey key{conversation, seq.value};
      if (redact ? record == nullptr || !MayBeRedacted(key) : !MayBeErased(key)) continue;
      seqs.push_back(seq);
    }
    if (seqs.empty()) return true;
    for (const Seq seq : seqs) pending_.emplace(conversation, seq.value);
    if (redact ? !Redact(log, conversation, seqs) : !log.Erase(NameOf(conversation), seqs)) return false;
    erased_.merge(pending_);
    pending_.clear();
    return true;
  }

  void ExpectErasedOrWhole() {
    if (!std::filesystem::exists(store_ / "STORE")) {
      EXPECT_TRUE(erased_.empty()) << "the store is gone";
      return;
    }
    // A crash may take back events that were not synced; an erasure syncs those that it erases.
    ExpectErased(store_, erased_, pending_, machine_.environment());
    pending_.clear();
  }

  const FileOrder order_;
  std::mt19937_64 random_;
  TempDir folder_;
  const std::filesystem::path store_ = folder_ / "store";
  PowerLossRig machine_;
  EventKeys erased_, pending_;
};

class ErasePowerLossTest : public testing::TestWithParam<std::uint64_t> {};
class ErasePowerLossThreadsTest : public testing::TestWithParam<std::uint64_t> {};
class ErasePowerLossOrderTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ErasePowerLossTest, AnErasureIsDoneOrNotBegun) { ErasingWithPowerLosses(GetParam(), FileOrder::kFixed).Run(); }

// The same beside a thread that appends. What is asserted holds for every order.
TEST_P(ErasePowerLossThreadsTest, AnErasureIsDoneOrNotBegun) {
  ErasingWithPowerLosses(GetParam(), FileOrder::kFree).Run();
}

TEST_P(ErasePowerLossOrderTest, TheSameSeedRepeatsEveryOperation) {
  ErasingWithPowerLosses first(GetParam(), FileOrder::kFixed), second(GetParam(), FileOrder::kFixed);
  ExpectSameTrace(first, second);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ErasePowerLossTest, testing::Range<std::uint64_t>(1, Stores() + 1));
INSTANTIATE_TEST_SUITE_P(Seeds, ErasePowerLossThreadsTest, testing::Range<std::uint64_t>(1, Stores() / 2 + 1));
INSTANTIATE_TEST_SUITE_P(Seeds, ErasePowerLossOrderTest, testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace turnlog::erase_power_loss_test
