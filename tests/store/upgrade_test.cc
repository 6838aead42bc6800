// A store of format version 1, upgraded by its next writer: whichever operation fails, nothing is lost, and the next
// writer continues. TURNLOG_EFFORT=full tries 4,000 random power losses.
#include <gtest/gtest.h>

#include "store/engine/event_log.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/power_loss_rig.h"
#include "tests/support/effort.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"
#include "turnlog/maintenance.h"

namespace turnlog::upgrade_test {
namespace {

const SegmentOptions kOptions{.mode = OpenMode::kWrite, .segment_bytes = 8 << 10, .checkpoint_bytes = 12 << 10};
constexpr std::uint64_t kLastOfB = 32;  // of the conversation "b" in the store that is upgraded

class UpgradeTest : public testing::Test {
 protected:
  UpgradeTest() { Restore(); }

  void Restore() {
    std::filesystem::remove_all(store_);
    std::filesystem::copy(SourceDir() / "tests/golden/v1/redacted_store", store_,
                          std::filesystem::copy_options::recursive);
  }

  // Opens the store for writing and appends to it, over the border of a segment, until an error. Returns the last
  // acknowledged seq.
  std::uint64_t Live(const Environment& environment) {
    const auto log = EventLog::Open(store_, kOptions, environment);
    if (!log) return 0;
    std::uint64_t last = 0;
    for (int i = 0; i < 12; ++i) {
      const auto result = (*log)->Append(NameOf(1), BatchAt(1, last + 1), {});
      if (!result) return last;
      last = result->events.back().seq.value;
    }
    (void)(*log)->Close();
    return last;
  }

  std::uint32_t FormatOf() const { return ReadIdentity(PosixFileSystem(), {store_})->format_version; }

  // All old and all acknowledged new events exist, and verify reports a clean store.
  void ExpectSound(std::uint64_t acknowledged, const Environment& environment) {
    {
      const auto log = EventLog::Open(store_, kOptions, environment);
      ASSERT_TRUE(log) << log.error().message;
      EXPECT_EQ((*log)->Info(*ConversationId::Parse("b"))->last.value, kLastOfB);
      ExpectBeginning(**log, acknowledged);
      ASSERT_TRUE((*log)->Append(NameOf(2), BatchAt(2, 1), {}));
      ASSERT_TRUE((*log)->Close());
    }
    EXPECT_EQ(FormatOf(), kFormatVersion);
    const auto report = VerifyStore(store_);
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damage) ADD_FAILURE() << ToString(damage);
    for (const std::string& difference : report->index_differences) ADD_FAILURE() << difference;
    EXPECT_EQ(report->redacted, 5U);
    EXPECT_EQ(report->erased, 2U);
  }

  static void ExpectBeginning(Log& log, std::uint64_t last) {
    if (last == 0) return;
    const auto cursor = log.ReadRaw(NameOf(1), {});
    ASSERT_TRUE(cursor) << cursor.error().message;
    for (std::uint64_t seq = 1; seq <= last; ++seq) {
      const auto item = (*cursor)->Next();
      ASSERT_TRUE(item && std::holds_alternative<Record>(*item)) << seq;
      EXPECT_EQ(Own(*std::get<Record>(*item).Decode()), EventAt(1, seq)) << seq;
    }
  }

  TempDir folder_;
  const std::filesystem::path store_ = folder_ / "store";
};

TEST_F(UpgradeTest, NothingButASealIsAppendedToOldSegments) {
  std::map<std::string, std::string> before;
  for (const auto& entry : std::filesystem::directory_iterator(store_ / "log")) {
    before[entry.path().filename()] = *ReadFile(PosixFileSystem(), entry.path());
  }
  ASSERT_GT(Live({}), 0U);
  EXPECT_EQ(FormatOf(), kFormatVersion);
  for (const auto& [name, contents] : before) {
    std::string now = *ReadFile(PosixFileSystem(), store_ / "log" / name);
    EXPECT_TRUE(now.starts_with(contents)) << name;
    now.erase(0, contents.size());
    EXPECT_LE(now.find_last_not_of('\0') + 1, kFrameHeaderBytes) << name;
  }
}

TEST_F(UpgradeTest, PositionsThatWereGivenOutStayValid) {
  Position middle, end;
  {
    const auto log = EventLog::Open(store_, {.mode = OpenMode::kRead}, Environment{});
    const auto tail = (*log)->Follow({}, {});
    for (int i = 0; i < 20; ++i) ASSERT_TRUE((*tail)->Next());
    middle = (*tail)->position();
    end = *(*log)->End();
  }
  ASSERT_GT(Live({}), 0U);
  const auto log = EventLog::Open(store_, {.mode = OpenMode::kRead}, Environment{});
  EXPECT_TRUE((*log)->Follow(middle, {}));
  EXPECT_TRUE((*log)->Follow(end, {}));
}

TEST_F(UpgradeTest, AnyOperationMayFail) {
  FaultFileSystem files(PosixFileSystem());
  for (std::uint64_t n = 1;; ++n) {
    Restore();
    files.FailMutation(n, FaultMode::kIoError, FaultExtent::kFromThenOn);
    const std::uint64_t acknowledged = Live({.files = &files});
    const std::string failed = files.failed();
    files.Heal();
    if (failed.empty()) break;
    SCOPED_TRACE(failed);
    ExpectSound(acknowledged, Environment{});
    if (HasFailure()) return;
  }
}

TEST_F(UpgradeTest, ThePowerMayGoAtAnyOperation) {
  const std::uint64_t seeds = SampleSize(1, 100);
  constexpr std::uint64_t kOperations = 40;  // the upgrade and some appends after it
  for (std::uint64_t seed = 0; seed <= seeds; ++seed) {
    for (std::uint64_t n = 1; n <= kOperations; n += SampleStep(1)) {
      Restore();
      PowerLossRig machine;
      machine.StopAfter(n, 0);
      const std::uint64_t acknowledged = Live(machine.environment());
      machine.StopNow();
      machine.LosePower(seed, seed == 0 ? Loss::kAll : Loss::kRandom);
      machine.Restart();
      SCOPED_TRACE(testing::Message() << "operation " << n << ", seed " << seed);
      ExpectSound(acknowledged, machine.environment());
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace turnlog::upgrade_test
