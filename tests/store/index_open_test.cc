// Opening a store whose index cannot be opened: a lost or damaged index is rebuilt; an error of the operating system
// changes nothing; and an interrupted rebuild leaves a usable index or none. TURNLOG_EFFORT=full stops it at every
// operation.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "store/engine/event_log.h"
#include "tests/store/answers.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/power_loss_rig.h"
#include "tests/store/sample_store.h"
#include "tests/support/effort.h"
#include "turnlog/maintenance.h"

namespace turnlog::index_open_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

const SegmentOptions kWrite{.mode = OpenMode::kWrite, .segment_bytes = 8 << 10, .checkpoint_bytes = 16 << 10};
const SegmentOptions kRead{.mode = OpenMode::kRead, .segment_bytes = 8 << 10, .checkpoint_bytes = 16 << 10};

class IndexOpenTest : public testing::Test {
 protected:
  // Watermarks are only in the index: one that is gone shows that the index was rebuilt.
  IndexOpenTest() {
    const auto log = OpenSegmentLog(sample_.path(), kWrite);
    EXPECT_TRUE((*log)->SetWatermark("test", NameOf(1), kWatermark));
    EXPECT_TRUE((*log)->Close());
    sound_ = Answers(sample_.path());
    Copy();
  }

  void Copy() { sample_.CopyTo(store_); }

  static std::vector<std::string> Answers(const fs::path& store) {
    const auto log = OpenSegmentLog(store, kRead);
    return log ? AnswersOf(**log) : std::vector<std::string>{"error " + log.error().message};
  }

  static bool WatermarkIsThere(const fs::path& store) {
    const auto log = OpenSegmentLog(store, kRead);
    EXPECT_TRUE(log) << log.error().message;
    const auto found = log ? (*log)->FindWatermark("test", NameOf(1)) : Result<std::optional<Watermark>>();
    return found && *found == kWatermark;
  }

  // Opens the store between `harm` and `heal`; if that fails, it is an I/O error, and the index is unchanged. False if
  // it did not fail.
  bool FailsAndLeavesTheIndex(const Environment& environment, const std::function<void()>& harm,
                              const std::function<void()>& heal) {
    harm();
    auto log = EventLog::Open(store_, kWrite, environment);
    heal();
    if (log) return (void)(*log)->Close(), false;
    EXPECT_EQ(log.error().code, ErrorCode::kIo) << log.error().message;
    EXPECT_TRUE(WatermarkIsThere(store_)) << log.error().message;
    return true;
  }

  void ExpectCleanAndWhole() {
    const auto report = VerifyStore(store_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->clean()) << testing::PrintToString(report->index_differences);
    EXPECT_EQ(Answers(store_), sound_);
  }

  static inline const Watermark kWatermark{{1}, "seen"};
  const SampleStore sample_{Ending::kClosed};
  std::vector<std::string> sound_;
  TempDir folder_;
  const fs::path store_ = folder_ / "store";
};

class RefusedIndexTest : public IndexOpenTest {
 protected:
  void FailEach(const std::function<void(std::uint64_t)>& fail) {
    int failures = 0;
    for (std::uint64_t n = 1;; ++n) {
      SCOPED_TRACE(fmt::format("n = {}", n));
      Copy();
      std::string failed;
      const auto heal = [&] {
        failed = files_->failed();
        files_->Heal();
      };
      failures += FailsAndLeavesTheIndex({.files = &PosixFileSystem(), .index = &env_}, [&] { fail(n); }, heal) ? 1 : 0;
      if (HasFailure()) return;
      if (failed.empty()) break;
    }
    EXPECT_GT(failures, 3);
  }

  std::shared_ptr<FaultRocksFiles> files_ = std::make_shared<FaultRocksFiles>();
  NoRetryEnv env_{files_};
};

TEST_F(RefusedIndexTest, NoFailingReadCostsTheIndex) {
  FailEach([&](std::uint64_t n) { files_->FailRead(n); });
}

TEST_F(RefusedIndexTest, NoReadThatFailsForEverCostsTheIndex) {
  FailEach([&](std::uint64_t n) { files_->FailRead(n, FaultExtent::kFromThenOn); });
}

TEST_F(RefusedIndexTest, NoFailingWriteCostsTheIndex) {
  FailEach([&](std::uint64_t n) { files_->FailMutation(n); });
}

TEST_F(RefusedIndexTest, NoFullDiskCostsTheIndex) {
  FailEach([&](std::uint64_t n) { files_->FailMutation(n, FaultMode::kNoSpace, FaultExtent::kFromThenOn); });
}

// Real limits: the process may open one more file each time.
TEST_F(IndexOpenTest, NoLackOfDescriptorsCostsTheIndex) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const auto limit = [&](rlim_t most) {
    const rlimit limited{most, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limited), 0);
  };
  int failures = 0;
  for (rlim_t most = 3;; ++most) {
    SCOPED_TRACE(most);
    if (!FailsAndLeavesTheIndex({}, [&] { limit(most); }, [&] { limit(before.rlim_cur); }) || HasFailure()) break;
    ++failures;
  }
  EXPECT_GT(failures, 0);
  EXPECT_TRUE(WatermarkIsThere(store_));
}

TEST_F(IndexOpenTest, RocksDbKeepsNoLogOfItsOwn) {
  ASSERT_TRUE(ReindexStore(store_));
  for (const fs::path& folder : {sample_.path() / "index", store_ / "index"}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("LOCK", testing::Not(StartsWith("LOG"))));
    }
  }
}

TEST_F(IndexOpenTest, OnlyTheOwnerMayReadTheIndex) {
  ASSERT_TRUE(ReindexStore(store_));
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  EXPECT_EQ(fs::status(store_ / "index").permissions() & kOthers, fs::perms::none);
  for (const auto& entry : fs::directory_iterator(store_ / "index")) {
    EXPECT_EQ(entry.status().permissions() & kOthers, fs::perms::none) << entry.path();
  }
}

// --- A missing index ---

class LostIndexTest : public IndexOpenTest, public testing::WithParamInterface<std::string> {
 protected:
  void Lose() {
    if (GetParam() == "index") {
      fs::remove_all(store_ / "index");
    } else {
      for (const auto& entry : fs::directory_iterator(store_ / "index")) {
        if (entry.path().filename().string().starts_with(GetParam())) fs::remove(entry.path());
      }
    }
  }
};

TEST_P(LostIndexTest, IsANoteAndNoDamage) {
  Lose();
  const auto report = VerifyStore(store_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->clean());
  EXPECT_THAT(report->notes, SizeIs(1));
  EXPECT_EQ(report->events, VerifyStore(sample_.path())->events);
}

TEST_P(LostIndexTest, IsSaidToReadersOnceAndRebuiltByTheNextWriter) {
  {
    const auto log = OpenSegmentLog(store_, kRead);
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_THAT((*log)->OpenNotes(), IsEmpty());
  }
  Lose();
  {
    const auto log = OpenSegmentLog(store_, kRead);
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ(AnswersOf(**log), sound_);
    EXPECT_THAT((*log)->OpenNotes(), testing::ElementsAre(HasSubstr("logctl reindex")));
  }
  EXPECT_TRUE((*OpenSegmentLog(store_, kWrite))->Close());
  EXPECT_THAT((*OpenSegmentLog(store_, kRead))->OpenNotes(), IsEmpty());
  EXPECT_THAT(VerifyStore(store_)->notes, IsEmpty());
  ExpectCleanAndWhole();
}

INSTANTIATE_TEST_SUITE_P(What, LostIndexTest, testing::Values("index", "CURRENT", "MANIFEST"),
                         [](const auto& what) { return what.param; });

// --- Rebuilding ---

class StoppedReindexTest : public IndexOpenTest {
 protected:
  // Stops at the n-th operation on the log's files or the index's. False if there were fewer.
  bool StopAt(std::uint64_t log_operation, std::uint64_t index_operation, bool power_too) {
    Copy();
    PowerLossRig machine;
    machine.StopAfter(log_operation, index_operation);
    bool done = false;
    {
      auto log = EventLog::Open(store_, kWrite, machine.environment(), {.wanted = true, .progress = {}});
      done = log && (*log)->Close();
      machine.StopNow();
      // The disk of the index knows its files by path, and cannot follow them when their folder has been renamed.
      if (power_too && fs::exists(store_ / "index.new") && fs::exists(store_ / "index")) {
        machine.LosePower(log_operation + index_operation, Loss::kRandom);
      }
    }
    machine.Restart();
    const auto report = VerifyStore(store_);
    EXPECT_TRUE(report && report->clean());
    EXPECT_EQ(Answers(store_), sound_);
    EXPECT_TRUE((*OpenSegmentLog(store_, kWrite))->Close());
    ExpectCleanAndWhole();
    EXPECT_FALSE(fs::exists(store_ / "index.new") || fs::exists(store_ / "index.old"));
    return !done;
  }
};

TEST_F(StoppedReindexTest, LeavesTheOldIndexOrTheNewOneOrNone) {
  for (const bool power_too : {false, true}) {
    std::uint64_t n = power_too ? 1 : 2;
    for (; StopAt(0, n, power_too); n += SampleStep(4)) ASSERT_FALSE(HasFailure()) << n;
    EXPECT_GT(n, 30U);
    for (n = 1; StopAt(n, 0, power_too); n += power_too ? SampleStep(1) : 1) ASSERT_FALSE(HasFailure()) << n;
    EXPECT_GT(n, 3U);
  }
}

TEST_F(StoppedReindexTest, AnErrorAnywhereLeavesAnIndexOfUse) {
  for (const FaultMode mode : {FaultMode::kIoError, FaultMode::kNoSpace}) {
    const auto files = std::make_shared<FaultRocksFiles>();
    NoRetryEnv env(files);
    std::uint64_t n = 1;
    for (bool failed = true; failed; n += SampleStep(3)) {
      SCOPED_TRACE(n);
      Copy();
      files->FailMutation(n, mode);
      auto log = EventLog::Open(store_, kWrite, {.files = &PosixFileSystem(), .index = &env}, {.wanted = true});
      failed = !files->failed().empty();
      files->Heal();
      if (log) (void)(*log)->Close();
      if (log) log->reset();
      ExpectCleanAndWhole();
      if (HasFailure()) return;
    }
    EXPECT_GT(n, 10U);
  }
}

TEST_F(StoppedReindexTest, AnErrorOnTheWayLeavesTheOldIndex) {
  PowerLossRig machine;
  machine.StopAfter(0, 10);
  EXPECT_FALSE(EventLog::Open(store_, kWrite, machine.environment(), {.wanted = true, .progress = {}}));
  EXPECT_TRUE(WatermarkIsThere(store_));
}

}  // namespace
}  // namespace turnlog::index_open_test
