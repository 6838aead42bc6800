// Rebuilding the index of a log that is in use, when the disk or the process fails, or the old index is damaged.
// TURNLOG_EFFORT=full stops it at every operation.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "store/engine/event_log.h"
#include "tests/store/answers.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/power_loss_rig.h"
#include "tests/store/sample_store.h"
#include "tests/support/effort.h"
#include "tests/support/must.h"
#include "turnlog/maintenance.h"

namespace turnlog::reindex_fault_test {
namespace {

namespace fs = std::filesystem;

const SegmentOptions kWrite{.mode = OpenMode::kWrite, .segment_bytes = 8 << 10, .checkpoint_bytes = 16 << 10};
const SegmentOptions kRead{.mode = OpenMode::kRead, .segment_bytes = 8 << 10, .checkpoint_bytes = 16 << 10};
const Watermark kWatermark{{1}, "seen"};

class ReindexFaultTest : public testing::Test {
 protected:
  ReindexFaultTest() {
    const auto log = Must(OpenSegmentLog(sample_.path(), kWrite));
    Must(log->SetWatermark("test", NameOf(1), kWatermark));
    Must(log->Close());
    sound_ = AnswersOf(*Must(OpenSegmentLog(sample_.path(), kRead)));
    sample_.CopyTo(store_);
  }

  void ExpectCleanAndWhole() {
    const auto report = VerifyStore(store_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->clean()) << testing::PrintToString(report->index_differences);
    const auto log = Must(OpenSegmentLog(store_, kRead));
    EXPECT_EQ(AnswersOf(*log), sound_);
  }
  void ExpectWatermark(Log& log) { EXPECT_EQ(Must(log.FindWatermark("test", NameOf(1))), kWatermark); }

  SampleStore sample_{Ending::kClosed};
  std::vector<std::string> sound_;
  TempDir folder_;
  const fs::path store_ = folder_ / "store";
};

// Nothing that fails costs more than the attempt: the log goes on with its index. It must be opened again only if the
// old index cannot even be moved back, or if the rebuilt one fails when it is in use.
class FailingRebuildTest : public ReindexFaultTest {
 protected:
  std::unique_ptr<EventLog> Open() { return Must(EventLog::Open(store_, kWrite, environment_)); }

  void ExpectThatItGoesOn(EventLog& log) {
    const std::vector<Event> more = BatchAt(1, 1);
    Must(log.Append(NameOf(50), more));
    Must(log.Checkpoint());
    Must(log.Erase(NameOf(50), std::vector{Seq{1}}, {}));
    EXPECT_TRUE(Must(log.Reindex({})));
    ExpectWatermark(log);
    Must(log.Close());
    EXPECT_TRUE(Must(VerifyStore(store_)).clean());
  }

  // False if there were fewer operations.
  bool FailAt(std::uint64_t n, FaultMode mode, FaultExtent extent) {
    sample_.CopyTo(store_);
    auto log = Open();
    files_->FailMutation(n, mode, extent);
    const auto rebuilt = log->Reindex({});
    const bool failed = !files_->failed().empty();
    files_->Heal();
    EXPECT_EQ(AnswersOf(*log), sound_);
    ExpectWatermark(*log);
    if (!log->SetWatermark("test", NameOf(2), kWatermark) || !log->Checkpoint()) {
      EXPECT_TRUE(rebuilt || extent == FaultExtent::kFromThenOn) << rebuilt.error().message;
      (void)log->Close();
      log = Open();
      EXPECT_EQ(AnswersOf(*log), sound_);
    }
    ExpectThatItGoesOn(*log);
    return failed;
  }

  std::shared_ptr<FaultRocksFiles> files_ = std::make_shared<FaultRocksFiles>();
  NoRetryEnv env_{files_};
  const Environment environment_{.files = &PosixFileSystem(), .index = &env_};
};

TEST_F(FailingRebuildTest, LeavesTheOldIndexInUse) {
  for (const FaultMode mode : {FaultMode::kIoError, FaultMode::kNoSpace}) {
    for (const FaultExtent extent : {FaultExtent::kOnce, FaultExtent::kFromThenOn}) {
      std::uint64_t n = 1;
      for (; FailAt(n, mode, extent); n += SampleStep(2)) ASSERT_FALSE(HasFailure()) << n;
      EXPECT_GT(n, 10U);
    }
  }
}

class StoppedRebuildTest : public ReindexFaultTest {
 protected:
  // The process ends at the n-th operation on the log's files or the index's. False if there were fewer.
  bool StopAt(std::uint64_t log_operation, std::uint64_t index_operation, bool power_too) {
    sample_.CopyTo(store_);
    PowerLossRig machine;
    bool done = false;
    {
      const auto log = Must(EventLog::Open(store_, kWrite, machine.environment()));
      machine.StopAfter(log_operation, index_operation);
      const auto rebuilt = log->Reindex({});
      done = rebuilt && *rebuilt;
      machine.StopNow();
      // The disk of the index knows its files by path, and cannot follow them when their folder has been renamed.
      if (power_too && fs::exists(store_ / "index.new") && fs::exists(store_ / "index")) {
        machine.LosePower(log_operation + index_operation, Loss::kRandom);
      }
    }
    machine.Restart();
    const auto log = Must(OpenSegmentLog(store_, kWrite));
    ExpectWatermark(*log);
    Must(log->Close());
    ExpectCleanAndWhole();
    EXPECT_FALSE(fs::exists(store_ / "index.new") || fs::exists(store_ / "index.old"));
    return !done;
  }
};

TEST_F(StoppedRebuildTest, LeavesOneOfTheIndexesWithItsWatermarks) {
  for (const bool power_too : {false, true}) {
    std::uint64_t n = 1;
    for (; StopAt(0, n, power_too); n += SampleStep(2)) ASSERT_FALSE(HasFailure()) << n;
    EXPECT_GT(n, 20U);
  }
}

// Damages a file in the middle of its first part, its second and so on. False: it is not there any more.
bool DamagePart(const fs::path& path, std::uint64_t part, std::uint64_t parts) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(0, std::ios::end);
  const auto offset =
      static_cast<std::streamoff>(static_cast<std::uint64_t>(file.tellg()) * (2 * part + 1) / (2 * parts));
  file.seekg(offset);
  const int byte = file.get();
  file.seekp(offset);
  return file.put(static_cast<char>(byte ^ 1)).good();
}

TEST_F(ReindexFaultTest, ADamagedIndexIsReplaced) {
  constexpr std::uint64_t kParts = 32;
  int damaged = 0;
  for (std::uint64_t part = 0; part < kParts; part += SampleStep(2)) {
    SCOPED_TRACE(part);
    sample_.CopyTo(store_);
    const auto log = Must(EventLog::Open(store_, kWrite, {}));
    for (const auto& entry : fs::directory_iterator(store_ / "index")) {
      if (entry.path().extension() == ".sst") damaged += DamagePart(entry.path(), part, kParts) ? 1 : 0;
    }
    EXPECT_TRUE(Must(log->Reindex({})));
    EXPECT_EQ(AnswersOf(*log), sound_);
    Must(log->Close());
    ExpectCleanAndWhole();
    if (HasFailure()) return;
  }
  EXPECT_GT(damaged, 0);
}

TEST_F(ReindexFaultTest, AnUnreadableIndexIsReplaced) {
  const auto files = std::make_shared<FaultRocksFiles>();
  NoRetryEnv env(files);
  const auto log = Must(EventLog::Open(store_, kWrite, {.files = &PosixFileSystem(), .index = &env}));
  for (const auto& entry : fs::directory_iterator(store_ / "index")) {
    if (entry.path().extension() == ".sst") files->BreakSector(entry.path(), 0, 1 << 30);
  }
  EXPECT_TRUE(Must(log->Reindex({})));
  EXPECT_EQ(AnswersOf(*log), sound_);
  files->Heal();
  Must(log->Close());
  ExpectCleanAndWhole();
}

}  // namespace
}  // namespace turnlog::reindex_fault_test
