// The n-th file operation fails, n = 1, 2, 3, ..., for all operations in the life of a store: opening,
// appending, starting the next segment, checkpoints, closing. TURNLOG_EFFORT=full tries every n for every kind of
// failure.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "store/engine/event_log.h"
#include "store/engine/verify.h"
#include "tests/store/answers.h"
#include "tests/store/deterministic_workload.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/effort.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/fault_rocks_files.h"
#include "tests/support/no_retry_env.h"
#include "tests/support/temp_dir.h"

namespace turnlog::io_fault_test {
namespace {

const SegmentOptions kOptions{.segment_bytes = 8 << 10, .checkpoint_bytes = 12 << 10};

// A sequence of operations on a store, and what was acknowledged.
class Life {
 public:
  explicit Life(std::filesystem::path store) : store_(std::move(store)) {}

  // The first error, if any. After a write error nothing may be acknowledged.
  Status Run(const Environment& environment, bool reads_fail) {
    for (int opened = 0; opened < 2; ++opened) {
      SegmentOptions options = kOptions;
      options.compression = opened == 0 ? Compression::kNone : Compression::kSmall;
      auto log = EventLog::Open(store_, options, environment);
      if (!log) return std::unexpected(log.error());
      Status status = AppendAll(**log);
      if (!status && !reads_fail) ExpectRefusal(**log);
      if (status) status = (*log)->Close();
      if (!status) return status;
    }
    return {};
  }

  LastSeqs acknowledged() const { return acknowledged_; }

 private:
  Status AppendAll(Log& log) {
    for (std::uint32_t i = 0; i < 24; ++i) {
      if (Status status = AppendOne(log, i % 3, i % 4 == 1 ? Durability::kBuffered : Durability::kSync); !status)
        return status;
      if (i % 10 != 9) continue;
      if (Status status = log.Checkpoint(); !status) return status;
    }
    return {};
  }

  Status AppendOne(Log& log, std::uint32_t conversation, Durability durability) {
    std::uint64_t& last = last_[conversation];
    const auto result = log.Append(NameOf(conversation), BatchAt(conversation, last + 1), {.durability = durability});
    if (!result) return std::unexpected(result.error());
    EXPECT_FALSE(result->events.front().repeated);
    EXPECT_EQ(result->events.front().seq.value, last + 1);
    last += result->events.size();
    // A sync covers all earlier appends.
    if (durability == Durability::kSync) acknowledged_ = last_;
    return {};
  }

  // After the first error nothing is acknowledged any more.
  static void ExpectRefusal(Log& log) {
    for (const Durability durability : {Durability::kBuffered, Durability::kSync}) {
      const auto refused = log.Append(NameOf(50), EventAt(50, 1), {.durability = durability});
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::kNeedsReopen) << refused.error().message;
    }
    const Status checkpoint = log.Checkpoint();
    ASSERT_FALSE(checkpoint);
    EXPECT_EQ(checkpoint.error().code, ErrorCode::kNeedsReopen) << checkpoint.error().message;
    EXPECT_FALSE(log.Close());
  }

  const std::filesystem::path store_;
  LastSeqs last_, acknowledged_;
};

class IoFaultTest : public testing::Test {
 protected:
  // Runs a Life with the faults of `plan`, then checks the store without faults. False if nothing failed.
  bool LiveAndRecover(FaultPlan& plan, bool reads_fail) {
    const TempDir folder;
    const std::filesystem::path store = folder / "store";
    Life life(store);
    const Status status = life.Run({.files = &files_, .index = &index_env_}, reads_fail);
    const std::string failed = plan.failed();
    files_.Heal();
    index_files_->Heal();
    SCOPED_TRACE("failed: " + failed + (status ? "" : ": " + status.error().message));
    ExpectNothingLost(store, life.acknowledged());
    return !failed.empty();
  }

  void ExpectNothingLost(const std::filesystem::path& store, LastSeqs acknowledged) {
    {
      const auto log = EventLog::Open(store, kOptions, {.files = &files_, .index = &index_env_});
      ASSERT_TRUE(log) << log.error().message;
      acknowledged = ExpectBeginnings(**log, acknowledged);
      EXPECT_TRUE((*log)->Append(NameOf(50), EventAt(50, 1)));
      ASSERT_TRUE((*log)->Close());
    }
    const auto report = VerifyStore(store);
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damage) ADD_FAILURE() << ToString(damage);
    for (const std::string& difference : report->index_differences) ADD_FAILURE() << difference;
    EXPECT_EQ(report->unfinished_bytes, 0U);
  }

  void FailEach(FaultPlan& plan, FaultMode mode, std::uint64_t step, FaultExtent extent = FaultExtent::kOnce) {
    std::uint64_t n = 1;
    for (;; n += step) {
      SCOPED_TRACE(fmt::format("n = {}", n));
      plan.FailMutation(n, mode, extent);
      if (!LiveAndRecover(plan, false) || HasFailure()) break;
    }
    EXPECT_GT(n, LeastReach(step)) << "hardly anything failed: the test does not test";
  }

  void FailEachRead(FaultPlan& plan, std::uint64_t step) {
    std::uint64_t n = 1;
    for (;; n += step) {
      SCOPED_TRACE(fmt::format("n = {}", n));
      plan.FailRead(n);
      if (!LiveAndRecover(plan, true) || HasFailure()) break;
    }
    EXPECT_GT(n, LeastReach(step)) << "hardly anything failed: the test does not test";
  }

  // Reads an intact store while its n-th read fails: only errors or correct answers.
  void FailEachReadOfAReader(FaultPlan& plan, std::uint64_t step) {
    const TempDir folder;
    const std::filesystem::path store = folder / "store";
    const Environment environment{.files = &files_, .index = &index_env_};
    ASSERT_TRUE(Life(store).Run(environment, false));
    const auto answers = [&] {
      const auto log = EventLog::Open(store, {.mode = OpenMode::kRead}, environment);
      return log ? AnswersOf(**log) : std::vector<std::string>{"error " + log.error().message};
    };
    const std::vector<std::string> sound = answers();
    std::uint64_t n = 1;
    for (bool failed = true; failed && !HasFailure(); n += step) {
      SCOPED_TRACE(fmt::format("n = {}", n));
      plan.FailRead(n);
      const std::vector<std::string> found = answers();
      failed = !plan.failed().empty();
      plan.Heal();
      ExpectPartOf(sound, found);
    }
    EXPECT_GT(n, LeastReach(step)) << "hardly anything failed: the test does not test";
  }

  // Verifies an intact store while its n-th read fails: an error, or a report that is not clean.
  void FailEachReadOfVerify(FaultPlan& plan, FaultExtent extent) {
    const TempDir folder;
    const std::filesystem::path store = folder / "store";
    const Environment environment{.files = &files_, .index = &index_env_};
    ASSERT_TRUE(Life(store).Run(environment, false));
    const std::uint64_t events = VerifyStore(store)->events;
    std::uint64_t n = 1;
    const std::uint64_t step = SampleStep(1);
    for (bool failed = true; failed && !HasFailure(); n += step) {
      SCOPED_TRACE(fmt::format("n = {}", n));
      plan.FailRead(n, extent);
      const auto report = VerifyStore(store, {}, environment);
      failed = !plan.failed().empty();
      plan.Heal();
      EXPECT_TRUE(!report || !report->clean() || report->events == events);
    }
    EXPECT_GT(n, LeastReach(step)) << "hardly anything failed: the test does not test";
  }

  // Every answer is correct or replaced by an error.
  static void ExpectPartOf(const std::vector<std::string>& sound, const std::vector<std::string>& found) {
    std::size_t errors = 0;
    std::multiset<std::string> left(sound.begin(), sound.end());
    for (const std::string& line : found) {
      if (line.starts_with("error")) {
        ++errors;
      } else if (const auto known = left.find(line); known != left.end()) {
        left.erase(known);
      } else {
        ADD_FAILURE() << "a wrong answer: " << line;
      }
    }
    EXPECT_TRUE(errors > 0 || left.empty()) << left.size() << " answers are missing without a word";
  }

  CrashFileSystem disk_{PosixFileSystem()};  // its syncs are free
  FaultFileSystem files_{disk_};
  std::shared_ptr<FaultRocksFiles> index_files_ = std::make_shared<FaultRocksFiles>();
  NoRetryEnv index_env_{index_files_};
};

TEST_F(IoFaultTest, ErrorsOfTheLog) { FailEach(files_, FaultMode::kIoError, SampleStep(1)); }
TEST_F(IoFaultTest, FullDiskUnderTheLog) { FailEach(files_, FaultMode::kNoSpace, SampleStep(3)); }
TEST_F(IoFaultTest, FullDiskUnderTheLogThatStaysFull) {
  FailEach(files_, FaultMode::kNoSpace, SampleStep(5), FaultExtent::kFromThenOn);
}
TEST_F(IoFaultTest, ShortWritesToTheLog) { FailEach(files_, FaultMode::kShortWrite, SampleStep(2)); }
TEST_F(IoFaultTest, ReadErrorsOfTheLog) { FailEachRead(files_, SampleStep(2)); }

TEST_F(IoFaultTest, ReadErrorsOfTheLogBesideItsReader) { FailEachReadOfAReader(files_, SampleStep(5)); }

TEST_F(IoFaultTest, ReadErrorsOfTheLogUnderVerify) {
  for (const FaultExtent extent : {FaultExtent::kOnce, FaultExtent::kFromThenOn}) FailEachReadOfVerify(files_, extent);
}
TEST_F(IoFaultTest, ReadErrorsOfTheIndexUnderVerify) {
  for (const FaultExtent extent : {FaultExtent::kOnce, FaultExtent::kFromThenOn}) {
    FailEachReadOfVerify(*index_files_, extent);
  }
}

TEST_F(IoFaultTest, ErrorsOfTheIndex) { FailEach(*index_files_, FaultMode::kIoError, SampleStep(2)); }
TEST_F(IoFaultTest, FullDiskUnderTheIndex) { FailEach(*index_files_, FaultMode::kNoSpace, SampleStep(5)); }
TEST_F(IoFaultTest, FullDiskUnderTheIndexThatStaysFull) {
  FailEach(*index_files_, FaultMode::kNoSpace, SampleStep(7), FaultExtent::kFromThenOn);
}
TEST_F(IoFaultTest, ShortWritesToTheIndex) { FailEach(*index_files_, FaultMode::kShortWrite, SampleStep(5)); }
TEST_F(IoFaultTest, ReadErrorsOfTheIndexBesideItsReader) { FailEachReadOfAReader(*index_files_, SampleStep(2)); }
TEST_F(IoFaultTest, ReadErrorsOfTheIndex) { FailEachRead(*index_files_, SampleStep(3)); }

}  // namespace
}  // namespace turnlog::io_fault_test
