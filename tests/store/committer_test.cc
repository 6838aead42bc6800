// Writers, syncers, waiters and wake-ups in scripted orders: the test stops the files at gates.
#include "store/segments/committer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "store/segments/frame_scanner.h"
#include "tests/support/gated_file_system.h"
#include "tests/support/temp_dir.h"

namespace turnlog::committer_test {
namespace {

constexpr std::uint64_t kSegmentBytes = 8 << 10;
constexpr std::size_t kFillsASegment = 7000;
constexpr std::size_t kUnsyncedSegments = 16;  // the limit of unsynced segments

class CommitterTest : public testing::Test {
 protected:
  using Waiter = std::future<Status>;

  ~CommitterTest() override {
    files_.writes.Open();
    files_.syncs.Open();
    committer_.Poison({ErrorCode::kIo, "the test is over"});  // otherwise a sleeping thread would never be joined
  }

  std::uint64_t Enqueue(std::size_t payload_bytes = 8) {
    const std::string payload(payload_bytes, 'x');
    const PendingFrame draft{.header = {.type = FrameType::kConversation, .kind = EventKind{0}, .conversation = 1},
                             .payload = payload,
                             .payload_hash = Hash64(payload)};
    std::vector<std::uint64_t> positions;
    const auto end = committer_.Enqueue({&draft, 1}, positions);
    EXPECT_TRUE(end);
    return end.value_or(0);
  }
  Waiter Wait(std::uint64_t position, Durability durability) {
    return std::async(std::launch::async, [=, this] { return committer_.Wait(position, durability); });
  }
  Waiter Sync(std::uint64_t position) { return Wait(position, Durability::kSync); }
  Waiter Write(std::uint64_t position) { return Wait(position, Durability::kBuffered); }
  // Blocks until so many threads wait.
  void AwaitWaiters(std::size_t for_writes, std::size_t for_syncs) {
    for (;; std::this_thread::yield()) {
      const Committer::Waiters waiters = committer_.waiters();
      if (waiters.for_writes == for_writes && waiters.for_syncs == for_syncs) return;
    }
  }
  // "fine" or the error's code; "asleep" if the thread has not returned after minutes.
  static std::string End(Waiter& waiter) {
    if (waiter.wait_for(std::chrono::minutes(2)) != std::future_status::ready) return "asleep";
    const Status status = waiter.get();
    return std::string(status ? "fine" : ToString(status.error().code));
  }
  // One thread is at the gate of the syncs, with one frame.
  Waiter StopASync() {
    files_.syncs.Close();
    Waiter waiter = Sync(Enqueue());
    files_.syncs.AwaitStopped(1);
    return waiter;
  }
  // The same at the gate of the writes.
  Waiter StopAWrite() {
    files_.writes.Close();
    Waiter waiter = Write(Enqueue());
    files_.writes.AwaitStopped(1);
    return waiter;
  }
  void WriteUnsyncedSegments(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(committer_.AwaitWritten(Enqueue(kFillsASegment)));
  }

  TempDir folder_;
  GatedFileSystem files_;
  SegmentSet segments_{files_, folder_.path(), StoreIdentity{.id_high = 1, .id_low = 2}, true};
  std::vector<SyncReport> syncs_;
  Committer committer_{segments_,   SegmentExtent{},
                       LogOffset{}, kSegmentBytes,
                       0,           [this](const SyncReport& report) { syncs_.push_back(report); }};
};

TEST_F(CommitterTest, ASeqThatAFrameCannotHoldIsRefusedAndNothingIsReserved) {
  const std::vector<PendingFrame> drafts{
      {.header = {.conversation = 1, .seq = kMaxSeq}, .payload_hash = Hash64({})},
      {.header = {.conversation = 1, .seq = kMaxSeq + 1}, .payload_hash = Hash64({})}};
  std::vector<std::uint64_t> positions;
  const auto refused = committer_.Enqueue(drafts, positions);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(committer_.enqueued().end, 0U);
  EXPECT_TRUE(committer_.Enqueue(std::span(drafts).first(1), positions)) << "the largest one has room";
}

TEST_F(CommitterTest, ASyncReportsWhatItMadeDurable) {
  const std::uint64_t first = Enqueue();
  ASSERT_TRUE(committer_.Wait(first, Durability::kBuffered));
  Enqueue();
  const std::uint64_t last = Enqueue();
  ASSERT_TRUE(committer_.Wait(last, Durability::kSync));
  ASSERT_TRUE(committer_.Wait(Enqueue(), Durability::kSync));
  ASSERT_EQ(syncs_.size(), 2U);
  EXPECT_EQ(syncs_[0].appends, 3U);
  EXPECT_EQ(syncs_[0].bytes, last);
  EXPECT_EQ(syncs_[1].appends, 1U);
  EXPECT_EQ(syncs_[1].bytes, committer_.durable() - last);
}

TEST_F(CommitterTest, ASyncThatFailsIsNotReported) {
  files_.syncs.FailFromNowOn();
  EXPECT_FALSE(committer_.Wait(Enqueue(), Durability::kSync));
  EXPECT_TRUE(syncs_.empty());
}

// A buffered write turned into a sync because too many segments were unsynced, and the thread that was woken to lead
// those behind it found itself served and left.
TEST_F(CommitterTest, AWriteThatMustSyncLeavesNobodyAsleep) {
  WriteUnsyncedSegments(kUnsyncedSegments);
  files_.writes.Close();
  const std::uint64_t first = Enqueue(kFillsASegment);
  Waiter buffered = Write(first);
  files_.writes.AwaitStopped(1);
  Waiter same = Sync(first);
  AwaitWaiters(1, 0);
  Waiter other = Sync(Enqueue());
  AwaitWaiters(1, 1);
  files_.writes.Open();
  EXPECT_EQ(End(buffered), "fine");
  EXPECT_EQ(End(same), "fine");
  EXPECT_EQ(End(other), "fine");
  EXPECT_EQ(committer_.durable(), committer_.enqueued().end);
}

TEST_F(CommitterTest, TooManyUnsyncedSegmentsAreSyncedByTheNextAppend) {
  WriteUnsyncedSegments(kUnsyncedSegments);
  EXPECT_EQ(files_.syncs.passed(), 0U);
  ASSERT_TRUE(committer_.Wait(Enqueue(kFillsASegment), Durability::kBuffered));
  EXPECT_EQ(files_.syncs.passed(), kUnsyncedSegments + 1) << "once each";
  EXPECT_EQ(committer_.durable(), committer_.written());
  ASSERT_TRUE(committer_.Wait(Enqueue(), Durability::kBuffered));
  EXPECT_EQ(files_.syncs.passed(), kUnsyncedSegments + 1);
}

TEST_F(CommitterTest, AReaderNeverSyncs) {
  WriteUnsyncedSegments(3 * kUnsyncedSegments);
  EXPECT_EQ(files_.syncs.passed(), 0U);
}

TEST_F(CommitterTest, ASyncIsHandedOverToOneWaiterOfTheNext) {
  Waiter first = StopASync();
  std::vector<Waiter> others;
  for (std::size_t i = 0; i < 3; ++i) {
    others.push_back(Sync(Enqueue()));
    AwaitWaiters(0, i + 1);
  }
  files_.syncs.LetOnePass();
  EXPECT_EQ(End(first), "fine");
  files_.syncs.AwaitStopped(1);
  EXPECT_EQ(files_.writes.passed(), 2U) << "one write for all that waited";
  files_.syncs.LetOnePass();
  for (Waiter& other : others) EXPECT_EQ(End(other), "fine");
  EXPECT_EQ(files_.syncs.passed(), 2U);
}

TEST_F(CommitterTest, AWaiterForARunningSyncWaitsForNoOtherSync) {
  Waiter first = StopASync();
  Waiter same = Sync(committer_.written());
  AwaitWaiters(0, 1);
  files_.syncs.LetOnePass();
  EXPECT_EQ(End(first), "fine");
  EXPECT_EQ(End(same), "fine");
}

TEST_F(CommitterTest, BufferedAppendsAndReadersDoNotWaitForTheSyncsOfOthers) {
  Waiter sync = StopASync();
  const std::uint64_t end = Enqueue();
  EXPECT_TRUE(committer_.Wait(end, Durability::kBuffered));
  EXPECT_TRUE(committer_.AwaitWritten(Enqueue()));
  EXPECT_TRUE(committer_.WaitForMore(end, std::chrono::minutes(2)));
  EXPECT_LT(committer_.durable(), end);
  files_.syncs.Open();
  EXPECT_EQ(End(sync), "fine");
  EXPECT_LT(committer_.durable(), end) << "it was written after the sync had begun";
}

TEST_F(CommitterTest, ABufferedWaiterContinuesWhenItsBatchIsWritten) {
  Waiter before = StopAWrite();
  Waiter sync = Sync(Enqueue());  // leads the next sync, and waits for the write before it
  AwaitWaiters(1, 0);
  Waiter buffered = Write(Enqueue());
  AwaitWaiters(2, 0);
  files_.syncs.Close();
  files_.writes.Open();
  EXPECT_EQ(End(before), "fine");
  EXPECT_EQ(End(buffered), "fine");
  files_.syncs.AwaitStopped(1);
  EXPECT_EQ(committer_.written(), committer_.enqueued().end);
  EXPECT_EQ(committer_.durable(), 0U);
  files_.syncs.Open();
  EXPECT_EQ(End(sync), "fine");
  EXPECT_EQ(committer_.durable(), committer_.enqueued().end);
  EXPECT_EQ(files_.writes.passed(), 2U);
}

TEST_F(CommitterTest, AWriteIsHandedOverToOneWaiterOfTheNext) {
  Waiter first = StopAWrite();
  std::vector<Waiter> others;
  for (std::size_t i = 0; i < 3; ++i) {
    others.push_back(Write(Enqueue()));
    AwaitWaiters(i + 1, 0);
  }
  files_.writes.LetOnePass();
  EXPECT_EQ(End(first), "fine");
  files_.writes.AwaitStopped(1);
  Waiter late = Write(Enqueue());
  AwaitWaiters(4, 0);
  files_.writes.Open();
  for (Waiter& other : others) EXPECT_EQ(End(other), "fine");
  EXPECT_EQ(End(late), "fine");
  EXPECT_EQ(files_.writes.passed(), 3U);
}

TEST_F(CommitterTest, AFailedWriteFailsAllWaiters) {
  Waiter first = StopAWrite();
  Waiter same = Write(committer_.enqueued().end);
  AwaitWaiters(1, 0);
  Waiter sync = Sync(Enqueue());
  AwaitWaiters(2, 0);
  Waiter next_sync = Sync(Enqueue());
  AwaitWaiters(2, 1);
  Waiter next_write = Write(Enqueue());
  AwaitWaiters(3, 1);
  files_.writes.FailFromNowOn();
  files_.writes.Open();
  for (Waiter* waiter : {&first, &same, &sync, &next_sync, &next_write}) EXPECT_EQ(End(*waiter), "needs reopening");
  EXPECT_EQ(committer_.written(), 0U);
  EXPECT_EQ(files_.writes.passed(), 1U) << "nothing is tried again";
  std::vector<std::uint64_t> positions;
  EXPECT_FALSE(committer_.Enqueue({}, positions));
  EXPECT_FALSE(committer_.Check());
  EXPECT_FALSE(committer_.AwaitRunningSync());
}

TEST_F(CommitterTest, AFailedSyncFailsAllWaiters) {
  Waiter first = StopASync();
  const std::uint64_t synced = committer_.written();
  Waiter same = Sync(synced);
  AwaitWaiters(0, 1);
  Waiter next = Sync(Enqueue());
  AwaitWaiters(0, 2);
  Waiter running = std::async(std::launch::async, [&] { return committer_.AwaitRunningSync(); });
  AwaitWaiters(0, 3);
  files_.syncs.FailFromNowOn();
  files_.syncs.Open();
  for (Waiter* waiter : {&first, &same, &next, &running}) EXPECT_EQ(End(*waiter), "needs reopening");
  EXPECT_EQ(committer_.durable(), 0U);
  EXPECT_EQ(committer_.written(), synced);
  EXPECT_EQ(files_.syncs.passed(), 1U) << "a second one may lie";
  Waiter late = Sync(synced);
  EXPECT_EQ(End(late), "needs reopening");
}

TEST_F(CommitterTest, PoisonReleasesAllButTheLeaders) {
  Waiter sync = StopASync();
  Waiter next_sync = Sync(Enqueue());
  AwaitWaiters(0, 1);
  Waiter write = StopAWrite();
  Waiter next_write = Write(Enqueue());
  AwaitWaiters(1, 1);
  committer_.Poison({ErrorCode::kIo, "elsewhere"});
  EXPECT_EQ(End(next_sync), "needs reopening");
  EXPECT_EQ(End(next_write), "needs reopening");
  files_.writes.Open();
  files_.syncs.Open();
  EXPECT_EQ(End(sync), "fine") << "it is on disk";
  EXPECT_EQ(End(write), "fine");
}

// The woken thread may see the failure or not: it returns, and so do the others.
TEST_F(CommitterTest, PoisonDuringAHandOverReleasesAll) {
  Waiter first = StopASync();
  std::vector<Waiter> others;
  for (std::size_t i = 0; i < 3; ++i) {
    others.push_back(Sync(Enqueue()));
    AwaitWaiters(0, i + 1);
  }
  std::thread poison([&] { committer_.Poison({ErrorCode::kIo, "elsewhere"}); });
  files_.syncs.Open();
  EXPECT_EQ(End(first), "fine");
  for (Waiter& other : others) EXPECT_NE(End(other), "asleep");
  poison.join();
}

TEST_F(CommitterTest, RollsOverSegmentsWithinABatch) {
  Waiter first = StopAWrite();
  constexpr std::size_t kFrames = 6;
  for (std::size_t i = 0; i < kFrames; ++i) (void)Enqueue(i % 2 == 0 ? kFillsASegment : 3 * kSegmentBytes);
  Waiter sync = Sync(committer_.enqueued().end);
  AwaitWaiters(1, 0);
  files_.writes.Open();
  EXPECT_EQ(End(first), "fine");
  EXPECT_EQ(End(sync), "fine");
  EXPECT_EQ(files_.writes.passed(), 1 + kFrames + 1) << "what is left of the first segment, and the others";
  EXPECT_EQ(segments_.all().size(), kFrames + 1);
  FrameScanner scanner(segments_, 0);
  std::size_t frames = 0;
  while (scanner.position() < committer_.enqueued().end) {
    const auto frame = scanner.Next();
    ASSERT_TRUE(frame && *frame);
    if ((*frame)->header.type == FrameType::kConversation) ++frames;
  }
  EXPECT_EQ(frames, 1 + kFrames);
}

// Appends one frame with a large payload in memory that is kept, between two small ones.
struct KeptPayload {
  explicit KeptPayload(std::size_t size) : memory(std::make_shared<const std::string>(size, 'y')) {}

  std::uint64_t EnqueueIn(Committer& committer) {
    const auto frame = [](std::string_view payload) {
      return PendingFrame{.header = {.type = FrameType::kConversation, .kind = EventKind{0}, .conversation = 2},
                          .payload = payload,
                          .payload_hash = Hash64(payload)};
    };
    const std::vector<PendingFrame> frames{frame("before"), frame(*memory), frame("after")};
    std::vector<std::uint64_t> positions;
    const auto end = committer.Enqueue(frames, positions, memory);
    EXPECT_TRUE(end);
    return end.value_or(0);
  }

  std::shared_ptr<const std::string> memory;
};

TEST_F(CommitterTest, LargePayloadsAreWrittenFromWhereTheyAre) {
  for (const std::size_t size : {std::size_t{1} << 20, (std::size_t{1} << 20) + 3}) {
    KeptPayload kept(size);
    const std::uint64_t begin = committer_.enqueued().end, end = kept.EnqueueIn(committer_);
    EXPECT_EQ(kept.memory.use_count(), 2) << "not copied";
    ASSERT_TRUE(committer_.Wait(end, Durability::kSync));
    EXPECT_EQ(kept.memory.use_count(), 1) << "may be wiped as soon as it is written";
    FrameScanner scanner(segments_, begin);
    std::vector<std::string> payloads;
    while (scanner.position() < end) {
      const auto frame = scanner.Next();
      ASSERT_TRUE(frame && *frame);
      if ((*frame)->header.conversation == 2) payloads.emplace_back((*frame)->payload);
    }
    ASSERT_EQ(payloads.size(), 3U);
    EXPECT_EQ(payloads[0], "before");
    EXPECT_TRUE(payloads[1] == *kept.memory);
    EXPECT_EQ(payloads[2], "after");
  }
}

// The appending thread returns because of a failure elsewhere, while another one still writes its payload.
TEST_F(CommitterTest, APayloadIsKeptUntilItsWriterHasEnded) {
  KeptPayload kept(std::size_t{1} << 20);
  const std::uint64_t end = kept.EnqueueIn(committer_);
  files_.writes.Close();
  Waiter writer = Write(end);
  files_.writes.AwaitStopped(1);
  Waiter appender = Write(end);
  AwaitWaiters(1, 0);
  committer_.Poison({ErrorCode::kIo, "elsewhere"});
  EXPECT_EQ(kept.memory.use_count(), 2);
  files_.writes.Open();
  EXPECT_NE(End(writer), "asleep");
  EXPECT_NE(End(appender), "asleep");
  EXPECT_EQ(kept.memory.use_count(), 1);
}

TEST(WaitGroupTest, HandsOverToOne) {
  WaitGroup group;
  group.HandOver();
  EXPECT_EQ(group.Await(), WaitGroup::Outcome::kLead);
  group.Finish();
  EXPECT_EQ(group.Await(), WaitGroup::Outcome::kDone);
}

TEST(WaitGroupTest, DoneIsFinal) {
  WaitGroup group;
  group.HandOver();
  group.Finish();
  EXPECT_EQ(group.Await(), WaitGroup::Outcome::kDone);
  group.HandOver();
  EXPECT_EQ(group.Await(), WaitGroup::Outcome::kDone);
}

// A failure may finish a group between the moment a thread sees the lead and the moment it takes it. On a machine with
// one free processor each round costs a time slice, so the rounds end after some seconds.
TEST(WaitGroupTest, NoThreadSleepsWhenAFinishOvertakesAHandOver) {
  constexpr std::size_t kRounds = 100'000;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::vector<WaitGroup> groups(kRounds);
  std::atomic<std::size_t> awaited = 0;
  std::atomic<bool> enough = false;
  std::thread waiter([&] {
    for (WaitGroup& group : groups) {
      if (enough) return;
      awaited.fetch_add(1);
      (void)group.Await();
    }
  });
  for (std::size_t i = 0; i < kRounds && std::chrono::steady_clock::now() < end; ++i) {
    for (int spins = 0; awaited.load() <= i; ++spins) {
      if (spins > 10'000) std::this_thread::yield();  // the other thread does not run
    }
    groups[i].HandOver();
    groups[i].Finish();
  }
  enough = true;
  for (WaitGroup& group : groups) group.Finish();
  waiter.join();
}

}  // namespace
}  // namespace turnlog::committer_test
