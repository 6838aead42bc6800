// Long scans, whose windows are read by a thread of their own.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "store/segments/frame_scanner.h"
#include "tests/store/hand_made_log.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/must.h"
#include "tests/support/watched_files.h"

namespace turnlog::prefetch_test {
namespace {

constexpr std::uint64_t kSegment = std::uint64_t{6} << 20;
constexpr std::uint64_t kLargest = std::uint64_t{700} << 10;  // larger than a window

class PrefetchTest : public testing::Test {
 protected:
  struct Written {
    std::uint64_t position = 0;
    std::uint64_t hash = 0;
  };

  PrefetchTest() {
    log_.Seal();
    for (int segment = 0; segment < 3; ++segment) {
      log_.AddSegment(kSegment);
      const std::uint64_t end = log_.position() + kSegment - kSegmentHeaderBytes - kFrameHeaderBytes;
      for (;;) {
        const std::string payload(Size(), static_cast<char>('a' + written_.size() % 26));
        if (log_.position() + FrameBytes(payload.size()) > end) break;
        const std::uint64_t at = log_.Add(payload);
        written_.push_back({at, Hash64(payload)});
      }
      log_.Seal();
    }
  }

  std::unique_ptr<SegmentSet> Open() {
    auto segments = std::make_unique<SegmentSet>(files_, log_.folder(), log_.identity(), true);
    Must(segments->Refresh());
    return segments;
  }
  // Expects the frames from number `next` on, up to one without a valid frame. Returns the number of that.
  std::size_t Scan(FrameScanner& scanner, std::size_t next = 0) const {
    for (; next < written_.size(); ++next) {
      const Frame* frame = Must(scanner.Next());
      if (frame == nullptr) return next;
      EXPECT_EQ(frame->position, written_[next].position);
      EXPECT_EQ(Hash64(frame->payload), written_[next].hash) << "frame " << next;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(frame->payload.data()) % kFrameAlignment, 0U);
    }
    return next;
  }
  static bool HasProcessors() { return std::thread::hardware_concurrency() > 1; }

  HandMadeLog log_;
  std::vector<Written> written_;
  WatchedFiles files_;

 private:
  // Mostly small, some larger than the room before a window, a few larger than a window.
  std::uint64_t Size() {
    const std::uint64_t kind = random_() % 100;
    if (kind == 0) return random_() % kLargest;
    return random_() % (kind < 10 ? SegmentPrefetcher::kRoomBytes + 10'000 : 9'000);
  }
  std::mt19937_64 random_{1};
};

TEST_F(PrefetchTest, AScanGetsEveryFrameWhoeverReadsIt) {
  std::mutex mutex;
  std::set<std::thread::id> readers;
  std::uint64_t bytes = 0;
  files_.on_read = [&](std::uint64_t, std::size_t size) {
    const std::scoped_lock lock(mutex);
    readers.insert(std::this_thread::get_id());
    bytes += size;
    return false;
  };
  const auto segments = Open();
  FrameScanner scanner(*segments, 0);
  EXPECT_EQ(Scan(scanner), written_.size());
  EXPECT_EQ(Must(scanner.Next()), nullptr);
  EXPECT_EQ(readers.size(), HasProcessors() ? 2U : 1U);
  EXPECT_LT(bytes, 3 * kSegment * 3 / 2);  // but for what is around large records, each once
}

TEST_F(PrefetchTest, WhoReadsLittleNeedsNoThread) {
  std::atomic<bool> others = false;
  files_.on_read = [&, own = std::this_thread::get_id()](std::uint64_t, std::size_t) {
    others = others || std::this_thread::get_id() != own;
    return false;
  };
  const auto segments = Open();
  FrameScanner scanner(*segments, 0);
  while (scanner.position() < written_.front().position + (std::uint64_t{900} << 10))
    ASSERT_NE(Must(scanner.Next()), nullptr);
  EXPECT_FALSE(others);
}

TEST_F(PrefetchTest, NothingIsReadBeyondTheLimit) {
  const std::uint64_t base = log_.extent(1).base;
  const std::size_t last = written_.size() / 4;  // within the first large segment
  const std::uint64_t limit = written_[last].position;
  ASSERT_LT(limit, log_.extent(1).end());
  std::atomic<std::uint64_t> furthest = 0;
  files_.on_read = [&](std::uint64_t offset, std::size_t size) {
    if (offset > 0) furthest = std::max(furthest.load(), offset + size);
    return false;
  };
  const auto segments = Open();
  FrameScanner scanner(*segments, base);
  scanner.LimitReadAhead(limit);
  for (std::size_t i = 0; i < last; ++i) ASSERT_NE(Must(scanner.Next()), nullptr);
  EXPECT_EQ(scanner.position(), limit);
  EXPECT_EQ(base + furthest, limit);
  scanner.LimitReadAhead(UINT64_MAX);
  EXPECT_EQ(Scan(scanner, last), written_.size());
}

TEST_F(PrefetchTest, WhatIsTornWhileItIsReadAheadIsReadAgain) {
  std::atomic<int> reads = 0;
  files_.on_read = [&, own = std::this_thread::get_id()](std::uint64_t, std::size_t) {
    return std::this_thread::get_id() != own && ++reads % 3 == 0;
  };
  const auto segments = Open();
  FrameScanner scanner(*segments, 0);
  EXPECT_EQ(Scan(scanner), written_.size());
  EXPECT_GT(reads, HasProcessors() ? 9 : -1);
}

TEST_F(PrefetchTest, AFailedReadIsAnErrorAndNothingIsMissingAfterIt) {
  FaultFileSystem faults(PosixFileSystem());
  SegmentSet segments(faults, log_.folder(), log_.identity(), true);
  Must(segments.Refresh());
  int failed = 0;
  for (std::uint64_t n = 1; n <= 60; ++n) {
    FrameScanner scanner(segments, 0);
    faults.FailRead(n);
    std::size_t next = 0;
    Result<const Frame*> frame = scanner.Next();
    for (; frame && *frame != nullptr; frame = scanner.Next()) ++next;
    faults.Heal();
    if (!frame) ++failed;
    EXPECT_EQ(Scan(scanner, next), written_.size()) << "read " << n;
  }
  EXPECT_GT(failed, 20);  // not all: some of what is read ahead is not needed
}

TEST_F(PrefetchTest, DamageIsFoundAndSteppedOver) {
  std::set<std::size_t> damaged;
  for (std::size_t i = 20; i < written_.size(); i += 97) {
    log_.Flip(written_[i].position + kFrameHeaderBytes);
    damaged.insert(i);
  }
  const auto segments = Open();
  FrameScanner scanner(*segments, 0);
  std::size_t next = Scan(scanner);
  for (const std::size_t at : damaged) {
    ASSERT_EQ(next, at);
    const auto stepped = Must(scanner.StepOver(UINT64_MAX));
    ASSERT_TRUE(stepped && stepped->header);
    next = Scan(scanner, at + 1);
  }
  EXPECT_EQ(next, written_.size());
}

TEST_F(PrefetchTest, ManyScanAtOnce) {
  const auto segments = Open();
  std::vector<std::jthread> threads;
  while (threads.size() < 6) {
    threads.emplace_back([&] {
      for (const bool again : {false, true}) {
        FrameScanner scanner(*segments, 0);
        EXPECT_EQ(Scan(scanner), written_.size()) << again;
        scanner = FrameScanner(*segments, 0);
        EXPECT_NE(Must(scanner.Next()), nullptr);
      }
      FrameScanner given_up(*segments, 0);
      for (std::size_t i = 0; i < written_.size() / 2; ++i) EXPECT_NE(Must(given_up.Next()), nullptr);
    });
  }
}

}  // namespace
}  // namespace turnlog::prefetch_test
