// Erasing and redacting with a failing disk: the n-th operation of it and of its recovery fails, n = 1, 2, 3, ... An
// erasure is atomic, and nothing else is lost.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <tuple>

#include "store/engine/event_log.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/erased_events.h"
#include "tests/support/asleep.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/effort.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temp_dir.h"

namespace turnlog::erase_fault_test {
namespace {

const SegmentOptions kOptions{.segment_bytes = 8 << 10, .checkpoint_bytes = 64 << 10};
constexpr std::uint32_t kConversations = 3;

enum class How { kEraseIntent, kRedact };

class EraseFaultTest : public testing::TestWithParam<std::tuple<How, Compression>> {
 protected:
  Result<std::unique_ptr<EventLog>> Open(const std::filesystem::path& store) {
    SegmentOptions options = kOptions;
    options.compression = std::get<Compression>(GetParam());
    return EventLog::Open(store, options, {.files = &files_});
  }

  // Events over several segments, some of them not synced.
  void Fill(Log& log) {
    for (int i = 0; i < 40; ++i) {
      const std::uint32_t conversation = static_cast<std::uint32_t>(i) % kConversations;
      const auto info = log.Info(NameOf(conversation));
      const auto result = log.Append(NameOf(conversation), BatchAt(conversation, info ? info->last.value + 1 : 1),
                                     {.durability = i < 30 ? Durability::kSync : Durability::kBuffered});
      ASSERT_TRUE(result) << result.error().message;
      if (i == 20) {
        ASSERT_TRUE(log.Checkpoint());
      }
    }
  }

  // Every other event of a conversation.
  EventKeys SomeOf(Log& log, std::uint32_t conversation) {
    EventKeys keys;
    const auto info = log.Info(NameOf(conversation));
    EXPECT_TRUE(info) << info.error().message;
    for (std::uint64_t seq = 1; info && seq <= info->last.value; seq += 2) {
      const bool redact = std::get<How>(GetParam()) == How::kRedact;
      if (redact ? MayBeRedacted({conversation, seq}) : MayBeErased({conversation, seq})) {
        keys.emplace(conversation, seq);
      }
    }
    return keys;
  }

  Status Erase(Log& log, const EventKeys& keys) {
    std::vector<Seq> seqs;
    for (const EventKey& key : keys) seqs.push_back({key.second});
    if (std::get<How>(GetParam()) == How::kRedact) return Redact(log, keys.begin()->first, seqs);
    const auto report = log.Erase(NameOf(keys.begin()->first), seqs);
    if (!report) return std::unexpected(report.error());
    return {};
  }

  // A store with a complete erasure and one that was stopped at its n-th mutation. False if it was not
  // stopped.
  bool Interrupt(const std::filesystem::path& store, std::uint64_t n, FaultMode mode, FaultExtent extent) {
    erased_.clear();
    pending_.clear();
    auto log = Open(store);
    EXPECT_TRUE(log) << log.error().message;
    if (!log) return false;
    Fill(**log);
    erased_ = SomeOf(**log, 0);
    EXPECT_TRUE(Erase(**log, erased_));
    pending_ = SomeOf(**log, 1);
    files_.FailMutation(n, mode, extent);
    const Status status = Erase(**log, pending_);
    failed_ = files_.failed();
    EXPECT_TRUE(status || !failed_.empty()) << status.error().message;
    if (status) erased_.merge(EventKeys(pending_));
    if (!status) ExpectRefusal(**log);
    log = std::unique_ptr<EventLog>();
    files_.Heal();
    return !failed_.empty();
  }

  void ExpectRefusal(Log& log) {
    const auto refused = log.Append(NameOf(9), EventAt(9, 1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kNeedsReopen) << refused.error().message;
    const auto erase = Erase(log, {{2, 1}});
    ASSERT_FALSE(erase);
    EXPECT_EQ(erase.error().code, ErrorCode::kNeedsReopen) << erase.error().message;
    EXPECT_FALSE(log.Checkpoint());
  }

  void FailEach(FaultMode mode, FaultExtent extent) {
    const std::uint64_t step = SampleStep(1);
    std::uint64_t n = 1;
    for (bool failed = true; failed && !HasFailure(); n += step) {
      const TempDir folder;
      failed = Interrupt(folder / "store", n, mode, extent);
      SCOPED_TRACE(fmt::format("n = {}, failed: {}", n, failed_));
      ExpectErased(folder / "store", erased_, pending_);
    }
    EXPECT_GT(n, LeastReach(step)) << "hardly anything failed: the test does not test";
  }

  CrashFileSystem disk_{PosixFileSystem()};  // its syncs are free
  FaultFileSystem files_{disk_};
  EventKeys erased_, pending_;
  std::string failed_;
};

TEST_P(EraseFaultTest, ErrorsWhileErasing) { FailEach(FaultMode::kIoError, FaultExtent::kOnce); }
TEST_P(EraseFaultTest, ErrorsThatStayWhileErasing) { FailEach(FaultMode::kIoError, FaultExtent::kFromThenOn); }
TEST_P(EraseFaultTest, ShortWritesWhileErasing) { FailEach(FaultMode::kShortWrite, FaultExtent::kOnce); }
TEST_P(EraseFaultTest, AFullDiskWhileErasing) { FailEach(FaultMode::kNoSpace, FaultExtent::kOnce); }

TEST_P(EraseFaultTest, ReadErrorsWhileErasingChangeNothing) {
  const TempDir folder;
  const std::filesystem::path store = folder / "store";
  auto log = Open(store);
  ASSERT_TRUE(log) << log.error().message;
  Fill(**log);
  const EventKeys wanted = SomeOf(**log, 1);
  files_.IgnoreReadsOf(".seg.tmp");  // the maintenance thread may be preparing the next segment
  const std::uint64_t step = SampleStep(1);
  std::uint64_t n = 1;
  for (; !HasFailure(); n += step) {
    files_.FailRead(n);
    const Status status = Erase(**log, wanted);
    const bool failed = !files_.failed().empty();
    files_.Heal();
    if (status) break;
    ASSERT_TRUE(failed) << status.error().message;
    ASSERT_EQ(ErasedEvents(**log), EventKeys());
  }
  EXPECT_GT(n, LeastReach(step)) << "hardly anything failed: the test does not test";
  EXPECT_EQ(ErasedEvents(**log), wanted);
  ASSERT_TRUE((*log)->Close());
  ExpectErased(store, erased_, wanted);
}

// The reader does not know the erase intent when it reads a half overwritten event.
TEST_P(EraseFaultTest, AReaderThatWasThereBeforeSeesNoDamage) {
  const std::uint64_t step = SampleStep(1);
  std::uint64_t n = 1;
  for (bool failed = true; failed && !HasFailure(); n += step) {
    SCOPED_TRACE(fmt::format("n = {}", n));
    const TempDir folder;
    auto log = Open(folder / "store");
    ASSERT_TRUE(log) << log.error().message;
    Fill(**log);
    const EventKeys wanted = SomeOf(**log, 1);
    const auto reader = OpenSegmentLog(folder / "store", {.mode = OpenMode::kRead});
    ASSERT_TRUE(reader) << reader.error().message;
    files_.FailMutation(n, FaultMode::kShortWrite, FaultExtent::kFromThenOn);
    (void)Erase(**log, wanted);
    failed = !files_.failed().empty();
    log = std::unique_ptr<EventLog>();
    files_.Heal();
    const EventKeys before = ErasedEvents(**reader);
    EXPECT_TRUE(std::ranges::includes(wanted, before));
    ASSERT_TRUE((*reader)->Refresh());
    const EventKeys after = ErasedEvents(**reader);
    EXPECT_TRUE(after == wanted || (after.empty() && before.empty()));
  }
  EXPECT_GT(n, LeastReach(step)) << "hardly anything failed: the test does not test";
}

// A checkpoint after an erase intent would hide it from the next writer.
TEST_P(EraseFaultTest, NoCheckpointPassesAnErasureThatIsNotDone) {
  for (std::uint64_t n = 40; n <= 160 && !HasFailure(); n += 40) {
    SCOPED_TRACE(fmt::format("n = {}", n));
    const TempDir folder;
    const std::filesystem::path store = folder / "store";
    auto log = Open(store);
    ASSERT_TRUE(log) << log.error().message;
    for (std::uint64_t last = 0; last < 1200;) {  // compressed, too, enough for 160 operations
      const auto result = (*log)->Append(NameOf(1), BatchAt(1, last + 1), {.durability = Durability::kBuffered});
      ASSERT_TRUE(result) << result.error().message;
      last = result->events.back().seq.value;
    }
    const EventKeys wanted = SomeOf(**log, 1);
    ASSERT_TRUE((*log)->Checkpoint());
    std::thread checkpoint;
    std::atomic<pid_t> thread = 0;
    std::atomic<bool> ended = false;
    files_.FailMutation(n, FaultMode::kShortWrite, FaultExtent::kFromThenOn);
    files_.PauseAt(n, [&](std::string_view) {
      checkpoint = std::thread([&] {
        thread = ::gettid();
        (void)(*log)->Checkpoint();
        ended = true;
      });
      // It waits for the erasure, or, if it were wrong, for RocksDB with the checkpoint begun.
      while (!ended && (thread == 0 || !IsAsleep(thread))) std::this_thread::yield();
    });
    EXPECT_FALSE(Erase(**log, wanted));
    checkpoint.join();
    log = std::unique_ptr<EventLog>();
    files_.Heal();
    EventKeys erased;
    ExpectErased(store, erased, wanted);
    EXPECT_EQ(erased, wanted);
  }
}

// Interrupts the recovery of an interrupted erasure.
TEST_P(EraseFaultTest, ErrorsWhileAnInterruptedErasureIsFinished) {
  std::uint64_t recoveries = 0;
  for (std::uint64_t n = 1; !HasFailure(); n += SampleStep(3)) {
    const TempDir folder;
    const std::filesystem::path interrupted = folder / "interrupted", store = folder / "store";
    if (!Interrupt(interrupted, n, FaultMode::kShortWrite, FaultExtent::kFromThenOn)) break;
    for (std::uint64_t m = 1; !HasFailure(); ++m) {
      SCOPED_TRACE(fmt::format("n = {}, failed: {}, m = {}", n, failed_, m));
      std::filesystem::remove_all(store);
      std::filesystem::copy(interrupted, store, std::filesystem::copy_options::recursive);
      files_.FailMutation(m, m % 2 == 0 ? FaultMode::kIoError : FaultMode::kShortWrite);
      auto log = Open(store);
      if (log) (void)(*log)->Close();
      log = std::unique_ptr<EventLog>();
      const bool failed = !files_.failed().empty();
      files_.Heal();
      EventKeys erased = erased_;
      ExpectErased(store, erased, pending_);
      ++recoveries;
      if (!failed && m % 2 == 0) break;
    }
  }
  EXPECT_GT(recoveries, 5U) << "hardly anything failed: the test does not test";
}

std::string NameOfCase(const testing::TestParamInfo<std::tuple<How, Compression>>& test) {
  const bool erasing = std::get<How>(test.param) == How::kEraseIntent;
  const bool compressed = std::get<Compression>(test.param) != Compression::kNone;
  return fmt::format("{}{}", erasing ? "Erasing" : "Redacting", compressed ? "Compressed" : "");
}

INSTANTIATE_TEST_SUITE_P(How, EraseFaultTest,
                         testing::Combine(testing::Values(How::kEraseIntent, How::kRedact),
                                          testing::Values(Compression::kNone, Compression::kSmall)),
                         NameOfCase);

}  // namespace
}  // namespace turnlog::erase_fault_test
