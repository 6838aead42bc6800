// verify, reindex, stats, checkpoint.
#include "turnlog/maintenance.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "store/engine/verify.h"
#include "tests/store/log_fixture.h"
#include "tests/support/copy_store.h"
#include "tests/support/watched_files.h"

namespace turnlog::maintenance_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MaintenanceTest : public LogTest {
 protected:
  void AppendSome() {
    for (int i = 1; i <= 200; ++i) {
      const std::string conversation = fmt::format("c{}", i % 7);
      Must(Append(conversation,
                  {NewTurn(), Named(fmt::format("e{}", i), Say(std::string(static_cast<std::size_t>(i) * 3, 'x'))),
                   Ask(Opaque(fmt::format("i{}", i % 3)))}));
      if (i % 2 == 0) Must(Append(conversation, Answer(Opaque(fmt::format("i{}", i % 3)))));
    }
  }
  VerifyReport Verify() { return Must(VerifyStore(path())); }
};

TEST_F(MaintenanceTest, VerifyFindsASoundStoreCleanAndCountsIt) {
  AppendSome();
  Close();
  const VerifyReport report = Verify();
  EXPECT_TRUE(report.clean());
  EXPECT_THAT(report.damage, IsEmpty());
  EXPECT_THAT(report.index_differences, IsEmpty());
  EXPECT_EQ(report.events, 700U);
  EXPECT_EQ(report.conversations, 7U);
  EXPECT_EQ(report.records, 707U);
  EXPECT_EQ(report.unfinished_bytes, 0U);
  EXPECT_GT(report.index_entries, 7U * 4);
  Open(OpenMode::kRead);
  EXPECT_EQ(report.store_id, Must(log_->Stats()).store_id);
  EXPECT_EQ(report.segments, Figure(*log_, "segments"));
  EXPECT_EQ(report.bytes, Figure(*log_, "end_offset"));
}

TEST_F(MaintenanceTest, VerifyTakesAnEmptyStore) {
  EXPECT_TRUE(Verify().clean());
  Close();
  const VerifyReport report = Verify();
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.records, 0U);
}

TEST_F(MaintenanceTest, VerifyWorksBesideAWriter) {
  AppendSome();
  EXPECT_EQ(Verify().events, 700U);
  Must(log_->Checkpoint());
  Must(Append("c1", Say("behind the checkpoint")));
  const VerifyReport report = Verify();
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.events, 701U);
  Must(Append("c1", Say("goes on")));
}

TEST_F(MaintenanceTest, VerifyLeavesTheStoreAsItIs) {
  AppendSome();
  Close();
  const auto before = std::filesystem::last_write_time(path() / "index");
  Verify();
  EXPECT_EQ(std::filesystem::last_write_time(path() / "index"), before);
}

TEST_F(MaintenanceTest, RefusesWhatIsNoStore) {
  EXPECT_EQ(CodeOf(VerifyStore(folder_ / "nothing")), "not found");
  EXPECT_EQ(CodeOf(ReindexStore(folder_ / "nothing")), "not found");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nothing"));
}

TEST_F(MaintenanceTest, ProgressGrowsUpToTheWhole) {
  for (int i = 0; i < 10; ++i) Must(Append("a", std::vector<Event>(1000, Say("x"))));
  Must(log_->Checkpoint());
  Must(Append("a", Say("behind the checkpoint")));
  Close();
  for (const bool verify : {true, false}) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> calls;
    const Progress progress = [&](std::uint64_t done, std::uint64_t total) { calls.emplace_back(done, total); };
    if (verify) Must(VerifyStore(path(), progress));
    if (!verify) Must(ReindexStore(path(), progress));
    ASSERT_GE(calls.size(), 3U);
    EXPECT_TRUE(std::ranges::is_sorted(calls));
    EXPECT_EQ(calls.back().first, calls.back().second);
    for (const auto& [done, total] : calls) EXPECT_EQ(total, calls.back().second);
  }
}

TEST_F(MaintenanceTest, ReindexMakesTheSameIndexFromNothing) {
  AppendSome();
  const auto answers = [&] {
    std::vector<std::string> all = PendingLines(*log_);
    for (const ConversationInfo& info : Must(log_->List("", 100))) {
      for (auto& line : Lines(*log_, info.id)) all.push_back(std::move(line));
      for (const char* id : {"i0", "i1", "i2"}) {
        for (auto& line : AttemptLines(*log_, info.id, Opaque(id))) all.push_back(std::move(line));
      }
      all.push_back(fmt::format("{} {} {} {}", info.id, info.last.value, info.turns, info.bytes));
    }
    return all;
  };
  const auto before = answers();
  Close();
  for (const bool removed : {false, true}) {
    if (removed) std::filesystem::remove_all(path() / "index");
    Must(ReindexStore(path()));
    EXPECT_TRUE(Verify().clean());
    Open(OpenMode::kWrite);
    EXPECT_EQ(Figure(*log_, "checkpoint_offset"), Figure(*log_, "end_offset"));
    EXPECT_EQ(answers(), before);
    EXPECT_THAT(Seqs(Append("c1", Named("e1", Say("x")))), ElementsAre(-2));
    Close();
  }
}

// And a wrong index costs no more than a second time.
TEST_F(MaintenanceTest, VerifyReadsTheLogOnce) {
  const std::string text(10'000, 'x');
  for (int i = 0; i < 200; ++i) Must(Append("c", Say(text)));
  const std::uint64_t log_bytes = Figure(*log_, "end_offset");
  Close();
  WatchedFiles files;
  std::uint64_t bytes = 0;
  files.on_read = [&](std::uint64_t, std::size_t size) { return bytes += size, false; };
  EXPECT_TRUE(Must(VerifyStore(path(), {}, Environment{.files = &files})).clean());
  EXPECT_GT(bytes, log_bytes * 9 / 10);
  EXPECT_LT(bytes, log_bytes * 3 / 2);
  std::filesystem::remove_all(path() / "index");
  bytes = 0;
  EXPECT_EQ(Must(VerifyStore(path(), {}, Environment{.files = &files})).events, 200U);
  EXPECT_LT(bytes, log_bytes * 5 / 2);
}

// The index of a copy that went on differently: its checkpoint is no end of an append here.
TEST_F(MaintenanceTest, VerifyAndReindexBelieveOnlyTheLog) {
  AppendSome();
  Must(log_->Checkpoint());
  const TempDir other;
  CopyStore(path(), other.path() / "store");
  {
    const auto log = Must(OpenQuietLog(other.path() / "store", Options(OpenMode::kWrite)));
    for (int i = 0; i < 3; ++i) Must(log->Append(Id("c1"), Say(std::string(555, 'o')), {}));
    Must(log->Close());
  }
  for (int i = 0; i < 50; ++i) Must(Append("c2", Say("here")));
  Close();
  std::filesystem::remove_all(path() / "index");
  std::filesystem::copy(other.path() / "store" / "index", path() / "index", std::filesystem::copy_options::recursive);
  const VerifyReport report = Verify();
  EXPECT_EQ(report.events, 750U);
  EXPECT_GT(report.index_difference_count, 0U);
  Must(ReindexStore(path()));
  EXPECT_TRUE(Verify().clean());
  Open(OpenMode::kRead);
  EXPECT_EQ(Must(log_->Stats()).events, 750U);
}

TEST_F(MaintenanceTest, ReindexNeedsTheStoreForItself) {
  EXPECT_EQ(CodeOf(ReindexStore(path())), "busy");
  Close();
  EXPECT_EQ(CodeOf(ReindexStore(path())), "fine");
}

TEST_F(MaintenanceTest, StatsCount) {
  AppendSome();
  const StoreStats stats = Must(log_->Stats());
  EXPECT_EQ(stats.format_version, 2U);
  EXPECT_EQ(stats.conversations, 7U);
  EXPECT_EQ(stats.events, 700U);
  std::uint64_t bytes = 0;
  for (const ConversationInfo& info : Must(log_->List("", 100))) bytes += info.bytes;
  EXPECT_EQ(stats.payload_bytes, bytes);
  std::uint64_t files = 0, file_bytes = 0;
  Close();
  Open(OpenMode::kRead);
  for (const auto& entry : std::filesystem::directory_iterator(path() / "log")) {
    ++files;
    file_bytes += entry.file_size();
  }
  const StoreStats again = Must(log_->Stats());
  EXPECT_EQ(Figure(again, "segments"), files);
  EXPECT_EQ(Figure(again, "segment_bytes"), file_bytes);
  EXPECT_EQ(again.events, stats.events);
  EXPECT_EQ(again.payload_bytes, stats.payload_bytes);
  EXPECT_EQ(again.conversations, stats.conversations);
  EXPECT_EQ(Figure(again, "end_offset"), Figure(stats, "end_offset"));
  EXPECT_GT(Figure(again, "index_bytes"), 0U);
}

TEST_F(MaintenanceTest, RepeatsAndRefusalsAreNotCounted) {
  Must(Append("a", Named("e", Say("1"))));
  Must(Append("a", Named("e", Say("1"))));
  EXPECT_EQ(CodeOf(Append("b", Say("\xFF"))), "invalid argument");
  EXPECT_EQ(CodeOf(Append("b", Say("x"), {.expected_last = Seq{7}})), "conflict");
  EXPECT_EQ(Must(log_->Stats()).events, 1U);
  EXPECT_EQ(Must(log_->Stats()).conversations, 1U);
}

TEST_F(MaintenanceTest, CheckpointLeavesNothingToReplay) {
  AppendSome();
  EXPECT_LT(Figure(*log_, "checkpoint_offset"), Figure(*log_, "end_offset"));
  Must(log_->Checkpoint());
  const StoreStats stats = Must(log_->Stats());
  EXPECT_EQ(Figure(stats, "checkpoint_offset"), Figure(stats, "end_offset"));
  EXPECT_EQ(Figure(stats, "durable_offset"), Figure(stats, "end_offset"));
  Must(log_->Checkpoint());
  ReopenAfterCrash();
  EXPECT_EQ(Figure(*log_, "checkpoint_offset"), Figure(stats, "end_offset"));
  EXPECT_EQ(Figure(*log_, "end_offset"), Figure(stats, "end_offset"));
}

TEST_F(MaintenanceTest, OpeningAfterACrashWaitsForNoCheckpoint) {
  Close();
  SegmentOptions options = Options(OpenMode::kWrite);
  options.checkpoint_bytes = std::uint64_t{64} << 20;
  log_ = Must(OpenQuietLog(path(), options));
  // More than half of what makes a checkpoint due in memory.
  const std::vector<Event> events(1'000, Say("x"));
  for (int i = 0; i < 150; ++i) Must(Append("c", events));
  const TempDir crashed;
  const std::filesystem::path copy = crashed.path() / "store";
  CopyStore(path(), copy);
  const auto reopened = Must(OpenQuietLog(copy, options));
  EXPECT_EQ(Figure(*reopened, "checkpoint_offset"), 0U);
  EXPECT_EQ(Must(reopened->Stats()).events, 150'000U);
  Must(reopened->Close());
  EXPECT_TRUE(Must(VerifyStore(copy)).clean());
}

TEST_F(MaintenanceTest, CloseIsACheckpoint) {
  AppendSome();
  Reopen();
  EXPECT_EQ(Figure(*log_, "checkpoint_offset"), Figure(*log_, "end_offset"));
  EXPECT_EQ(Must(log_->Stats()).events, 700U);
}

TEST_F(MaintenanceTest, DestructorClosesToo) {
  AppendSome();
  log_.reset();
  Open(OpenMode::kWrite);
  EXPECT_EQ(Figure(*log_, "checkpoint_offset"), Figure(*log_, "end_offset"));
}

// In the background, without being asked.
TEST_F(MaintenanceTest, CheckpointsFollowTheLog) {
  Close();
  log_ = Must(OpenSegmentLog(path(), {.segment_bytes = 16 << 10, .checkpoint_bytes = 32 << 10}));
  while (Figure(*log_, "checkpoint_offset") < 200'000) AppendSome();
  EXPECT_TRUE(Verify().clean());
}

// Closing truncates the last segment to its used part; the next writer continues in it.
TEST_F(MaintenanceTest, ClosedStoreTakesNoMoreRoomThanItHolds) {
  Close();
  std::uint64_t last_size = 0;
  for (int i = 0; i < 3; ++i) {
    log_ = Must(OpenSegmentLog(path()));
    Must(Append("a", Say("x")));
    Close();
    const auto segment = *std::filesystem::directory_iterator(path() / "log");
    EXPECT_LT(segment.file_size(), 8192U);
    EXPECT_GT(segment.file_size(), last_size);
    last_size = segment.file_size();
  }
  EXPECT_TRUE(Verify().clean());
}

}  // namespace
}  // namespace turnlog::maintenance_test
