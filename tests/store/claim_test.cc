// No frame confirms that the last records of a log are durable until a claim does: then damage to them is reported as
// damage, not as a torn write.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "store/engine/event_log.h"
#include "store/engine/verify.h"
#include "tests/store/power_loss_rig.h"
#include "tests/support/copy_store.h"
#include "tests/support/effort.h"
#include "tests/support/temp_dir.h"

namespace turnlog::claim_test {
namespace {

const SegmentOptions kOptions{.segment_bytes = 8 << 10};
constexpr AppendOptions kBuffered{.durability = Durability::kBuffered, .expected_last = {}};
constexpr AppendOptions kSync{.durability = Durability::kSync, .expected_last = {}};

const ConversationId kTalk = *ConversationId::Parse("talk");

Event Word(std::uint64_t seq) { return {.body = ChatRequest{.content = fmt::format("word {} of this talk", seq)}}; }

std::uint64_t LastSeq(Log& log) {
  const auto info = log.Info(kTalk);
  EXPECT_TRUE(info) << info.error().message;
  return info ? info->last.value : 0;
}

class ClaimTest : public testing::Test {
 protected:
  void Open(const Environment& environment = {}) {
    auto log = EventLog::Open(store_, kOptions, environment);
    ASSERT_TRUE(log) << log.error().message;
    log_ = *std::move(log);
  }
  // One event. Returns where its record begins; all of them are in the first segment.
  std::uint64_t Append(const AppendOptions& options) {
    const auto result = log_->Append(kTalk, Word(++seq_), options);
    EXPECT_TRUE(result) << result.error().message;
    return (*log_->index())->Locate(State(), seq_, 1)->front().position;
  }
  ConversationState State() { return **(*log_->index())->Find(kTalk.text()); }
  void BeIdle() {
    log_->ClaimIfIdle();
    log_->ClaimIfIdle();
  }
  std::uint64_t End() { return log_->VisibleEnd(); }
  // The store after a crash now, with a flipped bit.
  void CrashAndFlip(std::uint64_t position) {
    std::filesystem::remove_all(crashed_);
    CopyStore(store_, crashed_);
    const auto file = PosixFileSystem().Open(crashed_ / "log" / SegmentName(0), FileSystem::Access::kWrite);
    char byte = 0;
    ASSERT_TRUE((*file)->ReadAt(position, {&byte, 1}));
    byte = static_cast<char>(byte ^ 1);
    ASSERT_TRUE((*file)->WriteAt(position, {&byte, 1}));
  }
  VerifyReport Verify(const std::filesystem::path& store) {
    auto report = VerifyStore(store);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *std::move(report) : VerifyReport{};
  }
  void ExpectDamageAt(std::uint64_t position) {
    CrashAndFlip(position);
    const VerifyReport report = Verify(crashed_);
    ASSERT_GE(report.damage_count, 1U);
    EXPECT_LE(report.damage[0].offset, position);
    EXPECT_GT(report.damage[0].offset + report.damage[0].length, position);
    const auto writer = EventLog::Open(crashed_, kOptions, {});
    ASSERT_FALSE(writer) << "a writer would cut what was acknowledged";
    EXPECT_EQ(writer.error().code, ErrorCode::kCorruption);
  }

  TempDir folder_;
  const std::filesystem::path store_ = folder_ / "store", crashed_ = folder_ / "crashed";
  std::unique_ptr<EventLog> log_;
  std::uint64_t seq_ = 0;
};

TEST_F(ClaimTest, WithoutOneALastRecordThatIsDamagedLooksTorn) {
  Open();
  Append(kSync);
  const std::uint64_t last = Append(kSync);
  EXPECT_EQ(Verify(store_).unclaimed_bytes, End() - last);
  CrashAndFlip(last);
  const VerifyReport report = Verify(crashed_);
  EXPECT_TRUE(report.clean());
  EXPECT_GT(report.unfinished_bytes, 0U);
}

TEST_F(ClaimTest, AfterOneEveryFlippedBitOfTheLastRecordIsDamage) {
  Open();
  Append(kSync);
  const std::uint64_t last = Append(kSync), end = End();
  BeIdle();
  EXPECT_EQ(Verify(store_).unclaimed_bytes, 0U);
  for (std::uint64_t position = last; position < end - kFrameAlignment; position += 3) ExpectDamageAt(position);
}

TEST_F(ClaimTest, ADamagedClaimCostsNothing) {
  Open();
  Append(kSync);
  const std::uint64_t claim = End();
  BeIdle();
  CrashAndFlip(claim);
  const auto writer = EventLog::Open(crashed_, kOptions, {});
  ASSERT_TRUE(writer) << writer.error().message;
  EXPECT_EQ(LastSeq(**writer), seq_);
}

TEST_F(ClaimTest, OneIsWrittenWhenNothingHasBeenAppendedSinceTheLastLook) {
  Open();
  Append(kSync);
  const std::uint64_t first = End();
  log_->ClaimIfIdle();
  EXPECT_EQ(End(), first) << "the first look finds that something was appended";
  Append(kSync);
  const std::uint64_t second = End();
  log_->ClaimIfIdle();
  EXPECT_EQ(End(), second) << "and so does the next one";
  log_->ClaimIfIdle();
  EXPECT_EQ(End(), second + kFrameHeaderBytes);
}

TEST_F(ClaimTest, NoOtherFollowsBeforeSomethingIsAppended) {
  Open();
  Append(kSync);
  BeIdle();
  const std::uint64_t end = End();
  BeIdle();
  ASSERT_TRUE(log_->Checkpoint());
  BeIdle();
  EXPECT_EQ(End(), end);
  log_.reset();
  Open();
  BeIdle();
  EXPECT_EQ(End(), end) << "nor in the next writer's time";
}

TEST_F(ClaimTest, AnEmptyLogNeedsNone) {
  Open();
  BeIdle();
  EXPECT_EQ(End(), 0U);
}

TEST_F(ClaimTest, ItConfirmsRecordsAfterTheLastSyncToo) {
  Open();
  const std::uint64_t synced = Append(kSync), buffered = Append(kBuffered);
  BeIdle();
  ExpectDamageAt(synced);
  ExpectDamageAt(buffered);
}

TEST_F(ClaimTest, TheNextWriterConfirmsWhatAKilledOneHasLeft) {
  Open();
  Append(kSync);
  const std::uint64_t last = Append(kSync);
  CopyStore(store_, crashed_);
  log_.reset();
  std::filesystem::remove_all(store_);
  std::filesystem::rename(crashed_, store_);
  Open();
  BeIdle();
  EXPECT_EQ(Verify(store_).unclaimed_bytes, 0U);
  ExpectDamageAt(last);
}

TEST_F(ClaimTest, TailsAndCursorsGoOverItAndBegin) {
  Open();
  Append(kSync);
  BeIdle();
  const auto end = log_->End();
  ASSERT_TRUE(end);
  Append(kSync);
  BeIdle();
  const auto tail = log_->Follow(*end, {});
  ASSERT_TRUE(tail) << tail.error().message;
  const auto item = (*tail)->Next();
  ASSERT_TRUE(item);
  ASSERT_TRUE(std::holds_alternative<Record>(*item));
  EXPECT_EQ(std::get<Record>(*item).seq.value, seq_);
  const auto behind = (*tail)->Next();
  ASSERT_TRUE(behind);
  EXPECT_TRUE(std::holds_alternative<EndOfLog>(*behind));
  EXPECT_TRUE(log_->Follow((*tail)->position(), {})) << "a position may be that of a claim";
  log_.reset();
  Open();
  EXPECT_EQ(LastSeq(*log_), seq_);
}

TEST_F(ClaimTest, TheMaintenanceThreadWritesItByItself) {
  Open({.idle_claim = std::chrono::milliseconds(1)});
  Append(kSync);
  const auto more = log_->WaitForMore(State().end, std::chrono::minutes(2));
  ASSERT_TRUE(more);
  EXPECT_TRUE(*more);
}

// --- Whatever happens on the way ---

struct Outcome {
  std::uint64_t acknowledged = 0;  // events
  bool finished = false;
};

// Appends and pauses until something fails.
Outcome Live(const std::filesystem::path& store, const Environment& environment) {
  Outcome outcome;
  const auto log = EventLog::Open(store, kOptions, environment);
  if (!log) return outcome;
  for (int i = 0; i < 6; ++i) {
    const auto result = (*log)->Append(kTalk, Word(outcome.acknowledged + 1), kSync);
    if (!result) return outcome;
    outcome.acknowledged = result->events.back().seq.value;
    (*log)->ClaimIfIdle();
    (*log)->ClaimIfIdle();
    if (!(*log)->Append(*ConversationId::Parse("other"), Word(1), kBuffered)) return outcome;
  }
  outcome.finished = true;
  return outcome;
}

TEST(ClaimPowerLossTest, NothingAcknowledgedIsLostWhereverThePowerGoes) {
  for (const Loss loss : {Loss::kAll, Loss::kRandom}) {
    bool finished = false;
    for (std::uint64_t n = 1; !finished; n += SampleStep(1)) {
      SCOPED_TRACE(fmt::format("power loss ahead of operation {}", n));
      const TempDir folder;
      PowerLossRig machine;
      machine.StopAfter(n, 0);
      const Outcome outcome = Live(folder / "store", machine.environment());
      machine.StopNow();
      machine.LosePower(n, loss);
      machine.Restart();
      finished = outcome.finished;
      if (outcome.acknowledged > 0) {
        const auto report = VerifyStore(folder / "store");
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report->damage_count, 0U);
        const auto log = EventLog::Open(folder / "store", kOptions, machine.environment());
        ASSERT_TRUE(log) << log.error().message;
        EXPECT_GE(LastSeq(**log), outcome.acknowledged);
      }
    }
  }
}

}  // namespace
}  // namespace turnlog::claim_test
